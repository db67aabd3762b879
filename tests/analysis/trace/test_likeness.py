"""Two logs side by side: distances by hand, against scipy, and for logs that lack something."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats

from tests.commands import refusal_of, stdout_of
from tests.how_many import in_turn
from thinktime.analysis.trace.likeness import described, distances, gini, halves
from thinktime.analysis.trace.likeness_figure import comparison_sheet
from thinktime.workloads import Header, Trace, write_swf
from thinktime.workloads.generators import Recipe, generate, preset, weekly

A = Trace(
    {"submit": [0, 10, 3600, 7200], "runtime": [5, 5, 10, 20], "allocated": [1, 1, 2, 4], "user": [1, 1, 1, 2]},
    Header.build(MaxProcs=4, UnixStartTime=345_600),
)
B = Trace(
    {"submit": [0, 3600], "runtime": [5, 20], "allocated": [1, 8], "user": [3, 4], "requested_time": [60, 60]},
    Header.build(MaxProcs=8, UnixStartTime=345_600),
)


def found(a: Trace, b: Trace) -> dict[tuple[str, str], float | None]:
    """All distances by what they are of."""
    return {(each.of, each.measure): each.value for each in distances(a, b)}


def test_by_hand() -> None:
    """Every distance of two small logs is the one worked out by hand."""
    of = found(A, B)
    assert of["run time", "Kolmogorov-Smirnov"] == 0.25  # up to 10 s: 3/4 against 1/2
    assert of["run time", "Wasserstein"] == 10 * 0.25  # from 10 to 20 s
    assert of["processors", "Kolmogorov-Smirnov"] == 0.5  # up to 4: 1 against 1/2
    assert of["estimate", "Wasserstein"] is None  # A has no requests
    # Hours 0, 1, 2 of Monday: (1/2, 1/4, 1/4) against (1/2, 1/2, 0).
    assert of["hours of the week", "total variation"] == 0.25
    assert of["users by rank", "total variation"] == 0.25  # (3/4, 1/4) against (1/2, 1/2)
    numbers = described(A)
    assert numbers["offered load"] == pytest.approx((5 + 5 + 20 + 80) / (4 * 7200))
    assert numbers["share of the busiest user"] == 0.75 and numbers["Gini coefficient of jobs per user"] == 0.25
    assert numbers["median time between submissions"] == 3590


@given(some.lists(some.integers(1, 50), min_size=1, max_size=30), some.lists(some.integers(1, 50), min_size=1))
def test_kolmogorov_smirnov(x: list[int], y: list[int]) -> None:
    """The distance is scipy's, ties included."""
    a, b = (Trace({"submit": range(len(v)), "runtime": v, "allocated": [1] * len(v)}) for v in (x, y))
    ours = found(a, b)["run time", "Kolmogorov-Smirnov"]
    assert ours == pytest.approx(stats.ks_2samp(x, y).statistic)


@given(some.lists(some.integers(1, 100), min_size=1, max_size=20))
def test_gini(jobs: list[int]) -> None:
    """Gini's coefficient is half the mean difference of two users over their mean."""
    x = np.array(jobs, dtype=float)
    direct = np.abs(x[:, None] - x[None, :]).mean() / (2 * x.mean())
    assert gini(x / x.sum()) == pytest.approx(direct, abs=1e-12)


def test_a_log_is_at_no_distance_from_itself() -> None:
    """All distances of a log from itself are 0, and they are the same both ways."""
    a, b = (generate(Recipe(cycle=weekly()), jobs=900, users=9, processors=16, seed=seed) for seed in (1, 2))
    assert set(found(a, a).values()) == {0.0}
    assert found(a, b) == pytest.approx(found(b, a))
    first, second = halves(a)
    assert len(first) + len(second) == 900 and first.submit[-1] < second.submit[0]


LACKING = {
    "one job": A.select([True, False, False, False]),
    "no users": A.with_columns(user=[-1] * 4),
    "no start": A.with_header(Header.build(MaxProcs=4)),
    "no size": A.with_header(Header()),
    "one time": A.with_columns(submit=[5] * 4),
}


@pytest.mark.parametrize("lacking", in_turn(2, LACKING))
def test_logs_that_lack_something(lacking: str, tmp_path: Path) -> None:
    """What a log does not say is a dash in the table and null in JSON; the picture is drawn all the same."""
    for name, trace in (("a", LACKING[lacking]), ("b", B)):
        write_swf(trace, tmp_path / f"{name}.swf")
    words = ["trace", "compare", str(tmp_path / "a.swf"), str(tmp_path / "b.swf"), "-o", str(tmp_path / "c.png")]
    text = stdout_of(*words)
    assert max(map(len, text.splitlines()[:-1])) <= 100 and (tmp_path / "c.png").stat().st_size > 10_000
    assert json.loads(stdout_of(*words[:4], "--json"))["distances"]


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command prints two tables and the picture's name, or with --json one object."""
    monkeypatch.chdir(tmp_path)
    for name in ("poisson", "mmpp"):
        write_swf(generate(preset(name), jobs=500, users=9, processors=32, seed=1), Path(f"{name}.swf.gz"))
    text = stdout_of("trace", "compare", "poisson.swf.gz", "mmpp.swf.gz")
    assert "dispersion of hourly counts" in text and "halves of A" in text
    assert text.splitlines()[-1] == "poisson-mmpp.png" and Path("poisson-mmpp.png").is_file()
    Path("poisson-mmpp.png").unlink()
    values = json.loads(stdout_of("trace", "compare", "poisson.swf.gz", "mmpp.swf.gz", "--json"))
    assert values["a"]["log"] == "poisson" and values["a"]["jobs"] == 500 and not list(tmp_path.glob("*.png"))
    sheet = comparison_sheet({"a": A, "b": B})
    assert len(sheet.axes) == 6 and sheet.axes[0].get_title(loc="left") == "Run times"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["x.swf", "y.swf"], "there is no file x.swf"),
        (["a.swf", "a.swf", "-o", "c.txt"], "--out must be a picture, FILE.png, FILE.pdf, FILE.svg, not 'c.txt'"),
        (["a.swf", "a.swf", "-o", "away/c.png"], "--out: there is no folder away"),
        (["a.swf", "a.swf", "--processors", "0"], "--processors must be a whole number of at least 1, not '0'"),
    ],
)
def test_errors(words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be compared or drawn is said in one sentence, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    write_swf(A, Path("a.swf"))
    assert sentence in refusal_of("trace", "compare", *words) and [path.name for path in tmp_path.iterdir()] == [
        "a.swf"
    ]
