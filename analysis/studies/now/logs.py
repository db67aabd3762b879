"""Forecasts on a log, whose scheduler is not ours: by how much coverage is off, and what the rule costs.

The second half of a log is forecast at moments `APART` from each other, or at some of them that are spread evenly. Who
runs and who waits at a moment is known from the log's starts and ends (`thinktime.analysis.now.state_in_log`), and the
past are the `HISTORY` before it. The truth is when the log says that jobs started.

The rule is the one of `RULES` that fits the log best. It is fitted on the first half: at `FITTED` moments, how long
jobs run and who comes later are taken from the log, so that only the rule is ours, and the rule is taken whose starts
are off by the least time, on average over the jobs. The same at the moments of the forecasts is a method, `KNOWN`: the
error that is left if everything is known but the rule.
"""

import hashlib
from dataclasses import dataclass, replace

import numpy as np

import thinktime as tt
from thinktime.analysis.now import ARRIVALS, Kept, Past, Regression, forecast, score, state_in_log
from thinktime.analysis.studies.now.runs import Answer, Floats, answer, nothing
from thinktime.workloads.tables.machine import most_at_once

RULES = "none", "easy", "easy:order=sjf", "easy:order=lxf", "conservative-dynamic"
FITTED = 24
"""So many moments of the first half say which rule it is."""
APART = 6 * tt.HOUR
UNTIL = tt.DAY
"""How far forecasts go."""
HISTORY = 120 * tt.DAY

_fitted: dict[str, str] = {}
"""The rule of each log that this process has looked at."""


@dataclass(frozen=True, slots=True)
class LogRun:
    """Some moments of a log."""

    log: tt.Trace
    times: tuple[float, ...]
    draws: int
    seed: int
    regression: bool = False
    arrivals: str = ARRIVALS[0]

    def perform(self) -> Answer:
        """Fit the rule, forecast, and score."""
        rule = rule_of(self.log)
        spec = tt.MachineSpec(size_of(self.log), rule)
        series, known = [], []
        for time in self.times:
            past = self.log.select((self.log.submit > time - HISTORY) & (self.log.submit <= time))
            state = state_in_log(spec, past, time).state
            found = forecast(
                state, Past(past, state.time), draws=self.draws, seed=(self.seed, int(time)), until=UNTIL,
                arrivals=self.arrivals,
            )  # fmt: skip
            if len(found.waiting):
                by_limits = forecast(state, draws=1, arrivals="none", until=UNTIL).starts[0]
                series.append(replace(Kept.of(found), by_limits=by_limits))
                starts = starts_of(spec, self.log, time)
                only = [starts.get(job, np.inf) for job in found.waiting.id.tolist()]
                known.append(replace(series[-1], starts=np.array([only])))
        if not series:
            return nothing(rule, len(self.times))
        scored = score(series, self.log, Regression() if self.regression else None)
        times = [each.time for each in series]
        return answer(scored, times, rule, len(self.times), score(known, self.log))


def moments(log: tt.Trace, count: int | None = None, half: int = 1) -> list[float]:
    """So many moments (or all) of a half of a log (0 or 1), spread evenly; ``ValueError`` if there are none."""
    if not len(log) or np.isnan(log.wait).all():
        raise ValueError("the log has no waits (field 3), so it is unknown who waited")
    first, last = log.submit.item(0), log.submit.item(-1)
    middle = (first + last) / 2
    begin, end = ((first, middle), (middle, last))[half]
    every = np.arange(np.ceil(begin / APART) * APART, end - UNTIL, APART)
    if not len(every):
        raise ValueError(f"the log is too short: each of its halves must be longer than {UNTIL / tt.HOUR:.0f} h")
    count = len(every) if count is None else min(count, len(every))
    places = np.linspace(0, len(every) - 1, count).round().astype(np.int64)
    found: list[float] = every[places].tolist()
    return found


def held(log: tt.Trace) -> tuple[int, int]:
    """At how many moments of the second half jobs wait, and at how many the oldest would fit into idle processors.

    Under every rule of `RULES` in order of arrival it would start then: something holds it that is not in the log. It
    counts if it still waits after a minute, the clock of some logs.
    """
    begun = log.submit + np.nan_to_num(log.wait, nan=0.0).clip(min=0.0)
    over, size, waiting, fits = begun + log.runtime, size_of(log), 0, 0
    for time in moments(log):
        waits = np.flatnonzero((log.submit <= time) & (begun > time + tt.MINUTE) & ~log.withdrawn)
        if len(waits):
            used = log.processors[(begun <= time) & (over > time)].sum()
            waiting += 1
            fits += int(log.processors[waits[0]] <= size - used)
    return waiting, fits


def size_of(log: tt.Trace) -> int:
    """The size of the machine: that of the header, or else what was in use at once."""
    begun = log.submit + np.nan_to_num(log.wait, nan=0.0).clip(min=0.0)
    return log.machine_size or most_at_once(begun, begun + log.runtime, log.processors)


def rule_of(log: tt.Trace) -> str:
    """The rule that fits the first half of a log best; the first of those that fit equally well."""
    known = hashlib.sha256()
    for column in (log.submit, log.wait, log.runtime):
        known.update(np.ascontiguousarray(column).tobytes())
    if (key := known.hexdigest()) not in _fitted:
        off = {rule: misfit(log, rule) for rule in RULES}
        _fitted[key] = min(RULES, key=lambda rule: off[rule])
    return _fitted[key]


def misfit(log: tt.Trace, rule: str) -> float:
    """By how much starts under a rule are off (s), on average over the jobs that wait; at most `UNTIL` each."""
    spec, begun = tt.MachineSpec(size_of(log), rule), log.submit + np.nan_to_num(log.wait, nan=0.0).clip(min=0.0)
    off: list[Floats] = [np.empty(0)]
    for time in moments(log, FITTED, 0):
        starts = starts_of(spec, log, time)
        waits = (log.submit <= time) & (begun > time)
        ours = np.array([starts.get(job, np.inf) for job in log.id[waits].tolist()], np.float64)
        off.append(np.abs(np.minimum(ours, time + UNTIL) - np.minimum(begun[waits], time + UNTIL)))
    joined = np.concatenate(off)
    return float(joined.mean()) if len(joined) else 0.0


def starts_of(spec: tt.MachineSpec, log: tt.Trace, time: float) -> dict[int, float]:
    """When jobs start (s) from a moment on, by number, if all is as in the log but the rule."""
    state = state_in_log(spec, log, time, foreseen=True).state
    later = log.select((log.submit > state.time) & (log.submit <= time + UNTIL))
    rest = tt.run(tt.MachineSpec(begin=state), tt.sources.log(later), until=time + UNTIL)
    return dict(zip(rest["id"].tolist(), np.nan_to_num(rest["start"], nan=np.inf).tolist(), strict=True))
