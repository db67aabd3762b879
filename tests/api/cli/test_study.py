"""`thinktime study`: a command for every study; of OStrich's, the object, the tables and the files."""

import json
import re
from dataclasses import MISSING
from pathlib import Path

import pytest

from tests.commands import refusal_of, stdout_of
from thinktime.cli.study import studies

SMALL = ("--jobs", "150", "--users", "5", "--instances", "2", "--workers", "1", "--quiet")


def run(*words: object) -> str:
    """What the command prints."""
    return stdout_of("study", "ostrich", *words)


def test_the_json_object() -> None:
    """The object has exactly these keys, shares are fractions, and OStrich keeps its bounds."""
    found = json.loads(run("--quick", "--json", *SMALL))
    assert list(found) == ["policies", "bound_violations", "lemma_1_violations"]
    assert list(found["policies"]) == ["fcfs", "ostrich"]
    for policy in found["policies"].values():
        keys = ["campaigns", "share_above_20", "share_below_2", "mean_max_stretch", "lemma_1"]
        assert list(policy) == keys
        assert policy["lemma_1"]["violations"] == 0 and len(policy["lemma_1"]["excess_of_bound"]) == 2
        assert list(policy["mean_max_stretch"]) == ["short", "long"]
        assert 0 <= policy["share_above_20"] <= 1 and 0 < policy["share_below_2"] <= 1
    assert found["policies"]["fcfs"]["campaigns"] == found["policies"]["ostrich"]["campaigns"]
    assert found["bound_violations"] == 0 and found["lemma_1_violations"] == 0


def test_the_same_seed_gives_the_same_object() -> None:
    """The same seed gives the same object, and another one another."""
    first = run("--json", *SMALL)
    assert run("--json", *SMALL) == first
    assert run("--json", "--seed", 2, *SMALL) != first


def test_a_profile_without_users_is_null() -> None:
    """A mean over long users is null if everybody is short."""
    found = json.loads(run("--json", "--share-short", 1, *SMALL))
    assert found["policies"]["ostrich"]["mean_max_stretch"]["long"] is None


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a quick study."""
    return tmp_path_factory.mktemp("study") / "out"


@pytest.fixture(scope="module")
def shown(out: Path) -> str:
    """What a quick study prints that writes its files."""
    return run("--quick", "--out", out, *SMALL)


def test_the_tables(shown: str) -> None:
    """The paper's numbers are beside ours, with verdicts and the sensitivity table below."""
    assert "42.3 %" in shown and "12.8" in shown and "2 instances of 150 jobs" in shown
    assert "Lemma 1's" in shown and "Lemma 2's" in shown and "seen" in shown
    assert "think time 20 h" in shown and "campaigns not held back" in shown


def test_the_files(shown: str, out: Path) -> None:
    """The folder has three figures in two formats, two tables and the object alone."""
    assert shown
    figures = {f"figure-{name}.{kind}" for name in ("3a", "3b", "4") for kind in ("png", "pdf")}
    written = {path.name for path in out.iterdir()}
    assert written == figures | {"answers.sqlite", "campaigns.csv", "sensitivity.csv", "study.json"}
    found = json.loads((out / "study.json").read_text())
    lines = (out / "campaigns.csv").read_text().splitlines()
    assert len(lines) == 1 + 2 * found["policies"]["fcfs"]["campaigns"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--instances", "0"), "--instances must be a whole number of at least 1, not '0'"),
        (("--jobs", "many"), "--jobs must be a whole number of at least 1, not 'many'"),
        (("--think-time", "inf"), "think_time must be a number of at least 0 s"),
    ],
)
def test_wrong_words(words: tuple[str, ...], message: str) -> None:
    """Wrong options are refused before anything runs."""
    assert message in refusal_of("study", "ostrich", *words)


def test_help_lists_every_study() -> None:
    """The help lists every study with its line, and a wrong name gets the near one."""
    shown = stdout_of("study", "--help")
    assert all(kind.line in shown for kind in studies().values())
    assert "no command 'ostric'; did you mean 'ostrich'?" in refusal_of("study", "ostric")
    assert "missing argument 'TRACE'" in refusal_of("study", "slack")


@pytest.mark.parametrize("name", studies())
def test_a_command_has_the_options_of_its_study(name: str) -> None:
    """A command has the options of its study in order, then those of all studies."""
    shown = re.findall(r"^  (?:-\w, )?(--[\w-]+)", stdout_of("study", name, "--help"), re.MULTILINE)
    own = studies()[name].options()
    logs = any(about.kind in ("log", "logs", "paths", "site") for about, _ in own.values())
    expected = [
        "--trace" if about.kind == "log" else f"--{each.replace('_', '-')}"
        for each, (about, default) in own.items()
        if default is not MISSING and about.kind != "paths"
    ]
    expected += ["--workers", *(["--max-size"] if logs else []), "--dask", "--out", "--json", "--quiet", "--help"]
    assert shown == expected
