"""Whole logs against a plain loop, and their first months against the brute-force twin."""

import numpy as np
import pytest

import thinktime as tt
from tests.how_many import few_or_many
from tests.logs.plain import starts
from tests.models.twin.reference import simulate
from tests.models.twin.reference_rules import ORDERS, RefJob

pytestmark = pytest.mark.compiled

PROCESSORS = {"KTH": 100, "SDSC": 128, "LANL": 1_024}
MEMORYLESS = ("easy", "easy:reservations=3", "no-guarantee", "conservative-dynamic")
COMPRESS = ("completion", "event", "scheduled", "none")


def columns(trace):
    """Submit, id, processors, run time and estimate of each job, in whole seconds."""
    parts = (trace.submit, trace.id, trace.processors, trace.runtime, trace.estimate)
    return list(zip(*(part.astype(int).tolist() for part in parts), strict=True))


@pytest.mark.parametrize("policy", ["fcfs", "easy"])
@pytest.mark.parametrize("name", ["KTH", "SDSC"])
def test_every_start_of_a_log_is_that_of_a_plain_loop(log, name, policy):
    """FCFS and EASY start each job of a whole log when a loop in plain Python does."""
    trace = log(name)
    expected = starts(columns(trace), PROCESSORS[name], easy=policy == "easy")
    result = tt.replay(trace, policy, PROCESSORS[name])
    assert dict(zip(result["id"].tolist(), result["start"].tolist(), strict=True)) == expected


def against_twin(trace, name, policy, overrun="kill", **options):
    """Start, end, state, and promised start of every job, and the broken reservations."""
    rule = policy.partition(":")[0]
    jobs = [RefJob(number, at, n, run, estimate) for at, number, n, run, estimate in columns(trace)]
    expected, _ = simulate(jobs, PROCESSORS[name], rule=rule, order=ORDERS["fcfs"], overrun=overrun, **options)
    result = tt.replay(trace, policy, PROCESSORS[name], overrun=overrun)
    assert len(result) == len(jobs)
    states = [state.label for state in tt.State]
    for i, number in enumerate(result["id"].tolist()):
        outcome = expected[number]
        found = (result["start"][i], result["end"][i], states[result["state"][i]])
        assert found == (outcome.start, outcome.end, outcome.state), f"job {number}"
        if rule == "conservative":
            assert result["promised"][i] == outcome.promised, f"job {number}"


def first(trace, jobs):
    """The first jobs of a log."""
    return trace.select(np.arange(len(trace)) < jobs)


@pytest.mark.parametrize(("name", "jobs"), [("KTH", 1_500), ("SDSC", 1_000)])
@pytest.mark.parametrize("compress", COMPRESS)
@pytest.mark.parametrize("part", few_or_many(8, 1))
def test_conservative_makes_the_twins_schedule_of_a_log(log, name, jobs, compress, part):
    """Each kind of compression gives the twin's starts and promises on the first months of a log."""
    against_twin(first(log(name), jobs // part), name, f"conservative:compress={compress}", compress=compress)


@pytest.mark.parametrize(("name", "jobs"), [("KTH", 1_500), ("SDSC", 1_200)])
@pytest.mark.parametrize("policy", MEMORYLESS)
@pytest.mark.parametrize("part", few_or_many(8, 1))
def test_other_rules_make_the_twins_schedule_of_a_log(log, name, jobs, policy, part):
    """Rules without memory give the twin's starts on the first months of a log."""
    options = {"reservations": 3} if "reservations" in policy else {}
    against_twin(first(log(name), jobs // part), name, policy, **options)


@pytest.mark.parametrize("overrun", ["extend", "until_needed"])
@pytest.mark.parametrize("policy", ["easy", "conservative", "conservative-dynamic"])
def test_jobs_that_outlive_their_estimates_as_in_the_twin(log, policy, overrun):
    """On a log in which a third of the jobs outlive their estimates, starts and evictions are the twin's."""
    against_twin(first(log("LANL"), 140), "LANL", policy, overrun)
