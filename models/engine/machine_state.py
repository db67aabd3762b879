"""The state of a machine: what policies may see. The rest is apart, in `thinktime.models.engine.truth`.

A *row* is a job's index in the columns, which are those of `thinktime.models.jobs.columns`.

The state has the columns of requests, and

* ``waiting``, from place ``head`` on, the waiting rows in queue order (key, then submission, then id);
* ``running``, the running rows by (expected end, id), with gaps, and their keys ``expected``; ``fresh[:n]`` has those
  that are not there yet (`thinktime.models.engine.gapped`);
* ``eligible``, when the last condition of each job was met; it is empty where no job has any;
* ``out`` and ``scratch``, for results and notes of single calls, and ``spare``, of which they have arrays;
* profiles that are begun anew when needed: ``pass_profile`` for a pass on a machine that changes, ``own_view`` for a
  job for which suspended ones keep something, ``base`` and ``trial`` for trials.

Arrays are replaced by longer ones as jobs come; numbers stay. ``FIELDS`` names all arrays, ``NUMBERS`` all numbers.
"""

from __future__ import annotations

from typing import Any

from thinktime.models.engine.codes import fields
from thinktime.models.engine.end_groups import EndGroups
from thinktime.models.engine.parts import Changes, Profiles, Room
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.shortest import Shortest
from thinktime.models.engine.spare import Spare
from thinktime.models.engine.structure import Structure
from thinktime.workloads.arrays import Codes, CodeTable, Floats, Ints, IntTable


class State(Structure):
    """What policies may see of a machine, and its parts; arrays that its kind of machine lacks are empty."""

    FIELDS = fields.SEEN
    NUMBERS = fields.NUMBERS_SEEN
    PARTS = ("pass_profile", "own_view", "trial", "base")
    room: Room
    profiles: Profiles
    changes: Changes
    spare: Spare
    shortest: Shortest
    end_groups: EndGroups  # not copied, nor is ``shortest``
    pass_profile: Profile
    own_view: Profile
    trial: Profile
    base: Profile
    on_nodes: bool
    changing: bool
    grow: Any
    """Makes an array longer in the middle of an instant (`thinktime.models.engine.codes.gaps`)."""
    grow_places: Any
    chooser: Any
    """A user's allocator."""
    idle: int
    """Processors on which nothing runs."""
    in_queue: int
    """Jobs that wait in the queue."""
    at_work: int
    """Jobs that run."""
    machine_size: int
    """Processors of the machine."""
    overrun: int
    """What happens to a job that reaches its estimate (`thinktime.models.engine.codes.machine_state`)."""
    head: int
    """The place in ``waiting`` of the first job of the queue."""
    first_running: int
    """The first place of ``running`` in use."""
    stop_running: int
    """The place of ``running`` behind the last in use."""
    fresh_count: int
    """Rows in ``fresh``."""
    passed_over: int
    """So many rows, from the head on, did not start in the last pass, and nothing has ended since. Under a rule that
    keeps nothing between passes they cannot start now."""
    withheld: bool
    """Whether one of those that were passed over may start with less room."""
    out_of_turn: int
    """So many jobs have joined the queue that were submitted before, so newcomers may be anywhere in it; who has looked
    sets it to 0."""
    grace: float
    """How much later than now a job is expected to end that has reached its estimate, s; 0 if none can."""
    shadow: float
    """The shadow time of the last pass, s."""
    extra: int
    """Processors that are left at the shadow time beside the head of the queue."""
    sweep: float
    """How far apart the sweeps are that end jobs at their limits, s (`thinktime.models.site.time_limits`); 0 if jobs
    are ended exactly."""
    sweep_phase: float
    """When one of the sweeps is, s."""
    over_time_limit: float
    """How much longer than its limit a job may run, s."""
    last_wait: float
    """How long a job lives after the sweep that ends it, s."""
    limited: bool
    """Whether the site has limits (`thinktime.models.engine.limits.limits`)."""
    limit_width: int
    """Numbers that each job has in ``limit_amounts``."""
    limit_eligible: int
    """Waiting rows that may start: those in ``limit_rows``."""
    limit_timed: bool
    """Whether time alone may bring jobs within their limits."""
    limit_leaves: bool
    """Whether the rule has left out the other entries of a job that starts in its pass."""
    allocator: int
    """How nodes are chosen (`thinktime.models.engine.codes.nodes`)."""
    alike: bool
    """Whether nodes have one processor each, and any of them serve every job, so that profiles count processors."""
    anywhere: bool
    """Whether passes count processors, too, since nodes are alike or all jobs ask for processors alone."""
    plain: bool
    """Whether all jobs ask for processors alone."""
    single: bool
    """Whether nodes have one processor each, and jobs ask for nothing else, whatever windows have."""
    mixed: bool
    """Whether some job asks for several kinds of chunks."""
    most_places: int
    """No job needs more places."""
    places_used: int
    """Rows of ``places`` that are given out."""
    found: int
    """Places that were found for the last job that was looked at."""
    failed: bool
    """Whether there are no more places, or a user's allocator has failed."""
    needed: int
    """So many overrunning jobs may be evicted in this pass."""
    given_so_far: int
    """So many nodes have got more room so far."""
    stamp: int
    """What a pass knows of a shape holds until this changes."""
    later_shape: int
    """In what is ``later`` left, no node before ``hope`` has room for a piece of this shape."""
    hope: int
    """The first node that may have room for it."""
    lowest_block: int
    """No block of nodes before this one has an idle processor."""
    now: float
    """The present, s."""
    next_hold: float
    """When the next known window begins, s."""
    next_known: float
    """The next time for which a change is known, s."""
    then: float
    """The time at which the head of the queue is tried, s."""
    requeue_delay: float
    """How long a job that is interrupted stays away from the queue, s."""
    down: int
    """Processors, or nodes, that are down."""
    known_count: int
    """Windows in ``known``."""
    open_for_some: int
    """So many windows are open that admit some jobs."""
    held_by_windows: int
    """Processors of the other windows that are open."""
    endless: int
    """Processors of known windows without end."""
    gap_count: int
    """Ranges of idle processors in ``gaps``."""
    taken_count: int
    """Jobs that have been chosen in this pass: those in ``taken_rows``."""
    included: int
    """So many of the known windows are in this profile."""
    news: int
    """For rules that keep reservations: what has happened (`thinktime.models.engine.codes.situation`)."""
    came_back: int
    """So many processors came back unexpectedly."""
    repairs_told: bool
    """Whether the ends of outages are known."""
    slots: int
    """So many windows that admit some jobs can be open at once."""
    cancels: bool
    """Whether jobs that are interrupted are cancelled."""
    requeues_now: bool
    """Whether they come back at once, and not when what has failed is repaired."""
    most_runs: int
    """A job is given up after so many restarts."""
    ranked: bool
    """Whether jobs have ranks."""
    youngest_first: bool
    """Whether Slurm preempts those first that started last."""
    reorders: int
    """How often Slurm puts candidates in another order."""
    strict_order: bool
    """Whether those behind the decisive one keep theirs."""
    requeues: bool
    """Whether Slurm requeues jobs that do not say so."""
    notice_sweep: float
    """How far apart the sweeps are that end a grace, s."""
    notice_phase: float
    """When one of them is, s."""
    notice_retry: float
    """How far apart a job's attempts are to start instead of those under notice, s."""
    victim_count: int
    """Rows in ``victims``: those who leave for a job of this pass."""
    leaving_count: int
    """Rows in ``leaving``: jobs under notice."""
    delayed_count: int
    """Rows in ``delayed``: jobs on their way back into the queue."""
    again: bool
    """Whether the instant has another round."""
    set_aside: int
    """Rows in ``kept``: suspended jobs."""
    given_up: int
    """So many of these were given up after a failure."""
    fenced: bool
    """Whether what is left later is looked at beside windows."""
    keeps_all: bool
    """Whether suspended jobs keep their processors as well."""
    power_cap: int
    """What the cap leaves above idle, 2⁻¹⁰ W (`thinktime.models.engine.rooms.capped_room`)."""
    power_free: int
    """What running jobs leave of it."""
    power_held: int
    """What open windows take off it."""
    power_endless: int
    """What known windows without end take off it."""
    power_left: int
    """What the pass has left of it."""
    power_later: int
    """What is left at the shadow time."""
    power_included: int
    """So many of the known windows are in the pass's profile of power."""
    power_tried: int
    """A job that is in this profile on trial."""
    power_refuses: bool
    """Whether it was for want of power that a job would have delayed the head."""
    shaped: bool
    """Whether jobs may have several sizes (`thinktime.models.engine.shapes`)."""
    shrinks: bool
    """Whether malleable jobs that lose processors go on with what is left."""
    shrinking_count: int
    """Rows in ``shrinking``: running jobs that will be smaller at a time that is known."""
    asking_count: int
    """Rows in ``asking``: running jobs that ask for more processors."""
    part: int
    """A row that is never submitted: it stands for a part of a job (`thinktime.models.engine.shapes`)."""
    part_shape: int
    """The kind of request of this part, on nodes."""
    resize_count: int
    """Rows in ``resizes``: those of running jobs that get other sizes at this instant."""
    budget_kind: int
    """What happens to jobs whose budget is spent (`thinktime.models.engine.limits.budgets`, also on what follows)."""
    budget_ended: int
    budget_lows: int
    budget_varies: bool
    budget_until: float
    budget_asked: float
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
    watts: Ints
    """The power of each processor that a job uses, above idle, 2⁻¹⁰ W."""
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
    budget_owner: Ints
    budget_account: Ints
    budget_over: Ints
    budget_size: Ints
    budget_first: Ints
    budget_wanted: Floats
    budget_opens: Floats
    budget_left: Floats
    budget_tried: Floats
    budget_whole: Floats
    budget_begin: Floats
    budget_end: Floats
    budget_earlier: Floats
    budget_weights: Floats
    budget_clocks: Floats
    budget_marks: Codes
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
    idle_left: IntTable
    later: IntTable
    low: IntTable
    blocks: Ints
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
    window_watts: Ints
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
    first_node: Ints
    window_nodes: Ints
    taken_rows: Ints
    form: Ints
    form_first: Ints
    form_sizes: Ints
    form_nodes: Ints
    form_preferred: Ints
    form_rates: Floats
    form_cost: Floats
    form_gap: Floats
    form_notice: Floats
    form_malleable: Codes
    rate: Floats
    pause: Floats
    run_began: Floats
    resized: Floats
    still_from: Floats
    shrinks_at: Floats
    shrinks_to: Ints
    shrinking: Ints
    resizes: Ints
    resizes_to: Ints
    more_offset: Ints
    more_size: Ints
    asking: Ints
    asks_for: Ints
    insists: Codes

    def __init__(self, room: Room, profiles: Profiles, changes: Changes, on_nodes: bool, changing: bool) -> None:
        self.room, self.profiles, self.changes = room, profiles, changes
        self.on_nodes, self.changing = on_nodes, changing
        self.spare, self.shortest, self.end_groups = Spare(), Shortest(), EndGroups()
        self.pass_profile, self.own_view, self.trial, self.base = Profile(), Profile(), Profile(), Profile()
        self.make_empty()
