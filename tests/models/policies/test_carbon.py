"""Jobs are held back until the best time of an exhaustive search, around every rule and from every source."""

from typing import Any

import numpy as np
import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

import thinktime as tt
from thinktime.models.jobs.checks import name_of
from thinktime.models.policies import as_policy
from thinktime.models.policies.carbon import RULES, Deferral
from thinktime.workloads.signals import Forecast

PRICE = tt.Signal([0, 3600], [1, 0.1], "price", "EUR/kWh")
LOG = tt.Trace(
    {
        "submit": [600, 700, 8000, 8000], "runtime": [1800, 100, 50, 50], "allocated": [1, 1, 2, 1],
        "user": [1, 1, 2, 3], "wait": [0, 0, 0, 0],
    }
)  # fmt: skip
EARLIEST = [3600, 3600, 10_800, 10_800]
"""From when on the jobs of the log may start, at most two hours after their submission."""
BASES = ["fcfs", "easy:order=lxf", "conservative", "slurm", "ostrich", "slack", "tradeoff", "none:order=fairshare"]


def replayed(policy: str, log: tt.Trace = LOG, **more: Any) -> tt.Result:
    return tt.run(tt.MachineSpec(2, policy, signals={"price": PRICE}, **more), tt.sources.log(log))


@given(
    st.sampled_from(RULES),
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 4)), min_size=1, max_size=6),
    st.tuples(st.integers(0, 30), st.integers(1, 12), st.integers(0, 20)),
    st.sampled_from([0, 0.1, 0.3, 0.5, 1]),
)
def test_against_exhaustive_search(
    rule: str, steps: list[tuple[int, int]], job: tuple[int, int, int], share: float
) -> None:
    """The start is the first second of those within the wait that has the least total, or is below the quantile."""
    lengths, values = zip(*steps, strict=True)
    borders = np.concatenate(([0], np.cumsum(lengths)))
    signal = tt.Signal(borders[:-1], values, end=int(borders[-1]))
    seconds = np.tile(np.repeat(values, lengths), 80).tolist()
    now, length, wait = job
    starts = range(now, now + wait + 1)
    if rule == "threshold":
        ordered = sorted(seconds[now : now + wait])
        limit = next((v for v in ordered if sum(w <= v for w in ordered) >= share * wait), None)
        expected = next(s for s in starts if limit is None or seconds[s] <= limit)
    else:
        total = {s: sum(seconds[s : s + (length if rule == "lowest-window" else 1)]) for s in starts}
        expected = min(starts, key=lambda s: (total[s], s))
    deferral = Deferral(rule, wait=wait, quantile=share)
    assert deferral.start(now, length, Forecast(signal)) == expected


def test_half_an_hour_at_the_lower_price() -> None:
    """Price 1 for an hour and 0.1 for an hour: a 30-minute job of minute 10 starts at minute 60, if it may."""
    job = tt.Trace({"submit": [600], "runtime": [1800], "allocated": [1]})
    assert replayed("carbon:rule=lowest-window,wait=2h", job)["start"].tolist() == [3600]
    assert replayed("carbon:rule=lowest-window,wait=30min", job)["start"].tolist() == [600 + 1800]
    assert replayed("carbon:rule=lowest-slot,wait=30min", job)["start"].tolist() == [600]


@pytest.mark.parametrize("base", BASES)
def test_around_every_rule(base: str) -> None:
    """Under every base rule jobs are eligible when the search says; the policy has a text that gives it back."""
    policy = f"carbon:rule=lowest-window,wait=2h,base={base}"
    result = replayed(policy)
    assert result["eligible"].tolist() == EARLIEST
    assert (result["start"] >= result["eligible"]).all()
    assert name_of(as_policy(name_of(as_policy(policy)))) == name_of(as_policy(policy))
    assert result.policy.startswith("carbon:rule=lowest-window,wait=2h,base=")


@pytest.mark.parametrize("base", BASES)
def test_without_a_wait_nothing_changes(base: str) -> None:
    """Jobs that may not wait start as under the base rule."""
    assert replayed(f"carbon:wait=0,base={base}")["start"].tolist() == replayed(base)["start"].tolist()


def test_from_every_source() -> None:
    """Jobs of live users, of users with feedback, of campaigns and of plans are held back as those of a log are."""
    policy = "carbon:rule=lowest-window,wait=2h"
    spec = tt.MachineSpec(2, policy, signals=[PRICE])
    assert tt.replay_with_feedback(LOG, spec)["eligible"].tolist() == EARLIEST

    def user(env: Any, machine: tt.Machine) -> Any:
        yield env.timeout(600)
        yield machine.submit(tt.Job(runtime=1800))
        assert env.now == 3600 + 1800
        machine.submit_campaign([tt.Job(runtime=10), tt.Job(runtime=20, queue="urgent")])

    live = tt.run(spec, user)
    assert live["start"].tolist() == [3600, 5400, 5400]
    late = tt.run(spec, tt.sources.campaigns(tt.mix(3, {"short": 2, "long": 1}), seed=1), until=tt.DAY)
    started = late["start"][np.isfinite(late["start"])]
    deferral = Deferral("lowest-window", wait=7200)
    expected = [deferral.start(s, e, Forecast(PRICE)) for s, e in zip(late["submit"], late["estimate"], strict=True)]
    known = np.isfinite(late["eligible"])
    assert len(started) > 10 and late["eligible"][known].tolist() == np.array(expected)[known].tolist()


def test_urgent_jobs_are_not_held() -> None:
    """Jobs of a queue or a partition called urgent, or as the policy says, start at once."""
    jobs = [tt.Job(runtime=10, queue="urgent"), tt.Job(runtime=10, partition="now"), tt.Job(runtime=10)]

    def user(env: Any, machine: tt.Machine) -> Any:
        yield env.timeout(600)
        for job in jobs:
            machine.submit(job)

    for named, starts in (("urgent", [600, 3600, 3600]), ("now", [3600, 600, 3600])):
        spec = tt.MachineSpec(3, f"carbon:wait=2h,urgent={named}", signals=[PRICE])
        assert tt.run(spec, user)["start"].tolist() == starts


@pytest.mark.parametrize("base", ["slack:awt=600" if base == "slack" else base for base in BASES])
def test_a_forecast_knows_until_when_a_job_is_held(base: str) -> None:
    """What is foretold of a job that is only considered is its start, if it is submitted: behind those before it."""
    signals = {"price": tt.Signal([0, 3600], [1, 0.1], end=7200)}
    env = simpy.Environment()
    machine = tt.MachineSpec(2, f"carbon:rule=lowest-window,wait=2h,base={base}", signals=signals).open(env)
    for runtime, user in ((3500, "eve"), (3700, "bob"), (900, "eve")):
        machine.submit(tt.Job(runtime=runtime, processors=1, user=user, queue="urgent"))
    env.run(until=600)
    small, large = (tt.Job(runtime=1800, processors=size, user="ada") for size in (1, 2))
    foretold = [machine.sight("ada").predicted_start(each) for each in (small, large)]
    assert foretold == ([3600, 4600] if base == "tradeoff" else [3700, 4400])
    event = machine.submit(small)
    env.run()
    assert event.value.start == foretold[0]


def test_a_job_is_held_back_once() -> None:
    """A job that is interrupted runs again at once, and so do the later segments of one that is split."""
    log = tt.Trace({"submit": [0], "runtime": [4000], "allocated": [1]})
    outages = tt.Changes(outages=tt.Outages([8000], [8010], [0]))
    result = replayed("carbon:rule=lowest-slot,wait=90min", log, changes=outages)
    assert result.runs.start.tolist() == [3600]
    broken = tt.Changes(outages=tt.Outages([4000, 4000], [4010, 4010], [0, 1]))
    again = replayed("carbon:rule=lowest-slot,wait=90min", log, changes=broken)
    assert again.runs.start.tolist() == [3600, 4010]
    split = replayed("carbon:rule=lowest-slot,wait=90min,base=easy:runtime_limit=1500s", log)
    assert split["start"].tolist() == [3600, 5100, 6600]


def test_a_run_goes_on_from_a_state_with_jobs_that_are_held(tmp_path: Any) -> None:
    """Of a machine that is cut while jobs are held, also in a file, the rest is the same."""
    spec = tt.MachineSpec(2, "carbon:rule=lowest-window,wait=2h", signals=[PRICE])
    whole = tt.run(spec, tt.sources.log(LOG))
    env = simpy.Environment()
    machine = spec.open(env)
    env.process(tt.submit_trace(env, machine, LOG))
    env.run(until=1000)
    state = machine.state()
    state.save(tmp_path / "june.state")
    for begin in (state, tmp_path / "june.state"):
        rest = tt.run(tt.MachineSpec(begin=begin))
        assert rest["start"].tolist() == whole["start"].tolist() and rest.signals == whole.signals


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("carbon:rule=lowest", "rule cannot be 'lowest'; did you mean 'lowest-"),
        ("carbon:wait=soon", "a duration must be"),
        ("carbon:quantile=2", "quantile must be a number from 0 to 1"),
        ("carbon:forecast=oracle", "a forecast cannot be 'oracle'"),
        ("carbon:order=lxf", "there is no option 'order'; its options are: rule, wait"),
        ("carbon:base=carbon", "holds jobs back once"),
        ("carbon:base=esay", "there is no policy 'esay'"),
        ("carbon:signal=tariff", "needs a signal 'tariff' of the machine"),
    ],
)
def test_what_is_no_such_policy(policy: str, said: str) -> None:
    """One sentence says what is wrong, and what would be right."""
    with pytest.raises(ValueError, match="carbon") as error:
        replayed(policy)
    assert said in str(error.value)


def test_a_machine_without_signals() -> None:
    """Without a signal there is nothing to wait for."""
    with pytest.raises(ValueError, match="needs a signal"):
        tt.replay(LOG, "carbon:wait=2h", 2)
