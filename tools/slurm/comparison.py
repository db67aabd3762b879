"""What a Slurm did and what the model says of the same jobs, side by side."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from tools.slurm.asked import asked_about
from tools.slurm.model import WITHIN, Modelled, play
from tools.slurm.recording import Attempt, Recording, Said

AGAINST = 1_000_000
"""Stands for the seconds by which a start is late that the model would not make."""
NONE = Attempt("", "NONE", 0)
"""What the other has no attempt for."""
SAID = {"REFUSED": "refused", "NONE": "not again"}


@dataclass(frozen=True, slots=True)
class Counted:
    """How many values agree, of how many."""

    same: int = 0
    of: int = 0

    def __str__(self) -> str:
        return f"{self.same:,} of {self.of:,}" if self.of else "–"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One experiment: starts, nodes, seconds, and what was said of priorities and use."""

    lags: Mapping[int, int]
    """Seconds by which Slurm started a job later than the model, or than it wanted: how many jobs."""
    nodes: Counted
    """Starts on the same nodes."""
    others: Counted
    """Jobs that wait for ever, or were refused, in either: those that do so in both."""
    seconds: Counted
    """Seconds in which the same jobs run."""
    priorities: Counted
    usage: Counted
    shares: Counted
    differ: tuple[str, ...]
    """What is to be said of jobs of which one starts and the other does not, or more than `WITHIN` apart."""

    @property
    def starts(self) -> int:
        """How many jobs started in both."""
        return sum(self.lags.values())

    def within(self, seconds: int) -> int:
        """How many starts are at most so many seconds apart."""
        return sum(count for lag, count in self.lags.items() if abs(lag) <= seconds)


def compare(recording: Recording, drawn: bool = False) -> Comparison:
    """Play a recording and compare; of jobs that were ``drawn``, ask the model second by second."""
    return seen(recording) if drawn else of(recording, play(recording))


def seen(recording: Recording) -> Comparison:
    """How the model sees each start, beside the jobs that really ran."""
    found, none = asked_about(recording), Counted()
    late = [AGAINST if each.late is None else each.late for each in found.values()]
    races = [f"{name} before {', '.join(each.before)}" for name, each in found.items() if each.before]
    against = [name for name, each in found.items() if each.late is None or each.late > WITHIN]
    differ = (
        *([f"{'; '.join(races)}, which came or went in the same second"] if races else []),
        *([f"the model would not start {', '.join(against)} then"] if against else []),
    )
    there = Counted(sum(each.there for each in found.values()), len(found))
    return Comparison(dict(sorted(Counter(late).items())), there, none, none, none, none, none, differ)


def of(recording: Recording, model: Modelled) -> Comparison:
    """Compare a recording with what the model has found."""
    really = recording.attempts
    pairs = [pair for name in really for pair in zip_longest(really[name], model.attempts[name], fillvalue=NONE)]
    both = [pair for pair in pairs if pair[0].start is not None and pair[1].start is not None]
    others = [pair for pair in pairs if pair[0].start is None or pair[1].start is None]
    return Comparison(
        dict(sorted(Counter(_lag(*pair) for pair in both).items())),
        Counted(sum(theirs.nodes == ours.nodes for theirs, ours in both), len(both)),
        Counted(sum(theirs.state == ours.state for theirs, ours in others), len(others)),
        _seconds(really, model.attempts),
        _values(recording.priorities, model.priorities, 0.5),
        _values(recording.usage, model.usage, 1.0),
        _values(recording.shares, model.shares, 1e-6),
        tuple(_said(*pair) for pair in pairs if not _alike(*pair)),
    )


def _lag(theirs: Attempt, ours: Attempt) -> int:
    assert theirs.start is not None and ours.start is not None
    return theirs.start - ours.start


def _alike(theirs: Attempt, ours: Attempt) -> bool:
    if theirs.start is None or ours.start is None:
        return theirs.state == ours.state
    return abs(_lag(theirs, ours)) <= WITHIN


def _said(theirs: Attempt, ours: Attempt) -> str:
    there, here = (_start(each) for each in (theirs, ours))
    return f"{theirs.name or ours.name} {there}, here {here}"


def _start(attempt: Attempt) -> str:
    return f"at {attempt.start}" if attempt.start is not None else SAID.get(attempt.state, "never")


def _seconds(really: Mapping[str, list[Attempt]], ours: Mapping[str, list[Attempt]]) -> Counted:
    """In how many seconds the same jobs run."""
    there, here = ([one for attempts in each.values() for one in attempts] for each in (really, ours))
    last = max((attempt.end or 0 for attempt in (*there, *here)), default=0)
    same = sum(_running(there, second) == _running(here, second) for second in range(last))
    return Counted(same, last)


def _running(attempts: list[Attempt], second: int) -> set[str]:
    return {
        each.name for each in attempts if each.start is not None and each.start <= second < (each.end or second + 1)
    }


def _values(said: Said, found: Mapping[str, Mapping[int, float]], tolerance: float) -> Counted:
    """Values that were said in each second of things that both know; ours may be those of the second before."""
    same = of_all = 0
    for name in said.keys() & found.keys():
        values = found[name]
        for second, text in _each_second(said[name], max(values)):
            if text and second in values:
                of_all += 1
                near = (values[second], values.get(second - 1, values[second]))
                same += any(abs(float(text) - value) < tolerance for value in near)
    return Counted(same, of_all)


def _each_second(said: Mapping[int, str], last: int) -> list[tuple[int, str]]:
    """What was said in each second, since it is kept only where it changed."""
    times = [*said, last + 1]
    return [(second, said[begin]) for begin, end in pairwise(times) for second in range(begin, end)]
