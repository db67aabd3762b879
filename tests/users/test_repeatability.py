"""Same inputs and seed, same bytes: in one process and in another."""

import hashlib
import subprocess
import sys

MODEL = """
import hashlib
import numpy as np
import simpy
import thinktime as tt
from scipy import stats
from thinktime.users import Profile, population

def digest(policy):
    env = simpy.Environment()
    machine = tt.Machine(env, 16, policy, "until_needed")
    profile = Profile(
        runtime=stats.lognorm(1.5, scale=60), jobs=stats.geom(0.2), think_time=stats.expon(scale=300),
        processors=lambda rng: rng.integers(1, 17), overestimate=stats.uniform(0.5, 3),
    )
    population(env, machine, {name: profile for name in ("ada", 7)}, seed=5)
    rng = np.random.default_rng(2)
    submit = np.sort(rng.integers(0, 12_000, 80))
    columns = {"submit": submit, "runtime": rng.integers(0, 900, 80), "requested_time": np.full(80, 600)}
    trace = tt.Trace(columns | {"requested_processors": rng.integers(1, 20, 80), "user": rng.integers(0, 4, 80)})
    env.process(tt.submit_trace(env, machine, trace))
    env.run(until=15_000)
    result = machine.result()
    parts = [result[name].tobytes() for name in result.columns] + [repr(result.names).encode()]
    return hashlib.sha256(b"".join(parts)).hexdigest()
"""
POLICIES = ("fcfs", "easy:order=lxf", "conservative", "conservative-dynamic:order=unicef")


def test_the_same_model_gives_the_same_bytes():
    """Twice in one process, and in another."""
    scope: dict = {}
    exec(MODEL, scope)
    here, again = ([scope["digest"](policy) for policy in POLICIES] for _ in range(2))
    code = f"{MODEL}\nfor policy in {POLICIES}:\n    print(digest(policy))"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert there.stdout.split() == here == again
    assert {len(each) for each in here} == {len(hashlib.sha256().hexdigest())}
