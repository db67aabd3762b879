"""One run: a machine and its sources of jobs, until all jobs are over or a horizon is reached.

    run(MachineSpec(policy="easy"), sources.log(trace))
    run(MachineSpec(processors=64), sources.campaigns(users, seed=1), until=30 * DAY)

`thinktime.replay`, the other replays, scenarios and studies all call `run`.
"""

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import simpy

from thinktime.models.jobs.checks import name_of
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.listeners import Observer
from thinktime.models.machine.machine import Machine
from thinktime.models.machine.simpy_insides import run_until
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.machine.state import MachineState
from thinktime.models.policies import as_policy
from thinktime.models.policies.hooks import Hooks
from thinktime.models.results.responses import told
from thinktime.models.results.result import Result
from thinktime.users.continued import continued
from thinktime.users.log_source import as_source, same_numbers
from thinktime.users.saving import Saver, Saving
from thinktime.users.source import Begun, Source
from thinktime.users.strangers import refuse_budgets_of_strangers, refuse_strangers, strangers
from thinktime.workloads.data_set import DataSet
from thinktime.workloads.names import quoted
from thinktime.workloads.shapes.of_logs import told as shapes_told
from thinktime.workloads.signals.forecasts import forecasts_of
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import Duration, as_seconds

Progress = Callable[[float, int, int], None]
"""Called with the time (s), the number of jobs that are over and the number of jobs (0 if unknown)."""
STEPS = 200
"""The most calls of a progress function, where the number of jobs is known."""
UNKNOWN = 1000
"""Jobs between two calls, where it is not."""


class Told(NamedTuple):
    """Who is told of a run while it goes on."""

    jobs: int
    """How many there will be; 0 if unknown."""
    progress: Progress | None
    saving: Saving | None


class Driven(NamedTuple):
    """A run that is over, of which there is no result yet."""

    machine: Machine
    begun: list[Begun]
    sources: list[Source]
    changes: Changes | None
    seconds: float
    """CPU time of the event loop alone."""
    whole: bool
    """Whether it went on until its sources were over."""


class Played(NamedTuple):
    """A result, and what each source started."""

    result: Result
    begun: list[Begun]


def run(
    spec: MachineSpec,
    *sources: Any,
    until: Duration | None = None,
    observers: Iterable[Observer] = (),
    progress: Progress | None = None,
    begin: MachineState | str | os.PathLike[str] | None = None,
    saving: Saving | None = None,
) -> Result:
    """Let sources submit jobs to a machine, and return the result.

    A source is one of `thinktime.users.sources`, a log (a `Trace`), or a function of (env, machine) that starts
    processes. The run is over when the sources have ended and all of their jobs are over, or ``until`` some time (s, or
    a text such as "3 d"). ``observers`` see the
    machine at every submission (`Machine.observe`). ``progress`` is called up to 200 times, or each thousand jobs
    where it is not known how many there will be. ``Result.simulation_seconds`` is the CPU time of the event loop alone.

    With ``begin``, the machine goes on from a state (`Machine.state`), or from the file of one (`MachineState.save`):
    jobs that it knows go on, also those of a log that is given again, and other sources begin at its time. The result
    has the jobs of before, too. ``saving`` says which states are written to files (`thinktime.users.saving`).

    ``ValueError``, before anything runs, for what cannot be combined (`thinktime.models.machine.combinations`).

    >>> import thinktime as tt
    >>> users = tt.mix(3, {"short": 2, "long": 1})
    >>> result = tt.run(tt.MachineSpec(processors=4), tt.sources.campaigns(users, seed=1), until=tt.DAY)
    >>> result.now
    86400.0
    """
    spec = spec if begin is None else replace(spec, begin=begin)
    return play(spec, sources, until, observers, progress, saving).result


def play(
    spec: MachineSpec,
    sources: Sequence[Any],
    until: Duration | None = None,
    observers: Iterable[Observer] = (),
    progress: Progress | None = None,
    saving: Saving | None = None,
) -> Played:
    """`run`, which also returns what the sources started."""
    machine, begun, given, changes, seconds, whole = drive(spec, sources, until, observers, progress, saving)
    result = replace(_collected(machine, begun, whole), simulation_seconds=seconds)
    if noted := strangers(changes, given):
        result.notes.append(noted)
    if any(source.responds is not None for source in given):
        result.notes.append(told(result.responses))
    logs = [source.trace for source in given if source.trace is not None]
    result.notes.extend(dict.fromkeys(line for log in logs for line in same_numbers(log)))
    unheeded_by = name_of(machine.policy) if machine.pool.forms is None else None
    result.notes.extend(dict.fromkeys(line for log in logs for line in shapes_told(log, unheeded_by)))
    result.notes.extend(dict.fromkeys(line for known in data_sets(logs) for line in known.sentences))
    dated = replace(result, unix_start=logs[0].unix_start, zone=logs[0].zone) if logs else result
    return Played(dated, begun)


def drive(
    spec: MachineSpec,
    sources: Sequence[Any],
    until: Duration | None = None,
    observers: Iterable[Observer] = (),
    progress: Progress | None = None,
    saving: Saving | None = None,
) -> Driven:
    """`run` without a result, for those who look at the machine itself."""
    until = as_seconds("until", until)
    start = 0.0 if spec.begin is None else spec.begin.time
    if until is not None and not until > start:
        raise ValueError(f"until must be a time after {start:g} s, not {quoted(until)}")
    given, seeing = [continued(as_source(source), spec.begin) for source in sources], tuple(observers)
    # Made and read once: a policy may be a script of the user's, a site a file.
    signals = forecasts_of(spec.signals)
    spec = replace(spec, policy=as_policy(spec.policy), site=spec.known_site, signals=signals)
    spec = checked(spec, given, until)
    if spec.begin is None:
        spec = spec.under(rehearsed(spec, sources, until))
    until = _within_signals(spec, until, start)
    env = simpy.Environment(start)
    machine = spec.open(env)
    for observer in seeing:
        machine.observe(observer)
    batches = [Begun(over) for over in machine.listeners.watches.values()]
    begun = [source.begin(env, machine) for source in given]
    seconds = -time.process_time()
    jobs = sum(source.jobs for source in given) if all(source.jobs for source in given) else 0
    _drive(env, machine, [*batches, *begun], until, Told(jobs, progress, saving))
    seconds += time.process_time()
    machine.scheduler.settle()
    return Driven(machine, begun, given, spec.changes, seconds, until is None)


def _within_signals(spec: MachineSpec, until: float | None, start: float) -> float | None:
    """The end of the run, not after a signal that ends; ``ValueError`` if it has ended before."""
    over = min((each.signal.over for each in (spec.signals or {}).values()), default=math.inf)
    if not over > start:
        raise ValueError(f"a signal ends at {over:g} s, before the run begins; let it repeat or hold its last value")
    return until if over == math.inf else min(over, math.inf if until is None else until)


def checked(spec: MachineSpec, sources: Sequence[Source], until: float | None = None) -> MachineSpec:
    """The machine, sized by the sources' log if need be; ``ValueError`` for what cannot be combined."""
    traces = [source.trace for source in sources if source.trace is not None]
    sized = spec.sized(traces[0] if traces else None)
    sized.check(
        recorded_jobs=all(source.recorded for source in sources),
        repeatable=all(source.repeatable for source in sources),
        endless=until is None and any(source.endless for source in sources),
        resizes=sized.nodes is not None and any(source.resizes for source in sources),
        closed=any(source.closed for source in sources),
        responds=any(source.responds is not None for source in sources),
        adapts=any(source.adapts for source in sources),
        unheeded=next((source.unheeded for source in sources if source.unheeded), ""),
        thinking=next((source.thinking for source in sources if source.thinking), ""),
        data_sets=data_sets(traces),
    )
    refuse_strangers(sized.changes, sources)
    refuse_budgets_of_strangers(sized.budget, sources)
    if check := Hooks(as_policy(spec.policy)).check:
        for trace in traces:
            check(trace)
    return sized


def data_sets(traces: Iterable[Trace]) -> tuple[DataSet, ...]:
    """The data sets that these logs are from."""
    return tuple(trace.report.data_set for trace in traces if trace.report.data_set is not None)


def rehearsed(spec: MachineSpec, sources: Sequence[Any], until: float | None) -> Any:
    """The policy, after any preliminary run of the same jobs under another policy that it needs."""
    policy = as_policy(spec.policy)
    rehearse = Hooks(policy).rehearse
    if rehearse is None:
        return policy
    return rehearse(lambda other: run(spec.under(other), *sources, until=until))


def _drive(env: simpy.Environment, machine: Machine, begun: Sequence[Begun], until: float | None, told: Told) -> None:
    saver = Saver(env, machine, told.saving)

    def tell() -> None:
        if told.progress is not None:
            told.progress(float(env.now), machine.over, told.jobs)
        if until is None:
            saver.stop_if_due()
        else:
            saver.write_if_due()

    moments = sorted(saver.saving.at)
    if moments and not env.now < moments[0] <= moments[-1] < (math.inf if until is None else until):
        raise ValueError("states are of times after the beginning of a run and before its end")
    tells = told.progress is not None or saver.saving.checkpoint is not None
    if until is None and tells:
        machine.scheduler.pause_each(-(-told.jobs // STEPS) or UNKNOWN, tell)
    for moment in moments:
        while env.now < moment:
            env.run(until=moment)
            saver.write_if_due()
        saver.write(moment)
    if until is not None:
        for step in range(1, STEPS + 1) if tells else (STEPS,):
            if (time := until * step / STEPS if step < STEPS else until) > env.now:
                env.run(until=time)
                tell()
        return
    for each in begun:
        _until(env, each.over, saver)
    _until(env, machine.scheduler.all_over(), saver)  # a policy's timer may go on for ever
    tell()


def _until(env: simpy.Environment, over: simpy.Event, saver: Saver) -> None:
    """Run until an event has been processed, or nothing more can happen: a policy may never start a job."""
    try:
        run_until(env, over, saver.write_if_due)
    except RuntimeError as error:
        failed = isinstance(error.__cause__, RuntimeError)  # in a process, such as a rule for think times
        if failed or over.triggered or env.peek() < math.inf:
            raise


def _collected(machine: Machine, begun: Sequence[Begun], whole: bool) -> Result:
    orders = [each.order() for each in begun if each.order is not None]
    result = machine.result(np.concatenate(orders)) if orders else machine.result()
    logs = [each.log for each in begun if each.log is not None]
    notes = [note for log in logs for note in log.notes]
    said = [note for each in begun for note in each.notes(whole)]
    dropped = sum((Counter(log.dropped) for log in logs), Counter(result.dropped))
    return replace(result, dropped=dict(dropped), notes=[*notes, *result.notes, *said])
