"""Agents as policies: what they see, what they may answer, and what starts then, against a policy in plain Python."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import thinktime as tt
from tests.crowded import crowded
from thinktime.policies import Agent

DAY = 86_400.0


def log(seed: int, jobs: int = 60) -> tt.Trace:
    """Jobs of four users on 16 processors; some outlive their estimates."""
    found = crowded(jobs, seed, between=400)
    return found.with_columns(requested_time=np.maximum(found.requested_time - 900, 1))


def at_random(seed: int, seen: list[Any]) -> Any:
    """An agent that draws its answers, and writes down what it sees."""
    rng = np.random.default_rng(seed)

    def choose(observation: Any, mask: Any) -> int:
        seen.append(({name: part.copy() for name, part in observation.items()}, mask.tolist()))
        return int(rng.choice(np.flatnonzero(mask)))

    return choose


@dataclass
class Twin:
    """The same policy in plain Python, one job after the other: a policy from outside."""

    choose: Any
    jobs: int
    running: int
    easy: bool
    runs: dict[int, list[float]] = field(default_factory=dict)  # job: start, end
    of: dict[int, Any] = field(default_factory=dict)

    def on_start(self, view: Any, rows: Any, now: float) -> None:
        for job in map(view.request, rows):
            self.runs[job.id], self.of[job.id] = [now, math.inf], (job.user, job.processors)

    def on_end(self, view: Any, rows: Any, now: float) -> None:
        for job in map(view.request, rows):
            self.runs[job.id][1] = now

    def used(self, user: Any, now: float) -> float:
        """Processor-seconds, halved at every midnight since they were used."""
        total = 0.0
        for job, (start, end) in self.runs.items():
            whose, processors = self.of[job]
            begin = start
            while whose == user and begin < min(end, now):
                midnight = (begin // DAY + 1) * DAY
                until = min(end, now, midnight)
                total += processors * (until - begin) * 0.5 ** (now // DAY - begin // DAY)
                begin = until
        return total

    def select(self, view: Any, now: float) -> Any:
        queue, chosen, free = list(view.queue), [], view.free
        while any(job.processors <= free for job in (queue if self.easy else queue[: self.jobs])):
            shown = queue[: self.jobs]
            fits = [job.processors <= free for job in shown]
            mask = np.zeros(self.jobs + 1, np.int8)
            mask[: len(shown)] = [fit or self.easy for fit in fits]
            mask[-1] = bool(view.running or chosen or not any(fits))
            place = self.choose(self.observed(view, now, shown, chosen, free), mask)
            if place == self.jobs:
                break
            job = queue.pop(place)
            if job.processors <= free:
                free -= job.processors
                chosen.append(job)
                continue
            chosen += self.behind(view, now, job, queue, chosen, free)
            break
        return chosen

    def ends(self, view: Any, now: float, chosen: list[Any]) -> list[tuple[float, int]]:
        ran = [(max(job.expected_end, now + view.grace), job.processors) for job in view.running]
        return sorted(ran + [(now + job.estimate, job.processors) for job in chosen], key=lambda pair: pair[0])

    def observed(self, view: Any, now: float, shown: list[Any], chosen: list[Any], free: int) -> dict[str, Any]:
        waiting, running = np.zeros((self.jobs, 4)), np.zeros((self.running, 2))
        for i, job in enumerate(shown):
            waiting[i] = now - job.submit, job.estimate, job.processors, self.used(job.user, now)
        for i, (end, processors) in enumerate(self.ends(view, now, chosen)[: self.running]):
            running[i] = end - now, processors
        return {
            "machine": np.array([free, view.capacity, now % DAY / 3600]), "waiting": waiting, "running": running,
        }  # fmt: skip

    def behind(self, view: Any, now: float, head: Any, queue: list[Any], chosen: list[Any], free: int) -> list[Any]:
        """EASY's backfilling: no job delays the head."""
        extra, shadow = free, math.inf
        for end, processors in self.ends(view, now, chosen):
            if extra >= head.processors and end > shadow:
                break
            extra, shadow = extra + processors, end
        extra -= head.processors
        started = []
        for job in queue:
            late = now + job.estimate > shadow
            if job.processors <= free and (not late or job.processors <= extra):
                free, extra = free - job.processors, extra - late * job.processors
                started.append(job)
        return started


@pytest.mark.parametrize("backfilling", ["none", "easy"])
@pytest.mark.parametrize(("overrun", "seen_jobs", "running"), [("kill", 3, 2), ("kill", 60, 16), ("extend", 5, 3)])
def test_an_agent_sees_and_starts_what_a_twin_in_plain_python_does(
    overrun: str, seen_jobs: int, running: int, backfilling: str
) -> None:
    """Every observation, every mask and every start are those of a brute-force twin."""
    for seed in (1,):
        ours: list[Any] = []
        theirs: list[Any] = []
        agent = Agent(at_random(seed, ours), seen_jobs, running, backfilling)
        twin = Twin(at_random(seed, theirs), seen_jobs, running, backfilling == "easy")
        found = tt.replay(log(seed), agent, 16, overrun=overrun)
        expected = tt.replay(log(seed), twin, 16, overrun=overrun)
        assert found["start"].tolist() == expected["start"].tolist()
        assert len(ours) == len(theirs) > 20
        for (seen, mask), (other, allowed) in zip(ours, theirs, strict=True):
            assert mask == allowed
            assert seen["machine"].tolist() == other["machine"].tolist()
            np.testing.assert_array_equal(seen["waiting"][:, :3], other["waiting"][:, :3])
            np.testing.assert_allclose(seen["waiting"][:, 3], other["waiting"][:, 3], rtol=1e-9, atol=1e-6)
            np.testing.assert_array_equal(np.sort(seen["running"], axis=0), np.sort(other["running"], axis=0))
            assert (np.diff(seen["running"][: len(np.flatnonzero(seen["running"][:, 1])), 0]) >= 0).all()


def head(observation: Any, mask: Any) -> int:
    """Only the head of the queue may start."""
    return 0 if mask[0] else len(mask) - 1


def first_that_fits(observation: Any, mask: Any) -> int:
    """The first that fits."""
    return int(mask.argmax())


@pytest.mark.parametrize(
    ("agent", "rule"),
    [
        (Agent(first_that_fits, 60), "no-guarantee"),
        (Agent(first_that_fits, 60, backfilling="easy"), "easy"),
        (Agent(head, 60), "fcfs"),
        (Agent(head, 60, order="sjf"), "sjf"),
        (Agent(first_that_fits, 60, backfilling="easy", order="lxf"), "easy:order=lxf"),
        (Agent(first_that_fits, 60, backfilling="easy", order="fairshare"), "easy:order=fairshare"),
    ],
    ids=str,
)
@pytest.mark.parametrize("machine", ["kill", "until_needed", "nodes", "changes"])
def test_simple_agents_are_rules_of_the_catalogue(agent: Agent, rule: str, machine: str) -> None:
    """In one leap and instant by instant, on processors, on nodes, and on a machine that changes."""
    more: dict[str, Any] = {
        "kill": {"processors": 16},
        "until_needed": {"processors": 16, "overrun": "until_needed"},
        "nodes": {"nodes": tt.Nodes.uniform(4, 4)},
        "changes": {"processors": 16, "changes": tt.Changes((tt.Window(3000, 9000, processors=8),))},
    }[machine]
    if machine == "changes" and agent.choose is head:
        return  # while a window keeps the head from starting, and nothing runs, another job has to start
    jobs = log(3, 30)
    expected = tt.replay(jobs, rule, **more)
    assert tt.replay(jobs, agent, **more)["start"].tolist() == expected["start"].tolist()
    if machine == "kill":
        env_by_instant = tt.run(tt.MachineSpec(16, agent), tt.sources.log(jobs), observers=[Blind()])
        assert env_by_instant["start"].tolist() == expected["start"].tolist()


class Blind:
    """An observer, so that there are no leaps."""

    def before_submissions(self, *given: Any) -> None:
        """See nothing."""


def test_what_an_agent_sees_does_not_depend_on_run_times_to_come() -> None:
    """If the jobs that end after a time run longer, everything seen until then is the same, and nothing after."""
    jobs, seen = log(4), dict[bool, list[Any]]()
    jobs = jobs.select(jobs.runtime <= jobs.estimate)
    first = tt.replay(jobs, Agent(at_random(1, [])), 16)
    late = first["end"] > 9000
    for longer in (False, True):
        runtime = np.where(late & longer, np.minimum(jobs.runtime + 7, jobs.estimate), jobs.runtime)
        told: list[Any] = []
        tt.replay(jobs.with_columns(runtime=runtime), Agent(at_random(1, told), 8, 16), 16)
        seen[longer] = [(str(part), mask) for part, mask in told]
    same = [a == b for a, b in zip(*seen.values(), strict=False)]
    assert 5 < same.index(False) < len(same) - 10


def test_an_answer_that_is_not_allowed_means_no_job_or_the_first() -> None:
    """While something runs it means no job; while nothing runs, the first that is allowed."""
    jobs = tt.Trace({"submit": [0, 0, 0], "runtime": [10, 10, 10], "allocated": [3, 2, 1]})
    asked: list[Any] = []

    def stubborn(observation: Any, mask: Any) -> int:
        asked.append(mask.tolist())
        return 3

    assert tt.replay(jobs, Agent(stubborn, 4), 4)["start"].tolist() == [0, 10, 20]
    assert asked == [[1, 1, 1, 0, 0], [0, 1, 0, 0, 1], [1, 1, 0, 0, 0], [1, 0, 0, 0, 1], [1, 0, 0, 0, 0]]


@pytest.mark.parametrize("answer", [-1, 5, 1.5, None, "first"])
def test_an_answer_is_a_place_or_no_job(answer: Any) -> None:
    """Anything else is an error that names the policy and the answer."""
    jobs = tt.Trace({"submit": [0], "runtime": [10], "allocated": [3]})
    with pytest.raises(
        ValueError, match=r"policy agent:choose=<lambda>,jobs=4.* must answer with a whole number, 0 to 4"
    ):
        tt.replay(jobs, Agent(lambda observation, mask: answer, 4), 4)


def test_what_is_given_is_checked() -> None:
    """Numbers of jobs, the way of backfilling and the function, each in a sentence."""
    with pytest.raises(ValueError, match="jobs must be a whole number from 1 to 65,536, not 0"):
        Agent(head, 0)
    with pytest.raises(ValueError, match=r"running must be a whole number from 1 to 65,536, not 2\.5"):
        Agent(head, 1, 2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="backfilling is 'yes', but must be one of none, easy"):
        Agent(head, backfilling="yes")
    with pytest.raises(TypeError, match=r"choose must be a function of \(observation, mask\), not 3"):
        Agent(3)  # type: ignore[arg-type]


def test_the_hour_is_that_of_the_log() -> None:
    """Hours since local midnight."""
    jobs = tt.Trace({"submit": [3600, 3600], "runtime": [10, 10], "allocated": [1, 1]})
    jobs = jobs.with_header(jobs.header.set("UnixStartTime", 22 * 3600).set("TimeZoneString", "Asia/Tokyo"))
    told: list[Any] = []

    def choose(observation: Any, mask: Any) -> int:
        told.append(observation["machine"].tolist())
        return 0

    tt.replay(jobs, Agent(choose), 4)
    assert told == [[4, 4, 8], [3, 4, 8]]


def test_a_user_may_ask_what_an_agent_will_do() -> None:
    """A forecast asks the function, and changes nothing of what the machine's agent knows."""
    import simpy

    for asking in (False, True):
        env = simpy.Environment()
        machine = tt.Machine(env, 4, Agent(first_that_fits, 4))
        first, second = (machine.submit(tt.Job(runtime=10, processors=4, user="ada")) for _ in range(2))
        env.run(until=1)
        if asking:
            assert machine.sight("ada").predicted_start(second) == 10.0
        env.run()
        assert machine.result()["start"].tolist() == [0, 10]
        assert machine.policy.observation["waiting"][0, 3] == 40.0
        assert first.state == second.state
