"""`thinktime generate --like LOG --policy POLICY`: users of a log live its time again, and react as before."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

import thinktime as tt
from tests.workloads.calibration.users_of_logs import merged, unseeing, waiting
from thinktime.analysis.diagnosis.jump import jump
from thinktime.models.results.site_log import site_log
from thinktime.users.other_luck import with_other_luck
from thinktime.workloads import Trace, read_swf, write_swf
from thinktime.workloads.generators import generate, like
from thinktime.workloads.user_models.sessions import delimit

from .conftest import Run

USERS = 10


@pytest.fixture(scope="module", name="log")
def half_of_whom_wait() -> Trace:
    """A log of users of whom half wait for results, and half look at none."""
    return merged(waiting(1, users=USERS, batches=30), unseeing(2, users=USERS, batches=30))


@pytest.fixture(scope="module", name="users")
def fitted(log: Trace) -> tt.Users:
    """These users, fitted to it once."""
    return tt.calibrate(log, score=False)


def jump_of(log: Trace) -> tuple[float, float, float]:
    """The jump at the end of jobs, with its interval."""
    seen = delimit(log)
    return jump(log.user, seen.submit, seen.end).share


def test_users_with_other_luck_react_as_in_the_log(log: Trace, users: tt.Users) -> None:
    """The jump after ends is the log's within its interval, on two machines; a log of a fitted recipe has none."""
    _, low, high = jump_of(log)
    assert high - low < 0.3
    for processors in (12, 64):
        machine = tt.MachineSpec(processors, "easy")
        value, *_ = jump_of(site_log(with_other_luck(log, machine, 1, users)))
        assert low <= value <= high
        recipe = generate(like(log).recipe, seed=1, jobs=len(log), users=2 * USERS, processors=processors)
        value, *_ = jump_of(site_log(tt.run(machine, tt.sources.log(recipe))))
        assert value < low


def test_jobs_are_those_of_the_log_and_luck_is_another(log: Trace, users: tt.Users) -> None:
    """Each user has the same jobs in the same order; when they come depends on the seed."""
    machine = tt.MachineSpec(12, "easy")
    first, again, other = (site_log(with_other_luck(log, machine, seed, users)) for seed in (1, 1, 2))
    assert first.equals(again) and not first.equals(other)
    for user in log.user[::97].tolist():
        own, mine = (each.select(each.user == user) for each in (log, other))
        assert mine.runtime.tolist() == own.runtime.tolist()
        assert mine.submit.tolist() != own.submit.tolist()


@pytest.fixture
def run(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call `thinktime generate` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return partial(run, "generate")


def test_the_command(log: Trace, users: tt.Users, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It writes the log of these users under the policy, says so in the header, and what the log is like."""
    monkeypatch.setattr("thinktime.workloads.calibration.calibrate.calibrate", lambda trace, **options: users)
    write_swf(log, "log.swf")
    words = ("--like", "log.swf", "--policy", "conservative", "--processors", 12, "--seed", 3)
    status, out, err = run(*words, "-o", "again.swf")
    assert (status, err) == (0, "") and out.startswith("again.swf: 600 jobs of 20 users, submitted over ")
    made = read_swf("again.swf")
    expected = site_log(with_other_luck(read_swf("log.swf"), tt.MachineSpec(12, "conservative"), 3, users))
    assert made.submit.tolist() == expected.submit.tolist() and made.wait.tolist() == expected.wait.tolist()
    assert made.header.all("Note") == ("users fitted to log.swf, with luck from seed 3, under conservative",)
    assert run(*words, "-o", "twice.swf")[0] == 0
    assert Path("again.swf").read_bytes() == Path("twice.swf").read_bytes()
    assert not list(Path().glob("*.toml"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--like", "log.swf", "--policy", "esy"), "esy"),
        (("--like", "log.swf", "--policy", "recorded"), "policy 'recorded' cannot schedule users with other luck"),
        (("--like", "log.swf", "--policy", "easy", "--jobs", 5), "--policy lets users submit the jobs of log.swf; "),
        (("--like", "log.swf", "--policy", "easy", "--set", "bias=0.9"), "leave out --set"),
        (("--like", "log.swf", "--policy", "easy", "--load", 0.9), "leave out --load"),
        (("mmpp", "--policy", "easy"), "--policy is for users who are fitted to a log, so --like LOG is needed"),
        (("outages", "--policy", "easy"), "--policy is for logs, not for outages"),
        (("--like", "short.swf", "--policy", "easy"), "--like short.swf: users submit again only 1 times in this log"),
        (("--like", "nobody.swf", "--policy", "easy"), "--like nobody.swf: the log does not say who submitted"),
        (("--like", "waits.swf", "--policy", "easy"), "--like waits.swf: "),
    ],
)
def test_errors(
    words: tuple[object, ...], sentence: str, log: Trace, run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """One sentence, status 2, and no log."""
    write_swf(log, "log.swf")
    write_swf(log.select(np.isin(log.id, log.id[log.user == 100][:2])), "short.swf")
    write_swf(log.with_columns(user=[-1] * len(log)), "nobody.swf")
    write_swf(log.with_columns(wait=[float("nan")] * len(log)), "waits.swf")
    if "recorded" in words:
        monkeypatch.setattr("thinktime.workloads.calibration.calibrate.calibrate", lambda trace, **options: None)
    status, out, err = run(*words, "-o", "new.swf")
    assert (status, out) == (2, "") and not Path("new.swf").exists()
    assert err.startswith("thinktime: error: ") and err.count("\n") == 1 and sentence in err
