"""The state of a machine: two structures, which kernels take whole. What policies may see is apart from the rest.

A *row* is a job's index in the columns, which are those of `thinktime.models.job_columns`.

The state has the columns of requests, and

* ``waiting``, from place ``HEAD`` on, the waiting rows in queue order (key, then submission, then id);
* ``running``, the running rows by (expected end, id), with gaps, and their keys ``expected``; ``fresh[:n]`` has those
  that are not there yet (`thinktime.models.kernels.gapped`);
* ``eligible``, when the last condition of each job was met; it is empty where no job has any;
* ``out`` and ``scratch``, for results and notes of single calls.

The truth, which no policy's kernel is given, has the columns of outcomes, and

* ``ending``, a heap of the running rows by (true end, row), and their keys ``times``;
* ``arrived[:n]``, rows that are submitted at this instant;
* ``tables[:n]``, a heap of rows that will be submitted at their times ``submit``, each the first of a timetable whose
  last row is the one before ``stops``;
* ``told[:n]`` and ``begun[:n]``, which say who has to be told of what (`thinktime.models.kernels.sources`);
* ``following``, which has the next segment of each job that a runtime limit splits, or -1
  (`thinktime.models.kernels.chains`); it is empty where there is no limit;
* ``done``, for results of single calls;
* ``reason``, which says why each job did not start at the last pass, or is empty if nobody asks for it: then
  ``counts[EXPLAINED]``, the reason for a job that has room, is 0;
* ``patience``, how long each job waits before its user takes it back, s (NaN: for ever); it is empty while
  ``counts[IMPATIENT]`` is 0 (`thinktime.models.kernels.patience`).

``counts`` holds the lengths of these, or between what places they are, and other whole numbers, and ``clock`` holds
times. Python reads them as arrays: that is faster than asking a structure.
"""

from thinktime.workloads.compiler import Codes, CodeTable, Floats, Ints, IntTable, whole
from thinktime.workloads.structures import StructureKind, fields, maker

INFINITY = float("inf")
ZERO = whole(0)

# places in the state's ``counts``
(
    IDLE, IN_QUEUE, AT_WORK, PROCESSORS, OVERRUN, FIRST_RUNNING, STOP_RUNNING, FRESH, PASSED_OVER, WITHHELD, HEAD,
    AHEAD, OUT_OF_TURN,
) = range(13)  # fmt: skip
"""``PASSED_OVER``: so many rows, from the head on, did not start in the last pass, and nothing has ended since. Under a
rule that keeps nothing between passes they cannot start now. ``WITHHELD``: one of them may start with less room.
``AHEAD``: so many windows and repairs are known, which make steps in a profile. ``OUT_OF_TURN``: so many jobs have
joined the queue that were submitted before, so newcomers may be anywhere in it; who has looked sets it to 0."""
# places in its ``clock``: after the first are the shadow time of the last pass and what is left then, then how jobs are
# ended that reach their limits (`thinktime.models.site.time_limits`)
GRACE, SHADOW, LATER, SWEEP, PHASE, OVER_TIME, LAST_WAIT = range(7)
# places in the truth's ``counts``
(
    OVER, ARRIVED, TURNED_AWAY, TABLES, ENDED_WATCHES, TOLD, BEGUN, HIT, GIVEN, TO_COME, CAMPAIGNS, DUE, ANSWERS, TURN,
    STAMP, KNOWN_ROWS, NEXT_ID, EXPLAINED, WHO, NEXT_CHANGE, CHANGES, LOGGED, IMPATIENT, SEEN, IN_SIGHT, STIRRED,
) = range(26)  # fmt: skip
"""``SEEN``: so many jobs waited after the last pass. ``IN_SIGHT``: the same, without those that left the queue since.
``STIRRED``: whether something has happened at this instant before its pass."""
NEWS = slice(ENDED_WATCHES, HIT + 1)
"""Those that count what has to be told."""
# places in its ``clock``
NEXT_END, LAST_END, ARRIVAL, REACHED, CHANGE, ASKED_AT, BALKED_AT = range(7)
# what happens to a job that reaches its estimate; AS_RECORDED also lets starts exceed the machine
KILL, EXTEND, UNTIL_NEEDED, AS_RECORDED = range(4)
# bits of ``attention``: a job has an event; somebody waits for its end; somebody may wait for its start; it was taken
# back before its submission; somebody may wait for an interruption; it comes to the queue after its submission
KNOWN, AWAITED, AWAITED_START, UNWANTED, AWAITED_INTERRUPTION, LATE = 1, 2, 4, 8, 16, 32

LIMITS = fields(
    (Ints, "limit_counts limit_home limit_group limit_first limit_entries limit_note limit_rows entry partition tiers"),
    (Floats, "limit_meters limit_amounts limit_since"),
    (Codes, "limit_bar"),
)
"""Limits of a site (`thinktime.models.kernels.limits`)."""
COLUMNS = (
    fields(
        (Ints, "counts"),
        (Floats, "clock"),
        (Ints, "id user group campaign"),
        (Floats, "submit eligible"),
        (Ints, "processors"),
        (Floats, "equivalents requested think_time estimate key start expected_end promised latest_start"),
        (Codes, "state"),
        (Ints, "waiting running fresh"),
        (Floats, "expected"),
        (Ints, "out scratch"),
    )
    | LIMITS
)
STATE = StructureKind("State", **COLUMNS)
"""The state of a machine of processors."""
NODES = fields(
    (Ints, "site"),
    (IntTable, "free capacity"),
    (Ints, "first pieces"),
    (IntTable, "need"),
    (CodeTable, "mask"),
    (Codes, "apart alone possible"),
    (Ints, "shape offset size held"),
    (IntTable, "places"),
    (Codes, "planned taken"),
    (Ints, "memo tried lowest given"),
    (Floats, "blocked"),
    (IntTable, "left idle later low"),
    (Ints, "blocks"),
)
"""Arrays of nodes (`thinktime.models.kernels.nodes`)."""
ON_NODES = StructureKind("OnNodes", **COLUMNS, **NODES)
"""The state of a machine of nodes."""
CHANGES_SEEN = fields(
    (Ints, "situation"),
    (Floats, "when"),
    (Ints, "runs rank"),
    (Floats, "done first_start checkpoint cost restart notice ready"),
    (Codes, "lasting leaves suspended"),
    (Ints, "kept keeper precedence"),
    (Floats, "booked booked_until classes"),
    (Floats, "opens closes"),
    (Ints, "amount manner slot first_user users first_id ids known victims leaving delayed"),
)
"""What policies may see of a machine that changes (`thinktime.models.kernels.changes`)."""
OUTAGES = fields((Ints, "outages"), (Floats, "back"), (Ints, "broken"))
"""Which processors or nodes are down (`thinktime.models.kernels.changes`)."""
GAPS = fields(
    (Ints, "offset size"),
    (IntTable, "places gaps"),
    (Ints, "remaining taken"),
    (Floats, "seen_times"),
    (Ints, "seen_free"),
)
"""Which processors jobs have, or are idle (`thinktime.models.kernels.gaps`), and what a pass has left of them."""
CHANGING = StructureKind("Changing", **COLUMNS, **CHANGES_SEEN, **OUTAGES, **GAPS)
"""The state of a machine of processors that changes."""
FENCES = fields((Ints, "first_node window_nodes"))
"""Nodes of windows (`thinktime.models.kernels.fences`)."""
CHANGING_NODES = StructureKind(
    "ChangingNodes", (ON_NODES, CHANGING), **COLUMNS, **NODES, **CHANGES_SEEN, **OUTAGES, **FENCES
)
"""The state of a machine of nodes that changes."""
COMING = fields(
    (Floats, "change_time change_until"), (Codes, "change_what"), (Ints, "change_which hit"), (Floats, "log")
)
"""Changes to come, and the runs that are over (`thinktime.models.kernels.interruptions`)."""
# bits of ``manner``: a batch is a campaign; Python is asked for its release; it is a user who follows a plan; who
# submits on the grid of time; whose first campaign is to come; who has no more campaigns than are known; for whom
# Python has to be asked now
NUMBERED, HELD, PLANNED, ON_GRID, FIRST, LAST, ASKED = 1, 2, 4, 8, 16, 32, 64
NEWCOMERS = whole(-1 << 60)
OF_USER = 1 << 48
"""Added to the number of a user in ``told``."""

BATCHES = fields(
    (Ints, "job stop_job link stop_link missing unfinished"),
    (Floats, "release since"),
    (Ints, "last turn stamp total"),
    (Codes, "manner"),
    (Floats, "until shift last_begin crowd"),
    (Ints, "code rhythm due sight"),
    (Codes, "balked"),
)
"""Arrays of batches (`thinktime.models.kernels.chains`)."""
MEMBERS = {"members": Ints, "offset": Floats}
LINKS = {"after": Ints, "think": Floats}
CAMPAIGNS_AHEAD = {
    "thought": Floats, "rest": Floats, "begin": Floats, "jobs": Ints, "overlaps": Codes, "endures": Floats,
}  # fmt: skip
"""Campaigns of users who follow a plan (`thinktime.models.kernels.plans`)."""
JOBS_AHEAD = {"length": Floats, "asked": Floats, "width": Ints}
"""Their jobs: run time, estimate, processors."""
RHYTHMS = {"active": Floats, "pace": Floats}
"""The borders and weights of their weeks (`thinktime.workloads.active_time`)."""
CHAINS = BATCHES | MEMBERS | LINKS | CAMPAIGNS_AHEAD | JOBS_AHEAD | RHYTHMS
TRUTH = StructureKind(
    "Truth",
    **fields(
        (Ints, "counts"),
        (Floats, "clock runtime end"),
        (Codes, "fate"),
        (Ints, "watch"),
        (Codes, "attention"),
        (Ints, "ending"),
        (Floats, "times"),
        (Ints, "arrived tables stops told begun left watches campaigns following done"),
        (Codes, "reason"),
        (Ints, "limit"),
        (Floats, "patience"),
    ),
    **COMING,
    **CHAINS,
)
make_state = maker(STATE)
make_state_on_nodes = maker(ON_NODES)
make_changing_state = maker(CHANGING)
make_changing_nodes = maker(CHANGING_NODES)
make_truth = maker(TRUTH)
