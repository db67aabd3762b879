"""The experiments, as recorded: what is read of them, and how the model compares."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tools.slurm.asked import Start, asked_about
from tools.slurm.comparison import Comparison, compare, of
from tools.slurm.experiments import NAMES, experiment
from tools.slurm.model import WITHIN, Modelled, imported, play
from tools.slurm.recording import Attempt, Recording
from tools.slurm.report import markdown, of_page, table

PLACED = ["cpus", "least_loaded", "serial_at_end", "unequal"]
"""Those about where CPUs are."""
MEASURED = Path(__file__).parent / "measured"
PAGE = Path(__file__).parents[3] / "docs" / "studies" / "slurm.md"
AGAIN = "python -m tools.slurm --recorded --out tests/tools/slurm/measured --page docs/studies/slurm.md"
NOT_ALIKE = {"tiers"}
"""Experiments in which the model does otherwise (the page says why)."""
PLAYED = [name for name in NAMES if not experiment(name).snapshots]
"""Those that are played from second 0; the others are forecast from snapshots."""
RANDOM = {name for name in NAMES if experiment(name).drawn}
"""Those with random jobs, of which one second makes another schedule: the model is asked second by second."""
NOT_WANTED = {("cpus_8", "r41")}
"""Starts that the model would not make (the page says why)."""


@pytest.fixture(scope="module")
def compared() -> dict[str, Comparison]:
    """All experiments."""
    return {name: compare(Recording(MEASURED / name), name in RANDOM) for name in PLAYED}


def test_the_page_has_these_results(compared: dict[str, Comparison]) -> None:
    """The table of the page is what the model says today of the recorded experiments."""
    assert of_page(PAGE) == markdown({experiment(name): found for name, found in compared.items()}), (
        f"write it anew: {AGAIN}"
    )


def test_who_starts_and_when(compared: dict[str, Comparison]) -> None:
    """But for the one that is not alike, the same jobs start, within two seconds; others wait or are refused alike."""
    alike = {name: found for name, found in compared.items() if name not in NOT_ALIKE | RANDOM}
    for name, found in alike.items():
        assert found.starts == found.within(WITHIN) and found.others.same == found.others.of and not found.differ, name
    assert sum(found.starts for found in alike.values()) == 154


def test_whom_the_model_would_start(compared: dict[str, Comparison]) -> None:
    """Beside the jobs that really run, it wants each start when Slurm makes it, and has for a second at most."""
    asked = [compared[name] for name in RANDOM]
    wanted = sum(found.lags.get(0, 0) + found.lags.get(1, 0) for found in asked)
    starts = sum(found.starts for found in asked)
    assert starts - wanted == len(NOT_WANTED) and starts >= 200
    there = sum(found.nodes.same for found in asked)
    assert there > 0.95 * starts
    assert (
        f"{wanted} of {starts} random jobs in Slurm's second or the one before, {there} of them on" in PAGE.read_text()
    )
    for name, job in NOT_WANTED:
        assert f"would not start {job} then" in compared[name].differ[-1]


@pytest.mark.parametrize("name", ["arrays", "fair_tree", "limits", "maintenance", "tick", *PLACED])
def test_whom_it_would_start_of_few(name: str) -> None:
    """The same of those that are played, with dependencies, limits and maintenance, and about where CPUs are."""
    found = asked_about(Recording(MEASURED / name))
    assert found and all(each.late in (0, 1) for each in found.values())
    assert name not in PLACED or all(each.there for each in found.values())


def test_slurm_looks_between_two_events_of_a_second() -> None:
    """The log tells which came first: in the second in which r18 and r44 end, r23 starts before r44 has left."""
    fair = Recording(MEASURED / "fair_5")
    assert asked_about(fair)["r23"] == Start(0, there=True, before=("r44",))
    told = [(each.job, each.what) for each in fair.moments if 105.9 < each.time < 106]
    assert told == [("r18", "end"), ("r23", "start"), ("r44", "end")]


def test_a_start_against_the_model_is_seen(tmp_path: Path) -> None:
    """A job that starts when the model would not start it, or long after, or elsewhere."""
    shutil.copytree(MEASURED / "backfill", tmp_path / "backfill")
    path = tmp_path / "backfill" / "out.csv"
    lines = path.read_text().splitlines()
    changed = [re.sub(r",47,52,n1$", ",34,39,n4", line) for line in lines]
    path.write_text("\n".join(changed))
    assert changed != lines
    found = asked_about(Recording(tmp_path / "backfill"))
    assert found["D"] == Start(None) and found["B"].late == 0


def test_fair_shares_are_equal(compared: dict[str, Comparison]) -> None:
    """Every fair share that sshare printed, in every second, and every priority that comes of them."""
    for name in ("fair_tree", "classic"):
        found = compared[name]
        assert found.shares.same == found.shares.of > 600 and found.priorities.same == found.priorities.of > 300


def test_priorities_before_a_job_is_looked_at() -> None:
    """Priorities are equal from the first tick on; before, Slurm counts whole nodes by the CPUs that were asked for."""
    recording = Recording(MEASURED / "multifactor")
    found = play(recording).priorities
    for name, said in recording.priorities.items():
        for second, value in said.items():
            if value and second > 60 and second in found[name]:
                assert float(value) in (found[name][second], found[name][second - 1]), (name, second)


def test_what_is_compared_is_what_was_run() -> None:
    """Workloads, sites and settings of the recordings are those of the experiments."""
    for name in PLAYED:
        each = experiment(name)
        recording = Recording(MEASURED / each.name)
        assert recording.rows == list(each.rows)
        site = imported(recording)
        assert site.site.name == each.name and len(site.site.partitions) == len(each.partitions)
        assert len([one for one in site.site.accounts if one.user]) >= 7
        conf = (recording.folder / "slurm.conf").read_text()
        assert all(f"{key}={value}\n" in conf for key, value in each.settings.items() if value and key != "AuthInfo")


def test_a_recording_tells_attempts_and_refusals() -> None:
    """Each attempt of a requeued job, tasks by their numbers, who never started and who was refused."""
    preempted = Recording(MEASURED / "preemption").attempts["L2"]
    assert [(each.state, each.submit, each.start) for each in preempted] == [("PREEMPTED", 3, 3), ("COMPLETED", 12, 21)]
    arrays = Recording(MEASURED / "arrays").attempts
    assert (len(arrays["A_6"]), arrays["I"][0].state, arrays["I"][0].start) == (1, "PENDING", None)
    limits = Recording(MEASURED / "limits").attempts
    assert [name for name, (each,) in limits.items() if each.state == "REFUSED"] == ["c0", "s2", "k1"]
    assert limits["a2"][0].nodes == ("n1", "n2", "n3", "n4")


def test_a_difference_is_seen() -> None:
    """Starts at another second or on other nodes, jobs that do not start, and other values are counted as such."""
    recording = Recording(MEASURED / "backfill")
    real = recording.attempts
    same = of(recording, Modelled(dict(real)))
    assert (same.within(0), same.seconds.same, same.differ) == (5, same.seconds.of, ())
    (d,), (e,) = real["D"], real["E"]
    assert d.start is not None and d.end is not None
    moved = replace(d, start=d.start - 7, end=d.end - 7, nodes=("n3",))
    other = of(recording, Modelled(real | {"D": [moved], "E": [Attempt("E", "PENDING", e.submit)]}))
    assert (other.starts, other.within(WITHIN), other.nodes.same) == (4, 3, 3)
    assert other.differ == (f"D at {d.start}, here at {d.start - 7}", f"E at {e.start}, here never")
    assert other.seconds.same == same.seconds.of - 10 - 5
    assert other.differ[0] in table({experiment("backfill"): other})
