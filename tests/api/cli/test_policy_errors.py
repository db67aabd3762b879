"""A wrong policy is refused before anything runs; what is one's own fails with the line of its script."""

from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import HEADER, Fails, Run, line

CASES = {
    "unknown rule": ("esay", "did you mean 'easy'"),
    "unknown order": ("easy:order=sfj", "did you mean 'sjf'"),
    "unknown option": ("easy:ordr=sjf", "'ordr'"),
    "option without value": ("easy:order", "key=value"),
    "wrong number": ("easy:reservations=many", "many"),
    "too few": ("easy:reservations=0", "reservations"),
    "unknown variant": ("conservative:compress=always", "always"),
    "option of an order": ("sjf:reservations=2", "none:order=sjf"),
    "empty": ("", "''"),
    "no such script": ("absent.py:Mine", "absent.py"),
    "no name": ("absent.py", "absent.py"),
}


@pytest.mark.parametrize("case", CASES)
def test_wrong_policy(case: str, log: Path, fails: Fails) -> None:
    """The sentence quotes the policy and says what would be right."""
    spec, expected = CASES[case]
    sentence = fails("replay", log, "--policy", spec)
    assert expected in sentence and repr(spec) in sentence


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Path]:
    """A script with a policy in it."""

    def write(body: str) -> Path:
        path = tmp_path / "mine.py"
        path.write_text(f"def first(view, now):\n    {body}\n")
        return path

    return write


def test_script_without_the_name(log: Path, fails: Fails, script: Callable[[str], Path]) -> None:
    """A name that the script does not have is answered with one that it has."""
    assert "did you mean 'first'" in fails("replay", log, "--policy", f"{script('return []')}:frist")


def test_script_with_a_syntax_error(log: Path, fails: Fails, script: Callable[[str], Path]) -> None:
    """A script that cannot be read is named with the reason."""
    assert "SyntaxError" in fails("replay", log, "--policy", f"{script('return [')}:first")


def test_policy_that_proposes_nonsense(log: Path, fails: Fails, script: Callable[[str], Path]) -> None:
    """A proposal that does not fit is refused in the policy's name."""
    sentence = fails("replay", log, "--policy", f"{script('return view.queue')}:first")
    assert "job 2" in sentence and "first" in sentence


def test_policy_that_breaks(log: Path, fails: Fails, script: Callable[[str], Path]) -> None:
    """An error in a script is reported with its line."""
    path = script("return [job for job in view.queue if job.mood]")
    sentence = fails("replay", log, "--policy", f"{path}:first")
    assert f"failed in line 2 of {path}: AttributeError: " in sentence and "'mood'" in sentence


def test_own_policy_runs(log: Path, run: Callable[..., tuple[int, str, str]], script: Callable[[str], Path]) -> None:
    """A function in a script is a policy."""
    body = "return [job for job in view.queue[:1] if job.processors <= view.free]"
    assert run("replay", log, "--policy", f"{script(body)}:first")[0] == 0


def test_key_that_breaks(log: Path, fails: Fails, tmp_path: Path) -> None:
    """An error in a key for an order is reported with its line, whatever options surround it."""
    path = tmp_path / "keys.py"
    path.write_text("def broken(view, rows):\n    raise RuntimeError('no mood')\n")
    for spec in (f"easy:order={path}:broken", f"easy:reservations=2,order={path}:broken"):
        sentence = fails("replay", log, "--policy", spec, "--quiet")
        assert f"failed in line 2 of {path}: RuntimeError: no mood" in sentence
    path.write_text("def broken():\n    return 1\n")
    sentence = fails("replay", log, "--policy", f"easy:order={path}:broken", "--quiet")
    assert "broken made 1, but must make an order, or a key: a function of (jobs, now)" in sentence


def test_every_policy_is_asked_before_the_first_replay(log: Path, run: Run) -> None:
    """A log without waits is refused for `recorded` before any other policy runs."""
    lines = [line(k, 10 * k, 10, 1, 10, wait=-1) for k in (1, 2)]
    log.write_text(HEADER + "\n".join(lines) + "\n")
    outcome = run("replay", log, "--policy", "fcfs", "--policy", "recorded")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("thinktime: error: policy 'recorded': the log has no waits")


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


def test_an_estimator_in_a_script_runs(tmp_path: Path, log: Path, run: Run) -> None:
    """One that believes the users makes the same schedule; the report names it."""
    own = written(tmp_path, "job.requested")
    plain, found = (run("replay", log, "--policy", "easy", *more) for more in ((), ("--estimates", own)))
    assert found.status == plain.status == 0
    assert found.out == plain.out + "policies plan with estimates: Asked\n"


def test_an_estimator_that_answers_nonsense_is_one_sentence(tmp_path: Path, log: Path, fails: Fails) -> None:
    """It names the estimator, the job and the value; and a name that is not there is answered with one that is."""
    own = written(tmp_path, "-5")
    assert "estimator Asked: estimate gave -5 for job" in fails("replay", log, "--policy", "easy", "--estimates", own)
    assert "did you mean 'Asked'" in fails("replay", log, "--estimates", own.replace("Asked", "Aksed"))


def test_an_error_of_an_estimator_comes_with_its_line(tmp_path: Path, log: Path, fails: Fails) -> None:
    """As an error of a policy does."""
    sentence = fails("replay", log, "--policy", "easy", "--estimates", written(tmp_path, "job.walltime"))
    assert "estimator '" in sentence and "failed in line 6 of " in sentence and "has no 'walltime'" in sentence
