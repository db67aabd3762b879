"""A log with waits, users and dependencies, and a user in the loop."""

import numpy as np

import thinktime as tt
from thinktime.workloads.generators import generate, preset

PROFILE = tt.Profile(runtime=250.0, jobs=2, think_time=60.0, processors=2, overestimate=2.0)


def busy_log() -> tt.Trace:
    """What a busy machine made of generated campaigns."""
    plan = generate(preset("short-long"), jobs=150, users=4, processors=8, seed=2)
    submit = np.sort(np.random.default_rng(1).integers(0, 40_000, len(plan)).astype(float))
    made = plan.with_columns(submit=submit, think_time=np.where(plan.preceding > 0, 30.0, np.nan))
    ran = tt.replay(made, "fcfs", 8)
    return made.with_columns(wait=ran["start"] - ran["submit"])
