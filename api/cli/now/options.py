"""The options of `thinktime now`."""

from dataclasses import dataclass
from typing import Annotated

from thinktime.cli import errors
from thinktime.cli.options import MaxSize, option

ARRIVALS = "reacting", "calibrated", "open", "none"


@dataclass(frozen=True, kw_only=True)
class Given:
    """The state, and the past."""

    begin: Annotated[
        str | None, option("FILE|DIR", "A state (.state), or a snapshot of a site.", "--from", shown=False)
    ] = None
    history: Annotated[
        str | None, option("LOG", "The past: run times, users, withdrawals.", shown="the snapshot's; else none")
    ] = None
    shapes: Annotated[
        str | None,
        option(
            "KEY=VALUE,…|FILE.csv", "Jobs of the past that may have several sizes, as in replay.", shown="all are rigid"
        ),
    ] = None
    max_size: MaxSize = None


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a forecast is asked for: a job that may be submitted, and what else to tell."""

    job: Annotated[
        list[str] | None,
        option(
            "SPEC",
            "A job not submitted yet, such as user=ann,processors=64,time=4h, or with shape=8-64*2; repeat for "
            "alternatives.",
            shown="none",
        ),
    ] = None
    change: Annotated[
        list[str] | None,
        option(
            "PATH=VALUE",
            "A site that differs, as in site whatif, such as backfill.bf_window=2d, or policy=fcfs for a state; repeat "
            "to compare.",
            shown="none",
        ),
    ] = None
    events: Annotated[
        str | None, option("EVENTS.csv", "Windows and outages to come, compared with today.", shown="none")
    ] = None
    user: Annotated[str | None, option("USER", "Only the jobs of one user.", "--for", shown="all")] = None


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """What is drawn, and how often."""

    draws: Annotated[int, option("N", "How often the rest is drawn.", min=1)] = 200
    seed: Annotated[int, option("S", "Seed of the random numbers.", min=0)] = 1
    until: Annotated[str, option("T", "Up to this time from now.")] = "3d"
    arrivals: Annotated[
        str,
        option(
            "|".join(ARRIVALS), "Who comes: users who wait for results, users fitted to the past, a past week, nobody."
        ),
    ] = "reacting"

    failures: Annotated[
        str | None, option("mtbf=T,mttr=T[,…]", "Random failures, such as mtbf=300d,mttr=4h.", shown="none")
    ] = None

    def __post_init__(self) -> None:
        errors.choice("--arrivals", self.arrivals, ARRIVALS)
