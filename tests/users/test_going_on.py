"""The users of a log, begun in the middle."""

from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.models.machine.cuts import taking
from thinktime.models.state import State
from thinktime.users.going_on import GoingOn, UsersGoingOn
from thinktime.users.past_weeks import PastWeek
from thinktime.users.source import Begun, Source
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.run_times import RunTimes
from thinktime.workloads.streams import Lucks

NOW = 40_000.0


def _log(seed: int = 1, later: float = 0.0) -> tt.Trace:
    """Users 1 and 2 submit one job after the other and pause for some minutes; user 3 has gone away."""
    rows = []
    for user in (1, 2, 3):
        rng = np.random.default_rng([seed, user])
        time = float(rng.integers(0, 500))
        while time < (2 * NOW if user < 3 else 9000):
            wait, run = 0.0, float(rng.integers(10, 900))
            run += later if time + wait + run > NOW else 0.0
            rows.append((time, wait, run, user))
            time += wait + run + float(rng.integers(60, 1800)) + (later if time > NOW else 0.0)
    submit, wait, run, user = np.array(sorted(rows)).T
    asked = np.full(len(rows), 3600.0)
    return tt.Trace(
        {"submit": submit, "wait": wait, "runtime": run, "allocated": np.ones(len(rows), int),
         "requested_time": asked, "user": user.astype(int)}
    )  # fmt: skip


def _state(log: tt.Trace, policy: str = "easy", processors: int = 4) -> tt.MachineState:
    states: list[tt.MachineState] = []
    tt.run(tt.MachineSpec(processors, policy), log, taking([NOW], states), until=NOW + 1)
    return states[0].without_arrivals()


def _rest(log: tt.Trace, draw: int, state: tt.MachineState, until: float = NOW + 20_000) -> tt.Result:
    source = UsersGoingOn(GoingOn(log, NOW), until - NOW, (5, draw))
    return tt.run(tt.MachineSpec(begin=state), source, until=until)


def _came(result: tt.Result) -> list[tuple[float, Any, float]]:
    later = result["submit"] > NOW
    names = result.names["user"]
    rows = zip(*(result[name][later].tolist() for name in ("submit", "user", "runtime")), strict=True)
    return [(submit, names[user], runtime) for submit, user, runtime in rows]


def test_nothing_later_is_used() -> None:
    """Two logs that differ after now have users who do the same."""
    state = _state(_log())
    assert _came(_rest(_log(), 0, state)) == _came(_rest(_log(later=5000.0), 0, state)) != []


def test_users_come_again_and_have_other_luck_in_other_draws() -> None:
    """Both users go on, about as often as before; who has gone away does not come back within hours."""
    log, state = _log(), _state(_log())
    came = [_came(_rest(log, draw, state)) for draw in range(4)]
    assert all({user for _, user, _ in each} == {1, 2} for each in came)
    assert len({tuple(each) for each in came}) == 4
    as_before = (log.submit < NOW).sum() * 20_000 / NOW
    assert np.mean([len(each) for each in came]) == pytest.approx(as_before, rel=0.3)


def test_users_come_back_to_an_empty_machine() -> None:
    """A state without a job is one to go on from: user 2 thinks, user 1 has a job in the log, and user 3 is away."""
    log = _log()
    state = tt.Machine(simpy.Environment(NOW), 4).state()
    assert {user for _, user, _ in _came(_rest(log, 0, state))} == {2}


def test_who_has_jobs_in_the_machine_waits_for_them() -> None:
    """No user of this log ever submitted before all was over, so none does now."""
    log = _log()
    state = _state(log)
    for draw in range(5):
        result = _rest(log, draw, state)
        for code in range(2):
            mine = result["user"] == code
            submit, end = result["submit"][mine], np.nan_to_num(result["end"][mine], nan=np.inf)
            order = np.argsort(submit, kind="stable")
            assert (submit[order][1:] >= end[order][:-1]).all()


def test_who_thinks_has_thought_for_some_time() -> None:
    """The pause is one of those like it that are longer than it is now, each as likely as the user's ranks say."""
    of = GoingOn(_log(), NOW)
    pauses = of.pauses
    wall, response = of.clock.wall(NOW - 700), 400.0
    like = pauses.like(wall, response)
    law = pauses.beyond(wall, response, 700.0, np.array([0.0, 0.999, 0.999]))
    (part,) = law.parts
    assert part.times.tolist() == like[like > 700].tolist()
    n = len(like)
    chances = np.full(len(part.times), 1 / n)
    chances[-1] += 2
    assert np.diff(part.share, prepend=0.0) == pytest.approx(chances / chances.sum())
    for label, time in of.comes_back(np.random.default_rng(1).random(of.thinking), {}):
        assert label in (1, 2, 3)
        assert time > 0


def test_laws_that_are_known_are_those_of_the_log() -> None:
    """Run times of jobs that are not over are found once, if what is known is of the same jobs, and only then."""
    log = _log()
    own, same = GoingOn(log, NOW), RunTimes.of(log, NOW)
    job = int(np.flatnonzero(~own.over)[0])
    assert GoingOn(log, NOW, same).law(job) is GoingOn(log, NOW, same).law(job)
    assert same.is_as(RunTimes.of(own.log, NOW))
    luck = np.linspace(0.0, 1.0, 9)
    for known in (same, RunTimes.of(log, NOW / 2)):
        found = GoingOn(log, NOW, known).law(job).quantile(luck)
        assert np.array_equal(found, own.law(job).quantile(luck))


def test_absences_without_an_end_may_go_on() -> None:
    """User 3 has been away for longer than any user ever was: the user does not come back."""
    of = GoingOn(_log(), NOW)
    found = dict(of.comes_back(np.full(of.thinking, 0.5), {}))
    assert found[3] == np.inf


def test_overlaps_are_those_of_the_log() -> None:
    """A user who submits every two hours whatever happens goes on so, also before the first job is over."""
    n = 30
    log = tt.Trace(
        {"submit": np.arange(n) * 7200.0, "wait": np.zeros(n), "runtime": np.full(n, 10_000.0), "user": np.ones(n, int),
         "allocated": np.ones(n, int), "requested_time": np.full(n, 20_000.0)}
    )  # fmt: skip
    now = 20 * 7200.0 + 600
    states: list[tt.MachineState] = []
    tt.run(tt.MachineSpec(4), log, taking([now], states), until=now + 1)
    state = states[0].without_arrivals()
    of = GoingOn(log, now)
    assert of.habits[1].overlap > 0.9
    result = tt.run(tt.MachineSpec(begin=state), UsersGoingOn(of, 40_000, 1), until=now + 40_000)
    came = result["submit"][result["submit"] > now]
    assert came[0] == now - 600 + 7200
    assert len(came) in (4, 5, 6)


class Processes(Source):
    """Each user a SimPy process, who draws a batch when it is due: what `UsersGoingOn` does beforehand."""

    recorded = False
    endless = True

    def __init__(self, of: GoingOn, seed: Any) -> None:
        self.of, self.lucks = of, Lucks(seed)

    def begin(self, env: simpy.Environment, machine: tt.Machine) -> Begun:
        jobs, size = machine.pool.requests, machine.pool.requests.size
        rows: dict[Any, list[int]] = {}
        for row in sorted(
            np.flatnonzero(np.isin(jobs.state[:size], (State.WAITING, State.RUNNING))), key=lambda row: jobs.user[row]
        ):
            rows.setdefault(machine.names["user"][jobs.user[row]], []).append(int(row))
        for label, mine in rows.items():
            env.process(self.waits(env, machine, label, np.array(mine)))
        for label, time in self.of.comes_back(self.lucks.stream("back").random(self.of.thinking), rows):
            if time < np.inf:
                env.process(self.comes(env, machine, label, time))
        return Begun(env.event())

    def waits(self, env: simpy.Environment, machine: tt.Machine, label: Any, rows: Any) -> Any:
        rng, submit = self.lucks.stream(label, "going on"), machine.pool.requests.submit[rows]
        over = machine.watch(rows)
        yield from self.between(env, label, rng, over, float(submit.min()), float(env.now - submit.max()))
        yield from self.submits(env, machine, label, rng)

    def comes(self, env: simpy.Environment, machine: tt.Machine, label: Any, time: float) -> Any:
        yield env.timeout(ceil_to_grid(env.now + max(0.0, time)) - env.now)
        yield from self.submits(env, machine, label, self.lucks.stream(label, "going on"))

    def between(self, env: simpy.Environment, label: Any, rng: Any, over: Any, begun: float, age: float) -> Any:
        one = self.of.habits[label]
        longer = [gap for gap in one.gaps.tolist() if not age or gap > age]
        luck, which, rank, jitter = rng.random(4)
        share = one.overlap * len(longer) / max(1, len(one.gaps))
        if luck * (share + 1 - one.overlap) < share:
            yield over | env.timeout(ceil_to_grid(env.now + longer[int(which * len(longer))] - age) - env.now)
        else:
            yield over
        if over.triggered:
            like = self.of.pauses.like(self.of.clock.wall(env.now), env.now - begun)
            place = int(rank * (len(one.ranks) + 1))
            share = one.ranks[place] + (jitter - 0.5) / len(like) if place < len(one.ranks) else jitter
            pause = float(like[min(max(0, int(share * len(like))), len(like) - 1)])
            yield env.timeout(ceil_to_grid(env.now + pause) - env.now) if pause < np.inf else env.event()

    def submits(self, env: simpy.Environment, machine: tt.Machine, label: Any, rng: Any) -> Any:
        of, log = self.of, self.of.log
        mine = np.flatnonzero(of.batches.user == label)[-30:]
        while True:
            batch = mine[int(rng.random() * len(mine))]
            jobs = of.batches.order[of.batches.bounds[batch] : of.batches.bounds[batch + 1]]
            lucky = zip(jobs.tolist(), rng.random(len(jobs)).tolist(), strict=True)
            runtime = [log.runtime[job] if of.over[job] else of.run_time(job, luck) for job, luck in lucky]
            rows = machine.load_jobs(
                label,
                len(jobs),
                runtime=np.array(runtime),
                processors=log.processors[jobs],
                estimate=log.estimate[jobs],
            )
            over, begun = machine.watch(rows), float(env.now)
            offset = log.submit[jobs] - log.submit[jobs[0]]
            machine.announce(rows, begun + offset)
            yield env.timeout(offset[-1])
            yield from self.between(env, label, rng, over, begun, 0.0)


def _busy(seed: int) -> tuple[tt.Trace, tt.MachineState]:
    """Eight users of batches of one to three jobs, many of which overlap, and what their machine was in the middle."""
    rng = np.random.default_rng(seed)
    batch = np.repeat(np.arange(160), rng.integers(1, 4, 160))
    n = len(batch)
    submit = 500.0 * batch + 30.0 * (np.arange(n) - np.searchsorted(batch, batch))
    log = tt.Trace(
        {"submit": submit, "wait": np.zeros(n), "runtime": rng.choice([100.0, 900.0, 7000.0], n, p=[0.4, 0.5, 0.1]),
         "allocated": np.ones(n, int), "requested_time": np.full(n, 9000.0),
         "user": rng.integers(1, 9, 160)[batch]}
    )  # fmt: skip
    return log, _state(log, processors=6)


@pytest.mark.parametrize("seed", range(4))
def test_batches_drawn_beforehand_come_as_their_users_would_submit_them(seed: int) -> None:
    """Users drawn beforehand submit, and their jobs start, when those of processes do, however many are drawn."""
    log, state = _busy(seed)
    until = NOW + 20_000

    def rows(result: tt.Result) -> list[tuple[float, ...]]:
        came = result["submit"] > NOW
        names = ("submit", "start", "user", "runtime", "processors")
        return sorted(zip(*(result[name][came].tolist() for name in names), strict=True))

    of, runs = GoingOn(log, NOW), 0
    of.drawn(20_000.0)[:] = 1
    whole = rows(tt.run(tt.MachineSpec(begin=state), Processes(of, (5, seed)), until=until))
    while True:
        source, runs = UsersGoingOn(of, 20_000.0, (5, seed)), runs + 1
        found = rows(tt.run(tt.MachineSpec(begin=state), source, until=until))
        if not source.ran_out():
            break
    assert runs > 1
    assert len(found) > 20
    assert str(found) == str(whole)


def test_a_past_week_comes_at_the_same_time_of_the_week() -> None:
    """Every job of a week comes a whole number of weeks later, and none that came after now."""
    week = 7 * 86_400.0
    submit = np.arange(0, 3.5 * week, 5000.0)
    ones = np.ones(len(submit), int)
    log = tt.Trace({"submit": submit, "wait": 0 * submit, "runtime": ones * 60, "allocated": ones, "user": ones})
    for seed in range(4):
        now = 2.9 * week
        env = simpy.Environment(now)
        machine = tt.Machine(env, 4)
        PastWeek(log, now, 2 * 86_400.0, seed).begin(env, machine)
        env.run(now + 3 * 86_400)
        came = machine.result()["submit"]
        assert len(came) in (34, 35)
        assert (came > now - 1).all()
        back = np.unique((came[:, None] - np.arange(1, 3) * week) % 5000.0 == 0, axis=0)
        assert back.any(axis=1).all()


def test_without_users_no_user_goes_on() -> None:
    """A log that names no user is refused with a sentence."""
    with pytest.raises(ValueError, match="does not say who submitted"):
        GoingOn(tt.Trace({"submit": [0], "wait": [0], "runtime": [5], "allocated": [1]}), 10.0)
