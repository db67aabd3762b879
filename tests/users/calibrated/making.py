"""Logs and tables of hazards made for tests, by Hypothesis."""

import numpy as np
from hypothesis import strategies as st

import thinktime as tt
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.tables import CELLS, STATES, HazardTables
from thinktime.workloads.header import Header

PROCESSORS = 4
REGIMES = 5
PARTS = ("ages", "ends", "states", "clock", "response", "slowdown", "queue", "done", "position", "levels", "classes")
NONE = "none"
"""Among the parts of tables: hazards of 0."""


@st.composite
def logs(draw, most=14, users=2):
    """A few jobs of a few users and of nobody: bursts, nights, overlaps, ties, waits as they happen to be."""
    gaps = st.sampled_from([0.0, 1.0, 30.0, 60.0, 61.0, 300.0, 2_000.0, 9_001.0, 40_000.0])
    size = draw(st.integers(2, most))
    submit = np.cumsum([draw(gaps) for _ in range(size)])
    runtime = [draw(st.sampled_from([0.0, 7.0, 59.0, 61.0, 900.0, 4_003.0, 20_011.0])) for _ in range(size)]
    columns = {
        "id": np.arange(1, size + 1), "user": [draw(st.integers(-1, users)) for _ in range(size)], "submit": submit,
        "wait": [draw(st.sampled_from([0.0, 0.0, 5.0, 70.0, 1_201.0, 15_013.0])) for _ in range(size)],
        "runtime": runtime, "requested_processors": [draw(st.integers(1, PROCESSORS)) for _ in range(size)],
        "requested_time": [each * draw(st.sampled_from([1, 2, 5])) + 1 for each in runtime],
    }  # fmt: skip
    return tt.Trace(columns, Header().set("MaxProcs", PROCESSORS))


@st.composite
def edges(draw, first):
    """Ascending edges from 0 on."""
    more = draw(st.lists(st.sampled_from([1.0, 2.5, 7.0, 20.0, 111.0]), min_size=1, max_size=3, unique=True))
    return np.array([0.0, *sorted(first * each for each in more)])


@st.composite
def tables(draw, classes=2):
    """Tables with some of `PARTS`, and levels and classes of as many users as there may be."""
    parts = draw(st.sets(st.sampled_from([*PARTS, NONE])))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    ages, ends = draw(edges(300.0)), draw(edges(200.0))
    of = {
        "response": draw(edges(500.0)), "slowdown": draw(edges(1.0)), "queue": draw(edges(1.0)),
        "done": np.array([0.0, 0.25, 0.5, 1.0]), "position": np.array([0.0, 2.0, 3.0]),
    }  # fmt: skip
    count = classes if "classes" in parts else 1

    def some(*shape: int, part: str) -> np.ndarray:
        found = rng.normal(0.0, 1.0, shape) if part in parts else np.zeros(shape)
        if part in parts and NONE in parts:
            found[rng.random(shape) < 0.15] = -np.inf
        return found

    each = (count, STATES, len(ends) + 1, len(ages))
    base = (
        np.full(each, -8.0) + some(count, 1, 1, len(ages), part="ages") + some(count, 1, len(ends) + 1, 1, part="ends")
    )
    base = base + some(count, STATES, 1, 1, part="states")
    effects = {
        name: some(count, REGIMES, len(edge) + (name in ("response", "slowdown")), part=name)
        for name, edge in of.items()
    }
    return HazardTables(
        base=np.broadcast_to(base, each).copy(),
        clock=some(count, REGIMES, CELLS, part="clock"),
        **effects,
        **{f"{name}_edges": edge for name, edge in of.items()},
        regime=rng.integers(0, REGIMES, each),
        since_submission=ages,
        since_end=ends,
        break_=draw(st.sampled_from([600.0, 14_400.0])),
    ), rng.normal(0.0, 1.0, (64, REGIMES)) * ("levels" in parts), rng.integers(0, count, 64)  # fmt: skip


@st.composite
def calendars(draw):
    """Hours with cells at random, from some hour before or after the log's start."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    first = draw(st.sampled_from([0.0, -3_600.0, -1_234.0, 7_200.0]))
    return Calendar(rng.integers(0, CELLS, draw(st.sampled_from([168, 200, 400]))), first)
