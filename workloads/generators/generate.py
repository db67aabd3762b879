"""Generate a log from a recipe.

Times are whole seconds: submissions are rounded down, run times to the nearest and at least 1 s. All jobs are
completed (status 1), with the same processors allocated and requested. There are no waits, since no machine has
run the jobs. The header contains the extent, the seed and then the recipe as TOML, one line per note, which
`recipe_of` reads back. t = 0 is midnight before a Monday, UTC (ours: 5 January 1970).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.extents import DEFAULT_EXTENT
from thinktime.workloads.generators import recipe_text
from thinktime.workloads.generators.campaign_jobs import Campaigns, UserPlan, cut
from thinktime.workloads.generators.job_streams import Draft, Luck, luck
from thinktime.workloads.generators.load import reach
from thinktime.workloads.generators.lublin import Lublin
from thinktime.workloads.generators.nominal import at_load
from thinktime.workloads.generators.owners import Flood, flood
from thinktime.workloads.generators.recipe import Extent, Recipe
from thinktime.workloads.generators.user_classes import Mix
from thinktime.workloads.header import Header
from thinktime.workloads.names import quoted
from thinktime.workloads.offered_load import offered_load
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

MOST_JOBS = 100_000_000
"""The largest number of jobs of a log, which takes some 15 GB; more are a mistake."""


def generate(
    recipe: Recipe | str,
    *,
    seed: int = 1,
    jobs: int | None = None,
    users: int | None = None,
    processors: int | None = None,
) -> Trace:
    """Make a log of `jobs` jobs by up to `users` users for a machine of `processors` processors.

    The recipe is a `Recipe`, the name of one (`PRESETS`), or of a file, FILE.toml. Missing arguments are taken from the
    recipe's `extent`; with a name, they are otherwise 10,000 jobs, 26 users and 64 processors. The same arguments give
    the same log. ``TypeError`` for what is no recipe.

    >>> log = generate("lublin", jobs=5, users=2, processors=16)
    >>> len(log), int(log.processors.max()) <= 16
    (5, True)
    """
    given: Any = recipe
    usual: Mapping[str, int] = {}
    if isinstance(recipe, str):
        recipe = recipe_text.read_file(Path(recipe)) if recipe.endswith(".toml") else recipe_text.preset(recipe)
        usual = DEFAULT_EXTENT if recipe.extent is None else {}
    if not isinstance(given, Recipe | str):
        names = ", ".join(recipe_text.PRESETS)
        raise TypeError(f"a recipe is a Recipe, FILE.toml or one of {names}, not {quoted(recipe)}")
    extent, seed = _extent(recipe, jobs, users, processors, usual), checks.whole("seed", seed, 0)
    draft, factor = _draft(recipe, extent, luck(seed))
    trace = _trace(recipe, draft, luck(seed))
    return trace.with_header(_header(recipe, trace, extent, seed, factor))


def plans_of(
    recipe: Recipe, *, seed: int, jobs: int | None = None, users: int | None = None, processors: int | None = None
) -> list[UserPlan]:
    """The campaigns of the log with this seed, user by user, for users in the loop.

    A stream is first converted to its `closed` recipe. Users without a campaign are left out.
    """
    recipe = recipe.closed()
    extent, seed = _extent(recipe, jobs, users, processors), checks.whole("seed", seed, 0)
    if isinstance(recipe.model, Campaigns):
        size = extent.jobs, extent.users, extent.processors
        plans = recipe.model.campaigns_of(*size, seed, recipe.load, recipe.cycle)
    else:
        plans = _plans_of_classes(recipe, recipe.model, extent, luck(seed))
    runtime = np.array([time for plan in plans for jobs in plan.runtimes for time in jobs])
    told = iter(recipe.requested.of(runtime, luck(seed)("estimates")).tolist())
    return [replace(plan, estimates=[[next(told) for _ in jobs] for jobs in plan.runtimes]) for plan in plans]


def recipe_of(header: Header) -> Recipe:
    """The recipe in the header of a generated log."""
    notes = header.all("Note")
    if _RECIPE not in notes:
        raise ValueError("the header has no recipe; only generated logs have one")
    return recipe_text.read("\n".join(notes[notes.index(_RECIPE) + 1 :]), "the header's recipe")


def _extent(
    recipe: Recipe,
    jobs: int | None,
    users: int | None,
    processors: int | None,
    usual: Mapping[str, int] = MappingProxyType({}),
) -> Extent:
    own = recipe.extent
    given = {"jobs": jobs, "users": users, "processors": processors}
    given |= {name: usual.get(name) for name, value in given.items() if value is None}
    for name, value in given.items():
        if value is None and own is None:
            raise ValueError(f"{name} must be given: the recipe has no extent")
    found = Extent(**{name: getattr(own, name) if value is None else value for name, value in given.items()})
    if found.jobs > MOST_JOBS:
        raise ValueError(f"jobs must be at most {MOST_JOBS:,}, not {quoted(found.jobs)}")
    return found


def _draft(recipe: Recipe, extent: Extent, luck: Luck) -> tuple[Draft, float]:
    """The jobs with their owners, in order of submission, and the factor that gives the wanted load.

    The factor is on think times for campaigns, else on the rate of submissions.
    """
    if isinstance(recipe.model, Campaigns):
        plan = recipe.model.plan(extent.jobs, extent.users, extent.processors, luck, recipe.cycle)
        plan, factor = at_load(plan, extent.processors, recipe.load)
        return recipe.model.draft(plan, extent.users, extent.processors), factor
    usual = extent.jobs - sum(flurry.size for flurry in recipe.flurries)
    if usual < 1:
        raise ValueError(f"jobs ({extent.jobs}) must be more than the flurries have ({extent.jobs - usual})")
    extra = None
    if recipe.flurries:
        extra = flood(recipe.flurries, extent.users, extent.processors, luck("flurries"))
    draft, last, rate = _at_load(recipe, replace(extent, jobs=usual), extra, luck)
    return _submitted(draft, last, extra), rate


def _at_load(recipe: Recipe, extent: Extent, extra: Flood | None, luck: Luck) -> tuple[Draft, float, float]:
    """The jobs at the wanted load, the final factor on operational times, and the factor on the rate."""

    def draw(rate: float) -> Draft:
        model = recipe.model
        assert not isinstance(model, Campaigns)
        if isinstance(model, Mix):
            draft = model.draft(extent.jobs, extent.users, extent.processors, luck, rate)
        else:
            draft = model.draft(extent.jobs, extent.processors, luck, rate=rate)
            owner = recipe.users.draw(extent.jobs, extent.users, luck("users"))
            draft = replace(draft, more={**draft.more, "user": owner})
        draft = draft if recipe.cycle is None else draft.on(recipe.cycle)
        hours = getattr(model, "hours", None)
        return draft if hours is None else draft.on(hours)

    if recipe.load is None:
        return draw(1.0), 1.0, 1.0
    bursty = not isinstance(recipe.model, Campaigns) and recipe.model.bursty
    return reach(draw, bursty, extra, extent.processors, recipe.load)


def _submitted(draft: Draft, factor: float, extra: Flood | None) -> Draft:
    """The jobs in order of submission, after the clocks and with the flurries merged in."""
    submit, runtime, sizes, more = draft.times(factor), draft.runtime, draft.processors, dict(draft.more)
    if extra is not None:
        none = np.full(len(extra.submit), -1, dtype=np.int64)
        more = {name: np.concatenate([values, none]) for name, values in more.items()}
        more["user"][len(submit) :] = extra.user
        submit = np.concatenate([submit, extra.submit])
        runtime = np.concatenate([runtime, extra.runtime])
        sizes = np.concatenate([sizes, extra.processors])
    return Draft(submit, runtime, sizes, more).rows(np.argsort(submit, kind="stable"))


def _plans_of_classes(recipe: Recipe, model: Any, extent: Extent, luck: Luck) -> list[UserPlan]:
    """The campaigns of classes of users, user by user."""
    draft, last, _ = _at_load(recipe, extent, None, luck)
    crowd = model.crowd(extent.jobs, extent.users, luck)
    begins = draft.times(last)[crowd.starts]
    runtime = np.maximum(np.rint(draft.runtime), 1.0)
    plans = []
    for user in np.unique(crowd.owner).tolist():
        rows = np.flatnonzero(crowd.owner == user)
        rows = rows[np.argsort(begins[rows], kind="stable")]
        profile, thoughts = model.classes[crowd.kind[rows[0]]].name, np.rint(crowd.thought[rows])[1:].tolist()
        jobs_of = cut(rows, crowd.starts, runtime, draft.processors)
        plans.append(UserPlan(user, profile, 0.0, *jobs_of, thoughts, np.floor(begins[rows]).tolist()))
    return plans


def _trace(recipe: Recipe, draft: Draft, luck: Luck) -> Trace:
    """The jobs in whole seconds, with estimates."""
    runtime = np.maximum(np.rint(draft.runtime), 1.0)
    jobs = len(runtime)
    return Trace(
        {
            "id": np.arange(1, jobs + 1),
            "submit": np.floor(draft.operational),
            "runtime": runtime,
            "allocated": draft.processors,
            "requested_processors": draft.processors,
            "requested_time": recipe.requested.of(runtime, luck("estimates")),
            "status": np.ones(jobs, dtype=np.int64),
            **draft.more,
        }
    )


def _header(recipe: Recipe, trace: Trace, extent: Extent, seed: int, factor: float) -> Header:
    wanted = "" if recipe.load is None else f" (wanted {recipe.load:g})"
    notes = [
        f"jobs = {len(trace)}, users = {extent.users}, processors = {extent.processors}, seed = {seed}",
        f"offered load {offered_load(trace, extent.processors):.4f}{wanted}",
    ]
    return Header.build(
        Version="2.2",
        Computer="none: a synthetic workload",
        Information="made by thinktime generate",
        MaxJobs=len(trace),
        MaxRecords=len(trace),
        UnixStartTime=MONDAY,
        TimeZoneString="UTC",
        MaxNodes=extent.processors,
        MaxProcs=extent.processors,
        Note=[*notes, *_meanings(recipe), _RECIPE, *_recipe_lines(recipe, factor)],
    )


def _recipe_lines(recipe: Recipe, factor: float) -> Iterator[str]:
    """The recipe in TOML, with the factor that gives the load beside it."""
    by = (
        "think times times"
        if isinstance(recipe.model, Campaigns)
        else "the rate of submissions, under any cycle, times"
    )
    for line in recipe_text.lines(recipe):
        yield f"{line}  # {by} {factor:.6g}" if line.startswith("load = ") else line


def _meanings(recipe: Recipe) -> tuple[str, ...]:
    if isinstance(recipe.model, Mix):
        names = ", ".join(f"{number}: {each.name}" for number, each in enumerate(recipe.model.classes, 1))
        return (f"groups are classes of users: {names}",)
    return _MEANINGS.get(type(recipe.model), ())
