"""Jobs: what they hold and what they refuse."""

import copy
import dataclasses
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from thinktime.workloads import Job


def test_defaults() -> None:
    """A job needs a run time only: one processor, nothing declared, no user."""
    job = Job(runtime=60)
    assert (job.runtime, job.processors, job.estimate, job.user, job.id) == (60.0, 1, None, None, None)


@pytest.mark.parametrize(
    ("runtime", "estimate", "requested"), [(60, None, 60.0), (0, None, 1.0), (60, 90, 90.0), (60, 0.5, 1.0)]
)
def test_requested_time(runtime: float, estimate: float | None, requested: float) -> None:
    """The machine is asked for the estimate, else for the run time, and for at least 1 s."""
    assert Job(runtime=runtime, estimate=estimate).requested_time == requested


def test_times_are_on_the_grid() -> None:
    """Run time, estimate and think time are rounded to multiples of 1/1024 s."""
    job = Job(runtime=0.1, estimate=1.1, think_time=2.1)
    assert (job.runtime, job.estimate, job.think_time) == (102 / 1024, 1126 / 1024, 2150 / 1024)


def test_numpy_scalars_become_python_numbers() -> None:
    """NumPy's scalars are accepted and held as plain Python values."""
    scalars: dict[str, Any] = {"runtime": np.float32(2), "processors": np.int16(4), "memory": np.int64(8)}
    names: dict[str, Any] = {"user": np.str_("ada"), "id": np.uint8(3)}
    job = Job(**scalars, **names)
    held = (job.runtime, job.processors, job.memory, job.user, job.id)
    assert [type(value) for value in held] == [float, int, float, str, int]
    half: Any = Fraction(1, 2)
    assert Job(runtime=half).runtime == 0.5


@pytest.mark.parametrize("field", ["runtime", "estimate", "memory", "think_time"])
@pytest.mark.parametrize("value", [-1, float("nan"), float("inf")])
def test_numbers_out_of_range(field: str, value: float) -> None:
    """A quantity that is negative or not finite is refused by name and value."""
    with pytest.raises(ValueError, match=f"{field} must be finite and at least 0 .*not {float(value)!r}"):
        Job(**({"runtime": 1.0} | {field: value}))  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["runtime", "estimate", "memory", "think_time"])
@pytest.mark.parametrize("value", [True, np.True_, [60], 1j])
def test_no_numbers(field: str, value: Any) -> None:
    """A quantity that is not a number, a truth value included, is refused by name and value."""
    with pytest.raises(TypeError, match=f"{field} must be a number"):
        Job(**{"runtime": 1.0, field: value})


@pytest.mark.parametrize("value", [1.0, True, "1", None, float("nan")])
def test_processors_are_whole(value: Any) -> None:
    """Processors are counted in whole numbers."""
    with pytest.raises(TypeError, match="processors must be a whole number of at least 1, not"):
        Job(runtime=1, processors=value)


def test_at_least_one_processor() -> None:
    """A job occupies at least one processor."""
    with pytest.raises(ValueError, match="processors must be a whole number of at least 1, not 0"):
        Job(runtime=1, processors=0)


@pytest.mark.parametrize("field", ["user", "group", "queue", "partition"])
@pytest.mark.parametrize("value", [True, 1.0, b"ada", ("a",)])
def test_names(field: str, value: Any) -> None:
    """A user, group or queue is a text or a whole number."""
    with pytest.raises(TypeError, match=f"{field} must be a string, a whole number, or None, not"):
        Job(**{"runtime": 1.0, field: value})


def test_frozen() -> None:
    """A job cannot be changed, only replaced; equal jobs are equal, copies included."""
    job = Job(runtime=60, user="ada")
    with pytest.raises(dataclasses.FrozenInstanceError):
        job.runtime = 1.0  # type: ignore[misc]
    assert dataclasses.replace(job, runtime=90).requested_time == 90.0
    assert pickle.loads(pickle.dumps(job)) == copy.deepcopy(job) == job
    assert not hasattr(job, "__dict__")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"checkpoint": -1}, "checkpoint must be finite and at least 0"),
        ({"checkpoint": 0}, r"checkpoint must be above 0 \(seconds of work\), not 0"),
        ({"checkpoint": 1e-9}, r"checkpoint must be above 0"),
        ({"checkpoint": math.nan}, "checkpoint must be finite"),
        ({"checkpoint_cost": -3}, "checkpoint_cost must be finite and at least 0"),
        ({"restart": math.inf}, "restart must be finite"),
    ],
)
def test_times_of_checkpoints_are_checked(fields: dict[str, Any], message: str) -> None:
    """What a job says of its runs is checked when it is made."""
    with pytest.raises(ValueError, match=message):
        Job(runtime=1, **fields)


def test_what_a_job_may_say_of_its_runs() -> None:
    """Checkpoints may be infinitely far apart, times are on the grid, and a requeue is a truth value or None."""
    assert Job(runtime=1, checkpoint=math.inf).checkpoint == math.inf
    assert Job(runtime=1, checkpoint=1.0001, checkpoint_cost=0.3, restart=2).checkpoint_cost == 307 / 1024
    with pytest.raises(TypeError, match="requeue must be True, False or None, not 'no'"):
        Job(runtime=1, requeue="no")  # type: ignore[arg-type]
