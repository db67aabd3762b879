"""Users fitted to a log who go on from now: what they have seen, when they come, and what they submit."""

from typing import Any

import numpy as np
import pytest
import simpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

import thinktime as tt
from tests.models.machine.cuts import taking
from tests.users.calibrated import twin_hazards as twin
from tests.users.calibrated.fitting import at_random, busy_log, fitted
from tests.users.calibrated.making import PROCESSORS, calendars, logs, tables
from thinktime.models.engine.sources.releases import look_past
from thinktime.models.jobs.hazards import OF_BATCHES, OF_USERS
from thinktime.users import fitted_going_on
from thinktime.users.calibrated import CalibratedLog
from thinktime.users.fitted_going_on import FittedGoingOn, FittedUsersGoingOn
from thinktime.workloads.calibration.fitted import FittedUsers
from thinktime.workloads.calibration.tables import HALF, HazardTables

FAR = 2.0**41


class Given:
    """In place of fitted users: these."""

    def __init__(self, users: Any) -> None:
        self.users = users

    def of(self, trace: tt.Trace, luck: str) -> FittedUsers:
        """Those of a log."""
        found: FittedUsers = self.users(trace)
        return found


def cut(
    log: tt.Trace, now: float, policy: str = "easy", source: Any = None, processors: int = PROCESSORS
) -> tuple[tt.Trace, tt.MachineState]:
    """What a log says of a run until a time, and the state of the machine then."""
    states: list[tt.MachineState] = []
    spec = tt.MachineSpec(processors, policy)
    result = tt.run(spec, log if source is None else source, taking([now], states), until=now + 1.0)
    rows = np.flatnonzero(result["submit"] <= now)
    start, submit = result["start"][rows], result["submit"][rows]
    wait = np.where(np.isnan(start), now + 9.0, start) - submit
    user = np.array([result.names["user"][code] if code >= 0 else -1 for code in result["user"][rows].tolist()])
    return tt.Trace(
        {"id": result["id"][rows], "submit": submit, "wait": wait, "runtime": result["runtime"][rows],
         "allocated": result["processors"][rows], "user": user}
    ), states[0]  # fmt: skip


def luck(monkeypatch: pytest.MonkeyPatch, residual: float) -> None:
    """All residuals are this one."""

    def of(seed: Any, count: np.ndarray) -> Any:
        shape = int(count.max(initial=0)), len(count)
        return fitted_going_on._Luck(np.full(shape, residual), np.zeros(shape), np.zeros(shape))

    monkeypatch.setattr(fitted_going_on._Luck, "of", of)


def begun(state: tt.MachineState, of: FittedGoingOn, span: float = 9000.0, ahead: float = 0.0) -> tt.Machine:
    """A machine on which the users have begun to go on."""
    machine = tt.MachineSpec(begin=state.without_arrivals()).open(env := simpy.Environment(state.time))
    FittedUsersGoingOn(of, span, 1, ahead).begin(env, machine)
    return machine


def due(machine: tt.Machine, of: FittedGoingOn) -> dict[Any, float]:
    """When each user would submit next, if nothing happened before; infinite for never."""
    chains, found = machine.pool.batches, {}
    for label, code in of.code.items():
        follows = chains.hazards.following[code]
        batch = follows + chains.hazards.shift[code]
        if follows >= 0 and chains.hazards.paused[code]:
            look_past(machine.pool.truth, batch, np.inf)
        waits = follows >= 0 and chains.batches.spot[batch] > 0
        found[label] = float(chains.batches.release[batch]) if waits else np.inf
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(
    logs(), tables(), calendars(), st.sampled_from([0.25, 777.0, 5_000.0, 70_001.0]), st.sampled_from([0.02, 0.7, 4.0])
)
def test_the_next_submission_is_that_of_the_twin(trace, made, calendar, age, residual):
    """By quadrature from now on, of the hazard written from the model, of users who wait, overlap or think."""
    trace = trace.select(trace.user >= 0)
    if not len(trace):
        return
    now = float(trace.submit[-1]) + age
    history, state = cut(trace, now, "recorded")
    own, levels, classes = made
    users = fitted(history, own, levels=levels, classes=classes, calendar=calendar)
    of = FittedGoingOn(history, now, Given(lambda log: users))
    with pytest.MonkeyPatch.context() as patch:
        luck(patch, residual)
        found = due(begun(state, of), of)
    jobs = twin.jobs_of(history)
    for code, mine in enumerate(twin.users_of(jobs)):
        hazard = twin.Hazard(own, calendar, int(users.class_of[code]), users.level[code])
        batches = twin.recorded_batches(mine)
        looks = [look for look in twin.recorded_looks(batches, jobs) if look[0] <= now]
        for batch in batches:
            batch.over = {row: end for row, end in batch.over.items() if end <= now}
        used = hazard.integral(now, batches, looks)
        expected = hazard.reached(used + residual, batches, looks) - HALF
        expected = max(expected, now) if expected < FAR else np.inf
        assert found[mine[0].user] == pytest.approx(expected, abs=2e-3, rel=1e-9)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_a_constant_hazard_has_no_memory(share, monkeypatch):
    """However long users have thought, and whatever they wait for, the next batch comes by the exponential law."""
    rate, log, now = 1 / 5000.0, busy_log(3).with_columns(user=np.arange(60) % 3), 4100.0
    history, state = cut(log, now)
    luck(monkeypatch, -np.log1p(-share))
    of = FittedGoingOn(history, now, Given(lambda log: fitted(log, HazardTables.flat(rate))))
    for time in due(begun(state, of), of).values():
        assert time == pytest.approx(now - np.log1p(-share) / rate - HALF, abs=2e-3)


def apart(log: tt.Trace, seed: int) -> FittedUsers:
    """Users with any hazards, whose batches are two minutes apart while one is outstanding."""
    found = at_random(log, seed, never=0.0)
    found.tables.base[:, 1:, :, :2] = -np.inf
    return found


def test_users_have_seen_what_they_have_seen():
    """Cut in the middle of a run of calibrated users, the log tells all that the machine itself knows of them."""
    assert sum(map(outstanding_batches, range(8))) > 5


def outstanding_batches(seed: int) -> int:
    """How many batches are outstanding of users of whom all is known."""
    log = busy_log(seed, 300, span=20_000)
    log = log.select(log.user >= 0).with_columns(submit=log.submit[log.user >= 0] // 300 * 300)
    log = log.with_columns(runtime=log.runtime + 5.0)
    source = CalibratedLog(log, apart(log, seed), "new", seed)
    now = 6_000.5
    history, state = cut(log, now, source=source)
    own = state.parts_for(state.fields, simpy.Environment(now)).pool.batches.hazards
    of = FittedGoingOn(history, now, Given(lambda log: apart(log, seed)))
    here = of.present(tt.MachineSpec(begin=state.without_arrivals()).open(simpy.Environment(now)), 0.0)
    began = np.flatnonzero(np.asarray(own.latest) >= 0)
    assert len(began) == len(of.code)
    going = np.asarray(own.following)[began] >= 0  # of the others, the machine notes nothing more
    assert here.midway.outstanding[going].tolist() == np.asarray(own.outstanding)[began][going].tolist()
    for name in OF_USERS:
        theirs = np.asarray(getattr(own, name)).reshape(len(own.table), -1)[began][going]
        ours = here.midway.of_users[name].reshape(len(of.code), -1)[going]
        assert ours.tolist() == theirs.tolist(), name
    left = np.flatnonzero((np.asarray(own.begun) > 0) & (np.asarray(own.over) < np.asarray(own.count)))
    left = left[np.isin(np.searchsorted(np.asarray(own.stop), left, "right"), began[going])]
    mine = np.repeat(going, here.midway.outstanding)
    assert len(left) == mine.sum()
    for name in OF_BATCHES:
        assert here.midway.of_batches[name][mine].tolist() == np.asarray(getattr(own, name))[left].tolist(), name
    assert here.jobs[mine].tolist() == np.asarray(own.count)[left].tolist()
    return len(left)


def test_more_batches_drawn_beforehand_change_nothing():
    """A run in which a user's batches ran out is made anew with more, and begins with the same."""
    log, now = busy_log(5).with_columns(user=np.arange(60) % 3), 4100.0
    history, state = cut(log, now)

    def came(least: int) -> tuple[list[list[float]], int]:
        of, runs = FittedGoingOn(history, now, Given(lambda log: fitted(log, HazardTables.flat(1 / 200.0)))), 0
        of.drawn(3000.0)[:] = least
        while True:
            source = FittedUsersGoingOn(of, 3000.0, 7)
            result = tt.run(tt.MachineSpec(begin=state.without_arrivals()), source, until=now + 3000.0)
            runs += 1
            if not source.ran_out():
                later = result["submit"] > now
                return sorted(
                    np.stack([result[name][later] for name in ("submit", "runtime", "user")], 1).tolist()
                ), runs

    few, many = came(1), came(64)
    assert few[0] == many[0]
    assert len(few[0]) > 20
    assert few[1] > many[1] == 1


@pytest.mark.parametrize("seeds", [30, pytest.param(600, marks=pytest.mark.thorough)])
def test_who_goes_on_from_a_cut_does_so_as_in_the_run_itself(seeds):
    """Of alike jobs, as many come after it, the first as early, and as many in short gaps: Kolmogorov and Smirnov."""
    n, now, span = 300, 5000.5, 4000.0
    number = np.arange(n)
    columns = {"submit": number // 4 * 500.0, "wait": 0.0 * number, "runtime": np.full(n, 400.0), "user": number % 4}
    log = tt.Trace(columns | {"allocated": np.ones(n, int)})
    own = HazardTables.flat(1 / 300.0)
    own.base[:, 1:] -= 2.0
    own.base[:, 1:, :, :2] = -np.inf
    own.base[:, 0, :4] += 1.0
    told: dict[str, list[list[float]]] = {"run": [], "cut": []}
    for seed in range(seeds):
        source = CalibratedLog(log, fitted(log, own), "new", seed)
        whole = tt.run(tt.MachineSpec(2, "easy"), source, until=now + span)["submit"]
        history, state = cut(log, now, source=source, processors=2)
        of = FittedGoingOn(history, now, Given(lambda past: fitted(past, own)))
        of.drawn(span)[:] = 60
        going = FittedUsersGoingOn(of, span, 1000 + seed)
        rest = tt.run(tt.MachineSpec(begin=state.without_arrivals()), going, until=now + span)["submit"]
        assert not going.ran_out()
        for name, submit in (("run", whole), ("cut", rest)):
            later = np.sort(submit[(submit > now) & (submit <= now + span)])
            told[name].append([len(later), later[0], (np.diff(later) < 100).sum()])
    for one, other in zip(*(np.array(each).T for each in told.values()), strict=True):
        assert stats.ks_2samp(one, other).pvalue > 1e-3
        assert len(set(one.tolist())) > 5
