"""A share of a log's jobs may have several sizes: the same jobs under every policy, and with the sizes assumed."""

import re

import numpy as np
import pytest

import thinktime as tt
from thinktime.workloads.node_log import read_requests
from thinktime.workloads.reading.table import table_of
from thinktime.workloads.shapes.of_logs import shapes_of
from thinktime.workloads.shapes.shaping import shaped
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models import resample, scale_users


def log(jobs: int = 400) -> Trace:
    """Jobs of 1 to 32 processors of five users."""
    rng = np.random.default_rng(2)
    submit = np.sort(rng.integers(0, 200_000, jobs))
    return tt.Trace(
        {
            "submit": submit, "wait": np.zeros(jobs), "runtime": rng.integers(10, 3000, jobs),
            "allocated": rng.integers(1, 33, jobs), "user": rng.integers(1, 6, jobs),
            "requested_time": np.full(jobs, 3600),
        }
    )  # fmt: skip


def chosen(share: float, jobs: Trace, **more: object) -> set[int]:
    """The numbers of the jobs that have several sizes."""
    found = shapes_of(tt.Shaping(share=share, **more).of(jobs, 64))  # type: ignore[arg-type]
    return set() if found is None else set(jobs.id[found.codes >= 0].tolist())


def test_shares_are_nested_and_depend_on_the_number_alone() -> None:
    """The jobs of a share are among those of a larger one, also in a part of the log, and another seed has others."""
    whole = log()
    some, half, every = (chosen(share, whole) for share in (0.2, 0.5, 1.0))
    assert some < half < every == set(whole.id.tolist()) and chosen(0.0, whole) == set()
    assert 0.13 < len(some) / len(whole) < 0.27 and 0.43 < len(half) / len(whole) < 0.57
    part = whole.select(whole.submit > 90_000)
    assert chosen(0.5, part) == half & set(part.id.tolist())
    assert chosen(0.5, whole, seed=2) != half


def test_sizes_are_multiples_of_the_own_one() -> None:
    """Within least and most of a job's size, and the machine; with the steps that are asked for."""

    def sizes(own: int, **how: object) -> list[int]:
        one = tt.Trace({"submit": [0], "runtime": [9], "allocated": [own]})
        found = shapes_of(tt.Shaping(**how).of(one, 20))  # type: ignore[arg-type]
        assert found is None or (found.shapes[0].preferred, found.shapes[0].reference) == (own, own)
        return [] if found is None else found.shapes[0].every.tolist()

    assert sizes(6, least=0.5, most=1.5) == [3, 4, 5, 6, 7, 8, 9]
    assert sizes(10) == list(range(3, 21))
    assert sizes(5, steps="doubling") == [2, 3, 5, 10, 20]
    assert sizes(5, steps=4) == [4, 5, 8, 12, 16, 20]
    assert sizes(1, most=1) == [] and sizes(30) == []


def test_only_jobs_that_are_asked_for() -> None:
    """Users, sizes and run times say which jobs are chosen, and a mix how many have which speed-up."""
    jobs = log().with_names({"user": {1: "ada"}})
    how = tt.Shaping(users=("ada", 3), narrowest=4, widest=16, shortest=60, longest="30m")  # type: ignore[arg-type]
    rows = how.chosen(jobs)
    wanted = np.isin(jobs.user, [1, 3]) & (jobs.processors >= 4) & (jobs.processors <= 16)
    wanted &= (jobs.runtime >= 60) & (jobs.runtime <= 1800)
    assert rows.tolist() == np.flatnonzero(wanted).tolist() and len(rows)
    mixed = shapes_of(tt.Shaping(speedup="amdahl(0.1)*3+linear").of(jobs, 64))
    assert mixed is not None
    slow = np.array([each.speedup == "amdahl(0.1)" for each in mixed.shapes])[mixed.codes]
    assert 0.68 < slow.mean() < 0.82
    with pytest.raises(ValueError, match="the log has no user 'eve'"):
        tt.Shaping(users=("eve",)).of(jobs, 64)


def test_texts_and_tables_say_the_same() -> None:
    """A text, a table and the object are the same, and are written as they are read."""
    text = "share=0.2,kind=moldable,least=0.5,most=2,steps=doubling,speedup=downey(20, 1)*2+linear,cost=1m,users=[3, 4]"
    how = tt.Shaping.parse(text)
    assert how == tt.Shaping(
        share=0.2, kind="moldable", least=0.5, most=2, steps="doubling", speedup="downey(20, 1)*2+linear", cost=60,
        users=(3, 4),
    )  # fmt: skip
    table = {**table_of(how), "speedup": {"downey(20, 1)": 2, "linear": 1}}
    assert tt.Shaping.given(table) == how == tt.Shaping.given(table_of(how))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("share=2", "share must be a share of the jobs, from 0 to 1, not 2.0"),
        ("share", "--shapes must be such as share=0.2,"),
        ("sharee=1", "--shapes has no key 'sharee'; did you mean 'share'?"),
        ("least=2", "least must be a multiple of a job's size above 0, up to 1"),
        ("most=0.5", "most must be a multiple of a job's size, from 1 on"),
        ("kind=rigid", "the kinds are malleable, moldable"),
        ("steps=some", "steps must be all, doubling, or a number of processors"),
        ("speedup=amdahl(3)", "the serial share of amdahl must be a number from 0 to 1"),
        ("speedup=table(1:1 2:3)", "the speed-up for size 2 is 3, more than 2"),
        ("speedup=table(2:2 4:1.5)", "the speed-up falls to 1.5 for size 4"),
        ("speedup=linear*x", "a mix of speed-ups is such as"),
        ("believes=fast", "there is no speed-up 'fast'"),
        ("users=3.5", "users must be a list of users"),
        ("narrowest=8,widest=4", "no job has from 8 (narrowest) to 4 (widest) processors"),
        ("shortest=2h,longest=1h", "no run time is from 7200 s (shortest) to 3600 s (longest)"),
    ],
)
def test_what_is_no_shaping_is_refused(text: str, sentence: str) -> None:
    """Each wrong text has a sentence that says what is wrong."""
    with pytest.raises(ValueError, match=re.escape(sentence)):
        tt.Shaping.parse(text, "--shapes")


def test_a_table_needs_the_size_of_the_job() -> None:
    """A speed-up that is a table without the sizes that jobs have is refused."""
    with pytest.raises(ValueError, match="has no value for"):
        tt.Shaping(speedup="table(1:1 2:2)").of(log(), 64)


@pytest.mark.parametrize("policy", ["easy", "shapes:base=easy", "shapes:base=conservative"])
def test_jobs_keep_their_sizes_under_policies_that_choose_none(policy: str) -> None:
    """The schedule is that without shapes, and the result says what was assumed."""
    jobs = log(200)
    shaped = tt.Shaping(share=0.5, speedup="amdahl(0.1)").of(jobs, 64)
    found, rigid = tt.replay(shaped, policy, 64), tt.replay(jobs, policy, 64)
    for column in ("start", "end", "processors"):
        np.testing.assert_array_equal(found[column], rigid[column])
    (note,) = (each for each in found.notes if each.startswith("assumed"))
    assert re.match(r"assumed: \d+ malleable of 200 jobs \(.*%\), with 0.25 to 4 times their .*amdahl\(0.1\)", note)
    unheeded = [each for each in found.notes if each.endswith("all jobs are as large as they ask for")]
    assert [each.startswith("under easy:") for each in unheeded] == [True] * (policy == "easy")


@pytest.mark.parametrize("mode", ["feedback", "calibrated", "generative"])
def test_users_who_wait_have_shapes(mode: str) -> None:
    """Jobs of users who react to the schedule have the shapes that they have in the log."""
    jobs = tt.Shaping(share=1.0, kind="moldable", steps="doubling").of(log(120), 64)
    from thinktime.users.modes import source_of

    source = tt.sources.drawn(jobs, 1) if mode == "generative" else source_of(mode, jobs)
    result = tt.run(tt.MachineSpec(64, "shapes:size=max"), source)
    assert (result["shape"] >= 0).all() and len(result)
    preferred = [tt.Shape.parse(text).preferred for text in result.labels("shape").tolist()]
    assert result["processors"].tolist() == preferred
    largest = [tt.Shape.parse(text).every[-1] for text in result.labels("shape").tolist()]
    runs = result.history.runs  # type: ignore[union-attr]
    assert runs.processors.tolist() == [largest[row] for row in runs.row.tolist()]


def test_copies_of_users_keep_their_shapes() -> None:
    """Logs whose users are drawn anew, or copied to scale the load, have the shapes of the jobs they have."""
    jobs = tt.Shaping(share=0.5, least=0.5).of(log(), 64)
    more, _ = scale_users(jobs, 1.5 * tt.workloads.offered_load.offered_load(jobs, 64), 64, 1)
    for copied in (resample(jobs, 3), more, jobs.scale_load(2), jobs.with_names({}), jobs.select(jobs.user > 2)):
        found = shapes_of(copied)
        assert found is not None and 0.3 < (found.codes >= 0).mean() < 0.7
        here = found.codes >= 0
        assert [found.shapes[code].preferred for code in found.codes[here].tolist()] == copied.processors[here].tolist()


def test_on_nodes_sizes_are_whole_pieces() -> None:
    """Jobs of one kind of pieces have multiples of it that fit; others have no sizes, and are not chosen."""
    jobs = tt.Trace(
        {"submit": [0, 1, 2], "runtime": [100] * 3, "allocated": [4, 4, 6]},
        extra=["- - 2:ppn=2", "- - 1:ppn=4", "- - 1:ppn=2+1:ppn=4"],
    )
    nodes = tt.Nodes([tt.Cluster("n", 4, {"processors": 4})])
    log = shaped(read_requests(jobs, nodes), tt.Shaping(), 16)
    found = shapes_of(log.trace)
    assert found is not None and (found.codes >= 0).tolist() == [True, True, False]
    result = tt.replay(log, "shapes:size=max", nodes=nodes)
    assert result.runs.processors.tolist() == [8, 16, 6], "pieces of one job are on nodes of their own"
    assert tt.replay(log, "shapes:size=min", nodes=nodes).runs.processors.tolist() == [2, 4, 6]
