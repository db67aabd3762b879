"""Why jobs waited, as sentences."""

from pathlib import Path

import numpy as np

import thinktime as tt
from thinktime.analysis.view.why import AT_ONCE, REFUSED, free_processors, why
from thinktime.models.results.result import Result
from thinktime.models.site.limits import Limits
from thinktime.models.site.qos import QOS


def sentences(result: Result) -> list[str]:
    """The sentence of each job."""
    found = why(result)
    return [found.texts[each] for each in found.text.tolist()]


def test_each_way_to_wait_has_its_sentence(odd: Result) -> None:
    """What the schedule shows comes first, then what the policy says, then how it ended."""
    passed = "When it was last passed over, "
    none, some = (
        f"Fewer processors were free than it asked for during {share} its wait." for share in ("all of", "29 % of")
    )
    free = "Enough processors were free during all of its wait."
    assert sentences(odd) == [
        AT_ONCE,
        f"{none} {passed}there was no room for it.",
        AT_ONCE,
        # From 6 to 8.5 nothing is free; from 8.5 to 10 one processor, from 10 to 20 two.
        f"{some.replace('29', '18')} In the rest enough were free. {passed}there was room, but it would have delayed a "
        "reservation of another job (under EASY that of the head, at its shadow time), or waited for its own.",
        f"{free} {passed}there was room, but the policy did not want to start it. Its user gave it up.",
        REFUSED,
        f"{free} {passed}it was beyond a limit of the site.",
        f"{none.replace('all', '91 %')} In the rest enough were free. {passed}there was no room for it. "
        "It still waited at the end of the run.",
    ]


def test_the_limit_that_held_a_job_is_named(tmp_path: Path) -> None:
    """Two jobs of one user are too many at a time; a saved result says so, too."""
    site = tt.Site(qos=[QOS("normal", limits=Limits(max_jobs=1))], enforce=frozenset({"limits"}))
    spec = tt.MachineSpec(4, "easy", reasons=True, site=site)
    jobs = tt.Trace({"submit": [0, 0], "runtime": [10, 10], "allocated": [1, 1], "user": [1, 1]})
    tt.run(spec, tt.sources.log(jobs)).save(tmp_path / "result.npz")
    found = sentences(Result.load(tmp_path / "result.npz"))
    assert found[1].endswith("When it was last passed over, it was beyond a limit of the site: max_jobs of QOS normal.")


def test_the_job_whose_end_let_it_start(odd: Result) -> None:
    """Job 2 starts when job 1 ends; what ends at no start, and what starts at no end, is nobody's."""
    assert why(odd).after.tolist() == [-1, 0, -1, -1, -1, -1, -1, -1]


def test_shares_are_those_of_brute_force() -> None:
    """On a random schedule, second by second."""
    rng = np.random.default_rng(3)
    trace = tt.Trace(
        {
            "submit": np.sort(rng.integers(0, 300, 40)),
            "runtime": rng.integers(1, 60, 40),
            "allocated": rng.integers(1, 9, 40),
        }
    )
    result = tt.replay(trace, "easy", 8)
    free, found = free_processors(result), sentences(result)
    for row in range(len(result)):
        seconds = np.arange(result["submit"][row], result["start"][row])
        short = int((free.at(seconds) < result["processors"][row]).sum()) if len(seconds) else 0
        used = [int(((result["start"] <= t) & (result["end"] > t)) @ result["processors"]) for t in seconds]
        assert short == sum(8 - each < result["processors"][row] for each in used)
        share = round(100 * short / len(seconds)) if len(seconds) else None
        assert (found[row] == AT_ONCE) == (share is None)
        if share is not None and 0 < short < len(seconds):
            assert f"during {min(max(share, 1), 99)} % of its wait" in found[row]


def test_no_result_is_too_small(empty: Result) -> None:
    """Without jobs there is nothing to say."""
    assert why(empty).texts == []
