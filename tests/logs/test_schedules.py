"""What must hold of every schedule of a whole log: nothing lost, nothing too early, nothing too much."""

import numpy as np
import pytest

import thinktime as tt

pytestmark = pytest.mark.compiled

PROCESSORS = {"KTH": 100, "SDSC": 128, "LANL": 1_024, "CTC": 338}
RULES = (
    "none", "no-guarantee", "easy", "easy:reservations=5", "conservative", "conservative:compress=event",
    "conservative:compress=scheduled", "conservative:compress=none", "conservative-dynamic",
)  # fmt: skip
RUNS = [
    *(("KTH", rule, "kill") for rule in RULES),
    *((name, rule, "kill") for name in ("SDSC", "LANL", "CTC") for rule in ("easy", "conservative")),
    *(("KTH", rule, how) for rule in ("easy", "conservative") for how in ("extend", "until_needed")),
]


@pytest.mark.parametrize(("name", "policy", "overrun"), RUNS)
def test_a_schedule_is_possible_and_complete(log, name, policy, overrun):
    """Every job ran once, not too early, as long as it should, and never on more than there is."""
    trace = log(name)
    result = tt.replay(trace, policy, PROCESSORS[name], overrun=overrun)
    submit, start, end = result["submit"], result["start"], result["end"]
    assert np.array_equal(np.sort(result["id"]), np.sort(trace.id))
    assert np.isin(result["state"], [tt.State.FINISHED, tt.State.KILLED]).all()
    assert (start >= submit).all()
    assert_lengths(result, overrun)
    assert most_in_use(start, end, result["processors"]) <= PROCESSORS[name]
    if policy.startswith("conservative") and "dynamic" not in policy and overrun == "kill":
        assert (start <= result["promised"]).all()
    if policy == "none":
        assert (np.diff(start) >= 0).all()


def assert_lengths(result, overrun):
    """Run times are the log's, cut at the estimate, not cut, or cut somewhere beyond the estimate."""
    length, killed = result["end"] - result["start"], result["state"] == tt.State.KILLED
    runtime, estimate = result["runtime"], result["estimate"]
    assert np.array_equal(length[~killed], runtime[~killed])
    if overrun == "kill":
        assert np.array_equal(killed, runtime > estimate)
        assert np.array_equal(length[killed], estimate[killed])
    elif overrun == "extend":
        assert not killed.any()
    else:
        assert ((estimate <= length) & (length < runtime))[killed].all()


def most_in_use(start, end, processors):
    """The most processors in use at any time; what ends at a time is free at it."""
    times = np.concatenate([end, start])
    change = np.concatenate([-processors, processors])
    order = np.lexsort((change, times))
    held = np.cumsum(change[order])
    last_of_time = np.append(np.diff(times[order]) > 0, True)
    return held[last_of_time].max()


def test_recorded_gives_the_log_back(log):
    """Under ``recorded`` every job of KTH waits as long as field 3 says."""
    trace = log("KTH")
    result = tt.replay(trace, "recorded", 100)
    wait = dict(zip(trace.id.tolist(), trace.wait.tolist(), strict=True))
    found = dict(zip(result["id"].tolist(), (result["start"] - result["submit"]).tolist(), strict=True))
    assert np.isfinite(trace.wait).all()
    assert found == wait
    assert np.array_equal(result["end"] - result["start"], result["runtime"])


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative"])
def test_a_model_log_without_users_and_estimates(log, policy):
    """A log from a workload model runs; its estimates are its run times, so nothing is killed."""
    result = tt.replay(log("Lublin"), policy)
    assert result.processors == 256
    assert (result["state"] == tt.State.FINISHED).sum() == len(result) == 10_000
    assert (result["user"] == -1).all()
    assert np.array_equal(result["estimate"], np.maximum(result["runtime"], 1))
    assert result.summary()["mean_wait"] >= 0
