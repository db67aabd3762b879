"""Agents that choose sizes of jobs: what rules do, agents can do, and what machines refuse is masked."""

import warnings
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

import thinktime as tt
from tests.how_many import few_or_many, in_turn
from tests.models.machine.cuts import going_on
from tests.models.shapes.test_states import MACHINES, POLICIES, random_jobs
from thinktime.analysis.gym.environment import NAME
from thinktime.models.site.limits import Limits
from thinktime.models.site.qos import QOS
from thinktime.workloads.shapes.shape import Shape

from .conftest import log, played

SIZES = 5
"""As many as those of jobs in `random_jobs`."""
WIDE = {"jobs": 40, "running": 16, "shapes": SIZES}
STAGES = ["job", "start", "end", "processors", "how"]


def stages(result: tt.Result) -> Any:
    """What happened to each job."""
    return result.runs[STAGES]


def by_rule(env: Any) -> Any:
    """Start the first that fits, with its preferred size; then let the oldest grow as far as it may."""

    def choose(observation: Any, info: dict[str, Any]) -> int:
        mask, jobs, layout = info["action_mask"], WIDE["jobs"], env.agent
        if mask[:jobs].any():
            return int(mask.argmax())
        first, rows = jobs + 1 + SIZES * jobs, layout.shown_at_work.tolist()
        ids = env._known._witness.machine.pool.requests.id[rows]
        for place in np.lexsort((ids, -observation["running_for"][: len(rows)])).tolist():
            own, sizes = observation["running"][place, 1], observation["running_sizes"][place, :, 0]
            allowed = mask[first + SIZES * place :][:SIZES] * (sizes > own)
            if allowed.any():
                return int(first + SIZES * place + np.flatnonzero(allowed)[-1])
        return jobs

    return choose


@pytest.mark.parametrize("seed", few_or_many(2, 5))
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("base", "backfilling"), [("no-guarantee", "none"), ("easy", "easy")])
def test_whoever_does_what_a_rule_does_has_its_schedule(base, backfilling, machine, seed):
    """The oldest that fits starts, and the oldest that runs grows: `shapes` with these options, stage by stage."""
    jobs, spec = random_jobs(seed, 30), tt.MachineSpec(**MACHINES[machine])
    env = tt.gym.Environment(spec, [going_on(jobs)], backfilling=backfilling, **WIDE)
    played(env, by_rule(env))
    expected = stages(tt.run(replace(spec, policy=f"shapes:expand=oldest,base={base}"), going_on(jobs)))
    assert (expected["how"] == "resized").sum() > 1
    assert stages(env.result).equals(expected)


def follow(observation: Any, info: dict[str, Any]) -> int:
    """Do what the adviser would do."""
    return int(info["advice"])


MORE = (
    "shapes:size=min,expand=best,base=no-guarantee", "shapes:size=max,shrink=least,to=preferred,base=easy",
    "shapes:size=average,expand=oldest,shrink=latest,base=none",
)  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "machine", "backfilling"), in_turn(4, POLICIES + MORE, ["pool", "windows"], ["none", "easy"])
)
def test_whoever_follows_a_policy_that_chooses_sizes_makes_its_schedule(policy, machine, backfilling):
    """Stage by stage, around every base, with shares, costs, notices and gaps."""
    jobs, spec = random_jobs(1, 30), tt.MachineSpec(**MACHINES[machine])
    env = tt.gym.Environment(spec, [going_on(jobs)], adviser=policy, backfilling=backfilling, **WIDE)
    played(env, follow)
    expected = stages(tt.run(replace(spec, policy=policy), going_on(jobs)))
    assert (expected["how"] == "resized").any()
    assert stages(env.result).equals(expected)


def test_a_policy_of_ones_own_advises_on_sizes():
    """One that yields sizes of waiting and of running jobs."""

    class Own:
        resizes = True

        def select(self, view, now):
            for job in view.queue:
                fitting = [size for size in job.sizes if view.fits(job, processors=size)]
                if fitting:
                    yield job, max(fitting)
            for job in view.running:
                if job.sizes[0] < job.processors and view.resizable(job) and view.queue:
                    yield view.resize(job, job.sizes[0])

    jobs, spec = random_jobs(2, 30), tt.MachineSpec(16)
    env = tt.gym.Environment(spec, [going_on(jobs)], adviser=Own(), **WIDE)
    played(env, follow)
    expected = stages(tt.run(replace(spec, policy=Own()), going_on(jobs)))
    assert (expected["how"] == "resized").sum() > 4
    assert stages(env.result).equals(expected)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "chooses sizes, and the agent none: give shapes=, at least the sizes of a job"),
        ({"shapes": 2}, "and the agent sees 2 of its sizes, without this one: give shapes="),
        ({"shapes": 9, "running": 1}, "and the agent sees 1: give running=, at least the most jobs that run at once"),
    ],
)
def test_an_agent_that_sees_too_little_cannot_follow(given, says):
    """The sentence says what would be right."""
    with pytest.raises(ValueError, match=says):
        env = tt.gym.Environment(
            tt.MachineSpec(16), [going_on(random_jobs(2, 30))], adviser="shapes:shrink=latest", jobs=40, **given
        )
        played(env, follow)


JOBS, RUNNING = 6, 16


class Twin(tt.policies.Policy):
    """An agent in plain Python: a policy of one's own, whose masks are what a view says."""

    resizes = knows_interruptions = True

    def __init__(self, choose: Any) -> None:
        self.choose = choose

    def copy(self):
        """The same agent."""
        return self

    def select(self, view, now):
        """Start what it draws."""
        started: set[int] = set()
        while True:
            mask = np.zeros(JOBS + 1 + SIZES * (JOBS + RUNNING), np.int8)
            shown = [job for job in view.queue if job.row not in started][:JOBS]
            for place, job in enumerate(shown):
                mask[place] = view.fits(job)
                for n, size in enumerate(job.sizes):
                    mask[JOBS + 1 + SIZES * place + n] = view.fits(job, processors=size)
            if not mask.any():
                return
            mask[JOBS] = bool(started or view.running)
            answer = self.choose(None, mask)
            if answer == JOBS:
                return
            place, n = (answer, None) if answer < JOBS else divmod(answer - JOBS - 1, SIZES)
            started.add(shown[place].row)
            yield shown[place] if n is None else (shown[place], shown[place].sizes[n])

    def reshape(self, view, now):
        """Resize what it draws."""
        left, done, first = view.free, set[int](), JOBS + 1 + SIZES * JOBS
        while True:
            mask, shown = np.zeros(first + SIZES * RUNNING, np.int8), view.running[:RUNNING]
            for place, job in enumerate(shown):
                if job.row in done:
                    continue
                for n, size in enumerate(job.sizes):
                    fitting = size != job.processors and size - job.processors <= left and view.resizable(job, size)
                    mask[first + SIZES * place + n] = fitting
            if not mask.any():
                return
            mask[JOBS] = 1
            answer = self.choose(None, mask)
            if answer == JOBS:
                return
            place, n = divmod(answer - first, SIZES)
            job = shown[place]
            left -= max(job.sizes[n] - job.processors, 0)
            done.add(job.row)
            yield view.resize(job, job.sizes[n])


def at_random(seed: int, told: list[Any], once: bool) -> Any:
    """Draws what it does, and notes what was allowed; ``once``: it resizes one job at a time."""
    rng = np.random.default_rng(seed)

    def choose(observation: Any, mask: Any) -> int:
        resized = bool(told) and once and told[-1][1] > JOBS + SIZES * JOBS
        told.append((mask.tolist(), JOBS if resized else int(rng.choice(np.flatnonzero(mask)))))
        return int(told[-1][1])

    return choose


@pytest.mark.parametrize("seed", few_or_many(1, 9))
@pytest.mark.parametrize("machine", MACHINES)
def test_what_the_machine_would_refuse_is_masked_and_nothing_else(machine, seed):
    """Masks are those of a policy in Python that asks the machine about each answer, and so is the schedule.

    Where windows are, what two jobs that grow leave is not just a number, so they grow one at a time.
    """
    jobs, spec = random_jobs(seed, 30), tt.MachineSpec(**MACHINES[machine])
    ours: list[Any] = []
    theirs: list[Any] = []
    agent = tt.policies.Agent(at_random(seed, ours, machine == "windows"), JOBS, RUNNING, shapes=SIZES)
    found = tt.run(replace(spec, policy=agent), going_on(jobs))
    twin = Twin(at_random(seed, theirs, machine == "windows"))
    expected = tt.run(replace(spec, policy=twin), going_on(jobs))
    assert ours == theirs
    assert stages(found).equals(stages(expected))
    assert (found.runs["how"] == "resized").sum() > 10


def test_an_agent_grants_what_an_evolving_job_asks_for():
    """Only this size is allowed; a job that insists stands still until it has it."""
    shape = Shape("1-8", 4, kind="evolving", asks="0.5:8!")
    asked: list[list[int]] = []

    def choose(observation: Any, mask: Any) -> int:
        if len(mask.nonzero()[0]) > 1 and mask[:2].sum() < 2 and mask[2:].any():
            asked.append(observation["running_sizes"][0, :, 0].tolist())
        return int(mask.argmax()) if mask[0] else int(len(mask) - 1 - mask[::-1].argmax())

    def submit(env, machine):
        machine.submit(tt.Job(runtime=100, shape=shape))
        machine.submit(tt.Job(runtime=70, processors=4))
        yield env.timeout(0)

    runs = tt.run(tt.MachineSpec(8, tt.policies.Agent(choose, 1, 2, shapes=8)), submit).runs
    assert runs[["job", "start", "end", "processors"]].to_numpy().tolist() == [
        [1, 0, 70, 4], [1, 70, 95, 8], [2, 0, 70, 4],
    ]  # fmt: skip
    assert asked[-1] == [0, 0, 0, 0, 0, 0, 0, 8]


LIMITS = [Limits(max_tres_per_user={"cpu": 9}), Limits(group_tres_run_seconds={"cpu": 900}, max_jobs=3)]


@pytest.mark.parametrize("limits", LIMITS, ids=["at once", "time ahead"])
def test_limits_hold_and_rewards_add_up(limits):
    """Whatever is drawn happens, so that nobody is beyond a limit, and the rewards are those of the schedule."""
    site = tt.Site(
        nodes=tt.Nodes.uniform(16, processors=1),
        enforce=frozenset({"limits", "qos"}),
        qos=(QOS("normal", limits=limits),),
    )
    rng, drawn = np.random.default_rng(3), set[tuple[float, ...]]()
    given: dict[str, Any] = {"jobs": JOBS, "running": RUNNING, "shapes": SIZES, "reward": "-mean_wait", "per": "step"}
    jobs = [(time, job) for time, job in random_jobs(3, 30) if job.runtime > 0]
    env = tt.gym.Environment(tt.MachineSpec.of_site(site), [going_on(jobs)], **given)

    def choose(observation: Any, info: dict[str, Any]) -> int:
        answer = int(rng.choice(np.flatnonzero(info["action_mask"])))
        place, n = divmod(answer - JOBS - 1 - SIZES * JOBS, SIZES)
        if place >= 0 and observation["running_sizes"][place, n, 0] > observation["running"][place, 1]:
            row = env.agent.shown_at_work[place]
            job = env._known._witness.machine.pool.requests.id[row]
            drawn.add((job, info["time"], observation["running_sizes"][place, n, 0]))
        return answer

    told = played(env, choose)
    assert sum(reward for _, reward, *_ in told) == pytest.approx(-env.result.summary()["mean_wait"])
    assert env.observation_space.contains(told[-1][0])
    runs, every = env.result.runs, env.result.history.runs
    assert len(drawn) > 3
    assert drawn <= set(zip(runs["job"], runs["start"], runs["processors"], strict=True))
    if limits is LIMITS[0]:
        for user in range(3):
            mine = env.result["user"][every.row] == user
            times = np.concatenate([every.start[mine], every.end[mine]])
            change = np.concatenate([every.processors[mine], -every.processors[mine]])
            assert 4 < np.cumsum(change[np.lexsort((change, times))]).max() <= 9


@pytest.mark.parametrize("source", [tt.sources.log, tt.sources.feedback, lambda trace: tt.gym.windows(trace, "1h")])
def test_jobs_of_a_log_have_sizes_in_every_environment(source):
    """Gymnasium has nothing to say, the seed decides, and environments side by side are those of Gymnasium."""
    sized = tt.Shaping(share=0.7, least=0.5, most=2, speedup="amdahl(0.1)").of(log(30), 16)
    given = {
        "machine": tt.MachineSpec(16),
        "sources": source(sized),
        "jobs": 4,
        "running": 3,
        "shapes": 3,
        "until": 9000,
    }
    env = gymnasium.make(NAME, **given)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        check_env(env.unwrapped)
    assert not said
    told = []
    for mode in "vector_entry_point", "sync":
        envs = gymnasium.make_vec(NAME, 2, vectorization_mode=mode, **given)
        rng, (seen, info) = np.random.default_rng(1), envs.reset(seed=5)
        told.append([(seen, info)])
        for _ in range(60):
            mask = info["action_mask"]
            seen, reward, *ended, info = envs.step((mask * rng.random(mask.shape)).argmax(axis=1))
            told[-1].append((seen, reward, ended, info))
        envs.close()
    assert data_equivalence(told[0], told[1], exact=True)
    assert max(part[0]["running_sizes"].max() for part in told[0]) > 0
