"""Users of a log who submit their next batches with hazards, as the arrays that the engine takes.

`thinktime.workloads.calibration.tables` has the model, `thinktime.models.engine.hazards` the integral.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from math import gcd

import numpy as np

from thinktime.models.engine.codes import hazards as codes
from thinktime.models.engine.hazards import Hazards
from thinktime.models.engine.residuals import Recorded, measure
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
    """Of each batch."""
    span: Floats
    """From the first submission of each batch to its last, s."""
    aims: Aims

    @cached_property
    def user(self) -> Whole:
        """The user of each batch."""
        return np.repeat(np.arange(len(self.kind)), np.diff(self.first))

    @property
    def later(self) -> Whole:
        """The batches that are not a user's first."""
        return np.setdiff1d(np.arange(len(self.jobs)), self.first[:-1], assume_unique=True)

    def measured(self, recorded: Recorded) -> tuple[Aims, Floats]:
        """The aims with which batches begin as recorded if jobs end as recorded, and the integrals of the hazards.

        The residuals differ from these where batches would come too early with them.
        """
        own, recorded.whole = Hazards(), np.zeros(len(self.jobs))
        self.add_to(own, 0)
        notes = len(own.table) + 4
        own.lengthen(notes, "table", "kind", "level_of", "outstanding", "submitted", "ended", "walked")
        own.lengthen(notes, "gathered", "gathered_low")
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
            gathered=time, gathered_low=time, reach=time + np.inf,
        )  # fmt: skip
        whole, time = np.zeros(len(self.jobs), np.int64), np.zeros(len(self.jobs))
        _extend(
            hazards, count=self.jobs, over=whole, begun=time, span=self.span, last_end=time - np.inf,
            last_job=whole - 1, last_run=time, **{each.name: getattr(self.aims, each.name) for each in fields(Aims)},
        )  # fmt: skip

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
    sums = (clock.reshape(-1, codes.CELLS)[:, cells] * HOUR).reshape(-1, codes.HOURS).sum(axis=1)
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
