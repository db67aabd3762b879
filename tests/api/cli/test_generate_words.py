"""What `thinktime generate` says about the log that it wrote."""

from pathlib import Path

from .conftest import Fails, Run


def test_one_job(tmp_path: Path, run: Run) -> None:
    """One job of one user has no offered load."""
    target = tmp_path / "one.swf"
    outcome = run("generate", "poisson", "--jobs", 1, "--users", 1, "--out", target)
    assert outcome.status == 0
    assert outcome.out == f"{target}: 1 job of 1 user, submitted over 0s\n"


def test_too_many_processors(tmp_path: Path, fails: Fails) -> None:
    """A machine with too many processors is refused."""
    target = tmp_path / "one.swf"
    assert "at most 2,147,483,648" in fails("generate", "poisson", "--processors", 10**12, "--out", target)
