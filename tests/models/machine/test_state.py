"""States as values: what one holds, what cannot begin from it, and who is not in it."""

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

import pytest
import simpy

import thinktime as tt
from tests.frozen.cases import PROCESSORS, log, machines
from tests.models.machine.cuts import persons, taking


def _state(spec: tt.MachineSpec | None = None, *sources: Any, at: float = 60) -> tt.MachineState:
    states: list[tt.MachineState] = []
    tt.run(spec or tt.MachineSpec(PROCESSORS), *(sources or [log(1)]), taking([at], states))
    return states[0]


def _leaves(value: Any, seen: dict[int, Any]) -> Any:
    """All that a value consists of."""
    if id(value) in seen:
        return
    seen[id(value)] = value
    if isinstance(value, dict):
        inside: Any = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        inside = value
    elif is_dataclass(value) and not isinstance(value, type):
        inside = [getattr(value, field.name) for field in fields(value)]
    elif hasattr(value, "__dict__") and not isinstance(value, type | Enum) and not callable(value):
        inside = vars(value).values()
    else:
        yield value
        return
    for each in inside:
        yield from _leaves(each, seen)


@pytest.mark.parametrize("machine", list(machines()))
def test_nothing_of_simpy_is_in_a_state(machine):
    """A state has no event, no process and no environment: it has arrays, numbers and texts, and the engine's own."""
    state = _state(replace(machines()[machine], policy="easy:order=sjf"), log(1))
    for leaf in _leaves(vars(state), {}):
        assert not isinstance(leaf, simpy.Environment | simpy.Event), leaf
        assert not hasattr(leaf, "gi_frame"), leaf


def test_users_are_not_in_a_state():
    """No user is told of the ends of jobs that others have submitted, campaigns and watches included."""
    states: list[tt.MachineState] = []
    tt.run(tt.MachineSpec(PROCESSORS), persons(1, 50, "before", states), until=700)
    env = simpy.Environment(states[0].time)
    machine = tt.MachineSpec(begin=states[0]).open(env)
    again = [machine.submit_campaign([tt.Job(runtime=3)] * 2) for _ in range(3)]
    queue = machine.queue
    env.run(env.all_of(again))
    env.run(700)
    assert all(event.value.end for event in again[0].jobs)
    assert all(event.triggered for event in queue), "an event that is asked for later is told"


@pytest.mark.parametrize("source", [tt.sources.campaigns(tt.mix(3, {"short": 3}), seed=1)])
def test_users_with_plans_begin_anew(source):
    """Users who follow plans submit nothing more, unless they are sources again: then they begin at the time."""
    spec = tt.MachineSpec(8)
    states: list[tt.MachineState] = []
    until = 40 * tt.HOUR
    whole = tt.run(spec, source, taking([20 * tt.HOUR], states), until=until)
    alone = tt.run(spec, begin=states[0], until=until)
    assert len(whole) > len(alone) and alone["submit"].max() < 20 * tt.HOUR
    anew = tt.run(spec, source, begin=states[0], until=until)
    assert len(anew) > len(alone) and (anew["submit"] >= 20 * tt.HOUR).any()


def test_result_has_the_jobs_of_before():
    """A result has all jobs that the machine has known, and is at the time of the run's end."""
    state = _state()
    result = tt.run(tt.MachineSpec(begin=state.without_arrivals()), until=61)
    assert result.now == 61 and (result["submit"] < 60).all() and (result["end"] < 60).any()


def test_fields_that_are_not_given_are_those_of_the_state():
    """A description that begins from a state is that of its machine; to say it again changes nothing."""
    given = tt.MachineSpec(PROCESSORS, "conservative:order=sjf", overrun="extend", reasons=True)
    state = _state(given)
    for spec in (
        tt.MachineSpec(begin=state),
        replace(given, begin=state),
        tt.MachineSpec(overrun="extend", begin=state),
    ):
        assert replace(spec, begin=None, policy="easy") == given.under("easy")
        assert str(spec.policy).startswith(given.policy)


def test_how_a_state_is_shown():
    """A state says how many jobs it has, as a run that ends then does."""
    jobs = tt.run(tt.MachineSpec(PROCESSORS), log(1), until=60)["state"]
    running, waiting = int((jobs == tt.State.RUNNING).sum()), int((jobs == tt.State.WAITING).sum())
    to_come = 70 - len(jobs)
    assert repr(_state()) == f"<state at 60 s: {running} jobs running, {waiting} jobs waiting, {to_come} jobs to come>"


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({"policy": "easy"}, "policy = easy:order=fcfs,reservations=1, where the state has conservative:order"),
        ({"overrun": "extend"}, "overrun = extend"),
        ({"processors": 32}, "processors = 32"),
        ({"estimates": "exact"}, "estimates = exact"),
        ({"changes": tt.Changes()}, "changes"),
    ],
)
def test_another_machine_cannot_begin_from_a_state(changed, wrong):
    """The sentence says what is not as it was, before anything runs."""
    state = _state(tt.MachineSpec(PROCESSORS, "conservative"))
    with pytest.raises(ValueError, match="cannot be combined with another machine") as raised:
        tt.run(tt.MachineSpec(begin=state, **changed))
    assert wrong in str(raised.value)


def test_bad_beginnings():
    """No state, another time, an end before the beginning, other jobs with known numbers, text: one sentence each."""
    state = _state()
    with pytest.raises(TypeError, match="begin must be a state, such as"):
        tt.MachineSpec(begin=5)
    with pytest.raises(ValueError, match="environment is at 0 s, and the state at 60 s"):
        tt.Machine(simpy.Environment(), PROCESSORS, begin=state)
    with pytest.raises(ValueError, match="until must be a time after 60 s"):
        tt.run(tt.MachineSpec(begin=state), until=60)
    with pytest.raises(ValueError, match="the log has a job 1, and so has this machine"):
        tt.run(tt.MachineSpec(begin=state), log(2))
    with pytest.raises(ValueError, match="begin is a state, which TOML cannot hold"):
        tt.MachineSpec(begin=state).to_toml()
