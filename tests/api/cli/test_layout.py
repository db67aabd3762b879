"""Nothing that people read is cut: tables in blocks, texts in lines, at every width."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

from thinktime.analysis.named_table import fold
from thinktime.cli.layout import blocks
from thinktime.workloads.units import DAY

from .conftest import HEADER, Run, line

POLICIES = [
    "fcfs",
    "easy:order=fairshare,half_life=7d,reservations=3",
    "slack:heuristic=ast,slack_factor=2.5,delayed=removed,tick=yes",
    "ostrich:within=mlpt,corrected=yes,backfilling=easy,threshold=600",
    "conservative:order=wfp3,compress=scheduled",
    "tradeoff:goals=wait+slowdown+deviation,algorithm=lds,limit=50,bound=50h",
]
METRICS = [
    "mean_wait", "p95_wait", "mean_bounded_slowdown_10", "utilization", "mean_user_mean_wait", "served_wait",
    "a_measure_with_a_very_long_name_of_its_own", "makespan",
]  # fmt: skip
MODEL = """
def numbers(policy, seed, load=1.0):
    own = sum(map(ord, policy)) % 97
    wait = 3600.0 * load * (own + 7 * seed)
    if seed == 2 and own % 2:
        wait = float("nan")
    return {name: (0.5 + own / 1000 if name == "utilization" else wait * (at + 1)) for at, name in enumerate(NAMES)}
"""
SCENARIO = """
policies = {policies}
metrics = {metrics}
replications = 4
model.function = "model.py:numbers"
[sweep.grid]
"model.load" = [0.25, 1234.5]
"""
CELL = r"[\d,.]+(?:d(?: \d+h)?|h(?: \d+m)?|m(?: \d+s)?|s|%)?"


@pytest.fixture(name="scenario", params=[6, 3])
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> list[str]:
    """A scenario of so many policies with long names, eight metrics and two points; its policies."""
    monkeypatch.chdir(tmp_path)
    chosen = POLICIES[: request.param]
    (tmp_path / "model.py").write_text(f"NAMES = {METRICS}\n{MODEL}")
    (tmp_path / "wide.toml").write_text(SCENARIO.format(policies=chosen, metrics=METRICS))
    return chosen


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize("columns", [60, 160, *(pytest.param(each, marks=pytest.mark.thorough) for each in (80, 100))])
def test_a_sweep_is_whole_at_every_width(
    run: Run, scenario: list[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    """At 60 to 160 columns no line is too long, no number is broken, and every value appears once."""
    monkeypatch.setenv("COLUMNS", "2000")
    _, widest, _ = run("run", "wide.toml", "--workers", "1", "--quiet")
    monkeypatch.setenv("COLUMNS", str(columns))
    _, out, _ = run("run", "wide.toml", "--workers", "1", "--quiet")
    assert max(map(len, out.splitlines())) <= columns and "…" not in out
    found = [re.findall(rf"{CELL} ± {CELL}(?: \(n=\d\))?(?: [*]+)?", each) for each in (widest, out)]
    assert len(found[0]) > 40 and sorted(found[0]) == sorted(found[1])


def test_a_sweep_has_a_hundred_columns_in_a_file(
    run: Run, scenario: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without COLUMNS a redirected table has at most 100 columns, and the whole of every policy's name."""
    monkeypatch.delenv("COLUMNS", raising=False)
    _, out, _ = run("run", "wide.toml", "--workers", "1", "--quiet")
    assert 60 < max(map(len, out.splitlines())) <= 100
    if len(scenario) > 4:  # policies are rows there
        first = squeezed("".join(re.split(r" {2,}", line)[0] for line in out.splitlines()))
        assert all(squeezed(policy) in first for policy in scenario)


def test_odd_numbers_of_columns(run: Run, scenario: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """An invalid COLUMNS counts as none, and very few columns still show whole numbers."""
    for wanted in ("", "0", "wide", "5"):
        monkeypatch.setenv("COLUMNS", wanted)
        status, out, _ = run("run", "wide.toml", "--workers", "1", "--quiet")
        assert status == 0 and "…" not in out
        assert max(map(len, out.splitlines())) <= (100 if wanted != "5" else 60), wanted


def long_table(names: list[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("policy")
    for heading in ("wait\nmean", "\nmedian", "\n95 %", "killed"):
        table.add_column(heading, justify="right")
    for name in names:
        table.add_row(name, "1d 3h ± 5h 31m ***", "23h 26m", "1,234,567.8", "0")
    return table


def test_groups_keep_their_headings() -> None:
    """A block that begins within a group repeats its heading."""
    found = blocks(long_table(["easy"]), 32)
    headings = [str(column.header).split() for each in found for column in each.columns[1:]]
    assert headings == [["wait", "mean"], ["wait", "median"], ["95", "%"], ["killed"]]


def test_names_break_at_colons_and_commas() -> None:
    """The lines of a policy's name end with a colon or a comma, and none is lost."""
    (table,) = blocks(long_table([POLICIES[2]]), 80)
    lines = str(next(iter(table.columns[0].cells))).split("\n")
    assert len(lines) > 1 and "".join(lines) == POLICIES[2]
    assert all(line[-1] in ":," for line in lines[:-1])


TEXTS = st.text(alphabet="ab1,:=+_-. \u00b1", max_size=60)


@given(TEXTS, st.integers(1, 40))
def test_folding_keeps_everything(text: str, width: int) -> None:
    """Folded texts are as narrow as wanted and lose no character."""
    folded = fold(text, width)
    assert squeezed(folded) == squeezed(text)
    assert folded == text.rstrip() or len(text.rstrip()) > width
    assert all(len(line.rstrip()) <= width or line.startswith(" ") for line in folded.split("\n"))


@given(st.from_regex(r"[0-9]{1,3}(,[0-9]{3}){1,4}", fullmatch=True), st.integers(0, 30))
def test_numbers_are_no_places_to_break(number: str, before: int) -> None:
    """Names do not break at the comma of a number."""
    assert number in fold("x" * before + ": " + number, 40).split("\n")[-1]


@given(
    st.lists(
        st.lists(st.sampled_from(["1.0", "12h 3m ± 4m ‡ † (n=3) ***", "1,234,567"]), min_size=5, max_size=5), max_size=4
    ),
    st.integers(20, 160),
)
def test_blocks_have_every_column_once(rows: list[list[str]], width: int) -> None:
    """At any width each column is in one block, with whole cells."""
    table = Table(box=None, pad_edge=False)
    table.add_column("policy")
    for place in range(5):
        table.add_column(f"measure_{place}", justify="right")
    for row in rows:
        table.add_row(POLICIES[3], *row)
    found = [column for block in blocks(table, width) for column in block.columns[1:]]
    assert ["".join(str(each.header).split()) for each in found] == [f"measure_{place}" for place in range(5)]
    assert [list(map(str, each.cells)) for each in found] == [
        list(each) for each in zip(*rows, strict=True)
    ] or not rows


@pytest.fixture(name="users")
def write_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log with a long name, of three users who wait."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a-log-with-a-long-name-of-some-machine-of-a-centre-2004-version-3.swf"
    jobs = [line(n, 200 * n, 100 + n % 7, 1 + n % 4, 300, wait=n % 5) for n in range(1, 60)]
    path.write_text(HEADER + "\n".join(jobs) + "\n")
    return path


@pytest.mark.parametrize("columns", [60, *(pytest.param(each, marks=pytest.mark.thorough) for each in (80, 100))])
@pytest.mark.parametrize("command", ["replay", "feedback", "compare", "sessions", "demo", "policies", "info"])
def test_no_command_cuts_anything(
    run: Run, users: Path, monkeypatch: pytest.MonkeyPatch, command: str, columns: int
) -> None:
    """Every command that prints tables keeps to its columns and to whole words."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("thinktime.analysis.demo.HORIZON", DAY)
    monkeypatch.setattr("thinktime.analysis.demo.processes", ThreadPoolExecutor)
    short = users.with_name("b.swf")
    short.write_bytes(users.read_bytes())
    replayed = [policy.replace("slack_factor", "awt=60,slack_factor") for policy in POLICIES]
    words = {
        "replay": ["replay", users, *(word for policy in replayed for word in ("--policy", policy))],
        "feedback": [
            "feedback", users, "--mode", "open", "--mode", "generative",
            *(word for policy in replayed for word in ("--policy", policy)),
        ],
        "compare": ["trace", "compare", users, short, "--out", "x.png"],
        "sessions": ["trace", "sessions", users, "--out", "y.png"],
        "demo": ["demo"],
        "policies": ["policies"],
        "info": ["trace", "info", users],
    }[command]  # fmt: skip
    quiet = ["--quiet"] if command in ("replay", "feedback", "demo") else []
    status, out, err = run(*words, *quiet)
    assert status == 0, err
    assert "…" not in out or command == "policies"  # where it is part of an option's form
    names = (".png", ".json")
    assert [text for text in out.splitlines() if len(text) > columns and not text.endswith(names)] == []
    if command in ("replay", "feedback"):
        assert all(squeezed(policy) in squeezed(out) for policy in replayed[:1])
