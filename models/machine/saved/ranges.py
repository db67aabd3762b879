"""Indices in a state that was read: compiled code checks none, so all are looked at before it sees them.

The tables say of the arrays of a class from which number on and below which limit their elements are. A limit is a size
of the machine (``rows`` of jobs, ``nodes`` or processors, ``users``, …) or the length of an array of the same object,
perhaps divided, or and one more: ``kinds/9``, ``places+1``. A least number such as ``~free+1`` is the same below 0.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import budgets, interruptions, limits, multifactor
from thinktime.models.engine.codes import hazards as of_hazards
from thinktime.models.engine.codes import nodes as node_codes
from thinktime.models.engine.hazards import Hazards
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.structure import Structure
from thinktime.models.jobs.columns import JobColumns
from thinktime.models.jobs.labels import Labels
from thinktime.models.jobs.pool import OF_REQUESTS, Pool
from thinktime.models.machine.saved.classes import name_of
from thinktime.models.orders.accounts import Accounts
from thinktime.models.state import State

Arrays = Mapping[str, NDArray[Any]]
Limits = Mapping[tuple[int | str, str], str]
"""The least element and the limit, and the arrays of which it is so."""
STATE: Limits = {
    (0, "rows"): "waiting fresh limit_rows budget_over taken_rows victims leaving delayed kept shrinking resizes",
    (-1, "rows"): "keeper",
    ("~rows+1", "rows"): "running entry",
    (-1, "users"): "user",
    (-1, "groups"): "group",
    (-1, "campaigns"): "campaign",
    (0, "limit_first"): "limit_home limit_group",
    (0, f"limit_entries/{limits.OF_ENTRY}+1"): "limit_first",
    (0, "partitions"): "partition",
    (0, "budget_left"): "budget_owner budget_account",
    (0, "pieces+1"): "first",
    (0, "first"): "shape",
    (0, "places+1"): "offset size held more_offset more_size",
    (-1, "forms"): "form",
    (0, "form_sizes+1"): "form_first",
    (0, "form_sizes"): "form_preferred shrinks_to resizes_to",
    (0, f"budget_clocks/{budgets.OF_LINE}+1"): "budget_first",
    (0, "requests"): "form_nodes",
    (0, "nodes+1"): "lowest",
    (0, "opens"): "known",
    (-1, "window slots"): "slot",
    (0, "admitted+1"): "first_user",
    (0, "ids+1"): "first_id",
    (0, "window_nodes+1"): "first_node",
    (0, "nodes"): "window_nodes broken",
    (0, "ranks"): "rank",
}
TRUTH: Limits = {
    (0, "rows"): "ending arrived tables members hit",
    (0, "rows+1"): "stops",
    (-1, "rows"): "following",
    ("~release+1", "left"): "watch",
    (0, "left+1"): "watches",
    (0, "members+1"): "job stop_job",
    (0, "after+1"): "link stop_link",
    (-1, "release"): "last",
    (-1, "left"): "total",
    (0, "release"): "due after",
    (0, "due+1"): "spot",
    (0, "persons+1"): "person",
    (0, "changing"): "change_which",
}
OTHERS: Mapping[str, Limits] = {
    "models.engine.estimates.Predicted": {(0, "rows"): "heap"},
    "models.engine.hazards.Hazards": {
        (0, f"shape/{of_hazards.SHAPE}"): "table",
        (0, "levels"): "level_of regime kind",
        (0, "count+1"): "first stop",
        (-1, "count"): "following latest over_last",
        (-1, "rows"): "last_job",
        (0, "effects"): "bins",
        (0, "clock"): "cells",
        (0, "anything"): "outstanding position paused count",
    },
    "models.engine.sources.eligibility.Conditional": {
        (0, "to"): "first_link next_link",
        (0, "owner"): "to dated",
        (0, "rows"): "ready owner task",
        (0, "slots"): "array fresh",
        (-1, "owner"): "answer",
        (0, "task+1"): "begin stop",
    },
    "models.orders.windows.Windowed": {(0, "rows"): "line", (-2, "usage"): "account"},
    "models.orders.tree_accounts.TreeAccounts": {
        (0, "_usage"): "_home _walk",
        (0, "_usage+1"): "_leaf",
        (0, "rows"): "_line",
        (0, "_line+1"): "_place",
        (0, "_kinds"): "_kind _usual",
    },
    "models.orders.account_nodes.AccountNodes": {(0, "parent"): "parent child", (0, "child+1"): "first"},
    "models.policies.ostrich.virtual.VirtualSchedule": {
        ("~free+1", "free"): "of",
        (0, "rows"): "line",
        (0, "free"): "free begun",
        (0, "latest"): "owner",
        (-1, "free"): "after latest first last",
    },
    "models.policies.slack.passes.SlackRule": {(0, "rows"): "queue"},
}
"""By the names of the classes."""
STATE_NUMBERS = {
    "waiting": "head in_queue passed_over", "running": "first_running stop_running", "fresh": "fresh_count",
    "known": "known_count", "gaps": "gap_count", "taken_rows": "taken_count", "victims": "victim_count",
    "leaving": "leaving_count", "delayed": "delayed_count", "kept": "set_aside", "limit_rows": "limit_eligible",
    "places": "places_used", "shrinking": "shrinking_count", "resizes": "resize_count", "budget_over": "budget_ended",
}  # fmt: skip
"""Numbers that are at most the length of an array."""
TRUTH_NUMBERS = {
    "arrived": "arrived_count", "tables": "table_count", "watches": "ended_watches", "told": "told_count",
    "begun": "begun_count", "hit": "hit_count", "due": "due_count", "change_which": "changes_done changes_known",
}  # fmt: skip
OTHER_NUMBERS = {
    "models.engine.estimates.Predicted": {"heap": "in_heap"},
    "models.engine.profile.Profile": {"times": "n"},
    "models.engine.sources.eligibility.Conditional": {
        "dated": "dated_count", "ready": "ready_count", "fresh": "fresh_count",
    },
    "models.orders.windows.Windowed": {"line": "in_line"},
}  # fmt: skip
OF_ROWS = (*OF_REQUESTS, "runtime", "end", "fate", "watch", "attention", "waiting", "arrived")
"""Arrays with an element for each row."""
TRUTH_OF_ROWS = ("patience", "reason", "following", "true_rate", "worked")
STATE_OF_ROWS = (
    "shape", "held", "planned", "runs", "rank", "done", "first_start", "checkpoint",
    "cost", "restart", "notice", "ready", "lasting", "leaves", "suspended", "keeper", "booked", "booked_until",
    "limit_group", "limit_note", "watts", "limit_bar", "limit_since", "partition", "eligible", "entry",
    "form", "rate", "pause", "run_began", "resized", "still_from", "shrinks_at", "shrinks_to", "more_offset",
    "more_size",
    "budget_owner", "budget_account", "budget_over", "budget_size", "budget_earlier", "budget_wanted", "budget_opens",
    "budget_begin", "budget_end", "budget_marks",
)  # fmt: skip
"""Those that some machines have."""
SHAPES = {
    tuple(range(of_hazards.REGIMES)): "edges", (of_hazards.REGIME_OF,): "regime", (of_hazards.BASE,): "base",
    (of_hazards.CLOCK,): "clock", (of_hazards.SUMS,): "sums", (of_hazards.CELLS_OF,): "cells",
    tuple(range(of_hazards.EFFECTS, of_hazards.SHAPE)): "effects",
}  # fmt: skip
"""Places of a shape, and the arrays into which they lead."""
FAR = 2**62
"""More than there can be of anything."""


class OutOfRangeError(Exception):
    """An index, a length or a count that cannot be."""


def check(objects: Iterable[Any]) -> None:
    """Raise `OutOfRangeError` for what leads nowhere in the objects of a machine."""
    every = list(objects)
    (pool,) = (each for each in every if isinstance(each, Pool))
    (labels,) = (each for each in every if isinstance(each, Labels))
    _Sizes(pool, labels.names).check(every)


class _Sizes:
    """The sizes of one machine, against which its indices are held."""

    def __init__(self, pool: Pool, names: Mapping[str, list[Any]]) -> None:
        self.pool = pool
        self.state, self.truth = _arrays_of(pool.state), _arrays_of(pool.truth)
        windows, nodes = len(self.state["opens"]), len(self.state["free"]) or pool.processors
        site: Any = getattr(pool.limits, "_site", None)
        self.sizes = {
            "rows": pool.requests.capacity, "users": len(names["user"]), "groups": len(names["group"]), "nodes": nodes,
            "campaigns": len(self.truth["campaigns"]), "changing": max(nodes, windows),
            "window slots": int(pool.state.slots), "persons": len(np.asarray(pool.truth.hazards.table)),
            "admitted": len(self.state["users"]), "partitions": 1 if site is None else len(site.partitions),
            "forms": len(self.state["form_preferred"]), "requests": max(len(self.state["first"]) - 1, 1),
            "ranks": round(len(self.state["precedence"]) ** 0.5) or FAR, "anything": FAR,
        }  # fmt: skip

    def check(self, every: Iterable[Any]) -> None:
        """Look at the arrays of the engine, and at those of all other objects."""
        state, truth, rows = self.pool.state.all_numbers(), self.pool.truth.all_numbers(), self.sizes["rows"]
        for arrays, ranges, numbers, counts, some in (
            (self.state, STATE, state, STATE_NUMBERS, STATE_OF_ROWS),
            (self.truth, TRUTH, truth, TRUTH_NUMBERS, TRUTH_OF_ROWS),
        ):
            self._check_ranges(arrays, ranges)
            _check_counts(arrays, numbers, counts)
            for name in arrays:
                size = len(arrays[name])
                _require(size >= rows or (name not in OF_ROWS and (size == 0 or name not in some)), name)
        self._check_sums(state, truth)
        _require(not self.pool.capped or len(self.state["watts"]) >= rows, "watts")
        _require(len(self.state["window_watts"]) == len(self.state["opens"]), "window_watts")
        for each in every:
            name = name_of(type(each)) or ""
            if name in OTHERS and not (isinstance(each, Accounts) and not each.kept):
                self._check_ranges(_arrays_of(each), OTHERS[name])
            if name in OTHER_NUMBERS:
                _check_counts(_arrays_of(each), each.all_numbers(), OTHER_NUMBERS[name])
            if isinstance(each, JobColumns):
                _require(0 <= each.size <= each.capacity, "rows")
                for column in each.schema:
                    _require(len(getattr(each, column)) == each.capacity, column)
            elif isinstance(each, Profile):
                self._check_profile(each)
            elif isinstance(each, Hazards):
                _check_shapes(_arrays_of(each))

    def _check_ranges(self, arrays: Arrays, ranges: Limits) -> None:
        for (least, limit), named in ranges.items():
            low = -self._limit(arrays, least[1:]) if isinstance(least, str) else least
            for name in named.split():
                array = arrays[name]
                inside = not array.size or (int(array.min()) >= low and int(array.max()) < self._limit(arrays, limit))
                _require(inside or not array.any(), name)

    def _limit(self, arrays: Arrays, text: str) -> int:
        name, _, more = text.partition("+")
        name, _, by = name.partition("/")
        return (self.sizes[name] if name in self.sizes else len(arrays[name])) // int(by or 1) + int(more or 0)

    def _check_profile(self, profile: Profile) -> None:
        """Each step has a number, or several; on nodes, the first of these says which step has the others."""
        numbers, steps, on_nodes = np.asarray(profile.free), len(np.asarray(profile.times)), self.state["capacity"].size
        _require(profile.n == 0 or profile.width in (1, 1 + (on_nodes or self.sizes["window slots"])), "width")
        _require(len(numbers) >= steps * profile.width, "free")
        if on_nodes and profile.width > 1:
            firsts = numbers[: steps * profile.width : profile.width]
            _require(not steps or (int(firsts.min()) >= 0 and int(firsts.max()) < steps), "free")

    def _check_sums(self, state: Mapping[str, Any], truth: Mapping[str, Any]) -> None:
        """What no single array says."""
        arrays, nodes = self.state, self.sizes["nodes"]
        _require(state["head"] + state["in_queue"] <= len(arrays["waiting"]), "in_queue")
        _require(state["first_running"] <= state["stop_running"], "running")
        _require(0 <= state["at_work"] <= len(self.truth["ending"]), "at_work")
        _require(state["machine_size"] == self.pool.processors and state["idle"] <= self.pool.processors, "processors")
        here = np.isin(arrays["state"], (State.WAITING, State.RUNNING))
        wide = arrays["processors"][here]
        _require(not here.any() or (int(wide.min()) >= 0 and int(wide.max()) <= self.pool.processors), "processors")
        _require(0 <= truth["logged"] * interruptions.RECORD <= len(self.truth["log"]), "log")
        _require(-1 <= state["later_shape"] < max(len(arrays["first"]), 1) and 0 <= state["hope"] <= nodes, "shapes")
        self._check_forms(state)
        _require(0 <= state["lowest_block"] <= len(arrays["blocks"]), "blocks")
        if len(arrays["offset"]):
            last = arrays["offset"] + np.maximum(arrays["size"], arrays["held"] if len(arrays["held"]) else 0)
            _require(int(last.max()) <= len(arrays["places"]), "places")
        for table in ("places", "gaps"):
            bounds = arrays[table][:, :2]
            _require(not bounds.size or (int(bounds.min()) >= 0 and int(bounds.max()) <= nodes), table)
        if arrays["places"].shape[1] > 2:
            chunks = arrays["places"][:, node_codes.CHUNK]
            _require(int(chunks.min(initial=0)) >= 0 and int(chunks.max(initial=0)) <= len(arrays["pieces"]), "places")
        if len(arrays["limit_entries"]):
            entries = arrays["limit_entries"][: len(arrays["limit_entries"]) // limits.OF_ENTRY * limits.OF_ENTRY]
            meter, resource, _ = entries.reshape(-1, limits.OF_ENTRY).T
            _require(int(meter.min()) >= 0 and (int(meter.max()) + 1) * limits.OF_METER <= len(arrays["limit_meters"]),
                     "limit_entries")  # fmt: skip
            _require(int(resource.min()) >= 0 and int(resource.max()) < max(state["limit_width"], 1), "limit_entries")
            _require(state["limit_width"] * self.sizes["rows"] <= len(arrays["limit_amounts"]), "limit_amounts")
        weights = len(arrays["budget_first"]) * self.sizes["rows"]
        _require(weights <= len(arrays["budget_weights"]), "budget_weights")

    def _check_forms(self, state: Mapping[str, Any]) -> None:
        """Every form has sizes, and these are all that a job of it has; rates and requests can be divided by."""
        arrays, forms = self.state, len(self.state["form_preferred"])
        sizes, shapes = arrays["form_sizes"], getattr(self.pool, "forms", None)
        _require((shapes is not None) == bool(state["shaped"]), "shaped")
        if shapes is None:
            return
        first, rows = arrays["form_first"], self.sizes["rows"]
        _require(len(first) == forms + 1 == len(shapes.shapes) + 1 and first[-1] == len(sizes), "form_first")
        _require(bool((np.diff(first) > 0).all()) and first[0] == 0, "form_first")
        _require(bool(((first[:-1] <= arrays["form_preferred"]) & (arrays["form_preferred"] < first[1:])).all()),
                 "form_preferred")  # fmt: skip
        for name in ("form_cost", "form_gap", "form_notice", "form_malleable"):
            _require(len(arrays[name]) == forms, name)
        for each in (arrays["form_rates"], arrays["form_nodes"], self.truth["form_true_rates"]):
            _require(len(each) == len(sizes), "form_sizes")
        for each in (sizes, arrays["form_rates"], self.truth["form_true_rates"], arrays["rate"]):
            _require(not each.size or bool((each > 0).all()), "form_rates")
        _require(0 <= state["part"] < rows and 0 <= state["part_shape"] < self.sizes["requests"], "part")
        _require(min(map(len, (arrays["resizes_to"], arrays["shrinking"]))) > 0, "resizes")
        if arrays["need"].size:
            of_forms = arrays["need"][arrays["first"][np.append(arrays["form_nodes"], state["part_shape"])], 0]
            _require(int(of_forms.min()) >= 1, "need")
        place, form = arrays["shrinks_to"], arrays["form"]
        waits = arrays["shrinking"][: state["shrinking_count"]]
        _require(bool((form[waits] >= 0).all()), "shrinking")
        _require(bool(((first[form[waits]] <= place[waits]) & (place[waits] < first[form[waits] + 1])).all()),
                 "shrinks_to")  # fmt: skip


def _check_counts(arrays: Arrays, numbers: Mapping[str, Any], counts: Mapping[str, str]) -> None:
    for array, named in counts.items():
        for name in named.split():
            _require(0 <= numbers[name] <= len(arrays[array]), name)


def _check_shapes(arrays: Arrays) -> None:
    """The places at which the tables of users with hazards begin."""
    shapes = arrays["shape"].reshape(-1, of_hazards.SHAPE)
    _require(len(shapes) == 0 or int(shapes.min()) >= 0, "shape")
    for places, name in SHAPES.items():
        _require(not len(shapes) or int(shapes[:, places].max()) <= len(arrays[name]), "shape")
    _require(len(arrays["bins"]) >= of_hazards.BINS * len(arrays["table"]), "bins")


def _arrays_of(one: Any) -> dict[str, NDArray[Any]]:
    """The arrays of an object by name."""
    if isinstance(one, Structure):
        return {name: np.asarray(getattr(one, name)) for name in one.FIELDS}
    own = vars(one)
    if "_arrays" in own:
        return dict(own["_arrays"])
    found = {name: value for name, value in own.items() if isinstance(value, np.ndarray)}
    kinds = own.get("_kinds")
    return found if kinds is None else found | {"_kinds": kinds.table().reshape(-1, multifactor.OF_KIND)}


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise OutOfRangeError(what)
