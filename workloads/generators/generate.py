"""From a recipe to a log: `generate`.

Times are whole seconds: submissions are cut, run times rounded and at least 1 s. All jobs are complete
(status 1), with the processors they use both allocated and requested, and the estimate as the time requested;
there are no waits, since no machine has run them. The header holds the recipe as TOML, one line in each note,
after the extent and the seed; `recipe_of` reads it again. t = 0 is midnight before a Monday, UTC (ours: 5
January 1970).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thinktime.workloads.generators import checks, recipe_text
from thinktime.workloads.generators.campaigns import Campaigns
from thinktime.workloads.generators.flurries import flood
from thinktime.workloads.generators.load import load_factor, offered_load, stretched
from thinktime.workloads.generators.lublin import Lublin
from thinktime.workloads.generators.recipe import Recipe
from thinktime.workloads.generators.streams import Draft, Luck, luck
from thinktime.workloads.swf.header import Header
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY

MONDAY = 4 * DAY
"""Unix time of t = 0: 1970 began on a Thursday."""

_RECIPE = "the recipe, in TOML:"

_MEANINGS = {
    Campaigns: (
        "submit times are nominal: each user has a private machine of this size",
        "fields 17 and 18: a job of the user's preceding campaign, and the think time after all of that campaign",
        "group 1: short users, group 2: long users",
    ),
    Lublin: ("queue 0: interactive jobs, queue 1: batch jobs, queue -1: the model of all jobs",),
}


def generate(recipe: Recipe, *, jobs: int, users: int, processors: int, seed: int) -> Trace:
    """Make a log of `jobs` jobs by up to `users` users for a machine of so many processors.

    The same arguments give the same log.
    """
    jobs, users, processors = (
        checks.whole(name, value)
        for name, value in (("jobs", jobs), ("users", users), ("processors", processors))
    )
    seed = checks.whole("seed", seed, 0)
    draft = _draft(recipe, jobs, users, processors, luck(seed))
    trace = _trace(recipe, draft, processors, luck(seed))
    return trace.with_header(_header(recipe, trace, users, processors, seed))


def recipe_of(header: Header) -> Recipe:
    """The recipe that a generated log's header holds."""
    notes = header.all("Note")
    if _RECIPE not in notes:
        raise ValueError("the header holds no recipe; only generated logs have one")
    return recipe_text.read("\n".join(notes[notes.index(_RECIPE) + 1 :]), "the header's recipe")


def _draft(recipe: Recipe, jobs: int, users: int, processors: int, luck: Luck) -> Draft:
    """The jobs with their owners, in order of submission, before a load is reached."""
    if isinstance(recipe.model, Campaigns):
        return recipe.model.draft(jobs, users, processors, luck, recipe.load)
    usual = jobs - sum(flurry.size for flurry in recipe.flurries)
    if usual < 1:
        raise ValueError(f"jobs ({jobs}) must be more than the flurries have ({jobs - usual})")
    draft = recipe.model.draft(usual, processors, luck)
    if recipe.cycle is not None:
        draft = replace(draft, submit=recipe.cycle.warp(draft.submit))
    owner = recipe.users.draw(usual, users, luck("users"))
    draft = replace(draft, more={**draft.more, "user": owner})
    return _flooded(recipe, draft, users, processors, luck) if recipe.flurries else draft


def _flooded(recipe: Recipe, draft: Draft, users: int, processors: int, luck: Luck) -> Draft:
    """The same jobs with those of the flurries among them."""
    extra = flood(recipe.flurries, users, processors, luck("flurries"))
    none = np.full(len(extra.submit), -1, dtype=np.int64)
    more = {name: np.concatenate([values, none]) for name, values in draft.more.items()}
    more["user"][len(draft.submit) :] = extra.user
    submit = np.concatenate([draft.submit, extra.submit])
    order = np.argsort(submit, kind="stable")
    return Draft(
        submit[order],
        np.concatenate([draft.runtime, extra.runtime])[order],
        np.concatenate([draft.processors, extra.processors])[order],
        {name: values[order] for name, values in more.items()},
    )


def _trace(recipe: Recipe, draft: Draft, processors: int, luck: Luck) -> Trace:
    """The jobs in whole seconds, at the wanted load and with estimates."""
    runtime = np.maximum(np.rint(draft.runtime), 1.0)
    factor = 1.0
    if recipe.load is not None and not isinstance(recipe.model, Campaigns):
        factor = load_factor(draft.submit, runtime, draft.processors, processors, recipe.load)
    jobs = len(runtime)
    return Trace(
        {
            "id": np.arange(1, jobs + 1),
            "submit": stretched(draft.submit, factor),
            "runtime": runtime,
            "allocated": draft.processors,
            "requested_processors": draft.processors,
            "requested_time": recipe.estimates.of(runtime, luck("estimates")),
            "status": np.ones(jobs, dtype=np.int64),
            **draft.more,
        }
    )


def _header(recipe: Recipe, trace: Trace, users: int, processors: int, seed: int) -> Header:
    """The extent, the load, what the columns mean here, and the recipe."""
    wanted = "" if recipe.load is None else f" (wanted {recipe.load:g})"
    notes = [
        f"jobs = {len(trace)}, users = {users}, processors = {processors}, seed = {seed}",
        f"offered load {offered_load(trace, processors):.4f}{wanted}",
    ]
    return Header.build(
        Version="2.2",
        Computer="none: a synthetic workload",
        Information="made by thinktime generate",
        MaxJobs=len(trace),
        MaxRecords=len(trace),
        UnixStartTime=MONDAY,
        TimeZoneString="UTC",
        MaxNodes=processors,
        MaxProcs=processors,
        Note=[*notes, *_MEANINGS.get(type(recipe.model), ()), _RECIPE, *recipe_text.lines(recipe)],
    )
