"""The table of impossible combinations, checked before anything runs and printed in the documentation.

All other policies, machines, sources of jobs, kinds of users, observers and estimates can be combined.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from thinktime.models.policies.base import Policy
from thinktime.models.policies.entry import entry_of
from thinktime.models.policies.hooks import Hooks

UNCHANGING = ("slack", "ostrich", "ostrich-slurm", "faircamp")
"""Policies that know no windows."""


class Wanted(NamedTuple):
    """The properties of a run that the table checks."""

    policy: Policy | None = None
    overrun: str = "kill"
    estimates: str = "requested"
    nodes: bool = False
    changing: bool = False
    """Whether the machine changes: windows, outages, jobs that are interrupted."""
    recorded_jobs: bool = True
    """Whether all jobs come from a log, which has their start times."""
    repeatable: bool = True
    """Whether all sources can be run twice with the same jobs."""
    endless: bool = False
    """Whether users go on for ever and the run has no end."""
    resizes: bool = False
    """Whether users change the processors of jobs that ask for nodes."""

    @property
    def interrupts(self) -> bool:
        """Whether jobs may be interrupted."""
        return self.changing or getattr(self.policy, "ranks", None) is not None


@dataclass(frozen=True, slots=True)
class Impossible:
    """Two things that cannot be combined: both in words, the reason, and how to recognise them."""

    this: str
    that: str
    why: str
    met: Callable[[Wanted], bool]

    def sentence(self, wanted: Wanted) -> str:
        """The error message for a run that wants both."""
        return f"{self.this} cannot be combined with {self.that}: {self.why}"


def _as_recorded(wanted: Wanted) -> bool:
    return wanted.policy is not None and Hooks(wanted.policy).as_recorded


def _rehearses(wanted: Wanted) -> bool:
    return wanted.policy is not None and Hooks(wanted.policy).needs_rehearsal


def _knows_changes(wanted: Wanted) -> bool:
    """Whether a policy is known to plan beside windows, or is from outside."""
    entry = None if wanted.policy is None else entry_of(type(wanted.policy))
    return entry is None or entry.name not in UNCHANGING


def _misses_interruptions(wanted: Wanted) -> bool:
    hooks = Hooks(wanted.policy)
    outside = wanted.policy is not None and not hooks.trusted
    return outside and hooks.on_end is not None and hooks.on_interrupt is None and not hooks.knows_interruptions


TABLE = (
    Impossible(
        "policy recorded",
        "jobs that no log recorded (those of drawn users and campaign users)",
        "the log holds no schedule of theirs",
        lambda wanted: _as_recorded(wanted) and not wanted.recorded_jobs,
    ),
    Impossible(
        "policy recorded",
        "nodes",
        "the log's own schedule need not fit the nodes, so replay it on processors",
        lambda wanted: _as_recorded(wanted) and wanted.nodes,
    ),
    Impossible(
        "policy recorded",
        "estimates other than the requests",
        "a recorded schedule plans nothing",
        lambda wanted: _as_recorded(wanted) and wanted.estimates != "requested",
    ),
    Impossible(
        "overrun = 'until_needed'",
        "estimates other than the requests",
        "a job that may run on until its processors are needed has no limit to plan with",
        lambda wanted: wanted.overrun == "until_needed" and wanted.estimates != "requested",
    ),
    Impossible(
        "users who degrade or reconfigure jobs",
        "jobs that ask for nodes",
        "they change processors alone",
        lambda wanted: wanted.resizes,
    ),
    Impossible(
        "policy slack with awt=auto",
        "processes of your own",
        "it first runs the same jobs under conservative, and a process cannot be run twice; give awt=SECONDS",
        lambda wanted: _rehearses(wanted) and not wanted.repeatable,
    ),
    Impossible(
        "users who go on for ever",
        "a run without an end",
        "it would never be over; give until (a scenario's horizon), or a number of campaigns",
        lambda wanted: wanted.endless,
    ),
    Impossible(
        "a machine that changes",
        "overrun = 'until_needed'",
        "jobs would be evicted for two reasons, in an order that nobody has defined",
        lambda wanted: wanted.interrupts and wanted.overrun == "until_needed",
    ),
    Impossible(
        "a machine that changes",
        "policy recorded",
        "the log's own schedule knows nothing of the changes",
        lambda wanted: wanted.interrupts and _as_recorded(wanted),
    ),
    Impossible(
        "a machine that changes",
        "estimates other than the requests",
        "nobody has said what an estimate is of a job that has run in part",
        lambda wanted: wanted.interrupts and wanted.estimates != "requested",
    ),
    Impossible(
        "a machine that changes",
        "a runtime limit",
        "a job would be in parts for two reasons; use checkpoints",
        lambda wanted: wanted.interrupts and wanted.policy is not None and Hooks(wanted.policy).runtime_limit < inf,
    ),
    Impossible(
        "a machine that changes",
        "nodes",
        "windows and outages of nodes are not there yet",
        lambda wanted: wanted.interrupts and wanted.nodes,
    ),
    Impossible(
        "a machine that changes",
        "policies that plan by rules of their own (slack, ostrich, faircamp)",
        "their sources do not say what windows and interruptions do to their plans",
        lambda wanted: wanted.interrupts and not _knows_changes(wanted),
    ),
    Impossible(
        "a machine that changes",
        "a policy of your own with on_end and without on_interrupt",
        "on_end is not called for jobs that are interrupted; write on_interrupt, or set knows_interruptions = True",
        lambda wanted: wanted.interrupts and _misses_interruptions(wanted),
    ),
    Impossible(
        "a runtime limit",
        "a hold that is longer (machine.request)",
        "the process that holds the processors cannot be split",
        lambda wanted: False,  # known only at the request, and refused there
    ),
)


def refuse(wanted: Wanted, who: str = "") -> None:
    """``ValueError`` for the first row of the table that applies, in one sentence that begins with ``who``."""
    for each in TABLE:
        if each.met(wanted):
            raise ValueError(who + each.sentence(wanted))


def rows() -> list[tuple[str, str, str]]:
    """The table in words."""
    return [(each.this, each.that, each.why) for each in TABLE]
