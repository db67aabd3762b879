"""The state of a machine, in two objects: what policies may see is apart from the rest.

A *row* is a job's index in the columns, which are those of `thinktime.models.job_columns`.

The state has the columns of requests, and

* ``waiting``, from place ``HEAD`` on, the waiting rows in queue order (key, then submission, then id);
* ``running``, the running rows by (expected end, id), with gaps, and their keys ``expected``; ``fresh[:n]`` has those
  that are not there yet (`thinktime.models.engine.gapped`);
* ``eligible``, when the last condition of each job was met; it is empty where no job has any;
* ``out`` and ``scratch``, for results and notes of single calls, and ``spare``, of which they have arrays.

The truth, which no policy is given, has the columns of outcomes, and

* ``ending``, a heap of the running rows by (true end, row), and their keys ``times``;
* ``arrived[:n]``, rows that are submitted at this instant;
* ``tables[:n]``, a heap of rows that will be submitted at their times ``submit``, each the first of a timetable whose
  last row is the one before ``stops``;
* ``told[:n]`` and ``begun[:n]``, which say who has to be told of what (`thinktime.models.engine.sources`);
* ``following``, which has the next segment of each job that a runtime limit splits, or -1
  (`thinktime.models.engine.chains`); it is empty where there is no limit;
* ``done``, for results of single calls;
* ``reason``, which says why each job did not start at the last pass, or is empty if nobody asks for it: then
  ``counts[EXPLAINED]``, the reason for a job that has room, is 0;
* ``patience``, how long each job waits before its user takes it back, s (NaN: for ever); it is empty while
  ``counts[IMPATIENT]`` is 0 (`thinktime.models.engine.patience`).

``counts`` holds the lengths of these, or between what places they are, and other whole numbers, and ``clock`` holds
times. Python reads them as arrays of its own: that is faster than to ask the state.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from thinktime.models.engine.codes import fields
from thinktime.models.engine.parts import Changes, Profiles, Room
from thinktime.models.engine.spare import Spare
from thinktime.models.engine.structure import Structure
from thinktime.workloads.arrays import Codes, CodeTable, Floats, Ints, IntTable

EVERY = fields.COLUMNS | fields.NODES | fields.CHANGES_SEEN | fields.OUTAGES | fields.GAPS | fields.FENCES
"""All arrays that some state has."""
EMPTY = {
    Ints: np.empty(0, np.int64), Floats: np.empty(0), Codes: np.empty(0, np.int8),
    IntTable: np.empty((0, 0), np.int64), CodeTable: np.empty((0, 0), np.int8),
}  # fmt: skip


@functools.cache
def _others(names: tuple[str, ...]) -> tuple[list[str], list[Any]]:
    """The arrays that a machine does not have, empty: who looks at one finds nothing there, and no memory either."""
    missing = [name for name in EVERY if name not in names]
    return missing, [EMPTY[EVERY[name]] for name in missing]


class State(Structure):
    """What policies may see of a machine, and its parts; arrays that its kind of machine lacks are empty."""

    room: Room
    profiles: Profiles
    changes: Changes
    spare: Spare
    on_nodes: bool
    changing: bool
    grow: Any
    """Makes an array longer in the middle of an instant (`thinktime.models.engine.codes.gaps`)."""
    grow_places: Any
    chooser: Any
    """A user's allocator."""
    counts: Ints
    clock: Floats
    id: Ints
    user: Ints
    group: Ints
    campaign: Ints
    submit: Floats
    eligible: Floats
    processors: Ints
    equivalents: Floats
    requested: Floats
    think_time: Floats
    estimate: Floats
    key: Floats
    start: Floats
    expected_end: Floats
    promised: Floats
    latest_start: Floats
    state: Codes
    waiting: Ints
    running: Ints
    fresh: Ints
    expected: Floats
    out: Ints
    scratch: Ints
    limit_counts: Ints
    limit_home: Ints
    limit_group: Ints
    limit_first: Ints
    limit_entries: Ints
    limit_note: Ints
    limit_rows: Ints
    entry: Ints
    partition: Ints
    tiers: Ints
    limit_meters: Floats
    limit_amounts: Floats
    limit_since: Floats
    limit_bar: Codes
    site: Ints
    free: IntTable
    capacity: IntTable
    first: Ints
    pieces: Ints
    need: IntTable
    mask: CodeTable
    apart: Codes
    alone: Codes
    possible: Codes
    shape: Ints
    offset: Ints
    size: Ints
    held: Ints
    places: IntTable
    planned: Codes
    taken: Codes
    memo: Ints
    tried: Ints
    lowest: Ints
    given: Ints
    blocked: Floats
    left: IntTable
    idle: IntTable
    later: IntTable
    low: IntTable
    blocks: Ints
    situation: Ints
    when: Floats
    runs: Ints
    rank: Ints
    done: Floats
    first_start: Floats
    checkpoint: Floats
    cost: Floats
    restart: Floats
    notice: Floats
    ready: Floats
    lasting: Codes
    leaves: Codes
    suspended: Codes
    kept: Ints
    keeper: Ints
    precedence: Ints
    booked: Floats
    booked_until: Floats
    classes: Floats
    opens: Floats
    closes: Floats
    amount: Ints
    manner: Ints
    slot: Ints
    first_user: Ints
    users: Ints
    first_id: Ints
    ids: Ints
    known: Ints
    victims: Ints
    leaving: Ints
    delayed: Ints
    outages: Ints
    back: Floats
    broken: Ints
    gaps: IntTable
    remaining: Ints
    seen_times: Floats
    seen_free: Ints
    first_node: Ints
    window_nodes: Ints
    taken_rows: Ints

    def __init__(
        self, room: Room, profiles: Profiles, changes: Changes, on_nodes: bool, changing: bool, names: Any, arrays: Any
    ) -> None:
        self.room, self.profiles, self.changes, self.on_nodes, self.changing = (
            room,
            profiles,
            changes,
            on_nodes,
            changing,
        )
        self.spare = Spare()
        self.bind(names, arrays)
        missing, empty = _others(names)
        self.bind(missing, empty)


class Truth(Structure):
    """What no policy is given: what will become of jobs, and who has to be told."""

    answers: Any
    FIELDS = tuple(fields.TRUTH)
    counts: Ints
    clock: Floats
    runtime: Floats
    end: Floats
    fate: Codes
    watch: Ints
    attention: Codes
    ending: Ints
    times: Floats
    arrived: Ints
    tables: Ints
    stops: Ints
    told: Ints
    begun: Ints
    left: Ints
    watches: Ints
    campaigns: Ints
    following: Ints
    done: Ints
    reason: Codes
    limit: Ints
    patience: Floats
    change_time: Floats
    change_until: Floats
    change_what: Codes
    change_which: Ints
    hit: Ints
    log: Floats
    job: Ints
    stop_job: Ints
    link: Ints
    stop_link: Ints
    missing: Ints
    unfinished: Ints
    release: Floats
    since: Floats
    last: Ints
    turn: Ints
    stamp: Ints
    total: Ints
    manner: Codes
    until: Floats
    shift: Floats
    last_begin: Floats
    crowd: Floats
    code: Ints
    rhythm: Ints
    due: Ints
    sight: Ints
    balked: Codes
    members: Ints
    offset: Floats
    after: Ints
    think: Floats
    thought: Floats
    rest: Floats
    begin: Floats
    jobs: Ints
    overlaps: Codes
    endures: Floats
    length: Floats
    asked: Floats
    width: Ints
    active: Floats
    pace: Floats
