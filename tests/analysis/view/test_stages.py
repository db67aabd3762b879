"""Stages of jobs whose sizes change, and who gave processors to whom."""

import pytest
import simpy

import thinktime as tt
from thinktime.analysis.view.boxes import boxes
from thinktime.analysis.view.stages import INTERRUPTED, LAST, RESIZED, given_back, shapes_told, stages
from thinktime.analysis.view.why import why
from thinktime.models.results.result import Result


def test_stages_and_what_they_were_for(resized: Result) -> None:
    """Job 1 has 8, then 4 from its shrink for job 2 on, then 8 from its end on; rigid jobs have no stages."""
    found = stages(resized)
    assert [list(column) for column in found] == [
        [0, 0, 0], [0, 25, 45], [25, 45, 60], [8, 4, 8], [RESIZED, RESIZED, LAST], [-1, 1, 1],
    ]  # fmt: skip
    given = given_back(resized)
    assert list(zip(given.time, given.row, given.processors, given.kept, strict=True)) == [
        (25, 0, 4, 4), (45, 1, 4, 0), (60, 0, 8, 0),
    ]  # fmt: skip
    assert why(resized).after.tolist() == [-1, 0]
    assert why(resized).shrank.tolist() == [0, 4]


def test_each_stage_has_its_boxes(resized: Result) -> None:
    """They begin and end with it, and are as high as it has processors."""
    found = boxes(resized)
    area: dict[tuple[int, float], float] = {}
    for row, begin, height in zip(found.row.tolist(), found.begin.tolist(), found.height.tolist(), strict=True):
        area[row, begin] = area.get((row, begin), 0) + height
    assert area == {(0, 0.0): 8, (0, 25.0): 4, (1, 25.0): 4, (0, 45.0): 8}
    assert set(found.ended[found.begin == 0]) == {RESIZED}
    assert set(found.ended[found.begin == 45]) == {LAST}


def test_interruptions_are_no_resizes() -> None:
    """A job that a window throws out was interrupted, and has no other size than it asked for."""
    changes = tt.Changes(windows=[tt.Window(10, 20, 4, rule="requeue", announced=5)])
    result = tt.run(tt.MachineSpec(4, "fcfs", changes=changes), tt.sources.log(LOG))
    assert boxes(result).ended.tolist() == [INTERRUPTED, LAST]
    assert len(stages(result).row) == 0


LOG = tt.Trace({"submit": [0], "runtime": [30], "allocated": [4], "user": [1]})


def test_a_moldable_job_that_started_with_another_size_has_a_stage() -> None:
    """It asked for 4 processors, and was given 8."""
    machine = tt.Machine(env := simpy.Environment(), 8, "shapes:size=max")
    machine.submit(tt.Job(runtime=100, shape="2-8 preferred=4 kind=moldable"))
    env.run()
    assert [list(column) for column in stages(machine.result())] == [[0], [0], [50], [8], [LAST], [-1]]


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        ("2-8", "It may have 2-8 processors, is malleable, and has the speed-up linear"),
        ("2 4 kind=moldable speedup=amdahl(0.1) believes=linear", "It may have 2 4 processors, is moldable, and has "
         "the speed-up amdahl(0.1); its user believes in linear"),
        ("2-8 kind=evolving asks=0.5:4", "It may have 2-8 processors, is evolving, and has the speed-up linear; it "
         "asks for sizes itself: 0.5:4"),
        ("2-8 cost=10 gap=1m notice=1h", "It may have 2-8 processors, is malleable, and has the speed-up linear; a "
         "resize costs 10s; at least 1min lie between two resizes; it shrinks after a notice of 1h"),
    ],
)  # fmt: skip
def test_shapes_in_words(shape: str, told: str) -> None:
    """All that is not as usual is said; a text that is no shape is left as it is."""
    machine = tt.Machine(env := simpy.Environment(), 8, "shapes")
    machine.submit(tt.Job(runtime=100, shape=shape))
    env.run()
    result = machine.result()
    assert shapes_told(result) == [told]
    result.names["shape"][0] = "of old"
    assert shapes_told(result) == ["of old"]
