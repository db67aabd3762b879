"""Users who choose sizes: hand cases, and the same jobs in every mode."""

from functools import partial

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.users.behaviours.behaving import PLAIN, lost, one
from tests.users.busy import busy_log
from thinktime import behaviours, sources
from thinktime.workloads.shapes.of_logs import with_shapes
from thinktime.workloads.shapes.shape import Shape
from thinktime.workloads.sizing import of_size, sizes_of, some_of

FACTORS = (0.5, 1, 2)


def _busy(until: float, processors: int = 6) -> list[tt.Job]:
    """A job of another user."""
    return [tt.Job(user="bob", runtime=until, processors=processors)]


def _sized(*given: tt.Behaviour, before: list[tt.Job] | tuple[()] = (), campaigns: int = 1, **more):
    """The sizes and run times of the jobs of a user who comes at 1 s, and wants 4 of 8 processors for 100 s."""
    result = one(*given, before=before, campaigns=campaigns, **(PLAIN | {"first": 1} | more))
    own = result["user"] == result.names["user"].index("ada")
    return list(zip(result["processors"][own].tolist(), result["runtime"][own].tolist(), strict=True)), result


@pytest.mark.parametrize(("until", "size"), [(1000, 2), (151, 2), (150, 8), (0.5, 8)])
def test_who_molds_asks_for_what_ends_first(until, size):
    """2 of 8 are free. On 2 the job ends at 201, on 8 50 s after the other one; if both do, the smaller size counts."""
    found, result = _sized(behaviours.Mold(factors=FACTORS), before=_busy(until))
    assert found == [(size, 400 / size)] and not lost(result)
    assert result.answers["response"].tolist() == ["reshaped"]


def test_estimates_go_by_what_users_believe():
    """On 8 processors with a serial share of 1/2, 0.5625 / 0.625 of the time; the estimate is halved all the same."""
    mold = behaviours.Mold(factors=FACTORS, speedup="amdahl(0.5)", believes="linear")
    found, result = _sized(mold, overestimate=2)
    assert found == [(8, 90)] and result["estimate"].tolist() == [100] and result["end"].tolist() == [91]


def test_habit_is_the_size_of_the_job_before():
    """The first job finds 2 free processors; when the second comes, all are, but it has the size of the first."""
    looks, keeps = (behaviours.Mold(factors=FACTORS, habit=each) for each in (0.0, 1.0))
    assert _sized(looks, before=_busy(201), campaigns=2)[0] == [(2, 200), (8, 50)]
    assert _sized(keeps, before=_busy(201), campaigns=2)[0] == [(2, 200), (2, 200)]


def test_sizes_are_within_a_budget():
    """With a serial share, large sizes cost more: 8 processors 8·56.25 s of them, 4 of 4·62.5, 2 of 2·75."""
    mold = partial(behaviours.Mold, factors=FACTORS, speedup="amdahl(0.5)", period="1 d")
    for budget, sizes in ((720 / 3600, [8]), (719 / 3600, [4]), (399 / 3600, [2]), (1 / 3600, [2])):
        assert [size for size, _ in _sized(mold(budget=budget))[0]] == sizes, budget
    assert [size for size, _ in _sized(mold(budget=1200 / 3600), campaigns=3)[0]] == [8, 4, 2], (
        "720, 400, and none left"
    )


@pytest.mark.parametrize(("busy", "parts"), [(4, 1), (6, 2), (8, 4), (0.5, 1)])
def test_jobs_are_cut_by_what_is_free(busy, parts):
    """4 processors free: the job as it is; 2 free: two on 2 for 100 s; none: as many as are allowed, on 1."""
    found, result = _sized(behaviours.Parcel(factors=(0.25, 0.5, 1)), before=_busy(500, int(busy)) if busy >= 1 else ())
    assert found == [(4 // parts, 100)] * parts and not lost(result)
    fewer = _sized(behaviours.Parcel(factors=(0.25, 0.5, 1), parts=2), before=_busy(500, 8))[0]
    assert fewer == [(2, 100)] * 2


def test_a_shape_says_the_sizes_and_the_speed_up():
    """What a job prefers is chosen, its shape is kept, and all times are those of the new size."""
    job = tt.Job(
        runtime=100, estimate=200, shape=Shape("2 4 16", preferred=4, speedup="amdahl(0.5)", believes="linear")
    )
    assert sizes_of(job, FACTORS, 8) == [2, 4] and sizes_of(job, FACTORS, 99) == [2, 4, 16]
    wide = of_size(job, 16)
    assert (wide.processors, wide.runtime, wide.estimate) == (16, 85, 50)
    assert wide.shape == Shape("2 4 16", preferred=16, speedup="amdahl(0.5)", believes="linear")
    assert of_size(wide, 4) == job and of_size(job, 4) is job
    assert some_of(range(1, 101), 5, 30) == [1, 30, 34, 67, 100]
    assert behaviours.Reshape(lambda user: True, share=0.75).adapt(None, job) == of_size(job, 2)
    assert behaviours.Degrade(lambda user: True).adapt(None, job).shape is None


@pytest.mark.parametrize(
    "policy", ["easy", "conservative", "shapes:size=earliest", "shapes:expand=oldest", "shapes:share=equal,base=none"]
)
def test_predictions_of_jobs_with_shapes_come_true_if_nobody_else_comes(policy):
    """A job that is considered ends when it was predicted to, and to ask changes nothing, whatever has sizes."""
    job = tt.Job(user="ada", runtime=100, processors=(1, 4, 8))
    found = []
    for asks in (False, True):
        env, others = simpy.Environment(), []
        machine = tt.Machine(env, 8, policy)
        for user, runtime, sizes in (("bob", 40, (2, 6, 6)), ("eve", 60, (4, 8, 8))):
            others.append(machine.submit(tt.Job(user=user, runtime=runtime, processors=sizes)))
        env.run(until=10)
        predicted = machine.sight("ada").predicted_end(job) if asks else None
        end = env.run(machine.submit(job)).end
        found.append((end, [env.run(each).end for each in others]))
        assert predicted is None or predicted >= end, "later starts only make room for others"
        assert "expand" in policy or "equal" in policy or predicted in (None, end)
    assert found[0] == found[1]


MODES = [
    (sources.log, "easy"), (sources.feedback, "shapes:expand=oldest,shrink=latest"),
    pytest.param(sources.calibrated, "easy", marks=pytest.mark.thorough),
    (partial(sources.drawn, seed=3), "shapes:size=largest"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "policy"), MODES)
def test_users_of_a_log_choose_sizes(source, policy):
    """In every mode the k-th job of a log is the same work, and some have another size."""
    log, spec = busy_log().between(0, 6000), tt.MachineSpec(8, policy)
    plain, molded = (
        tt.run(spec, source(log).with_responses(who)) for who in ((), behaviours.Mold(factors=FACTORS, tries=3))
    )
    assert len(molded.answers) and not len(molded.lost)
    assert (molded["processors"] > 1).any() and (plain["processors"] == 1).all()
    if isinstance(source, type(sources.log)):
        work = [
            dict(zip(each["id"].tolist(), (each["processors"] * each["runtime"]).tolist(), strict=True))
            for each in (plain, molded)
        ]
        assert work[0].keys() == work[1].keys()
        assert all(abs(work[1][each] - work[0][each]) <= 8 / 1024 for each in work[0])


@pytest.mark.parametrize("policy", ["easy", "shapes"])
@pytest.mark.parametrize("source", [sources.log, sources.feedback])
def test_users_of_a_log_know_the_shapes_of_its_jobs(source, policy):
    """Whether the policy heeds them or not: a job of 100 s on 1, half of it serial, takes 62.5 s on its largest, 4."""
    columns = {"submit": [0, 500], "runtime": [100, 100], "requested_time": [100, 100], "wait": [0, 0]}
    trace = tt.Trace(columns | {"allocated": [1, 1], "user": [1, 1]})
    half = Shape("1 4", preferred=1, speedup="amdahl(0.5)")
    log = with_shapes(trace, np.array([0, -1]), [half])
    result = tt.run(tt.MachineSpec(8, policy), source(log).with_responses(behaviours.Mold(factors=[8])))
    assert result["processors"].tolist() == [4, 8]
    assert (result["end"] - result["start"]).tolist() == [62.5, 12.5]


def test_who_cuts_jobs_has_a_profile():
    """A job of a log is one job."""
    with pytest.raises(ValueError, match=r"a job of the log is one job, .* give users a profile instead; here Parcel"):
        tt.run(tt.MachineSpec(8), sources.log(busy_log()).with_responses(behaviours.Parcel()))


@pytest.mark.parametrize(
    ("kind", "given", "says"),
    [
        (behaviours.Mold, {"habit": 2}, "habit must be a part from 0 to 1, not 2"),
        (behaviours.Mold, {"budget": 1}, "give both, such as budget=100"),
        (behaviours.Mold, {"factors": ()}, r"factors must be numbers above 0, such as \(0.5, 1, 2\), not \(\)"),
        (behaviours.Mold, {"speedup": "fast"}, "there is no speed-up 'fast'"),
        (behaviours.Mold, {"tries": 0}, "tries must be a whole number of at least 1, not 0"),
        (behaviours.Parcel, {"parts": 0.5}, "parts must be a whole number of at least 1, not 0.5"),
    ],
)
def test_wrong_numbers_get_a_sentence(kind, given, says):
    """What, and what would be right."""
    with pytest.raises(ValueError, match=says):
        kind(**given)
