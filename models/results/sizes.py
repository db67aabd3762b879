"""What became of jobs that may have several sizes (`thinktime.workloads.shapes`), under policies that choose sizes.

On n processors, such a job does s(n) seconds of work per second, with its true speed-up s: so much as one processor of
speed-up 1 does in s(n) seconds. The efficiency is this work, over the processor-seconds that the job held. It counts
the time in which work stands still at a resize, checkpoints and lost work, and is 1 with a linear speed-up and none of
these. Of rigid jobs, no speed-up is known.
"""

import numpy as np

from thinktime.models.results.metric import FRACTION, METRICS
from thinktime.models.results.paces import shape_codes, speeds
from thinktime.models.results.schedule import Schedule
from thinktime.models.results.service import Between, all_runs, ratio
from thinktime.workloads.arrays import Floats


@METRICS.of_jobs("resizes", source="ours", told=(), needs="shapes")
def resizes(result: Schedule) -> Floats:
    """How often the size of a job changed while it ran; NaN for a rigid job."""
    runs = all_runs(result)
    return _of_shaped(result, runs.summed(runs.ended("resized"), len(result)))


@METRICS.of_jobs("processors", source="ours", term="mean number of processors", told=(), needs="shapes")
def mean_processors(result: Schedule) -> Floats:
    """Σ processors × length / Σ length of the runs of a job that has run."""
    runs = all_runs(result)
    held, length = (runs.summed(each, len(result)) for each in (runs.length * runs.processors, runs.length))
    return _over(held, length)


@METRICS.of_jobs(FRACTION, source="Feitelson, Rudolph 1996", told=(), needs="shapes")
def efficiency(result: Schedule) -> Floats:
    """Σ progress × speed-up on its processors / Σ processors × length of the runs of a job; NaN for a rigid job."""
    runs = all_runs(result)
    done, held = (runs.summed(each, len(result)) for each in (_work(result), runs.length * runs.processors))
    return _of_shaped(result, _over(done, held))


@METRICS.of_run("resizes", over="time", source="ours", group="changes", needs="shapes")
def total_resizes(result: Schedule, between: Between = None) -> int:
    """How often sizes of jobs changed while they ran."""
    runs = all_runs(result)
    first, last = (-np.inf, np.inf) if between is None else between
    return int((runs.ended("resized") & (first <= runs.end) & (runs.end < last)).sum())


@METRICS.of_run("processors", over="time", source="ours", group="changes", needs="shapes")
def mean_size(result: Schedule, between: Between = None) -> float:
    """Σ processors × length / Σ length of the runs of jobs with several sizes."""
    runs, part = all_runs(result), _shares(result, between)
    return ratio(used_processor_seconds(result, between), float(part @ runs.length))


@METRICS.of_run(
    FRACTION, over="time", source="Feitelson, Rudolph 1996", group="changes", needs="shapes", heading="effi-\nciency",
    legend="efficiency: work that jobs with several sizes did, in seconds of one processor, per processor-second",
)  # fmt: skip
def total_efficiency(result: Schedule, between: Between = None) -> float:
    """Work done / processor-seconds used, of jobs with several sizes."""
    return ratio(work_of_shapes(result, between), used_processor_seconds(result, between))


@METRICS.of_run("processor-seconds", over="time", source="ours", group="changes", needs="shapes")
def used_processor_seconds(result: Schedule, between: Between = None) -> float:
    """Σ processors × length of the runs of jobs with several sizes."""
    runs = all_runs(result)
    return float(_shares(result, between) @ (runs.length * runs.processors))


@METRICS.of_run(
    "seconds of one processor", over="time", source="ours", name="work_done", group="changes", needs="shapes"
)
def work_of_shapes(result: Schedule, between: Between = None) -> float:
    """Σ progress × speed-up of the runs of jobs with several sizes."""
    return float(_shares(result, between) @ _work(result))


def _shares(result: Schedule, between: Between) -> Floats:
    """The part of each run that is between two times; 0 for runs of rigid jobs."""
    runs = all_runs(result)
    part = np.ones(len(runs))
    if between is not None:
        part = np.nan_to_num(_over(np.clip(runs.end, *between) - np.clip(runs.start, *between), runs.length))
    return np.where(shape_codes(result)[runs.row] >= 0, part, 0.0)


def _work(result: Schedule) -> Floats:
    """The work of each run, in seconds of one processor; 0 for runs of rigid jobs."""
    runs = all_runs(result)
    return speeds(result, shape_codes(result)[runs.row], runs.processors) * runs.progress


def _of_shaped(result: Schedule, values: Floats) -> Floats:
    return np.where(shape_codes(result) >= 0, values, np.nan)


def _over(values: Floats, by: Floats) -> Floats:
    found: Floats = np.divide(values, by, out=np.full(len(by), np.nan), where=by > 0)
    return found
