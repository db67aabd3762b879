"""What associations have used before the start."""

from dataclasses import dataclass

from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.reading.table import Table


@dataclass(frozen=True, slots=True)
class Usage(Table):
    """What an association has used at the start: decayed, in units of billing times seconds (RawUsage of sshare).

    ``user`` is None for an account with everything below it.
    """

    account: str
    user: str | None = None
    amount: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.amount < float("inf"):
            raise ValueError(
                f"usage of account {shortened(self.account, 40)}: the amount must be at least 0, not "
                f"{quoted(self.amount)}"
            )
