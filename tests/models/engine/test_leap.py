"""No result, no event and nothing that anybody can see depends on leaping."""

import random

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.how_many import few_or_many, in_turn
from tests.models.engine.schedules import PROCESSORS, workload
from thinktime import Job
from thinktime.models.machine.scheduler import Scheduler
from thinktime.users import WorkingHours
from thinktime.workloads.nodes import Cluster, Nodes

RULES = [
    "none",
    "no-guarantee:order=sjf",
    "easy",
    "easy:order=largest",
    "easy:reservations=3",
    "easy:order=lxf",
    "none:order=unicef",
    "easy:order=wfp3,reservations=2",
    "easy:order=fairshare",
    "conservative:order=lxf",
    "conservative:order=fairshare,compress=event",
    "conservative-dynamic:order=fairshare,half_life=30s",
    "easy:order=relshare",
    "easy:order=relshare,resort=start,window=6h",
    "conservative:order=relshare",
    "cplant:starve=10s,barred=heavy,order=relshare",
    "creasy",
    "conservative",
    "conservative:compress=event,order=sjf",
    "conservative:compress=scheduled",
    "conservative:compress=none",
    "conservative-dynamic",
    "cplant:starve=20s",
    "cplant:starve=20s,barred=heavy",
    "cplant:starve=10s,barred=heavy,quantile=0.4,order=fairshare,half_life=30s",
    "cplant:starve=10s,order=sjf",
    "tradeoff:limit=20",
    "tradeoff-fs:limit=20,algorithm=lds,prune=yes",
    "recorded",
    "ostrich",
    "ostrich:corrected=yes,threshold=20,shares=ada*0.1+bob*3",
    "ostrich:held_back=no,within=mlpt,threshold=5,backfilling=none",
    "ostrich-slurm:shares=eve*2",
    "faircamp:threshold=3,within=fcfs",
    "slack:awt=30",
    "slack:awt=10+40,classes=10,heuristic=dp,delayed=removed",
    "slack:awt=30,every=2,tick=yes",
    "easy:runtime_limit=15s",
    "conservative:order=f2,runtime_limit=15s",
]
OVERRUNS = ["kill", "extend", "until_needed"]
NODES = Nodes([Cluster("a", 2, {"processors": 3}), Cluster("b", 1, {"processors": 2})])
ON_NODES = [
    "none:order=lxf",
    "no-guarantee",
    "easy",
    "easy:order=fairshare",
    "easy:reservations=2",
    "easy:runtime_limit=15s",
    "conservative",
    "conservative:compress=event,order=sjf",
    "conservative:compress=scheduled,order=lxf",
    "conservative-dynamic:order=fairshare,half_life=30s",
    "cplant:starve=10s,barred=heavy",
    "creasy",
    "ostrich:corrected=yes,threshold=5",
    "ostrich-slurm",
    "faircamp",
]


def both(monkeypatch, model, *given):
    """What a model sees without and with leaps."""
    seen = []
    for value in ("0", "1"):
        monkeypatch.setenv("THINKTIME_LEAP", value)
        seen.append(repr(model(*given)))  # as text, in which NaN equals NaN
    return seen


def trace(seed, jobs=40):
    """The crowded log of `schedules`, with dependencies."""
    rng = np.random.default_rng(seed)
    return workload(jobs, seed).with_columns(
        preceding=np.maximum(np.arange(jobs) - rng.integers(0, 9, jobs), -1),
        think_time=rng.choice([0.0, 0.0, 5.0], jobs),
    )


def schedule(machine):
    """What has happened, job by job."""
    result = machine.result()
    names = ("id", "submit", "start", "end", "processors", "state", "promised")
    return [result[name].tolist() for name in names], places_of(result), runs_of(result), result.now


def runs_of(result):
    """The runs of a machine that changes."""
    return None if result.history is None else result.runs.values.tolist()


def places_of(result):
    """The nodes of each job."""
    return None if result.nodes is None else result.nodes.interval_sets()


class Diary:
    """Notes of everything that people see, in the order in which they see it."""

    def __init__(self, env, machines):
        self.env, self.machines, self.lines, self.events = env, machines, [], []

    def note(self, *what):
        self.lines.append((self.env.now, *what))

    def look(self):
        """Everything that the machines show."""
        for machine in self.machines:
            sight = machine.sight("ada")
            self.note(machine.count, machine.over, sight.free, sight.queue_length, sight.backlog)
            self.note([job.id for job in machine.queue], [job.id for job in machine.users])
        self.note([(event.triggered, event.processed, repr(event)) for event in self.events])


def people(seed, policy, overrun, machines=1, nodes=None, changes=None):
    """Random users of every kind at work for a while; returns what they saw, and the schedules."""
    luck = random.Random(seed)
    env = simpy.Environment()
    size = PROCESSORS if nodes is None else None
    halls = [tt.Machine(env, size, policy, overrun, nodes=nodes, changes=changes) for _ in range(machines)]
    diary = Diary(env, halls)

    def job(user="ada"):
        estimate = luck.choice([1, 2, 5, 10, 20, 40])
        runtime = luck.choice([0, estimate / 2, estimate, 2 * estimate])
        if nodes and luck.random() < 0.5:
            asks = luck.choice(["1:ppn=2", "2:ppn=2", "3:ppn=1", "1:ppn=1#excl", "1:ppn=1:cl_b + 1:ppn=3"])
            return Job(runtime=runtime, nodes=asks, estimate=estimate, user=user)
        return Job(runtime=runtime, processors=luck.randint(1, 8), estimate=estimate, user=user)

    def waiter(name, hall):
        for _ in range(5):
            yield env.timeout(luck.choice([0, 0, 1, 7, 30.5]))
            event = hall.submit(job(luck.choice(["ada", "bob", "eve"])))
            diary.events.append(event)
            diary.note(name, "started", (yield event.started) if luck.random() < 0.3 else None)
            diary.note(name, (yield event) if luck.random() < 0.6 else None)

    def impatient(name, hall):
        for _ in range(5):
            event = hall.submit(job("bob"))
            done = yield event | env.timeout(luck.choice([0, 3, 12]))
            diary.note(name, len(done.events), event.state)
            event.cancel()
            yield env.timeout(luck.choice([0, 4]))

    def team(name, hall):
        for _ in range(4):
            event = hall.submit_campaign([job() for _ in range(luck.randint(1, 5))])
            diary.note(name, (yield event), repr(event))
            yield env.timeout(luck.choice([0, 2, 20]))

    def holder(name, hall):
        for _ in range(4):
            with hall.request(luck.randint(1, 4), estimate=luck.choice([5, 15])) as hold:
                try:
                    diary.note(name, (yield hold) is hold)
                    yield env.timeout(luck.choice([3, 10, 20]))
                except simpy.Interrupt as interrupt:
                    diary.note(name, "interrupted", interrupt.cause.at)
            yield env.timeout(luck.choice([1, 6]))

    def log(name, hall):
        rows = hall.load(trace(seed))
        over = hall.watch(rows[:7])
        hall.announce(rows)
        if luck.random() < 0.5:
            hall.event(rows[9]).cancel()
        diary.note(name, (yield over))
        diary.events.append(hall.event(rows[30]))

    def worrier(name, hall):
        for _ in range(5):
            event = hall.submit(job("eve"))
            while not event.triggered:
                interrupted = event.interrupted
                yield interrupted | event
                diary.note(name, interrupted.value if interrupted.triggered else "over")
                if interrupted.triggered and luck.random() < 0.2:
                    event.cancel()

    def onlooker():
        for _ in range(25):
            yield env.timeout(luck.choice([0.5, 1, 3, 8, 21]))
            diary.look()

    for number, hall in enumerate(halls):
        for kind in (waiter, waiter, impatient, team, holder, log, *([worrier] * 2 if changes else [])):
            env.process(kind(f"{kind.__name__} {number}", hall))
    env.process(onlooker())
    return env, diary


def seen_by_people(*given):
    env, diary = people(*given)
    env.run()
    return diary.lines, [schedule(machine) for machine in diary.machines], env.now


def with_overruns(policies):
    """Policies with rules of overruns: each with one in each run of the tests, and with all in a thorough one."""
    return [
        pytest.param(policy, overrun, marks=[] if (number + k) % 3 == 0 else [pytest.mark.thorough])
        for number, policy in enumerate(policies)
        for k, overrun in enumerate(OVERRUNS)
    ]


@pytest.mark.parametrize("how_many", few_or_many(1, 4))
@pytest.mark.parametrize(("policy", "overrun"), with_overruns(RULES))
def test_people_see_the_same(monkeypatch, policy, overrun, how_many):
    """Users who wait, cancel, hold, watch and look around see the same things in the same order."""
    for seed in range(how_many):
        step_by_step, leaping = both(monkeypatch, seen_by_people, seed, policy, overrun)
        assert step_by_step == leaping


@pytest.mark.parametrize("how_many", few_or_many(1, 2))
@pytest.mark.parametrize(("policy", "overrun"), with_overruns(ON_NODES))
def test_people_see_the_same_on_nodes(monkeypatch, policy, overrun, how_many):
    """On a machine of nodes, too."""
    for seed in range(how_many):
        step_by_step, leaping = both(monkeypatch, seen_by_people, seed, policy, overrun, 1, NODES)
        assert step_by_step == leaping


@pytest.mark.parametrize("how_many", few_or_many(2, 4))
@pytest.mark.parametrize("policy", ["easy", "conservative:compress=event", "conservative-dynamic"])
def test_two_machines_in_one_environment(monkeypatch, policy, how_many):
    """Machines that share a clock leap from one's events to the other's."""
    for seed in range(how_many):
        step_by_step, leaping = both(monkeypatch, seen_by_people, seed, policy, "kill", 2)
        assert step_by_step == leaping


def by_hand(seed, policy):
    """Somebody goes from event to event, and looks at the machine after each time that has come."""
    env, diary = people(seed, policy, "kill")
    time = 0.0
    while env.peek() < float("inf"):
        env.step()
        if env.peek() > env.now > time:
            time = env.now
            diary.look()
    return diary.lines, [schedule(machine) for machine in diary.machines]


def in_pieces(seed, policy):
    """Somebody runs for a while, looks at the machine, submits, and runs on."""
    env, diary = people(seed, policy, "kill")
    for piece in (0.25, 3, 17, 60.5, 200, 1000):
        env.run(until=env.now + piece)
        diary.look()
        event = diary.machines[0].submit(Job(runtime=3, processors=2, estimate=5))
        diary.note("own", env.run(until=event))
        diary.look()
    env.run()
    return diary.lines, [schedule(machine) for machine in diary.machines], env.now


@pytest.mark.parametrize("how_many", few_or_many(1, 4))
@pytest.mark.parametrize("model", [by_hand, in_pieces])
@pytest.mark.parametrize("policy", ["easy", "conservative", "conservative:compress=event", "ostrich"])
def test_whoever_looks_between_events_sees_the_same(monkeypatch, model, policy, how_many):
    """A machine is never ahead of the clock for somebody who steps by hand or runs in pieces."""
    for seed in range(how_many):
        step_by_step, leaping = both(monkeypatch, model, seed, policy)
        assert step_by_step == leaping


class Count:
    """An observer that counts what waits at submissions."""

    def __init__(self):
        self.seen = []

    def before_submissions(self, instants, rows, now):
        self.seen.append((now, rows.tolist(), instants.pool.waiting_count(), instants.pool.idle))


def from_sources(policy, source, observed=False, **machine):
    observer = Count()
    spec = tt.MachineSpec(policy=policy, **({"processors": PROCESSORS} | machine))
    result = tt.run(spec, source(), observers=[observer] if observed else [])
    names = ("id", "submit", "start", "end", "state")
    columns = [result[name].tolist() for name in names]
    lost = result.lost.values.tolist()
    return columns, places_of(result), runs_of(result), lost, result.now, result.notes, observer.seen


def one_at_a_time(view, now):
    """A policy of somebody's own, which returns a part of the queue itself."""
    return view.waiting[:1] if view.free == view.capacity else None


SOURCES = {
    "open": lambda: tt.sources.log(trace(1)),
    "dependencies": lambda: tt.sources.dependencies(trace(2)),
    "feedback": lambda: tt.sources.feedback(trace(3)),
    "hours": lambda: tt.sources.feedback(trace(3), hours=WorkingHours(0, 12, origin=-43_100)),
    "drawn": lambda: tt.sources.drawn(trace(4, 60), seed=5),
}


OF_LOGS = [
    "easy",
    "conservative",
    "easy:runtime_limit=15s",
    "conservative:order=f2",
    "easy:order=f1,runtime_limit=15s",
    "easy:order=fairshare",
    "ostrich:corrected=yes",
    one_at_a_time,
]
LAST_TWO, FACTOR = {"estimates": "last-two"}, {"estimates": "factor=0.5", "overrun": "extend"}


@pytest.mark.parametrize(
    ("source", "policy", "machine"), in_turn(3, SOURCES, OF_LOGS, [{}, LAST_TWO, FACTOR, {"observed": True}])
)
def test_every_source_is_the_same(monkeypatch, source, policy, machine):
    """Logs, dependencies, feedback and drawn users give the same results under every kind of policy."""
    step_by_step, leaping = both(monkeypatch, lambda: from_sources(policy, SOURCES[source], **machine))
    assert step_by_step == leaping


@pytest.mark.parametrize(
    ("source", "policy", "machine"),
    in_turn(3, SOURCES, ["easy", "conservative", "cplant:starve=10s"], [LAST_TWO, FACTOR, {"overrun": "until_needed"}]),
)
def test_every_source_is_the_same_on_nodes(monkeypatch, source, policy, machine):
    """All kinds of sources give the same results on nodes."""
    given = {"processors": None, "nodes": NODES, **machine}
    step_by_step, leaping = both(monkeypatch, lambda: from_sources(policy, SOURCES[source], **given))
    assert step_by_step == leaping


@pytest.fixture
def calls(monkeypatch):
    """The horizons of all calls of compiled instants."""
    horizons, inner = [], Scheduler._go_on
    monkeypatch.setattr(
        Scheduler, "_go_on", lambda self, now, horizon: (horizons.append(horizon), inner(self, now, horizon))
    )
    return horizons


FEW_LEAPS = ["easy", "none:order=wfp3", "conservative:order=fairshare", "cplant", "easy:order=relshare", "ostrich"]


@pytest.mark.parametrize(("estimates", "policy"), in_turn(2, ["requested", "last-two"], FEW_LEAPS))
def test_a_log_is_few_leaps(calls, monkeypatch, policy, estimates):
    """Without anybody who reacts, a log is a handful of calls; with leaps turned off, each instant is one."""
    monkeypatch.setenv("THINKTIME_LEAP", "1")
    tt.replay(trace(1), policy, PROCESSORS, estimates=estimates)  # the first leaps are shorter
    calls.clear()
    tt.replay(trace(1, 200), policy, PROCESSORS, estimates=estimates)
    assert 1 <= len(calls) <= 8
    calls.clear()
    monkeypatch.setenv("THINKTIME_LEAP", "0")
    tt.replay(trace(1, 200), policy, PROCESSORS, estimates=estimates)
    assert len(calls) > 100
    assert set(calls) == {-float("inf")}


@pytest.mark.parametrize("policy", ["easy", "conservative", "cplant", "ostrich"])
def test_a_log_is_few_leaps_on_nodes(calls, policy):
    """A machine of nodes leaps, too."""
    for nodes in (NODES, Nodes.uniform(PROCESSORS, 1)):
        tt.replay(trace(1), policy, nodes=nodes)
        calls.clear()
        tt.replay(trace(1, 200), policy, nodes=nodes)
        assert 1 <= len(calls) <= 8


@pytest.mark.parametrize("source", ["dependencies", "feedback"])
@pytest.mark.parametrize("policy", ["easy", "conservative:runtime_limit=15s", "easy:order=f1"])
def test_chains_are_few_leaps(calls, policy, source):
    """Compiled code submits batches and segments, so users who wait for jobs of a log are a handful of calls, too."""
    from_sources(policy, SOURCES[source])
    calls.clear()
    from_sources(policy, SOURCES[source])
    assert 1 <= len(calls) <= 8


def test_whoever_steps_by_hand_sees_no_leap(calls):
    """Between two steps by hand anybody may act, so every instant is a step."""
    env = simpy.Environment()
    machine = tt.Machine(env, PROCESSORS, "easy")
    machine.announce(machine.load(trace(1)))
    while env.peek() < float("inf"):
        env.step()
    assert set(calls) == {-float("inf")}


class OtherLoop(simpy.Environment):
    """An environment whose steps are its own, as those of a real-time environment are."""

    def step(self):
        super().step()


def test_other_environments_do_not_leap(calls):
    """In an environment with steps of its own, such as a real-time one, every instant is a step."""
    env = OtherLoop()
    machine = tt.Machine(env, PROCESSORS, "easy")
    machine.announce(machine.load(trace(1)))
    env.run()
    assert set(calls) == {-float("inf")}


@pytest.mark.parametrize("every", few_or_many(16, 2))
@pytest.mark.parametrize("policy", RULES)
def test_an_observer_may_come_at_any_time(policy, every):
    """Whoever begins to observe in the middle, at an end before its pass too, changes no start."""

    def observed_from(moment, job=None):
        env, observer = simpy.Environment(), Count()
        machine = tt.Machine(env, PROCESSORS, policy)
        rows = machine.load(trace(6))

        def later():
            yield env.timeout(moment) if job is None else machine.watch(rows[job : job + 1])
            machine.observe(observer)

        env.process(later())
        machine.announce(rows)
        env.run()
        return schedule(machine)[0], len(observer.seen)

    starts, seen = observed_from(0)
    assert seen > 20
    for moment in np.arange(0.5, 160, 4.75 * every).tolist():
        assert repr(observed_from(moment)[0]) == repr(starts)
    for job in range(0, 40, every):
        assert repr(observed_from(0, job)[0]) == repr(starts)


def test_progress_is_shown_during_a_leap():
    """A replay reports its progress up to 200 times, with growing numbers of jobs that are over."""
    told = []
    tt.replay(trace(1, 1000), "easy", PROCESSORS, progress=lambda now, over, jobs: told.append((now, over, jobs)))
    assert 100 < len(told) <= 201
    assert told == sorted(told)
    assert told[-1][1:] == (1000, 1000)
