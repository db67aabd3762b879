"""What slack-based backfilling promises: bounds on starts, and a profile that is never over-committed."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.models.policies.slack.instances import rules, workloads
from tests.models.policies.slack.literal import J, Rules
from tests.models.policies.slack.package import policy_of, run_package
from thinktime.models.policies.slack import Slack
from thinktime.models.state import State

FEW = settings(max_examples=60, deadline=None, derandomize=True)


class Watched(Slack):
    """After each pass: all reservations fit the machine together, and none is beyond its bound."""

    def select(self, view, now):
        """Check what the pass has left."""
        proposal = super().select(view, now)
        jobs, requests, due = self._jobs, view.requests, self._jobs["due"]
        waiting = view.waiting[np.isfinite(due[view.waiting])]
        begin = np.concatenate([due[waiting], np.full(len(view.running_rows), now)])
        end = np.concatenate([due[waiting] + requests.estimate[waiting], requests.expected_end[view.running_rows]])
        size = np.concatenate([requests.processors[waiting], requests.processors[view.running_rows]])
        for time in begin:
            assert size[(begin <= time) & (time < end)].sum() <= view.capacity
        assert (due[waiting] >= now).all()
        assert (due[waiting] <= jobs["latest"][waiting]).all()
        return proposal


@FEW
@given(rules(), workloads(most=20, priorities=True, withdrawals=True))
def test_no_job_starts_after_the_bound(given_rules: Rules, jobs: list[J]) -> None:
    """Every start is within the first reservation plus the slack, except over quota."""
    policy = policy_of(given_rules, jobs)
    policy.__class__ = Watched
    result = run_package(given_rules, jobs, policy)
    ran = result["state"] == State.FINISHED
    assert (result["start"][ran] <= result["latest_start"][ran]).all()
    entered = ~np.isnan(result["promised"])
    over = np.array([job.pp == -np.inf for job in jobs])
    assert (np.isinf(result["latest_start"]) == over & entered).all()
    slack = (result["latest_start"] - result["promised"])[entered & ~over]
    assert (slack >= 0).all() and (slack <= given_rules.sf * given_rules.awt).all()


@FEW
@given(rules(heuristics=st.just("ast")), workloads(most=20))
def test_without_slack_no_start_is_later_than_first_reserved(given_rules: Rules, jobs: list[J]) -> None:
    """With a slack factor of 0, no job starts later than its first reservation."""
    given_rules.sf = 0
    result = run_package(given_rules, jobs)
    assert (result["latest_start"] == result["promised"]).all()
    assert (result["start"] <= result["promised"]).all()


def test_without_slack_it_is_still_not_conservative_backfilling() -> None:
    """Without slack, many small workloads start differently than under conservative backfilling.

    A removal picks one slot, and an insertion may move others forward, which conservative backfilling never does.
    """
    generator = np.random.default_rng(1)
    differ = 0
    for _ in range(60):
        submit = np.sort(generator.integers(0, 20, 12)).astype(float)
        estimate = generator.integers(1, 20, 12).astype(float)
        trace = tt.Trace(
            {
                "submit": submit,
                "runtime": np.floor(estimate * generator.random(12)),
                "requested_time": estimate,
                "allocated": generator.integers(1, 5, 12),
            }
        )
        starts = [
            tt.replay(trace, policy, 4)["start"]
            for policy in ("slack:slack_factor=0,awt=5", "conservative:compress=scheduled")
        ]
        differ += bool((starts[0] != starts[1]).any())
    assert 0 < differ < 60


def test_the_bound_is_on_the_record() -> None:
    """The record of a job has the bound that its user is told at submission."""
    import simpy

    env = simpy.Environment()
    machine = tt.Machine(env, 1, Slack(awt=100))
    first = machine.submit(tt.Job(runtime=10, estimate=10))
    second = machine.submit(tt.Job(runtime=1, estimate=1000))
    env.run()
    assert (first.value.promised, first.value.latest_start) == (0.0, 300.0)
    assert (second.value.promised, second.value.latest_start) == (10.0, 10 + 300 * (1 - 0.05 / 3))


def test_other_policies_give_no_bound() -> None:
    """Policies without a guarantee leave the bound empty."""
    trace = tt.Trace({"submit": [0.0], "runtime": [1.0], "allocated": [1]})
    assert np.isnan(tt.replay(trace, "easy", 1)["latest_start"]).all()
