"""Policies as people write them in Python, and a log on which they have something to do."""

import random

import thinktime as tt


def whatever_fits(view, now):
    """The idiom of the documentation."""
    for job in view.queue:
        if view.fits(job):
            yield job


def one_at_a_time(view, now):
    """The pattern to avoid."""
    return [job for job in view.queue if view.fits(job)][:1]


def busy_log(jobs=400, seed=1):
    """A log with bursts, narrow and wide jobs."""
    draw, time, rows = random.Random(seed), 0, []
    for _ in range(jobs):
        time += draw.choice([0, 0, 0, 30, 900])
        rows.append((time, draw.choice([10, 60, 300, 900]), draw.choice([1, 1, 2, 3, 8]), draw.randint(1, 5)))
    submit, runtime, allocated, user = zip(*rows, strict=True)
    return tt.Trace({"submit": submit, "runtime": runtime, "allocated": allocated, "user": user})
