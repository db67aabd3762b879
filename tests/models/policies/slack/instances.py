"""Random jobs, close together and often alike, so that ties, full machines and used-up slacks are common."""

from math import inf

from hypothesis import strategies as st

from tests.models.policies.slack.literal import J, Rules

ESTIMATES = st.sampled_from([1, 2, 2, 3, 5, 5, 8, 12, 20, 30])
GAPS = st.sampled_from([0, 0, 0, 1, 1, 2, 5])
PRIORITIES = st.sampled_from([0, 0, 0, 1, 0.5, 0.25])
POLITICAL = st.sampled_from([0, 0, 1, 0.5, -inf, -inf])
DELAYED = st.sampled_from(["shifted", "shifted", "removed"])
HEURISTICS = st.sampled_from(["ast", "aat", "du", "dc", "dp"])


@st.composite
def workloads(draw, processors=4, most=14, priorities=False, overruns=False, withdrawals=False, exact=False, users=0):
    """Some jobs of one machine, in order of submission."""
    jobs: list[J] = []
    now = 0
    for number in range(1, draw(st.integers(2, most)) + 1):
        now += draw(GAPS)
        t = draw(ESTIMATES)
        share = draw(st.sampled_from([1, 1, 0.5, 0.25, 0]))
        runtime = t if exact else int(t * share)
        if overruns and draw(st.booleans()):
            runtime = t + draw(st.sampled_from([1, 3, 40]))
        jobs.append(
            J(
                number, now, draw(st.integers(1, processors)), t, runtime,
                up=draw(PRIORITIES) if priorities else 0,
                pp=draw(POLITICAL) if priorities else 0,
                user=draw(st.integers(1, users)) if users else None,
                withdrawn=now + draw(st.integers(0, 20)) if withdrawals and draw(st.integers(0, 3)) == 0 else None,
            )
        )  # fmt: skip
    return jobs


@st.composite
def rules(draw, processors=4, heuristics=HEURISTICS, **fixed):
    """Parameters around the sizes of the jobs."""
    return Rules(
        processors,
        draw(heuristics),
        draw(st.sampled_from([0, 1, 3, 9])),
        **({"awt": draw(st.sampled_from([1, 4, 10])), "delayed": draw(DELAYED)} | fixed),
    )
