"""Tables of outages for tests of files: drawn, and as lists of rows."""

import datetime
import math
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from thinktime.workloads.calendar import Calendar
from thinktime.workloads.changes import Outages

STOCKHOLM = Calendar(1_000_000_000, datetime.timezone(datetime.timedelta(hours=2)))  # 2001-09-09T03:46:40
FILES = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
TIMES = (st.integers(0, 2**30) | st.integers(0, 2**52)).map(lambda ticks: ticks / 1024)


@st.composite
def outages(draw: st.DrawFn) -> Outages:
    rows = draw(
        st.lists(st.tuples(TIMES, st.just(math.inf) | st.integers(1, 9), st.sets(st.integers(0, 2), min_size=1)))
    )
    found = Outages.of([(start, start + length, sorted(which)) for start, length, which in rows])
    return found.named(["n1", "n2", "n3"]) if draw(st.booleans()) else found


def named(table: Outages) -> list[tuple[float, float, Any]]:
    """The rows of a table, with names where there are some."""
    places = range(2**24) if table.names is None else table.names
    columns = (table.start.tolist(), table.end.tolist(), [places[i] for i in table.index.tolist()])
    return sorted(zip(*columns, strict=True))
