"""The state of a machine: two structures, which kernels take whole. What policies may see is apart from the rest.

A *row* is a job's index in the columns, which are those of `thinktime.models.job_columns`.

The state has the columns of requests, and

* ``waiting``, from place ``HEAD`` on, the waiting rows in queue order (key, then submission, then id);
* ``running``, the running rows by (expected end, id), with gaps, and their keys ``expected``; ``fresh[:n]`` has those
  that are not there yet (`thinktime.models.kernels.gapped`);
* ``out`` and ``scratch``, for results and notes of single calls.

The truth, which no policy's kernel is given, has the columns of outcomes, and

* ``ending``, a heap of the running rows by (true end, row), and their keys ``times``;
* ``arrived[:n]``, rows that are submitted at this instant;
* ``tables[:n]``, a heap of rows that will be submitted at their times ``submit``, each the first of a timetable whose
  last row is the one before ``stops``;
* ``told[:n]`` and ``begun[:n]``, which say who has to be told of what (`thinktime.models.kernels.telling`);
* ``following``, which has the next segment of each job that a runtime limit splits, or -1
  (`thinktime.models.kernels.chains`); it is empty where there is no limit;
* ``done``, for results of single calls;
* ``reason``, which says why each job did not start at the last pass, or is empty if nobody asks for it: then
  ``counts[EXPLAINED]``, the reason for a job that has room, is 0.

``counts`` holds the lengths of these, or between what places they are, and other whole numbers, and ``clock`` holds
times. Python reads them as arrays: that is faster than asking a structure.
"""

from thinktime.workloads.compiler import Codes, CodeTable, Floats, Ints, IntTable, StructureKind, maker, whole

INFINITY = float("inf")
ZERO = whole(0)

# places in the state's ``counts``
(
    IDLE, IN_QUEUE, AT_WORK, PROCESSORS, OVERRUN, FIRST_RUNNING, STOP_RUNNING, FRESH, PASSED_OVER, WITHHELD, HEAD,
) = range(11)  # fmt: skip
"""``PASSED_OVER``: so many rows, from the head on, did not start in the last pass, and nothing has ended since. Under a
rule that keeps nothing between passes they cannot start now. ``WITHHELD``: one of them may start with less room."""
# places in its ``clock``; the last two are the shadow time of the last pass, and what is left then
GRACE, SHADOW, LATER = range(3)
# places in the truth's ``counts``
(
    OVER, ARRIVED, TURNED_AWAY, TABLES, TOLD, BEGUN, ENDED_WATCHES, GIVEN, TO_COME, CAMPAIGNS, DUE, FREE, TURN,
    STAMP, KNOWN_ROWS, NEXT_ID, EXPLAINED, WHO,
) = range(18)  # fmt: skip
# places in its ``clock``
NEXT_END, LAST_END, ARRIVAL, REACHED = range(4)
# what happens to a job that reaches its estimate; AS_RECORDED also lets starts exceed the machine
KILL, EXTEND, UNTIL_NEEDED, AS_RECORDED = range(4)
# bits of ``attention``: a job has an event; somebody waits for its end; somebody may wait for its start; it was taken
# back before its submission
KNOWN, AWAITED, AWAITED_START, UNWANTED = 1, 2, 4, 8

COLUMNS = {
    "counts": Ints,
    "clock": Floats,
    "id": Ints,
    "user": Ints,
    "group": Ints,
    "campaign": Ints,
    "submit": Floats,
    "processors": Ints,
    "equivalents": Floats,
    "requested": Floats,
    "think_time": Floats,
    "estimate": Floats,
    "key": Floats,
    "start": Floats,
    "expected_end": Floats,
    "promised": Floats,
    "latest_start": Floats,
    "state": Codes,
    "waiting": Ints,
    "running": Ints,
    "fresh": Ints,
    "expected": Floats,
    "out": Ints,
    "scratch": Ints,
}
STATE = StructureKind("State", **COLUMNS)
"""The state of a machine of processors."""
NODES = {
    "site": Ints,
    "free": IntTable,
    "capacity": IntTable,
    "first": Ints,
    "pieces": Ints,
    "need": IntTable,
    "mask": CodeTable,
    "apart": Codes,
    "alone": Codes,
    "possible": Codes,
    "shape": Ints,
    "offset": Ints,
    "size": Ints,
    "held": Ints,
    "places": IntTable,
    "planned": Codes,
    "taken": Codes,
    "memo": Ints,
    "tried": Ints,
    "lowest": Ints,
    "given": Ints,
    "blocked": Floats,
    "left": IntTable,
    "idle": IntTable,
    "later": IntTable,
    "low": IntTable,
    "blocks": Ints,
}
"""Arrays of nodes (`thinktime.models.kernels.nodes`)."""
ON_NODES = StructureKind("OnNodes", **COLUMNS, **NODES)
"""The state of a machine of nodes."""
# bits of ``manner``: a batch is a campaign; Python is asked for its release; it is a user who follows a plan; who
# submits on the grid of time; whose first campaign is to come; who has no more campaigns than are known; for whom
# Python has to be asked now
NUMBERED, HELD, PLANNED, ON_GRID, FIRST, LAST, ASKED = 1, 2, 4, 8, 16, 32, 64
OF_USER = 1 << 48
"""Added to the number of a user in ``told``."""

BATCHES = {
    "job": Ints,
    "stop_job": Ints,
    "link": Ints,
    "stop_link": Ints,
    "missing": Ints,
    "unfinished": Ints,
    "release": Floats,
    "since": Floats,
    "turn": Ints,
    "stamp": Ints,
    "total": Ints,
    "manner": Codes,
    "until": Floats,
    "code": Ints,
    "due": Ints,
    "free": Ints,
}
"""Arrays of batches (`thinktime.models.kernels.chains`)."""
MEMBERS = {"members": Ints, "offset": Floats}
LINKS = {"after": Ints, "think": Floats}
CAMPAIGNS_AHEAD = {"thought": Floats, "begin": Floats, "jobs": Ints, "overlaps": Codes}
"""Campaigns of users who follow a plan (`thinktime.models.kernels.plans`)."""
JOBS_AHEAD = {"length": Floats, "asked": Floats, "width": Ints}
"""Their jobs: run time, estimate, processors."""
CHAINS = BATCHES | MEMBERS | LINKS | CAMPAIGNS_AHEAD | JOBS_AHEAD
TRUTH = StructureKind(
    "Truth",
    counts=Ints,
    clock=Floats,
    runtime=Floats,
    end=Floats,
    fate=Codes,
    watch=Ints,
    attention=Codes,
    ending=Ints,
    times=Floats,
    arrived=Ints,
    tables=Ints,
    stops=Ints,
    told=Ints,
    begun=Ints,
    left=Ints,
    watches=Ints,
    campaigns=Ints,
    following=Ints,
    done=Ints,
    reason=Codes,
    **CHAINS,
)
make_state = maker(STATE)
make_state_on_nodes = maker(ON_NODES)
make_truth = maker(TRUTH)
