"""``--estimates FILE.py:NAME``: an estimator in a script of one's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .conftest import Outcome

BODY = """
class Asked:
    def estimate(self, job, now):
        return self.guess(job)
    def guess(self, job):
        return WHAT
    def learn(self, job, runtime, now):
        self.last = runtime
"""


def written(tmp_path: Path, what: str) -> str:
    """The estimator in a script."""
    script = tmp_path / "mine.py"
    script.write_text(BODY.replace("WHAT", what))
    return f"{script}:Asked"


def test_an_estimator_in_a_script_runs(tmp_path: Path, log: Path, run: Callable[..., Outcome]) -> None:
    """One that believes the users makes the same schedule; the report names it."""
    own = written(tmp_path, "job.requested")
    plain, found = (run("replay", log, "--policy", "easy", *more) for more in ((), ("--estimates", own)))
    assert found.status == plain.status == 0
    assert found.out == plain.out + "policies plan with estimates: Asked\n"


def test_an_estimator_that_answers_nonsense_is_one_sentence(
    tmp_path: Path, log: Path, fails: Callable[..., str]
) -> None:
    """It names the estimator, the job and the value; and a name that is not there is answered with one that is."""
    own = written(tmp_path, "-5")
    assert "estimator Asked: estimate gave -5 for job" in fails("replay", log, "--policy", "easy", "--estimates", own)
    assert "did you mean 'Asked'" in fails("replay", log, "--estimates", own.replace("Asked", "Aksed"))


def test_an_error_of_an_estimator_comes_with_its_line(tmp_path: Path, log: Path, fails: Callable[..., str]) -> None:
    """As an error of a policy does."""
    sentence = fails("replay", log, "--policy", "easy", "--estimates", written(tmp_path, "job.walltime"))
    assert "estimator '" in sentence and "failed in line 6 of " in sentence and "has no 'walltime'" in sentence
