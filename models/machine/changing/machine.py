"""A machine that changes: windows, outages, and jobs that are interrupted and run again.

This is what machines of processors (`thinktime.models.machine.changing.pool`) and of nodes
(`thinktime.models.machine.changing.nodes`) have in common.
"""

import math
import weakref
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.changes import preempting
from thinktime.models.engine.changes.changes import change_machine
from thinktime.models.engine.codes import fields as columns
from thinktime.models.engine.codes import interruptions
from thinktime.models.engine.codes import situation as of
from thinktime.models.jobs.columns import grown, known_row
from thinktime.models.jobs.forms import KINDS as OF_SHAPES
from thinktime.models.jobs.forms import OF_ROWS as SHAPED
from thinktime.models.jobs.forms import Forms
from thinktime.models.jobs.labels import Labels
from thinktime.models.jobs.leaving import WAYS, KnownWindow
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.refusing import PolicyError
from thinktime.models.machine.changing.ranks import QueueRanks, Ranks
from thinktime.models.machine.changing.resizable import ResizableJobs
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.changing.timeline import Timeline
from thinktime.models.machine.changing.window_arrays import known_windows, window_arrays
from thinktime.models.state import State
from thinktime.workloads.arrays import NO_ROWS, Rows
from thinktime.workloads.changes.outages import Machine, Outages, check_indices, check_names
from thinktime.workloads.changes.window_checks import check_windows
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.names import quoted
from thinktime.workloads.units import counted

OF_ROWS = {
    "rank": 0, "notice": math.inf, "ready": math.inf, "leaves": 0, "first_start": math.nan, "checkpoint": math.inf,
    "cost": 0.0, "restart": 0.0, "lasting": -1, "gave_up": False, "suspended": 0,
    "keeper": of.NOBODY, "booked": math.inf, "booked_until": -math.inf,
}  # fmt: skip
"""Columns of jobs on any machine that changes, with their values for a job that nothing is said of."""
KINDS = {"rank": np.int64, "leaves": np.int8, "lasting": np.int8, "offset": np.int64, "size": np.int64,
         "suspended": np.int8, "gave_up": np.bool_, "keeper": np.int64}  # fmt: skip


class ChangingMachine(ResizableJobs):
    """Processors or nodes that may be down or set aside, the queue in front of them and the jobs on them."""

    fields: tuple[str, ...]
    """What a state has beside the columns of jobs, in order."""
    of_rows: Mapping[str, float]
    """Columns of jobs, with their values for a job that nothing is said of."""

    def _prepare(self, changes: Changes, machine: Machine, labels: Labels, ranks: Ranks | None) -> None:
        """Make what the arrays of a pool need; ``machine`` is the number of processors, or the nodes' numbers."""
        changes.check(machine)
        self.changes, self.machine = changes, machine
        self.windows: list[Window] = []
        self.arrays: dict[str, NDArray[Any]] = {
            name: np.full(0, missing, KINDS.get(name, np.float64)) for name, missing in self.of_rows.items()
        }
        self.ranks: Ranks = ranks or QueueRanks({})
        self.state.bind(
            repairs_told=changes.repairs == "told", cancels=changes.on_failure == "cancel",
            shrinks=changes.on_failure == "shrink",
            requeues_now=changes.requeue_at == "now", keeps_all=changes.suspended_holds == "all",
            most_runs=2**62 if changes.max_restarts is None else min(changes.max_restarts, 2**62),
            ranked=self.ranks.by_rank, requeue_delay=changes.requeue_delay, **self.ranks.numbers(),
        )  # fmt: skip
        self.arrays |= {
            "outages": np.zeros(self.size, np.int64), "back": np.zeros(self.size),
            "broken": np.zeros(self.size, np.int64),
        } | self.ranks.arrays()  # fmt: skip
        self._labels, self._named = labels, 0
        self.log = np.empty(0)
        self._last_of = {}
        self._looked_at = 0
        self._offer_room()
        self._timeline: Timeline | None = None
        self.draw_windows()

    def _begin(self) -> None:
        """Announce what is known from the beginning."""
        outages = None if self.changes.outages is None else self.changes.outages.bound(self.machine)
        self._timeline = Timeline(self.size, outages, self.changes.failures)
        for window in self.changes.windows:
            self._enter(window)
        self.draw_windows()
        self.foresee(0.0)
        change_machine(self.state, self.truth, -1.0)

    @property
    def size(self) -> int:
        """The number of processors, or of nodes."""
        return self.machine if isinstance(self.machine, int) else len(self.machine)

    # -- arrays -------------------------------------------------------------------------

    def take_shapes(self) -> None:
        """From now on, jobs may have several sizes."""
        self.forms, self.state.shaped = Forms(), True
        self.arrays |= {name: np.full(0, missing, OF_SHAPES.get(name, np.float64)) for name, missing in SHAPED.items()}
        self.arrays |= self.forms.arrays()
        self._make_room()
        self.state.part = self.append(1, math.nan).start

    def deadlock(self, over: bool) -> list[str]:
        """Evolving jobs that insist on what they ask for hold what they have."""
        if self.forms is None or not over or not self.state.asking_count:
            return []
        rows = self.arrays["asking"][: self.state.asking_count]
        numbers = sorted(self.requests.id[rows].tolist())
        shown = ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
        return [
            f"{counted(len(rows), 'running job')} ({shown}) will wait for ever for the sizes that they ask for: they "
            "hold what they have, and no other job gives back enough (a deadlock)"
        ]

    def _make_room(self) -> None:
        capacity = self.requests.capacity
        shaped = {} if self.forms is None else SHAPED
        for name, missing in {**self.of_rows, **shaped}.items():
            if (size := len(self.arrays[name])) < capacity:
                self.arrays[name] = grown(self.arrays[name], capacity)
                self.arrays[name][size:] = missing
        super()._make_room()

    def bind(self) -> None:
        """Make the structures, with room for those who are interrupted."""
        at_once = min(self.requests.capacity, self.processors)
        sizes = {"victims": at_once + 1, "leaving": at_once + 1}
        if self.forms is not None:
            sizes |= dict.fromkeys(("shrinking", "resizes", "resizes_to", "asking"), at_once + 1)
        for name, size in (sizes | dict.fromkeys(("delayed", "kept"), self.requests.capacity)).items():
            if len(before := self.arrays.get(name, NO_ROWS)) < size:
                self.arrays[name] = grown(before, size)
        self.coming = (*self.coming[:4], np.zeros(at_once, np.int64), self.log)
        super().bind()
        if self.forms is not None:
            self.truth.bind(**{name: self.arrays[name] for name in columns.SHAPES_HIDDEN})

    def _bound_room(self) -> dict[str, Any]:
        own = self.arrays | {"runs": self.requests.own("runs"), "done": self.requests.own("done")}
        names = (*self.fields, *(() if self.forms is None else columns.SHAPES_SEEN))
        return {name: own[name] for name in names} | {"grow": self._make}

    made_anew = (*Pool.made_anew, "_make")

    def _offer_room(self) -> None:
        """Let the engine ask for longer arrays."""
        self._make = _longer(weakref.ref(self))

    def longer(self, what: int) -> None:
        """Make the log of runs longer in which the engine writes, while it runs."""
        self.log = grown(self.log, 2 * len(self.log) + 64 * interruptions.RECORD)
        self.coming = (*self.coming[:5], self.log)
        self.truth.log = self.log

    # -- changes ------------------------------------------------------------------------

    def foresee(self, now: float) -> None:
        """Know all changes up to some time after ``now``, and who is admitted by windows."""
        if len(self._labels.names["user"]) > self._named and self.windows:
            self.draw_windows()
            self.bind()
        if (self._timeline is not None and self._timeline.horizon <= now) or not len(self.coming[0]):
            self._tell_changes(now)

    def _tell_changes(self, now: float) -> None:
        assert self._timeline is not None
        first, n = self.truth.changes_done, self.truth.changes_known
        time, until, what, which, *_ = self.coming
        untold = tuple(np.asarray(column[first:n], np.float64) for column in (time, what, which, until))
        time, what, which, until = self._timeline.known_until(now, untold)
        self.coming = (
            np.append(time, math.inf), np.append(until, self._timeline.horizon), what.astype(np.int8), which,
            *self.coming[4:],
        )  # fmt: skip
        self.truth.changes_done, self.truth.changes_known = 0, len(time)
        self.truth.next_change = time[0] if len(time) else self._timeline.horizon
        self.bind()

    def add_window(self, window: Window, now: float) -> None:
        """A window is announced; it must begin in the future."""
        self.check_cap(window)
        check_windows([*(each for each in self.windows if each.end > now), window], self.machine)
        self._enter(window)
        self.draw_windows()
        self._tell_changes(now)

    def add_outages(self, outages: Outages, now: float) -> None:
        """These outages come, of which policies know nothing before."""
        assert self._timeline is not None
        self._timeline.add_outages(outages.bound(self.machine))
        self._tell_changes(now)

    def fail(self, failing: Iterable[int | str], now: float, until: float) -> None:
        """Processors go down now, or nodes, which can be named; ``ValueError`` if there are none such."""
        assert self._timeline is not None
        indices = sorted(set(_indices(failing, self.machine)))
        self._timeline.add_outages(Outages.of([(now, until, indices)]))
        self._tell_changes(now)

    def _enter(self, window: Window) -> None:
        assert self._timeline is not None
        self._timeline.add_window(len(self.windows), window)
        self.windows.append(window)

    def draw_windows(self) -> None:
        """Make the arrays of windows."""
        site, windows, users = self.arrays, self.windows, self._labels.names["user"]
        self._named = len(users)
        site |= window_arrays(windows, users)
        site["amount"] = np.array([self._amount(each) for each in windows], np.int64)
        site["window_watts"] = np.array([self.withheld(each) for each in windows], np.int64)
        self.state.slots = max(site["slot"].tolist(), default=-1) + 1
        known = self.state.known_count
        site["known"] = grown(site["known"][:known] if "known" in site else np.empty(0, np.int64), len(windows))

    def _amount(self, window: Window) -> int:
        """How many processors a window has."""
        raise NotImplementedError

    @property
    def known_until(self) -> float:  # type: ignore[override]
        """The horizon of what is known."""
        return math.inf if self._timeline is None else self._timeline.horizon

    def nothing_starts(self, since: float, now: float) -> bool:
        """Whether jobs that wait on an idle machine either never may start, or had room at some time since and did not.

        On nodes, to have room is that as few are down as ever will be.
        """
        assert self._timeline is not None
        ahead = [time for each in self.windows for time in (each.announced, each.start, each.end) if time is not None]
        rows = self.waiting_rows
        if self.limits is not None:
            rows = rows[~self.limits.never(rows)]
            if self.limits.may_change(rows):
                return False
        if any(since <= time < math.inf for time in ahead):
            return False
        fewest = self._timeline.fewest_down(since, now)
        left = self.processors - self.state.endless - fewest if self.sizes is None else 0
        widest = int(self.requests.processors[rows].max(initial=0))
        return not len(rows) or widest <= left or fewest == self._timeline.down_for_ever(now)

    def end_failures(self, now: float) -> None:
        """Draw no more failures."""
        assert self._timeline is not None
        self._timeline.end_failures()
        self._tell_changes(now)

    def next_change(self) -> float:
        """When the machine changes next, or until when this is known."""
        return self.state.changes.next_change(self.state, self.truth)

    def change(self, now: float) -> Rows:
        """Do all changes of the machine that are due, and return the rows of the jobs that this interrupts."""
        return self.done[: change_machine(self.state, self.truth, now)]

    may_preempt = True

    @property
    def coming_back(self) -> bool:  # type: ignore[override]
        """Whether interrupted jobs will come back into the queue."""
        return self.state.delayed_count > 0

    def choose(self, row: int, how: str, now: float, grace: float, keeper: int = of.NOBODY) -> None:
        """A policy wants a running job to leave, for the sake of another; ``PolicyError`` if it may not."""
        job = f"job {self.requests.id[row]}" if 0 <= row < self.requests.size else f"row {row}"
        state, arrays = self.state, self.arrays
        if not 0 <= row < self.requests.size or self.requests.state[row] != State.RUNNING:
            raise PolicyError(f"proposed to preempt {job} at {now:g} s, which does not run")
        if keeper != of.NOBODY:
            known_row(keeper, self.requests.size)
        if not preempting.may_leave(self.state, row, now):
            raise PolicyError(
                f"proposed to preempt {job} at {now:g} s, which is under notice already, or starts now, or is a hold, "
                "or is in a window that admits it"
            )
        arrays["leaves"][row], arrays["notice"][row], arrays["keeper"][row] = WAYS.index(how), now + grace, keeper
        arrays["victims"][state.victim_count] = row
        state.victim_count += 1

    def known_windows(self) -> list[int]:
        """The numbers of the windows that are announced and not over, by their beginnings."""
        known: list[int] = self.arrays["known"][: self.state.known_count].tolist()
        return known

    def _no_room(self, rows: Rows, place: int, now: float) -> str:
        row = int(rows[place])
        end = now + self.requests.estimate[row]
        ahead = [self.windows[number] for number in self.known_windows()]
        window = next((window for window in ahead if window.start < end), None)
        left = self.idle - int(self.requests.processors[rows[:place]].sum())
        if window is None or self.requests.processors[row] > left:
            return super()._no_room(rows, place, now)
        size = f"{window.processors} processors" if isinstance(window.processors, int) else " ".join(window.processors)
        size = size if window.watts == math.inf else f"at most {window.watts:,.15g} W"
        return (
            f"on {self.requests.processors[row]} processors from {now:g} to {end:g} s, but a window of {size} from "
            f"{window.start:g} to {window.end:g} s does not leave it room"
        )

    @property
    def leaving_rows(self) -> Rows:  # type: ignore[override]
        """The rows of running jobs that are under notice."""
        return self.arrays["leaving"][: self.state.leaving_count].copy()

    @property
    def known(self) -> Callable[[], list[KnownWindow]]:  # type: ignore[override]
        """Gives the windows that policies may know."""
        return partial(known_windows, self.state, [(each.processors, each.rule, each.kind) for each in self.windows])

    def snapshot(self, size: int) -> Self:
        """An independent machine of which nothing is known but what has been announced."""
        twin = super().snapshot(size)
        twin._named = 2**62
        twin.truth.changes_known, twin.truth.next_change = len(twin.coming[0]) - 1, twin.coming[0][0]
        return twin

    def _instead(self, size: int) -> dict[int, Any]:
        """What is known instead of what will happen; what does not change is shared."""
        known, log = self._known_changes(), np.empty(0)
        time, what, which, until = known.known_until(0.0)
        ahead = time > self.state.now
        coming = (
            np.append(time[ahead], math.inf), np.append(until[ahead], math.inf), what[ahead].astype(np.int8),
            which[ahead], NO_ROWS, log,
        )  # fmt: skip
        shared = self.machine, self.changes, self.windows, self._labels, self.ranks
        own = {id(self._timeline): known, id(self.coming): coming, id(self.log): log, id(self._last_of): {}}
        return super()._instead(size) | {id(each): each for each in shared} | own

    def _known_changes(self) -> Timeline:
        """The windows and the repairs that are announced."""
        known = Timeline(self.size, None, None)
        for number in self.arrays["known"][: self.state.known_count].tolist():
            known.add_known_window(number, self.windows[number])
        back, outages = self.arrays["back"], self.arrays["outages"]
        for processor in self.arrays["broken"][: self.state.down if self.state.repairs_told else 0].tolist():
            known.add_repair(processor, back.item(processor), outages.item(processor))
        return known


def _longer(pool: Any) -> Any:
    """What the engine calls when it needs a longer array."""

    def longer(what: int) -> None:
        pool().longer(what)

    return longer


def _indices(failing: Any, machine: Machine) -> list[int]:
    """The indices of what fails; ``TypeError`` or ``ValueError`` if it is not a list of what there is."""
    found: list[Any] = list(failing) if isinstance(failing, Iterable) and not isinstance(failing, str) else [None]
    if any(isinstance(each, bool) or not isinstance(each, int | np.integer | str) for each in found):
        such = "indices, such as [0, 3]" + ("" if isinstance(machine, int) else ", or their names")
        raise TypeError(f"what fails is given by {such}, not as {quoted(failing)}")
    names = [each for each in found if isinstance(each, str)]
    check_names(names, machine)
    indices = [int(each) if isinstance(machine, int) or not isinstance(each, str) else machine[each] for each in found]
    if indices and min(indices) < 0:
        raise ValueError(f"an index must be at least 0, not {quoted(min(indices))}")
    check_indices(indices, machine)
    return indices
