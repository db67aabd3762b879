"""The environment: what Gymnasium asks of it, that it is a run like any other, and rewards."""

import gc
import sys
import warnings
import weakref
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import thinktime as tt
from thinktime.analysis.experiments.metrics import metric
from thinktime.analysis.experiments.window import Measured
from thinktime.analysis.gym.environment import NAME

from .conftest import at_random, played

SPEC = tt.MachineSpec(16)


def drawn(small: tt.Trace) -> dict[str, Any]:
    """Sources of every kind: fixed, and made from a seed."""
    users = tt.mix(2, {"short": 2, "long": 1})
    return {
        "log": tt.sources.log(small),
        "feedback": tt.sources.feedback(small),
        "drawn": lambda seed: tt.sources.drawn(small, seed=seed),
        "campaigns": lambda seed: [tt.sources.campaigns(users, seed=seed)],
        "windows": tt.gym.windows(small, "1h"),
        "processes": lambda seed: [two_users],
    }


def two_users(env: Any, machine: tt.Machine) -> Any:
    """Processes of SimPy that wait for their jobs."""

    def user(name: str) -> Any:
        for i in range(6):
            yield machine.submit(tt.Job(user=name, runtime=10.0 + i, processors=9))

    return [user("ada"), user("bob"), user("eve")]


KINDS = ["log", "feedback", "drawn", "campaigns", "windows", "processes"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{}, {"per": "step", "backfilling": "easy"}], ids=str)
def test_gymnasium_has_nothing_to_say(kind: str, options: dict[str, Any], small: tt.Trace) -> None:
    """Its checker passes without warnings, whoever submits."""
    more = {"jobs": 4, "running": 3, "until": tt.DAY / 4, **options}
    env = gymnasium.make(NAME, machine=SPEC, sources=drawn(small)[kind], **more)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        check_env(env.unwrapped)
    assert not said


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_bytes(kind: str, small: tt.Trace) -> None:
    """Observations, rewards, masks and times, and another seed gives others where sources are drawn."""
    env = tt.gym.Environment(SPEC, drawn(small)[kind], jobs=4, until=tt.DAY / 4)
    first, again, other = (str(played(env, at_random(7), seed)) for seed in (1, 1, 2))
    assert first == again
    assert (first == other) == (kind in ("log", "feedback", "processes"))


@pytest.mark.parametrize("kind", KINDS)
def test_an_episode_is_a_run_under_a_policy(kind: str, small: tt.Trace) -> None:
    """What an agent does step by step is what it does as a policy of `run`."""
    source, rng = drawn(small)[kind], np.random.default_rng(5)
    env = tt.gym.Environment(SPEC, source, jobs=4, until=tt.DAY / 4)
    played(env, at_random(5), seed=3)
    agent = tt.policies.Agent(lambda seen, mask: rng.choice(np.flatnonzero(mask)), 4)
    given = source(3) if callable(source) and not isinstance(source, tt.users.source.Source) else source
    expected = tt.run(SPEC.under(agent), *(given if isinstance(given, list) else [given]), until=tt.DAY / 4)
    for column in ("start", "submit"):
        np.testing.assert_array_equal(env.result[column], expected[column])


@pytest.mark.parametrize("name", ["mean_wait", "p95_bounded_slowdown_10", "utilization", "finished", "users"])
@pytest.mark.parametrize("sign", ["", "-"])
def test_rewards_add_up_to_the_metric(name: str, sign: str, small: tt.Trace) -> None:
    """At the end, or step by step; with a minus, less is better."""
    for per in ("end", "step"):
        env = tt.gym.Environment(SPEC, tt.sources.feedback(small), reward=sign + name, per=per)
        rewards = [reward for _, reward, *_ in played(env, at_random(2))]
        value = metric(name)(Measured(env.result))
        assert value is not None
        assert sum(rewards) == pytest.approx(-value if sign else value)
        assert (np.count_nonzero(rewards) > 1) == (per == "step")


def test_a_reward_may_be_a_function_of_the_result(small: tt.Trace) -> None:
    """Whatever it computes; what is not a number is 0."""
    env = tt.gym.Environment(SPEC, tt.sources.log(small), reward=lambda result: len(result))
    assert [reward for _, reward, *_ in played(env, at_random(2))][-1] == 40
    env = tt.gym.Environment(SPEC, tt.sources.log(small), reward=lambda result: float("nan"), per="step")
    assert not any(reward for _, reward, *_ in played(env, at_random(2)))


def test_a_metric_step_by_step_is_that_of_the_time_of_the_decision(small: tt.Trace) -> None:
    """After each step, the rewards so far are the metric of what has happened until then."""
    env = tt.gym.Environment(SPEC, tt.sources.feedback(small), reward="finished", per="step")
    total, result = 0.0, tt.Result
    told = played(env, at_random(2))
    result = env.result
    for _, reward, _, _, info in told:
        total += reward
        assert total == (result["end"] <= info["time"]).sum() or info["time"] == 0


def test_time_that_is_up_truncates(small: tt.Trace) -> None:
    """A run with a horizon is truncated there, and shows the machine as it is then; others terminate."""
    env = tt.gym.Environment(SPEC, tt.sources.log(small), until=6000.0)
    *_, (seen, _, terminated, truncated, info) = played(env, at_random(2))
    result = env.result
    waiting = np.isnan(result["start"])
    assert (terminated, truncated, info["time"]) == (False, True, 6000.0)
    assert np.count_nonzero(seen["waiting"][:, 2]) == min(waiting.sum(), 16) > 0
    assert seen["machine"][0] == 16 - result["processors"][~waiting & np.isnan(result["end"])].sum()
    assert info["action_mask"].tolist() == [0] * 16 + [1]
    env = tt.gym.Environment(SPEC, tt.sources.log(small))
    assert played(env, at_random(2))[-1][2:4] == (True, False)


def test_a_run_without_decisions_is_over_at_the_first_step() -> None:
    """No job ever waits with another in reach, or there is none."""
    env = tt.gym.Environment(SPEC, tt.sources.log(tt.Trace({"submit": [], "runtime": [], "allocated": []})))
    _, info = env.reset(seed=1)
    assert info["action_mask"].tolist() == [0] * 16 + [1]
    assert env.step(16)[1:4] == (0.0, True, False)


def test_a_run_that_is_given_up_leaves_nothing(small: tt.Trace) -> None:
    """The machine of a run goes when another begins, or the environment is closed."""
    env = tt.gym.Environment(SPEC, tt.sources.feedback(small))
    machines = []
    for _ in range(3):
        env.reset(seed=1)
        env.step(0)
        machines.append(weakref.ref(env._known._witness.machine))
    env.close()
    env.agent = env.layout
    gc.collect()
    assert [machine() for machine in machines] == [None] * 3
    with pytest.raises(gymnasium.error.ResetNeeded, match="an environment begins with reset"):
        env.step(0)


def test_an_error_of_the_run_is_raised_in_the_step(small: tt.Trace) -> None:
    """What users raise, and forecasts, which would ask the agent."""

    def curious(env: Any, machine: tt.Machine) -> Any:
        jobs = [machine.submit(tt.Job(user="ada", runtime=10.0, processors=16)) for _ in range(2)]
        yield env.timeout(1)
        machine.sight("ada").predicted_start(jobs[1])

    env = tt.gym.Environment(SPEC, [curious])
    env.reset(seed=1)
    with pytest.raises(ValueError, match="somebody asks for a forecast"):
        env.step(0)


def test_what_is_given_is_checked(small: tt.Trace) -> None:
    """The machine, the reward, when it comes, and what a run checks of itself."""
    source = tt.sources.log(small)
    with pytest.raises(TypeError, match=r"machine must be a MachineSpec, such as MachineSpec\(processors=64\), not 16"):
        tt.gym.Environment(16, source)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no metric 'mean_weight'"):
        tt.gym.Environment(SPEC, source, reward="-mean_weight")
    with pytest.raises(ValueError, match="per is 'day', but must be one of end, step"):
        tt.gym.Environment(SPEC, source, per="day")
    users = tt.mix(2, {"short": 1})
    with pytest.raises(ValueError, match="users who go on for ever cannot be combined with a run without an end"):
        tt.gym.Environment(SPEC, tt.sources.campaigns(users, seed=1)).reset()


def test_windows_are_parts_of_the_log(small: tt.Trace) -> None:
    """Each begins with a job and is as long as wanted; the log must be long enough."""
    drawn = tt.gym.windows(small, 3600, tt.sources.feedback)
    for seed in range(20):
        part = drawn(seed).trace
        assert part is not None
        begin = float(part.submit[0])
        assert part.id.tolist() == small.between(begin, begin + 3600).id.tolist()
        assert begin + 3600 <= small.submit[-1]
    assert len({drawn(seed).trace.submit[0] for seed in range(20)}) > 5  # type: ignore[union-attr]
    with pytest.raises(ValueError, match=r"length is '9d', but must be above 0 and at most what the log has, \d+ s"):
        tt.gym.windows(small, "9d")


def test_without_gymnasium_one_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package works without the extra; the environments name it."""
    for name in [name for name in sys.modules if name.startswith(("thinktime.gym", "thinktime.analysis.gym"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("thinktime.gym", raising=False)
    monkeypatch.delattr("thinktime.analysis.gym", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(
        ImportError, match=r"^thinktime.gym needs gymnasium and greenlet: pip install 'thinktime\[gym\]'$"
    ):
        import thinktime.gym  # noqa: F401
