"""What a data set supports travels with its log, and is checked where a run is asked for."""

import pickle

import numpy as np
import pytest

import thinktime as tt
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.data_set import DataSet
from thinktime.workloads.user_models import resample, scale_users

COLUMNS = {"submit": [0, 1, 2], "wait": [0, 0, 0], "runtime": [5, 5, 5], "allocated": [1, 1, 1], "user": [1, 2, 2]}


def log(**known: object) -> tt.Trace:
    """Three jobs of a data set."""
    return tt.Trace(
        COLUMNS,
        report=CleaningReport(records=3, jobs=3, data_set=DataSet("made-up", **known)),  # type: ignore[arg-type]
        further={"energy": np.array([1.0, np.nan, 3.0])},
    )


@pytest.mark.parametrize("policy", ["easy", "conservative", "slurm"])
def test_no_backfilling_by_requests_that_nobody_made(policy: str) -> None:
    """Without time limits, policies that plan need a predictor or exact run times; fcfs plans nothing."""
    trace = log(limits=False)
    with pytest.raises(ValueError, match="no time was requested; give estimates = last-two or user-average"):
        tt.replay(trace, tt.MachineSpec(4, policy))
    assert len(tt.replay(trace, tt.MachineSpec(4, policy, estimates="exact"))) == 3
    assert len(tt.replay(trace, tt.MachineSpec(4, "fcfs"))) == 3


def test_no_users() -> None:
    """Without users, users do not react, and there is no share of theirs."""
    trace = log(users=False)
    for source in (tt.sources.feedback(trace), tt.sources.drawn(trace, seed=1)):
        with pytest.raises(ValueError, match="it is unknown who waited for what"):
            tt.run(tt.MachineSpec(4, "fcfs"), source)
    with pytest.raises(ValueError, match="all jobs would be one user's"):
        tt.replay(trace, tt.MachineSpec(4, "easy:order=fairshare"))
    with pytest.raises(ValueError, match="nothing says how long jobs take"):
        tt.replay(log(users=False, limits=False), tt.MachineSpec(4, "easy", estimates="last-two"))


def test_a_result_says_what_to_read_it_with() -> None:
    """A part of the load, and what is guessed."""
    notes = tt.replay(log(partial="no Sundays", guesses=("zone: UTC",)), tt.MachineSpec(4, "fcfs")).notes
    assert "made-up has a part of the load, so utilization and waits are too low: no Sundays" in notes
    assert "guessed, zone: UTC" in notes


def test_parts_and_copies_are_of_the_same_set() -> None:
    """Selections, changes, pickles and drawn users keep what is known of it."""
    trace = log(limits=False)
    copies = [trace.select([True, False, True]), trace.with_columns(wait=[1, 1, 1]), pickle.loads(pickle.dumps(trace))]
    assert all(each.report.data_set == trace.report.data_set for each in copies)
    assert [each.further["energy"][-1] for each in copies] == [3, 3, 3]
    assert resample(trace, seed=1).report.data_set == trace.report.data_set
    assert scale_users(trace, 3.0, 4, seed=1)[0].report.data_set == trace.report.data_set


def test_further_columns_are_in_order_of_submission() -> None:
    """They are sorted as all others, and have one value for each job."""
    trace = tt.Trace({"submit": [2, 1]}, further={"energy": np.array([20.0, 10.0])})
    assert trace.further["energy"].tolist() == [10, 20]
    with pytest.raises(ValueError, match="column 'energy' has 1 rows, 'submit' has 2"):
        tt.Trace({"submit": [2, 1]}, further={"energy": np.array([1.0])})
    assert not trace.equals(tt.Trace({"submit": [2, 1]}))
