"""Small random workloads with users, and the package's side of a comparison."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

import thinktime as tt
from tests.models.policies.cplant.twin import Decay, Users
from tests.models.twin.reference_rules import RefJob

PROCESSORS = 8
OVERRUNS = ("kill", "extend", "until_needed")


@st.composite
def workloads(draw, most=14, shortest=0, exact=False, latest=40):
    """A few jobs of a few users on few processors: ties, early ends, zero run times and overruns are common."""
    jobs, owner = [], {}
    for number in draw(st.permutations(range(1, draw(st.integers(1, most)) + 1))):
        estimate = draw(st.sampled_from([1, 2, 3, 5, 8, 10, 20]))
        runtime = draw(st.one_of(st.just(estimate), st.integers(shortest, 25)))
        jobs.append(
            RefJob(
                id=number,
                submit=float(draw(st.integers(0, latest))),
                processors=draw(st.integers(1, PROCESSORS)),
                runtime=float(runtime),
                estimate=float(max(1, runtime) if exact else estimate),
            )
        )
        owner[number] = draw(st.integers(1, 4))
    return jobs, owner


@st.composite
def users(draw, owner):
    """How their usage decays: often within the few seconds that such a workload lasts."""
    decay = Decay(
        period=draw(st.sampled_from([3, 10, 25, 86_400])),
        factor=draw(st.sampled_from([Fraction(1, 2), Fraction(1, 4), Fraction(0), Fraction(1)])),
        origin=draw(st.integers(-5, 12)),
    )
    weights = {user: Fraction(draw(st.sampled_from([1, 2, 4]))) for user in sorted(set(owner.values()))}
    return Users(owner, decay, weights)


def fairshare_text(users: Users) -> str:
    """The same decay and weights as options of a policy."""
    decay = users.decay
    weights = "+".join(f"{user}*{float(weight):g}" for user, weight in users.weights.items())
    text = f"decay={decay.period}s,factor={float(decay.factor):g},decay_origin={decay.origin}s"
    return text + (f",weights={weights}" if weights else "")


def as_trace(jobs, owner) -> tt.Trace:
    """The jobs as a log."""
    return tt.Trace(
        {
            "id": [job.id for job in jobs],
            "submit": [job.submit for job in jobs],
            "runtime": [job.runtime for job in jobs],
            "requested_processors": [job.processors for job in jobs],
            "requested_time": [job.estimate for job in jobs],
            "user": [owner[job.id] for job in jobs],
        }
    )


def schedule(result) -> dict[int, tuple[str, float | None, float | None]]:
    """State, start and end by job."""
    return {
        number: (tt.State(state).label, _none(start), _none(end))
        for number, state, start, end in zip(
            result["id"].tolist(), result["state"], result["start"], result["end"], strict=True
        )
    }


def outcomes(twin) -> dict[int, tuple[str, float | None, float | None]]:
    """The same of a twin."""
    return {number: (each.state, each.start, each.end) for number, each in twin.outcomes.items()}


def _none(value):
    return None if np.isnan(value) else float(value)
