"""Jobs that send others away: the ready-made preemption of `thinktime.models.policies.backfilling.Easy`.

Our decision: peers differ. Slurm takes the youngest or the lowest priority first and gives a grace, PBS takes the most
recently started and preempts none if that is not enough.
"""

from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from typing import Any

from thinktime.models.engine.changes.preempting import Preempting
from thinktime.models.orders.options import one_of
from thinktime.workloads import checks
from thinktime.workloads.grid import to_grid
from thinktime.workloads.names import quoted
from thinktime.workloads.units import as_text, seconds

WAYS, VICTIMS = ("cancel", "requeue", "suspend"), ("youngest", "lowest")


@dataclass(frozen=True)
class Preemption:
    """Which running jobs a job of a higher rank may send away, and how.

    ``ranks`` are those of queues, such as ``urgent:2+normal:1``, and 0 for others. Victims leave by ``preempt``
    (cancel, requeue or suspend), ``youngest`` first or those of the ``lowest`` rank first, ``grace`` s after they were
    chosen; they have run for at least ``exempt`` s.
    """

    preempt: str
    given: InitVar[Any]
    victims: str
    grace: float | str
    exempt: float | str
    ranks: dict[str, int] = field(init=False)

    def __post_init__(self, given: Any) -> None:
        one_of("preempt", self.preempt, WAYS)
        one_of("victims", self.victims, VICTIMS)
        checks.put(self, "ranks", _ranks(given))
        for name in ("grace", "exempt"):
            checks.put(self, name, _seconds(name, getattr(self, name)))

    def options(self) -> dict[str, Any]:
        """As the command line says them."""
        text = "+".join(f"{queue}:{rank}" for queue, rank in self.ranks.items())
        return {"preempt": self.preempt, "ranks": text} | {
            name: value if name == "victims" else as_text(value)
            for name in ("victims", "grace", "exempt")
            if (value := getattr(self, name)) not in ("youngest", 0.0)
        }

    def as_rule(self, reservations: int) -> Preempting:
        """What the engine knows of it."""
        return Preempting(
            reservations=reservations, how=WAYS.index(self.preempt), victims=VICTIMS.index(self.victims),
            grace=self.grace, exempt=self.exempt,
        )  # fmt: skip


def _ranks(given: Any) -> dict[str, int]:
    """Ranks of queues, from ``urgent:2+normal:1`` or a mapping."""
    texts = [given] if isinstance(given, str) else given
    try:
        pairs = given.items() if isinstance(given, Mapping) else [text.rsplit(":", 1) for text in texts]
        return {str(queue): int(rank) for queue, rank in pairs}
    except (AttributeError, TypeError, ValueError):
        raise ValueError(f"ranks must be such as urgent:2+normal:1, not {quoted(given)}") from None


def _seconds(name: str, value: Any) -> float:
    try:
        if (found := to_grid(seconds(value))) >= 0.0:
            return found
    except ValueError:
        pass
    raise ValueError(f"{name} must be a duration of at least 0, such as 120 or 2m, not {quoted(value)}")
