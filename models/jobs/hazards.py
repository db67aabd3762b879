"""Users of a log who submit their next batches with hazards, as the arrays that the engine takes.

`thinktime.workloads.calibration.tables` has the model, `thinktime.models.engine.hazards` the integral.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from math import gcd

import numpy as np

from thinktime.models.engine.codes import hazards as codes
from thinktime.models.engine.hazards import Hazards
from thinktime.models.engine.residuals import Recorded, follow, measure
from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.tables import HazardTables
from thinktime.workloads.units import HOUR, WEEK_HOURS

EFFECTS = ("response", "slowdown", "queue", "done", "position")
"""The tables that are added, in the order of their codes (`thinktime.models.engine.codes.hazards`)."""
EDGES = ("since_submission", "since_end", *(f"{name}_edges" for name in EFFECTS))
COUNTED = (
    *("edges",) * codes.REGIMES, None, "regime", "base", "clock", "sums", None, None, "cells",
    *("effects",) * len(EFFECTS),
)  # fmt: skip
"""The array in which each place of a shape is one; None: it is no place."""


@dataclass(frozen=True, eq=False)
class Aims:
    """When batches are submitted; those of a user's first batch are not read."""

    residual: Floats
    """The integral of the hazard after which each is submitted."""
    residual_low: Floats
    """What has to be added to it, too small for one number."""
    extra: Floats
    """How much later than that each is submitted, s."""
    least: Floats
    """The least time since the last submission, s: 0 but for few."""

    @classmethod
    def of(cls, residual: Floats) -> Aims:
        """Submit batches when the integral reaches these, and not later."""
        nothing = np.zeros(len(residual))
        return cls(residual, nothing, nothing, nothing)

    def but_for(self, some: Flags, others: Aims) -> Aims:
        """The same, but some batches have other aims."""
        return Aims(*(np.where(some, getattr(others, each.name), getattr(self, each.name)) for each in fields(Aims)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Midway:
    """What users have seen by a time at which they are in the middle of what they do (`Hazards`).

    Residuals count from then on: whatever the integral has been, what is left of an exponential number is one.
    """

    time: float
    """When the users are at that point (s)."""
    outstanding: Whole
    """How many batches of each user are: their first ones, which were submitted already."""
    of_users: Mapping[str, np.ndarray]
    """The columns of `OF_USERS`."""
    of_batches: Mapping[str, np.ndarray]
    """The columns of `OF_BATCHES`, of those that are outstanding."""

    def later(self, by: float) -> Midway:
        """The same by a clock that is so much ahead (s)."""
        users, batches = (
            {name: of + by if name in TIMES else of for name, of in each.items()}
            for each in (self.of_users, self.of_batches)
        )
        return Midway(time=self.time + by, outstanding=self.outstanding, of_users=users, of_batches=batches)


OF_USERS = "submitted", "ended", "position", "bins"
OF_BATCHES = "over", "begun", "last_end", "last_run"
TIMES = "submitted", "ended", "begun", "last_end"


@dataclass(frozen=True, eq=False, kw_only=True)
class HazardUsers:
    """Users who submit batches, one after the other; those of user u are ``first[u]`` to ``first[u + 1] - 1``."""

    tables: HazardTables
    calendar: Calendar
    kind: Whole
    """The class of each user."""
    level: Floats
    """Of each user in each regime."""
    first: Whole
    jobs: Whole
    """How many jobs each batch has."""
    span: Floats
    """From the first submission of each batch to its last, s."""
    aims: Aims
    midway: Midway | None = None
    """What users have seen who are in the middle of what they do; None: they have not begun."""

    @cached_property
    def user(self) -> Whole:
        """The user of each batch."""
        return np.repeat(np.arange(len(self.kind)), np.diff(self.first))

    @cached_property
    def present(self) -> Flags:
        """Which batches were submitted already."""
        if self.midway is None:
            return np.zeros(len(self.jobs), bool)
        number = np.arange(len(self.jobs)) - self.first[self.user]
        return number < self.midway.outstanding[self.user]

    @cached_property
    def later(self) -> Whole:
        """The batches that come after others of their users."""
        if self.midway is not None:
            return np.flatnonzero(~self.present)
        later = np.ones(len(self.jobs), bool)
        later[self.first[:-1]] = False
        return np.flatnonzero(later)

    def followed(self, recorded: Recorded, until: float) -> tuple[Midway, Whole]:
        """What these users have seen by a time (s), and which of their batches are outstanding."""
        own, recorded.whole = Hazards(), np.zeros(len(self.jobs))
        self.add_to(own, 0)
        follow(own, recorded, until)
        left = np.flatnonzero(np.asarray(own.over) < self.jobs)
        return Midway(
            time=until,
            outstanding=np.array(own.outstanding),
            of_users={name: np.array(getattr(own, name)) for name in OF_USERS},
            of_batches={name: np.asarray(getattr(own, name))[left] for name in OF_BATCHES},
        ), left

    def measured(self, recorded: Recorded) -> tuple[Aims, Floats]:
        """The aims with which batches begin as recorded if jobs end as recorded, and the integrals of the hazards.

        The residuals differ from these where batches would come too early with them.
        """
        own, recorded.whole = Hazards(), np.zeros(len(self.jobs))
        self.add_to(own, 0)
        notes = len(own.table) + 4
        own.lengthen(notes, "table", "kind", "level_of", "outstanding", "submitted", "ended", "walked")
        own.lengthen(notes, "gathered", "gathered_low", "paused", "ahead", "ahead_total", "ahead_low")
        own.lengthen(codes.BINS * notes, "bins")
        measure(own, recorded)
        return Aims(*(np.array(getattr(own, each.name)) for each in fields(Aims))), np.array(recorded.whole)

    def add_to(self, hazards: Hazards, first_batch: int) -> None:
        """Add these users to those of a machine, whose next batch has a number."""
        batches = len(hazards.count)
        self._add_tables(hazards)
        n, regimes = len(self.kind), self.level.shape[1]
        first, table = batches + self.first, len(hazards.first_hour) - 1
        whole, time = np.zeros(n, np.int64), np.zeros(n)
        _extend(
            hazards, table=whole + table, kind=self.kind, level_of=len(hazards.levels) + regimes * np.arange(n),
            levels=self.level.ravel(), first=first[:-1], stop=first[1:], shift=whole + first_batch - batches,
            following=first[:-1], latest=whole - 1, outstanding=whole, position=whole, over_last=whole - 1,
            bins=np.tile(self._first_bins(), n), submitted=time - np.inf, ended=time - np.inf, walked=time,
            gathered=time, gathered_low=time, reach=time + np.inf, paused=whole, ahead=time, ahead_total=time,
            ahead_low=time,
        )  # fmt: skip
        whole, time = np.zeros(len(self.jobs), np.int64), np.zeros(len(self.jobs))
        _extend(
            hazards, count=self.jobs, over=whole, begun=time, span=self.span, last_end=time - np.inf,
            last_job=whole - 1, last_run=time, **{each.name: getattr(self.aims, each.name) for each in fields(Aims)},
        )  # fmt: skip
        if self.midway is not None:
            self._come_to(self.midway, hazards, len(hazards.table) - n, batches)

    def _come_to(self, midway: Midway, hazards: Hazards, first_user: int, first_batch: int) -> None:
        """Let the users, from a first one on, see what they have seen; ``first_batch`` is the number of theirs."""
        for name, of in midway.of_users.items():
            np.asarray(getattr(hazards, name))[first_user * len(of) // max(1, len(self.kind)) :] = of
        for name, of in midway.of_batches.items():
            np.asarray(getattr(hazards, name))[first_batch:][self.present] = of
        count = midway.outstanding
        following = first_batch + self.first[:-1] + count
        for name, of in {
            "outstanding": count,
            "walked": np.full(len(count), midway.time),
            "following": np.where(following < first_batch + self.first[1:], following, -1),
            "latest": np.where(count > 0, following - 1, -1),
        }.items():
            np.asarray(getattr(hazards, name))[first_user:] = of

    def _first_bins(self) -> Whole:
        """The bins of users who have seen nothing yet."""
        return np.array([len(self.tables.response_edges), len(self.tables.slowdown_edges), 0, 0, 0])

    def _add_tables(self, hazards: Hazards) -> None:
        of_one, made = _arrays(self.tables, self.calendar)
        shape = of_one + np.array([0 if name is None else len(getattr(hazards, name)) for name in COUNTED])
        shape[codes.REGIMES] = self.level.shape[1]
        first, after = np.array([self.calendar.first]), np.array([self.tables.break_])
        _extend(hazards, shape=shape, first_hour=first, break_after=after, **made)


@lru_cache(8)
def _arrays(tables: HazardTables, calendar: Calendar) -> tuple[Whole, dict[str, np.ndarray]]:
    """The shape and the arrays of the only tables of a machine; kept, as the next run is often of the same."""
    edges, effects = [getattr(tables, name) for name in EDGES], [getattr(tables, name).ravel() for name in EFFECTS]
    shape = np.zeros(codes.SHAPE, np.int64)
    shape[: len(edges) + 1] = np.cumsum([0, *map(len, edges)])
    shape[codes.EFFECTS :] = np.cumsum([0, *map(len, effects[:-1])])
    base, clock = np.exp(tables.base), np.exp(tables.clock)
    cells, period = _whole_days(calendar.cells)
    shape[codes.DAYS], shape[codes.PERIOD] = len(cells) // codes.HOURS, period
    days, which = np.unique(cells.reshape(-1, codes.HOURS), axis=0, return_inverse=True)  # there are few kinds of them
    of_days = (clock.reshape(-1, codes.CELLS)[:, days.ravel()] * HOUR).reshape(-1, codes.HOURS).sum(axis=1)
    sums = of_days.reshape(-1, len(days))[:, which.ravel()].ravel()
    return shape, {
        "edges": np.concatenate(edges), "regime": tables.regime.ravel(), "base": base.ravel(), "clock": clock.ravel(),
        "sums": sums, "effects": np.concatenate(effects), "cells": cells,
    }  # fmt: skip


def _whole_days(cells: Whole) -> tuple[Whole, int]:
    """The cells of whole days, and how many of the last days come again and again."""
    last = cells[-WEEK_HOURS:]
    more = -len(cells) % codes.HOURS
    period = len(last) // gcd(len(last), codes.HOURS)
    cells = np.concatenate([cells, np.resize(last, more + codes.HOURS * period)])
    return cells, period


def _extend(hazards: Hazards, **more: np.ndarray) -> None:
    """Let arrays be longer by these."""
    for name, array in more.items():
        old = np.asarray(getattr(hazards, name))
        hazards.bind(**{name: np.concatenate([old, np.asarray(array, old.dtype)])})
