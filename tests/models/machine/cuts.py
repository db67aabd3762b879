"""Runs that are cut, and what must be the same in the rest of each."""

import hashlib
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import simpy

import thinktime as tt
from tests.frozen.cases import PROCESSORS

OF_SOURCES = "dependencies:", "never submitted"
"""What sources say, which a run without them does not."""


def digest(result: tt.Result) -> str:
    """Ten digits that depend on every column, place, run and note of a result, whatever the order of its jobs."""
    order = np.lexsort((result["submit"], result["id"]))
    sha = hashlib.sha256()
    for name, column in sorted(result.columns.items()):
        sha.update(name.encode())
        sha.update(np.ascontiguousarray(column[order]).tobytes())
    if result.nodes is not None:
        sets = result.nodes.interval_sets()
        sha.update(repr([sets[place] for place in order]).encode())
    if result.history is not None:
        sha.update("".join(sorted(result.runs.to_csv(index=False).splitlines())).encode())
    sha.update(repr([note for note in result.notes if not any(each in note for each in OF_SOURCES)]).encode())
    return sha.hexdigest()[:10]


def taking(times: Iterable[float], states: list[tt.MachineState]) -> Callable[[simpy.Environment, tt.Machine], Any]:
    """A process that takes states at some times, and does nothing else."""

    def take(env: simpy.Environment, machine: tt.Machine) -> Any:
        for time in times:
            yield env.timeout(time - env.now)
            states.append(machine.state())

    return take


def through_a_file(state: tt.MachineState) -> tt.MachineState:
    """The state, written to a file and read; it would be written with the same bytes again."""
    with tempfile.TemporaryDirectory() as folder:
        first, again = Path(folder, "1.state"), Path(folder, "2.state")
        state.save(first)
        read = tt.MachineState.read(first)
        read.save(again)
        assert first.read_bytes() == again.read_bytes(), "same state, same bytes"
        assert repr(read) == repr(state)
        return read


def meters(machine: tt.Machine) -> list[Any]:
    """What limits and accounts have counted, and what estimators and rules remember: all that no result shows."""
    state = machine.pool.state
    found = [np.array(state.limit_meters), np.array(state.limit_since)]
    order = getattr(machine.policy, "order", None)
    if (accounts := getattr(order, "accounts", None)) is not None:
        found.append(accounts.standing(float(machine.env.now)))
    if machine.estimator is not None:
        learned = machine.estimator.as_structure()
        found += [np.array(getattr(learned, name)) for name in ("jobs", "total", "last", "before")]
    return [np.trim_zeros(np.nan_to_num(each, nan=-1.0), "b").tolist() for each in found]


def going_on(jobs: list[tuple[float, tt.Job]]) -> Callable[[simpy.Environment, tt.Machine], Any]:
    """A process that submits the jobs whose times are not past, so that it can begin at any time."""

    def submit(env: simpy.Environment, machine: tt.Machine) -> Any:
        for time, job in jobs:
            if time >= env.now:
                yield env.timeout(time - env.now)
                machine.submit(job)

    return submit


MOMENTS = ("before", "acting", "end", "start")
"""When a state is taken: before anything happens at an instant, after users have acted at it, or in its middle, when
users react to an end or to a start."""


def persons(seed: int, until: float, moment: str, states: list[tt.MachineState]) -> Any:
    """Users who submit, cancel, hold, depend, and react until a time; then a state is taken, and they all go home."""

    def begin(env: simpy.Environment, machine: tt.Machine) -> None:
        rng = np.random.default_rng(seed)

        def here() -> bool:
            return env.now < until and not states

        def owner(job: tt.Job, at: float, gives_up: float | None) -> Any:
            yield env.timeout(at)
            if not here():
                return
            event = machine.submit(job)
            if gives_up is None:
                yield event
                if here():
                    yield machine.submit(tt.Job(processors=2, runtime=3, estimate=5, user=job.user))
            else:
                yield event | env.timeout(gives_up)
                if here():
                    event.cancel()

        def holder() -> Any:
            while here():
                with machine.request(processors=3, estimate=10) as hold:
                    try:
                        yield hold
                        yield env.timeout(float(rng.integers(2, 12)))
                        if not here():
                            yield simpy.Event(env)  # the hold is never given back
                    except simpy.Interrupt:
                        pass

        def campaigner() -> Any:
            while here():
                size = int(rng.integers(2, 6))
                yield machine.submit_campaign(
                    [tt.Job(processors=1 + k, runtime=4 * k, estimate=20, user="eve") for k in range(size)]
                )

        def dependent() -> Any:
            yield env.timeout(3)
            if not here():
                return
            array = machine.submit_array(tt.Job(processors=2, runtime=6, estimate=9, user="bob"), "1-6%2")
            held = machine.submit(tt.Job(processors=2, runtime=6, estimate=9, user="bob", held=True))
            for after in (f"afterok:{held.id}", f"afterany:{array.id}", f"after:{array.id}_2+1"):
                machine.submit(tt.Job(runtime=6, estimate=9, user="bob", depends=after))
            machine.submit(tt.Job(runtime=6, estimate=9, user="bob", begin=60))
            yield env.timeout(31)
            if here():
                held.release()

        def taker() -> Any:
            yield env.timeout(until)
            if moment == "acting":
                machine.submit_campaign([tt.Job(runtime=5, estimate=7, user="cut")] * 2)
                for event in machine.users[:1] + machine.queue[:1]:
                    event.cancel()
            elif moment != "before":
                event = machine.submit(tt.Job(runtime=5, estimate=7, user="cut"))
                yield event if moment == "end" else event.started
            states.append(machine.state())

        for each in (holder, campaigner, dependent, taker):
            begin.kept.append(env.process(each()))
        for row in range(40):
            estimate = float(rng.choice([1, 2, 5, 10, 20, 40]))
            job = tt.Job(
                processors=int(rng.integers(1, PROCESSORS // 2)), runtime=float(rng.integers(0, 50)), estimate=estimate,
                user=str(rng.choice(["ada", "bob", "eve"])), queue=str(row % 3),
            )  # fmt: skip
            gives_up = float(rng.integers(0, 30)) if row % 3 == 0 else None
            env.process(owner(job, float(rng.integers(0, 120)), gives_up))

    begin.kept = []  # type: ignore[attr-defined]
    return begin
