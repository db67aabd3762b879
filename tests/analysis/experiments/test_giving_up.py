"""Experiments with users who give up: what is measured, counted and kept of each run."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from thinktime.analysis.experiments import Scenario, Sweep, sweep
from thinktime.analysis.experiments.measured_run import reduced, simulate
from thinktime.analysis.experiments.metrics import metric, things
from thinktime.analysis.experiments.window import Measured
from thinktime.analysis.response_times import waits
from thinktime.models.results.result import Result
from thinktime.models.state import State

NAN = math.nan

# Students lose patience after half an hour; FCFS has none of their jobs started by then, EASY some.
OFFICE = """
name = "Students and staff"
policies = ["fcfs", "easy"]
metrics = [
    "mean_campaign_response_time@student", "mean_wait", "km_median_campaign_response_time",
    "mean_user_mean_campaign_response_time", "finished", "km_share_wait_above_600",
]
horizon = "2 d"
replications = 3
machine.processors = 32

[users.student]
count = 4
runtime = { distribution = "expon", scale = "20 min" }
jobs = 2
think_time = "30 min"
processors = { values = [1, 4, 8] }
behaviours.patience = { time = "30 min" }

[users.staff]
count = 8
runtime = { distribution = "expon", scale = "4 h" }
jobs = 4
think_time = "1 h"
processors = { values = [1, 8, 32] }
"""

# (user, campaign, submit, start, end, state) on one processor each, at the horizon 100
JOBS = [
    ("shy 1", 0, 0, 0, 10, State.FINISHED),
    ("shy 1", 1, 20, NAN, 50, State.WITHDRAWN),
    ("shy 2", 2, 20, NAN, 40, State.WITHDRAWN),
    ("calm 1", 3, 30, 40, 70, State.FINISHED),
    ("calm 1", 4, 60, 70, NAN, State.RUNNING),
]


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """Users who give up under two policies."""
    return sweep(Scenario.from_text(OFFICE), tmp_path_factory.mktemp("office") / "out", processes=1)


@pytest.fixture
def result() -> Result:
    names = list(dict.fromkeys(user for user, *_ in JOBS))
    columns = {
        name: [row[i] for row in JOBS] for i, name in enumerate(("user", "campaign", "submit", "start", "end", "state"))
    }
    columns |= {
        "user": [names.index(row[0]) for row in JOBS],
        "processors": [1] * 5,
        "runtime": [10, 3600, 7200, 30, 50],
    }
    return Result.from_columns(columns, 4, names={"user": names}, now=100.0)


EXPECTED = {
    "mean_campaign_response_time": 25,
    "mean_campaign_response_time@shy": 10,
    "mean_campaign_response_time@calm": 40,
    "max_response_time": 40,
    "mean_user_mean_campaign_response_time": 25,
    "served": 2,
    "abandoned_jobs": 2,
    "abandoned_share": 2 / 5,
    "abandoned_share@calm": 0,
    "lost_processor_hours": 3,
    "lost_processor_hours@shy": 3,
    "served_campaigns": 2,
    "abandoned_campaigns": 2,
    "unfinished_campaigns": 1,
    # Observed 10, 20+, 30+, 40, 40+: S is 4/5 from 10 s on, and 4/5 x 1/2 from 40 s on.
    "km_median_campaign_response_time": 40,
    "km_p20_campaign_response_time": 10,
    "km_median_response_time": 40,
    "km_share_campaign_response_time_above_10": 0.8,
    "km_share_response_time_above_40": 0.4,
    "km_share_wait_above_5": 0.8,
}
OBSERVED = {
    "mean_campaign_response_time": (2, 2, 1, 0), "mean_wait": (2, 2, 1, 0), "share_wait_above_5@shy": (1, 2, 0, 0),
    "km_median_campaign_response_time": (2, 2, 1, 0), "mean_user_mean_campaign_response_time": (2, 1, 0, 1),
    "mean_user_mean_campaign_response_time@calm": (1, 0, 0, 0), "area_weighted_response_time": (2, 2, 1, 0),
    "violated_expectations": (2, 2, 1, 0), "fair_start_miss": (3, 2, 0, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_metrics_leave_out_what_was_given_up(result: Result, name: str) -> None:
    """Means leave withdrawals out, Kaplan-Meier estimates count them, and a share says how many they are."""
    assert metric(name)(Measured(result)) == pytest.approx(EXPECTED[name])


@pytest.mark.parametrize("name", OBSERVED)
def test_metrics_say_what_they_are_made_of(result: Result, name: str) -> None:
    """Every metric counts what has a value, what was given up and what is unfinished."""
    count = metric(name).made_of
    assert count is not None
    assert tuple(count(Measured(result))) == OBSERVED[name]


@pytest.mark.parametrize(
    "name", ["km_median_slowdown", "km_mean_response_time", "km_p0_campaign_response_time", "km_share_wait"]
)
def test_estimates_that_there_are_not(name: str) -> None:
    """Only waits and response times have Kaplan-Meier estimates."""
    with pytest.raises(ValueError, match="km_"):
        metric(name)


def test_what_a_metric_is_a_number_of() -> None:
    """A metric says whether it is over jobs, campaigns, users or the run as a whole."""
    names = (
        "mean_wait@short", "p95_stretch", "max_user_mean_wait", "km_p90_campaign_response_time", "makespan",
        "finished",
    )  # fmt: skip
    assert [things(name) for name in names] == ["jobs", "campaigns", "users", "campaigns", "", ""]


def test_what_users_give_up_is_measured_without_being_asked_for(office: Sweep) -> None:
    """A scenario whose users may give up, and no other, has two more metrics."""
    assert office.metrics[-2:] == ["abandoned_share", "lost_processor_hours"]
    assert (office.table["abandoned_share"] > 0.1).all()
    calm = OFFICE.replace('behaviours.patience = { time = "30 min" }', "")
    assert Scenario.from_text(calm).all_metrics == Scenario.from_text(calm).metrics
    varied = calm + '\n[sweep.grid]\n"users.student.behaviours.balk.queue" = [5, 10]\n'
    assert Scenario.from_text(varied).all_metrics[-1] == "lost_processor_hours"


def test_a_mean_over_the_served_is_missing_where_none_was(office: Sweep) -> None:
    """Where FCFS serves no student, no run of it has their mean response time."""
    by_policy = office.table.groupby("policy")["mean_campaign_response_time@student"]
    assert by_policy.count().to_dict() == {"easy": 3, "fcfs": 0}


def test_runs_keep_what_became_of_their_work(office: Sweep) -> None:
    """Jobs and campaigns add up, and each metric has its counts."""
    for key, run in office.observed().items():
        row = office.table.set_index("key").loc[key]
        assert run.jobs.abandoned / run.jobs.wanted == pytest.approx(row["abandoned_share"])
        assert run.lost_processor_hours == pytest.approx(row["lost_processor_hours"])
        assert run.metrics["mean_wait"] == run.jobs
        assert run.metrics["km_median_campaign_response_time"] == run.campaigns


def test_curves_of_what_waits_are_kept() -> None:
    """Every run keeps its Kaplan-Meier curve at fixed times, None behind the last known one."""
    scenario = Scenario.from_text(OFFICE)
    result = simulate(scenario, "fcfs", 1)
    curve = reduced(scenario, result)["series"]["waiting_jobs"]
    estimate = waits(result).kaplan_meier()
    assert curve[0] == pytest.approx(float(estimate.at(1.0)), rel=1e-5)
    assert curve[-1] is None
    known = [each for each in curve if each is not None]
    assert (np.diff(known) <= 0).all()
    assert known[-1] == pytest.approx(
        float(estimate.survival[estimate.times <= 10 ** ((len(known) - 1) / 12)][-1]), abs=0.02
    )


def test_a_model_of_ones_own_is_counted_too(tmp_path: Path) -> None:
    """Results of a user's own model say what was given up, whatever its metrics are."""
    (tmp_path / "model.py").write_text(
        "import thinktime as tt\n"
        "from thinktime.analysis.experiments import Scenario\n"
        "from thinktime.analysis.experiments.measured_run import simulate as run\n"
        f"TEXT = '''{OFFICE}'''\n"
        "def simulate(policy, seed):\n    return run(Scenario.from_text(TEXT), policy, seed)\n"
    )
    text = 'policies = ["fcfs"]\nmetrics = ["mean_wait"]\nseeds = [1]\nmodel.function = "model.py:simulate"\n'
    found = sweep(Scenario.from_text(text, folder=tmp_path), tmp_path / "out", processes=1)
    (run,) = found.observed().values()
    assert run.jobs.abandoned > 0
    assert json.loads(json.dumps(found.metrics)) == ["mean_wait"]
