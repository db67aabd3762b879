"""The arrays of a state and of the truth, by name, with their types, and their numbers.

`thinktime.models.engine.machine_state` says what they mean.
"""

import math
from typing import Any

from thinktime.workloads.arrays import Codes, CodeTable, Floats, Ints, IntTable


def fields(*runs: tuple[Any, str]) -> dict[str, Any]:
    """By name, in order: the type of arrays, or what numbers are at first, and the names of some."""
    return {name: kind for kind, names in runs for name in names.split()}


LIMITS = fields(
    (Ints, "limit_home limit_group limit_first limit_entries limit_note limit_rows entry partition tiers"),
    (Floats, "limit_meters limit_amounts limit_since"),
    (Codes, "limit_bar"),
)
"""Limits of a site (`thinktime.models.engine.limits.limits`)."""
BUDGETS = fields(
    (Ints, "budget_owner budget_account budget_over budget_size budget_first"),
    (Floats, "budget_wanted budget_opens budget_left budget_tried budget_whole budget_begin budget_end"),
    (Floats, "budget_earlier budget_weights budget_clocks"),
    (Codes, "budget_marks"),
)
"""Budgets of users or accounts (`thinktime.models.engine.limits.budgets`)."""
COLUMNS = (
    fields(
        (Ints, "id user group campaign"),
        (Floats, "submit eligible"),
        (Ints, "processors"),
        (Floats, "equivalents requested think_time estimate key start expected_end promised latest_start"),
        (Codes, "state"),
        (Ints, "waiting running fresh"),
        (Floats, "expected"),
        (Ints, "out scratch watts"),
    )
    | LIMITS
    | BUDGETS
)
NODES = fields(
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
    (IntTable, "left idle_left later low"),
    (Ints, "blocks"),
)
"""Arrays of nodes (`thinktime.models.engine.rooms.nodes`)."""
CHANGES_SEEN = fields(
    (Ints, "runs rank"),
    (Floats, "done first_start checkpoint cost restart notice ready"),
    (Codes, "lasting leaves suspended"),
    (Ints, "kept keeper precedence"),
    (Floats, "booked booked_until classes"),
    (Floats, "opens closes"),
    (Ints, "amount manner slot window_watts first_user users first_id ids known victims leaving delayed"),
)
"""What policies may see of a machine that changes (`thinktime.models.engine.changes.changes`)."""
OUTAGES = fields((Ints, "outages"), (Floats, "back"), (Ints, "broken"))
"""Which processors or nodes are down (`thinktime.models.engine.changes.changes`)."""
GAPS = fields((Ints, "offset size"), (IntTable, "places gaps"), (Ints, "remaining taken_rows"))
"""Which processors jobs have, or are idle (`thinktime.models.engine.gaps`), and what a pass has left of them."""
FENCES = fields((Ints, "first_node window_nodes"))
"""Nodes of windows (`thinktime.models.engine.rooms.fences`)."""
SHAPES_SEEN = fields(
    (Ints, "form form_first form_sizes form_nodes form_preferred"),
    (Floats, "form_rates form_cost form_gap form_notice"),
    (Codes, "form_malleable"),
    (Floats, "rate pause run_began resized still_from shrinks_at"),
    (Ints, "shrinks_to shrinking resizes resizes_to more_offset more_size asking asks_for"),
    (Codes, "insists"),
)
"""Sizes that jobs may have, and how they change (`thinktime.models.engine.shapes`)."""
SHAPES_HIDDEN = fields(
    (Floats, "form_true_rates true_rate worked asks_at ask_share"),
    (Ints, "form_asks ask_place next_ask_of"),
    (Codes, "ask_insists"),
)
"""What is true of their speed-ups."""
SEEN = COLUMNS | NODES | CHANGES_SEEN | OUTAGES | GAPS | FENCES | SHAPES_SEEN
"""All arrays that some state has."""
COMING = fields(
    (Floats, "change_time change_until"), (Codes, "change_what"), (Ints, "change_which hit"), (Floats, "log")
)
"""Changes to come, and the runs that are over (`thinktime.models.engine.interruptions.interruptions`)."""
BATCHES = fields(
    (Ints, "job stop_job link stop_link missing unfinished"),
    (Floats, "release since"),
    (Ints, "last turn stamp total"),
    (Codes, "manner"),
    (Floats, "until shift last_begin crowd"),
    (Ints, "code rhythm due spot sight person"),
    (Codes, "balked responds"),
)
"""Arrays of batches (`thinktime.models.engine.sources.chains`)."""
MEMBERS = {"members": Ints, "offset": Floats}
LINKS = {"after": Ints, "think": Floats, "gap": Floats}
CAMPAIGNS_AHEAD = {
    "thought": Floats, "rest": Floats, "begin": Floats, "jobs": Ints, "overlaps": Codes, "endures": Floats,
}  # fmt: skip
"""Campaigns of users who follow a plan (`thinktime.models.engine.sources.plans`)."""
JOBS_AHEAD = {"length": Floats, "asked": Floats, "width": Ints}
"""Their jobs: run time, estimate, processors."""
RHYTHMS = {"active": Floats, "pace": Floats}
"""The borders and weights of their weeks (`thinktime.workloads.active_time`)."""
CHAINS = BATCHES | MEMBERS | LINKS | CAMPAIGNS_AHEAD | JOBS_AHEAD | RHYTHMS
TRUTH = (
    fields(
        (Floats, "runtime end"),
        (Codes, "fate"),
        (Ints, "watch"),
        (Codes, "attention"),
        (Ints, "ending"),
        (Floats, "times"),
        (Ints, "arrived tables stops told begun left watches campaigns following done"),
        (Codes, "reason"),
        (Ints, "limit"),
        (Floats, "patience"),
    )
    | COMING
    | CHAINS
    | SHAPES_HIDDEN
)
"""What no policy is given."""
NUMBERS_SEEN: dict[str, int | float] = fields(
    (0, "idle in_queue at_work machine_size overrun head first_running stop_running fresh_count passed_over"),
    (0, "out_of_turn extra limit_width limit_eligible allocator most_places places_used found needed given_so_far"),
    (0, "stamp later_shape hope lowest_block down known_count open_for_some held_by_windows endless gap_count"),
    (0, "taken_count included news came_back slots most_runs victim_count leaving_count delayed_count set_aside"),
    (0, "given_up reorders power_cap power_free power_held power_endless power_left power_later power_included"),
    (0, "power_tried shrinking_count resize_count part part_shape asking_count"),
    (0, "budget_kind budget_ended budget_lows"),
    (0.0, "grace shadow sweep sweep_phase over_time_limit last_wait requeue_delay notice_sweep notice_phase"),
    (0.0, "notice_retry"),
    (False, "limited limit_timed limit_leaves alike anywhere plain single mixed failed repairs_told cancels"),
    (False, "requeues_now ranked again fenced keeps_all withheld youngest_first strict_order requeues power_refuses"),
    (False, "shaped shrinks budget_varies"),
    (math.inf, "next_hold next_known"),
    (-math.inf, "now then budget_until budget_asked"),
)
"""The numbers of a state, and what they are at first."""
NUMBERS_HIDDEN: dict[str, int | float] = fields(
    (0, "over arrived_count turned_away table_count ended_watches told_count begun_count hit_count given to_come"),
    (0, "campaign_count due_count next_turn next_stamp known_rows explained who changes_done changes_known logged"),
    (0, "impatient seen in_sight before"),
    (math.inf, "next_end last_end next_arrival next_release next_change next_ask"),
    (-math.inf, "reached asked_at balked_at"),
    (False, "stirred wishes prolongs observed foresees urgent"),
    (1, "next_id"),
)
"""Those of the truth."""
