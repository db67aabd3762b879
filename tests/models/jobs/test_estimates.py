"""What policies plan with, where it is not the request."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from thinktime.models.jobs.estimates import guess_from
from thinktime.models.site.site import Site
from thinktime.models.site.time_limits import TimeLimits
from thinktime.models.state import State

KINDS = ["exact", "factor=0.5", "factor=3", "last-two", "user-average"]
POLICIES = ["fcfs", "easy", "easy:order=sjf", "conservative", "conservative-dynamic", "ostrich"]


def log(jobs):
    """A log from (user, submit, runtime, processors, request)."""
    user, submit, runtime, width, request = zip(*jobs, strict=True)
    columns = {"user": user, "submit": submit, "runtime": runtime, "requested_processors": width}
    return tt.Trace({"id": range(1, len(jobs) + 1), **columns, "requested_time": request})


@st.composite
def logs(draw):
    """Up to 25 jobs of three users on 4 processors; some outlive their requests."""
    whole = st.integers
    size = draw(whole(1, 25))
    return log(
        [
            (draw(whole(-1, 2)), draw(whole(0, 50)), draw(whole(0, 60)), draw(whole(1, 4)), draw(whole(1, 60)))
            for _ in range(size)
        ]
    )


def planned(kind):
    """What a policy takes for the run times of a user's jobs, which run one after the other, and of another user's."""
    seen = []

    def policy(view, now):
        seen.extend(request.estimate for request in view.queue)
        return view.waiting

    runs = [(1, 100 * i, run, 1, 99) for i, run in enumerate((10, 30, 50, 7))]
    tt.replay(log([*runs, (2, 400, 5, 1, 99)]), policy, 1, estimates=kind)
    return seen


def test_the_mean_of_the_last_two():
    """`last-two` guesses nothing at first, then the run time, then the mean of the last two."""
    assert planned("last-two") == [99, 10, 20, 40, 99]


def test_the_mean_of_all():
    """`user-average` guesses the mean of all the user's run times."""
    assert planned("user-average") == [99, 10, 20, 30, 99]


@pytest.mark.parametrize("policy", ["easy", "easy:order=sjf", "conservative:order=f1"])
@pytest.mark.parametrize("kind", ["factor=0.5", "last-two", "user-average"])
def test_who_observes_changes_nothing(policy, kind):
    """With an observer, who sees every submission, the schedule is the same."""

    class Observer:
        def before_submissions(self, instants, rows, now):
            pass

    rng = np.random.default_rng(7)
    columns = (rng.integers(-1, 4, 70), np.sort(rng.integers(0, 700, 70)), rng.integers(0, 200, 70))
    trace = log(list(zip(*columns, rng.integers(1, 5, 70), rng.integers(1, 300, 70), strict=True)))
    spec = tt.MachineSpec(4, policy, estimates=kind)
    plain, observed = (tt.run(spec, tt.sources.log(trace), observers=observers) for observers in ([], [Observer()]))
    for name in ("start", "end", "state"):
        assert plain[name].tolist() == observed[name].tolist()


@given(logs(), st.sampled_from(POLICIES))
@settings(max_examples=40)
def test_exact_estimates_are_a_log_whose_users_know(trace, policy):
    """Exact estimates give the schedule of a log whose users ask for the run times."""
    run = np.minimum(trace.runtime, trace.estimate)
    told = trace.with_columns(runtime=run, requested_time=np.maximum(run, 1))
    expected = tt.replay(told, policy, 4)
    found = tt.replay(trace, policy, 4, estimates="exact")
    assert found["start"].tolist() == expected["start"].tolist()
    assert found["end"].tolist() == expected["end"].tolist()
    assert found["estimate"].tolist() == trace.estimate.tolist()
    assert found["runtime"].tolist() == trace.runtime.tolist()
    assert ((found["state"] == State.KILLED) == (trace.runtime > trace.estimate)).all()


@given(logs(), st.sampled_from(POLICIES))
@settings(max_examples=40)
def test_a_factor_above_one_is_a_log_of_users_who_overestimate(trace, policy):
    """A factor of three gives the schedule of requests three times as long, but kills at the request."""
    run = np.minimum(trace.runtime, trace.estimate)
    told = trace.with_columns(runtime=run, requested_time=np.maximum(3 * run, 1))
    found = tt.replay(trace, policy, 4, estimates="factor=3")
    assert found["start"].tolist() == tt.replay(told, policy, 4)["start"].tolist()


@given(logs(), st.sampled_from(POLICIES), st.sampled_from(KINDS), st.sampled_from(["kill", "extend"]))
@settings(max_examples=150)
def test_the_limit_stays_the_request(trace, policy, kind, overrun):
    """Whatever is planned with, jobs end as they would have: at their run times or, under kill, at their requests."""
    result = tt.replay(trace, policy, 4, overrun=overrun, estimates=kind)
    limit = trace.estimate if overrun == "kill" else np.inf
    assert (result["end"] - result["start"]).tolist() == np.minimum(trace.runtime, limit).tolist()
    assert ((result["state"] == State.KILLED) == (trace.runtime > limit)).all()
    assert kind in result.notes[0]


def test_a_prediction_lets_a_job_pass():
    """A predicted short run lets a job pass a wide one."""
    jobs = [(1, 0, 10, 1, 1000), (2, 20, 100, 1, 100), (2, 21, 10, 2, 100), (1, 22, 10, 1, 1000)]
    assert tt.replay(log(jobs), "easy", 2)["start"].tolist() == [0, 20, 120, 130]
    assert tt.replay(log(jobs), "easy", 2, estimates="last-two")["start"].tolist() == [0, 20, 120, 22]


def test_a_job_that_outlives_its_prediction_is_expected_to_take_a_minute_more():
    """A job that outlives its prediction is expected to take a minute, then five, more."""
    seen = []

    class Watching(tt.policies.Easy):
        def select(self, view, now):
            seen.extend((now, request.expected_end) for request in view.running if request.id == 2)
            return super().select(view, now)

    jobs = [(1, 0, 10, 1, 1000), (1, 20, 200, 1, 1000), (2, 21, 10, 2, 100)]
    result = tt.replay(log(jobs), Watching(), 2, estimates="last-two")
    assert result["start"].tolist() == [0, 20, 220]
    assert seen == [(21, 30), (30, 90), (90, 390)]


def test_policies_do_not_see_the_request_and_results_do():
    """The view's estimate is the prediction; the result has the request."""
    seen = []

    def policy(view, now):
        seen.extend(request.estimate for request in view.queue)
        return view.waiting

    result = tt.replay(log([(1, 0, 10, 1, 500)]), policy, 1, estimates="exact")
    assert seen == [10]
    assert result["estimate"].tolist() == [500]


@pytest.mark.parametrize("text", ["factor", "factor=0", "factor=x", "perfect", "factor=inf", ""])
def test_what_cannot_be_is_refused(text):
    """The error names the choices or what would be right."""
    with pytest.raises(ValueError, match=r"estimates cannot be|factor"):
        guess_from(text)


@pytest.mark.parametrize(("policy", "overrun"), [("easy", "until_needed"), ("recorded", "kill")])
def test_where_estimates_are_not_used_they_are_refused(policy, overrun):
    """Estimates are refused with `until_needed` and with the recorded schedule."""
    trace = log([(1, 0, 10, 1, 500)]).with_columns(wait=[0.0])
    with pytest.raises(ValueError, match="cannot be combined with"):
        tt.replay(trace, policy, 1, overrun=overrun, estimates="exact")


@pytest.mark.parametrize("kind", ["last-two", "user-average", "factor=0.5"])
def test_a_job_beyond_its_limit_is_expected_to_end_at_any_moment(kind):
    """Where jobs are ended at sweeps, one may outlive its limit, beyond which no estimate goes."""
    limits = TimeLimits("slurm", over_time_limit=300.0, phase=7.0)
    spec = tt.MachineSpec(2, "easy", site=Site(time_limits=limits), estimates=kind)
    jobs = [(1, 0, 5, 1, 60), (1, 10, 500, 1, 60), (2, 11, 500, 2, 60), (1, 700, 5, 1, 60)]
    result = tt.run(spec, tt.sources.log(log(jobs)))
    assert (result["end"] - result["start"])[[1, 2]].min() >= 360
    assert result["start"][2] == result["end"][1] == 397
