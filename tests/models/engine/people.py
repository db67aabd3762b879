"""Random users of every kind at work, and everything that they see."""

import random
import re

import simpy

import thinktime as tt
from tests.models.engine.schedules import PROCESSORS
from tests.models.engine.sources import places_of, runs_of, trace
from thinktime import Job


def both(monkeypatch, model, *given, **more):
    """What a model sees without and with leaps."""
    seen = []
    for value in ("0", "1"):
        monkeypatch.setenv("THINKTIME_LEAP", value)
        told = repr(model(*given, **more))  # as text, in which NaN equals NaN
        seen.append(
            re.sub(r"np\.(?:int64|float64|bool)\(([^()]*)\)", r"\1", told)
        )  # uncompiled, numbers may be NumPy's
    return seen


def schedule(machine):
    """What has happened, job by job."""
    result = machine.result()
    names = ("id", "submit", "start", "end", "processors", "state", "promised")
    return [result[name].tolist() for name in names], places_of(result), runs_of(result), result.now


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


def people(seed, policy, overrun, machines=1, nodes=None, **machine):
    """Random users of every kind at work for a while; returns what they saw, and the schedules."""
    luck = random.Random(seed)
    env = simpy.Environment()
    size = PROCESSORS if nodes is None else None
    halls = [tt.Machine(env, size, policy, overrun, nodes=nodes, **machine) for _ in range(machines)]
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
        for kind in (waiter, waiter, impatient, team, holder, log, *([worrier] * 2 if "changes" in machine else [])):
            env.process(kind(f"{kind.__name__} {number}", hall))
    env.process(onlooker())
    return env, diary


def seen_by_people(*given, **machine):
    env, diary = people(*given, **machine)
    env.run()
    return diary.lines, [schedule(machine) for machine in diary.machines], env.now
