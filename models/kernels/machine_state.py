"""The state of a machine: one structure, which every kernel takes whole.

A *row* is a job's index in the columns, which are those of `thinktime.models.job_columns`.

* ``waiting[:n]`` are the waiting rows in queue order (key, then submission, then id).
* ``running[:n]`` are the running rows by ascending (expected end, id), and ``ending[:n]`` the same rows by descending
  true end, so that the next job to end is the last.
* ``arrived[:n]`` are rows that are submitted at this instant.
* ``tables[:n]`` is a heap of rows that will be submitted at their times ``submit``, each the first of a timetable whose
  last row is the one before ``stops``.
* ``told[:n]`` and ``begun[:n]`` say who has to be told what has happened (`thinktime.models.kernels.telling`).
* ``done``, ``out`` and ``scratch`` are for results and notes of single calls.

``counts`` holds the lengths of these and other whole numbers, and ``clock`` holds times. Python reads them as arrays,
which is faster than asking a structure.
"""

from thinktime.workloads.compiler import Codes, Floats, Ints, Kind, maker, whole

INFINITY = float("inf")
ZERO = whole(0)

# places in ``counts``
(
    IDLE,
    IN_QUEUE,
    AT_WORK,
    OVER,
    ARRIVED,
    TURNED_AWAY,
    TABLES,
    TOLD,
    BEGUN,
    ENDED_WATCHES,
    PROCESSORS,
    OVERRUN,
) = range(12)
COUNTS = 12
# places in ``clock``
NEXT_END, ARRIVAL, GRACE, REACHED = range(4)
CLOCKS = 4
# what happens to a job that reaches its estimate; AS_RECORDED also lets starts exceed the machine
KILL, EXTEND, UNTIL_NEEDED, AS_RECORDED = range(4)
# bits of ``attention``: a job has an event; somebody waits for its end; somebody may wait for its start; it was taken
# back before its submission
KNOWN, AWAITED, AWAITED_START, UNWANTED = 1, 2, 4, 8

STATE = Kind(
    "State",
    counts=Ints,
    clock=Floats,
    id=Ints,
    campaign=Ints,
    submit=Floats,
    processors=Ints,
    requested=Floats,
    estimate=Floats,
    key=Floats,
    start=Floats,
    expected_end=Floats,
    promised=Floats,
    state=Codes,
    runtime=Floats,
    end=Floats,
    fate=Codes,
    watch=Ints,
    attention=Codes,
    waiting=Ints,
    running=Ints,
    ending=Ints,
    arrived=Ints,
    tables=Ints,
    stops=Ints,
    told=Ints,
    begun=Ints,
    left=Ints,
    watches=Ints,
    campaigns=Ints,
    done=Ints,
    out=Ints,
    scratch=Ints,
)

make_state = maker(STATE, __file__)
