"""The truth about a machine, which no policy is given: what will become of jobs, and who has to be told.

It has the columns of outcomes, and

* ``ending``, a heap of the running rows by (true end, row), and their keys ``times``;
* ``arrived[:n]``, rows that are submitted at this instant;
* ``tables[:n]``, a heap of rows that will be submitted at their times ``submit``, each the first of a timetable whose
  last row is the one before ``stops``;
* ``told[:n]`` and ``begun[:n]``, which say who has to be told of what (`thinktime.models.engine.sources.sources`);
* ``following``, which has the next segment of each job that a runtime limit splits, or -1
  (`thinktime.models.engine.sources.chains`); it is empty where there is no limit;
* ``done``, for results of single calls;
* ``reason``, which says why each job did not start at the last pass, or is empty if nobody asks for it;
* ``patience``, how long each job waits before its user takes it back, s (NaN: for ever); it is empty while nobody is
  ``impatient`` (`thinktime.models.engine.sources.patience`).

Arrays and numbers are as in the state (`thinktime.models.engine.machine_state`).
"""

from __future__ import annotations

from typing import Any

from thinktime.models.engine.codes import fields
from thinktime.models.engine.hazards import Hazards
from thinktime.models.engine.structure import Structure
from thinktime.workloads.arrays import Codes, Floats, Ints


class Truth(Structure):
    """What no policy is given: what will become of jobs, and who has to be told."""

    FIELDS = fields.TRUTH
    NUMBERS = fields.NUMBERS_HIDDEN
    PARTS = ("hazards",)
    answers: Any
    """Answers the questions that the engine asks (`thinktime.models.machine.questions`)."""
    events: Any
    """SimPy's events to come (`thinktime.models.machine.simpy_insides`), where somebody in Python may add to them in
    the middle of a leap; else None."""
    hazards: Hazards
    """Those of users who submit with hazards."""
    over: int
    """Jobs that are over."""
    given: int
    """Jobs that were submitted, or announced."""
    to_come: int
    """Jobs that will be submitted when others are over or their conditions are met."""
    arrived_count: int
    """Rows in ``arrived``."""
    turned_away: int
    """So many of those that were to join the queue last did not."""
    table_count: int
    """Timetables in ``tables``."""
    ended_watches: int
    """Watches in ``watches``, which have to be told that all is over."""
    told_count: int
    """Entries of ``told``."""
    begun_count: int
    """Rows in ``begun``."""
    hit_count: int
    """Rows in ``hit``."""
    campaign_count: int
    """Campaigns so far: the number of the next one."""
    due_count: int
    """Batches in ``due``."""
    next_turn: int
    """The turn of the next batch that becomes free."""
    next_stamp: int
    """The stamp of the next batch whose release becomes known."""
    known_rows: int
    """Rows so far: the next one that the engine makes."""
    next_id: int
    """The id of the next job."""
    explained: int
    """Why a job waits that has room (`thinktime.models.state.Reason`); 0 if nobody asks why jobs wait."""
    who: int
    """The user, or (-1 - user), for whom the engine has stopped."""
    changes_done: int
    """So many of the changes in ``change_time`` are over."""
    changes_known: int
    """Changes in ``change_time``."""
    logged: int
    """Records in ``log``."""
    impatient: int
    """Jobs that are taken back after some time, and 1 if there are users who may."""
    seen: int
    """So many jobs waited after the last pass."""
    in_sight: int
    """As ``seen``, without those that left the queue since."""
    before: int
    """So many jobs waited after the last instant."""
    stirred: bool
    """Whether something has happened at this instant before its pass."""
    urgent: bool
    """Whether somebody has to be told of what has happened in a pass that waits for an answer."""
    wishes: bool
    """Whether users have given back, cancelled, held or let go jobs (`thinktime.models.machine.wishes`)."""
    prolongs: bool
    """Whether the policy may let jobs go on that reach their estimates."""
    observed: bool
    """Whether somebody wants to see the machine before submissions."""
    foresees: bool
    """Whether this is a forecast, which is over when nobody waits any more."""
    next_end: float
    """When the next running job really ends, s; infinite if none runs."""
    last_end: float
    """When the last of the running jobs really ends, s; infinite if none runs."""
    next_arrival: float
    """When the next job is submitted, s, but for those in batches that wait."""
    next_ask: float
    """When the next running job asks for another size, s; infinite for never."""
    next_release: float
    """When the next of these is submitted, s."""
    reached: float
    """The last instant, s."""
    next_change: float
    """When the machine changes next, s; behind the last change that is known, when more have to be found out."""
    asked_at: float
    """When Python was asked last, s."""
    balked_at: float
    """When a user did last not submit because too many jobs waited, s."""
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
    spot: Ints
    sight: Ints
    person: Ints
    balked: Codes
    responds: Codes
    members: Ints
    offset: Floats
    after: Ints
    think: Floats
    gap: Floats
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
    form_true_rates: Floats
    true_rate: Floats
    worked: Floats
    asks_at: Floats
    ask_share: Floats
    form_asks: Ints
    ask_place: Ints
    next_ask_of: Ints
    ask_insists: Codes

    def __init__(self) -> None:
        self.answers, self.hazards = None, Hazards()
        self.make_empty()

    def has_news(self) -> bool:
        """Whether somebody has to be told of something."""
        return bool(self.ended_watches or self.told_count or self.begun_count or self.hit_count)
