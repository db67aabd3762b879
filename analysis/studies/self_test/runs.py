"""One replay in the study of the shaken self-test, and what it keeps of the log.

The log is replaced by the one that a policy would have left: its own schedule of the recorded submissions. Replayed
under that policy, it comes back, open-loop and with feedback. Then its run times are moved by up to 1 %
(`thinktime.workloads.shaking`), and it is replayed again, with the sessions of the unshaken log. Nobody would behave
otherwise, so a mean wait that differs is the mode's own doing. (`thinktime.analysis.diagnosis.self_test` asks this of
feedback alone, for the advice which mode to trust.)

Ways to replay beside the modes separate the reasons. In each of them users wait for what they waited for in the log,
and

``one predecessor``
    think as long as in the log after the batch that ends last, whichever that is;
``half of the pauses``
    do so in every second pause, drawn by chance, and otherwise come at the recorded time;
``short pauses``, ``breaks``
    do so in pauses of up to four hours, or in longer ones, and otherwise come at the recorded time (the first is the
    mode ``partly-open``);
``rejoined each ... days``
    come at the recorded time after a pause in which a day with a number that can be divided by so many began. So nobody
    drifts for longer.

``calibrated``
    submit with hazards that were fitted to the unshaken log, whose residuals they keep (`thinktime.users.calibrated`);
    unknown for a log to which no users can be fitted;
``calibrated, own log``
    do so on a log that is the schedule of such a replay, shaken otherwise;
``calibrated, other log``
    do so on the log that the policy leaves of what fitted users with new luck submitted under another rule (`OTHER`).

Whoever comes at the recorded time comes later if what was waited for is not over. Two more ways ask whether users must
meet: in ``drifted together`` the submissions of a shaken replay with feedback come open-loop, with other run times; in
``drifted apart`` each user's come from another such replay, so that users have drifted as far, but not around
each other. In ``users moved`` nobody reacts or is shaken, but each user comes some days earlier or later as a whole,
normally distributed (`MOVED`), and around the log's ends. In ``its own log`` the log is the schedule of a shaken replay
with feedback.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import thinktime as tt
from thinktime.analysis.diagnosis.self_test import MEASURED, SHARE
from thinktime.analysis.left_log import left_by
from thinktime.users.think_times import BREAK, RULES, Pause, ThinkTime
from thinktime.workloads import shaken
from thinktime.workloads.calibration.calibrate import fitted_once
from thinktime.workloads.mode_names import CALIBRATED
from thinktime.workloads.user_models import Sessions, delimit

PARTS = 4
"""The parts of the log for which the ratio is measured as well."""
REPLAYS = 6
"""The shaken replays from which the submissions of users who drifted apart are taken."""
REJOIN = {28: "rejoined each 28 days", 7: "rejoined each 7 days", 2: "rejoined each 2 days", 1: "rejoined each day"}
"""What each rejoined log is called, by the days after which it is rejoined."""


class Answer(NamedTuple):
    """One shaken replay, over the same way to replay the log as it is."""

    ratio: float
    """The mean wait of jobs submitted in the measured part, over that without shaking."""
    parts: tuple[float, ...]
    """The same for equal parts of the whole log."""
    drift: float
    """The median over jobs of how much earlier or later they are submitted, h."""


def rejoined(days: int) -> ThinkTime:
    """Who pauses from one period of so many days into another comes back at the recorded time."""

    def think(pause: Pause) -> float:
        back = pause.recorded_end + pause.recorded_think_time
        same = back // (days * tt.DAY) == pause.recorded_end // (days * tt.DAY)
        return pause.think_time if same else _until(back, pause)

    return think


def half(seed: int) -> ThinkTime:
    """Every second pause is one, by chance; the others end at the recorded time."""
    luck = tt.stream(seed, "half of the pauses").random(1 << 20)

    def think(pause: Pause) -> float:
        own = luck[pause.batch % len(luck)] < 0.5
        return pause.think_time if own else _until(pause.recorded_end + pause.recorded_think_time, pause)

    return think


def one_predecessor(pause: Pause) -> float:
    """The recorded pause, after the batch that ends last."""
    return pause.recorded_think_time


def breaks(pause: Pause) -> float:
    """Short pauses end at the recorded time."""
    if pause.recorded_think_time > BREAK:
        return pause.think_time
    return _until(pause.recorded_end + pause.recorded_think_time, pause)


def _until(back: float, pause: Pause) -> float:
    return max(0.0, back - pause.end)


THINKING: dict[str, Callable[[int], ThinkTime | str]] = {
    "feedback": lambda seed: "recorded",
    "one predecessor": lambda seed: one_predecessor,
    "half of the pauses": half,
    "breaks": lambda seed: breaks,
    **{rule: lambda seed, rule=rule: rule for rule in RULES},  # type: ignore[misc]
    **{REJOIN[days]: lambda seed, days=days: rejoined(days) for days in REJOIN},  # type: ignore[misc]
}
"""What makes the think times of a way to replay, given a seed."""
UNKNOWN = Answer(np.nan, (np.nan,) * PARTS, np.nan)
MOVED = 11.0
"""The standard deviation of the days by which users are moved: calibrated users drift as far on SDSC-SP2."""
DRIFTED = ("drifted together", "drifted apart", "users moved")
OF_FITTED = (CALIBRATED, f"{CALIBRATED}, own log", f"{CALIBRATED}, other log")
OTHER = "easy:order=sjf"
"""The rule under which submissions are made that the policy's own users would not make."""
WAYS = ("open", *THINKING, *OF_FITTED, *DRIFTED, "its own log")


@dataclass(frozen=True, slots=True)
class Run:
    """One way to replay one log, shaken once."""

    log: tt.Trace
    """As the policy left it."""
    machine: tt.MachineSpec
    way: str
    number: int
    seed: int

    def perform(self) -> Answer:
        """Replay the log as it is, and shaken."""
        if self.way == "its own log":
            return self._own_log()
        if self.way in OF_FITTED:
            return self._of_fitted_users()
        seen = delimit(self.log)
        before = self._replay(self.log, seen)
        if self.way in DRIFTED:
            return answer(self.log, before, self._drifted(seen))
        return answer(self.log, before, self._replay(self._shaken(0), seen))

    def _replay(self, log: tt.Trace, seen: Sessions, way: str | None = None) -> tt.Result:
        name = self.way if way is None else way
        if name not in THINKING:
            return tt.run(self.machine, tt.sources.log(log))
        return tt.run(self.machine, tt.sources.feedback(log, seen, think=THINKING[name](self.seed)))

    def _shaken(self, turn: int) -> tt.Trace:
        return shaken(self.log, SHARE, (self.seed, self.number, turn), submissions=False)

    def _drifted(self, seen: Sessions) -> tt.Result:
        """Submissions of shaken replays, open-loop, with other run times; or those of the log, by days apart."""
        if self.way == "users moved":
            owner, luck = seen.batches.owner[seen.batches.of_job], tt.stream((self.seed, self.number), "moved")
            days = np.rint(luck.normal(0.0, MOVED, int(owner.max()) + 1))
            return tt.run(self.machine, tt.sources.log(at_other_times(self.log, moved(self.log, days[owner]))))
        count = 1 if self.way == "drifted together" else REPLAYS
        found = [self._replay(self._shaken(1 + each), seen, "feedback")["submit"] for each in range(count)]
        owner = seen.batches.owner[seen.batches.of_job]
        chosen = tt.stream((self.seed, self.number), "apart").integers(0, count, int(owner.max()) + 1)
        log = self._shaken(0)
        return tt.run(
            self.machine, tt.sources.log(at_other_times(log, np.array(found)[chosen[owner], np.arange(len(log))]))
        )

    def _of_fitted_users(self) -> Answer:
        try:
            users = fitted_once(self.log)
        except ValueError:
            return UNKNOWN
        log = self.log
        if self.way == OF_FITTED[1]:
            log = as_log(log, tt.run(self.machine, tt.sources.calibrated(self._shaken(1), users, recorded=log)))
        elif self.way == OF_FITTED[2]:
            other = replace(self.machine, policy=OTHER)
            made = tt.run(other, tt.sources.calibrated(log, users, luck="new", seed=(self.seed, self.number)))
            log = left_by(as_log(log, made), self.machine)
        other_times = shaken(log, SHARE, (self.seed, self.number, 0), submissions=False)
        before, after = (
            tt.run(self.machine, tt.sources.calibrated(each, users, recorded=log)) for each in (log, other_times)
        )
        return answer(log, before, after)

    def _own_log(self) -> Answer:
        """The schedule of a shaken replay with feedback is the log of users who wait as feedback has it."""
        log = as_log(self.log, self._replay(self._shaken(1), delimit(self.log), "feedback"))
        return Run(log, self.machine, "feedback", self.number, self.seed).perform()


def as_log(log: tt.Trace, result: tt.Result) -> tt.Trace:
    """What a replay of a log leaves: its jobs, but for those that were never submitted."""
    came = np.isfinite(result["submit"])
    submit, start, end = (result[name][came] for name in ("submit", "start", "end"))
    some = log.select(np.isin(log.id, result["id"][came]))
    return at_other_times(some.with_columns(wait=start - submit, runtime=end - start), submit)


def at_other_times(log: tt.Trace, submit: NDArray[np.float64]) -> tt.Trace:
    """The same jobs at other times, in their order."""
    order = np.lexsort((log.id, submit))
    columns = {name: column[order] for name, column in log.columns.items()}
    columns |= {"submit": submit[order], "id": np.arange(1, len(log) + 1)}
    return tt.Trace(columns, log.header, None, log.names)


def moved(log: tt.Trace, days: NDArray[np.float64]) -> NDArray[np.float64]:
    """When jobs are submitted so many days later, around the whole weeks of a log."""
    since = log.submit - log.submit[0]
    later: NDArray[np.float64] = log.submit[0] + (since + days * tt.DAY) % (tt.WEEK * (since[-1] // tt.WEEK + 1))
    return later


def answer(log: tt.Trace, before: tt.Result, after: tt.Result) -> Answer:
    """What a shaken replay keeps of an unshaken one."""
    first, last = float(log.submit[0]), float(log.submit[-1])
    edges = np.linspace(first, last, PARTS + 1)
    edges[-1] = np.inf
    parts = tuple(_ratio(before, after, low, high) for low, high in pairwise(edges.tolist()))
    whole = _ratio(before, after, first, first + MEASURED * (last - first))
    same = len(before) == len(after) and np.array_equal(before["id"], after["id"])
    drift = float(np.median(np.abs(after["submit"] - before["submit"]))) / tt.HOUR if same else np.nan
    return Answer(whole, parts, drift)


def _ratio(before: tt.Result, after: tt.Result, low: float, high: float) -> float:
    means = [_mean_wait(each, (each["submit"] >= low) & (each["submit"] < high)) for each in (after, before)]
    return means[0] / means[1] if means[1] > 0 else np.nan


def _mean_wait(result: tt.Result, rows: NDArray[np.bool_]) -> float:
    started = rows & ~np.isnan(result["start"])
    return float((result["start"] - result["submit"])[started].mean()) if started.any() else np.nan
