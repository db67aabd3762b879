"""Numbers for the processors of a pool."""

import numpy as np
import pytest

import thinktime as tt
from thinktime.models.results.placement import PlacedBlocks, place
from thinktime.models.results.result import Result


def placed(*jobs: tuple[float, float, int], processors: int = 4) -> list[tuple[int, int, int]]:
    """The blocks (row, low, height) of jobs given as (start, end, width)."""
    start, end, width = (np.array(column) for column in zip(*jobs, strict=True))
    blocks = place(start.astype(float), end.astype(float), width, np.arange(len(jobs)), processors)
    return list(zip(*(column.tolist() for column in blocks), strict=True))


def test_a_job_takes_the_first_gap_that_is_wide_enough() -> None:
    """The third job passes over the narrow gap at the bottom."""
    assert placed((0, 5, 1), (0, 9, 1), (5, 9, 2)) == [(0, 0, 1), (1, 1, 1), (2, 2, 2)]


def test_a_job_is_split_if_no_gap_is_wide_enough() -> None:
    """Two free processors apart from each other make two blocks."""
    assert placed((0, 5, 1), (0, 9, 2), (5, 9, 2)) == [(0, 0, 1), (1, 1, 2), (2, 0, 1), (2, 3, 1)]


def test_a_job_ends_before_another_starts() -> None:
    """At one time, processors are given back before they are given out."""
    assert placed((0, 5, 4), (5, 9, 4)) == [(0, 0, 4), (1, 0, 4)]


def test_a_job_without_duration_has_no_blocks() -> None:
    """A run time of 0 leaves nothing to draw."""
    assert placed((0, 0, 4), (0, 9, 4)) == [(1, 0, 4)]


def test_more_jobs_than_processors_are_refused() -> None:
    """The error names the job that does not fit."""
    with pytest.raises(ValueError, match="job 1 holds 3 processors, 1 more"):
        placed((0, 5, 2), (1, 9, 3))


def test_blocks_never_overlap() -> None:
    """On a random schedule every job has all its processors, and no processor has two jobs."""
    rng = np.random.default_rng(2)
    submit, runtime, width = rng.integers(0, 3000, 300), rng.integers(1, 300, 300), rng.integers(1, 33, 300)
    trace = tt.Trace({"submit": np.sort(submit), "runtime": runtime, "allocated": width})
    result = tt.replay(trace, "easy", 64)
    blocks = place(result["start"], result["end"], result["processors"], result["id"], result.processors)
    heights = np.bincount(blocks.row, weights=blocks.height, minlength=300)
    np.testing.assert_array_equal(heights, result["processors"])
    assert all(_apart(result, blocks, processor) for processor in range(result.processors))


def _apart(result: Result, blocks: PlacedBlocks, processor: int) -> bool:
    rows = blocks.row[(blocks.low <= processor) & (processor < blocks.low + blocks.height)]
    rows = rows[np.argsort(result["start"][rows])]
    return bool((result["end"][rows][:-1] <= result["start"][rows][1:]).all())
