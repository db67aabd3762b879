"""The options of a machine that changes, and what was given of them."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from thinktime.cli import errors, options

CHOICES = {
    "on_failure": ("requeue", "cancel", "shrink"), "requeue_at": ("original", "now"), "repairs": ("unknown", "told"),
    "suspended_holds": ("memory", "all"), "strangers": ("refuse", "note"),
}  # fmt: skip

Text = str | None


@dataclass(frozen=True, kw_only=True)
class Changes:
    """How the machine changes; ``ValueError`` names the option that cannot be read. The file is read with the log."""

    events: Annotated[Text, options.option("EVENTS.csv", "Windows, outages and capacity of the machine.")] = None
    failures: Annotated[
        Text, options.option("mtbf=T,mttr=T[,…]", "Random failures of processors, such as mtbf=30d,mttr=4h,shape=0.7.")
    ] = None
    on_failure: Annotated[
        Text, options.option("requeue|cancel|shrink", "What happens to jobs on processors that fail.", shown="requeue")
    ] = None
    requeue_at: Annotated[
        Text,
        options.option("original|now", "When interrupted jobs queue: by submission or interruption.", shown="original"),
    ] = None
    requeue_delay: Annotated[
        Text, options.option("T", "How long interrupted jobs stay away from the queue, such as 2min.", shown="0")
    ] = None
    max_restarts: Annotated[
        int | None, options.option("N", "Kill a job at one interruption more.", shown="no limit", min=0)
    ] = None
    suspended_holds: Annotated[
        Text,
        options.option(
            "memory|all", "What suspended jobs keep: their memory, or their processors too.", shown="memory"
        ),
    ] = None
    strangers: Annotated[
        Text,
        options.option("refuse|note", "What happens if windows name users or jobs that the log lacks.", shown="refuse"),
    ] = None
    checkpoint: Annotated[
        Text, options.option("T[,cost=T][,restart=T]", "Jobs save their work after each T of it, such as 1h,cost=30s.")
    ] = None
    repairs: Annotated[
        Text, options.option("unknown|told", "Whether policies know when outages end.", shown="unknown")
    ] = None

    @property
    def given(self) -> dict[str, Any]:
        """What was given of these, by their names: a table for `thinktime.models.machine.changing.tables`."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def __post_init__(self) -> None:
        """Check what can be checked without the log."""
        for name, choices in CHOICES.items():
            if name in self.given:
                errors.choice(_option(name), self.given[name], choices)
        for name in ("failures", "checkpoint", "requeue_delay"):
            if name in self.given:
                from thinktime.models.machine.changing.tables import changes_of

                try:
                    changes_of({name: self.given[name]})
                except ValueError as error:
                    raise ValueError(f"{_option(name)}: {str(error).removeprefix(f'{name}: ')}") from None


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
