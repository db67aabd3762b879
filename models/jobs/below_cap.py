"""Jobs below a cap on power: a part of the pool, which keeps what each job draws."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.kinds import is_below_cap, put_below_cap
from thinktime.models.jobs.columns import Requests
from thinktime.models.jobs.part import Part
from thinktime.workloads.arrays import NO_ROWS
from thinktime.workloads.power import NO_CAP, STEP

if TYPE_CHECKING:
    from thinktime.models.engine.machine_state import State as MachineState
    from thinktime.workloads.changes.windows import Window


class BelowCap(Part):
    """What jobs draw, for each of their processors, 2⁻¹⁰ W (`thinktime.models.engine.rooms.capped_room`)."""

    power: Any = None
    """What the machine draws, and may draw (`thinktime.models.machine.power.Power`), if it is known."""
    units = 0
    """Processors of a pool, nodes of a machine of nodes: each draws power when idle."""
    signals: Mapping[str, Any] = MappingProxyType({})
    """What is known of prices and carbon, by name (`thinktime.workloads.signals`)."""
    power_in_log: tuple[int, ...] = (0, 0, 0)
    """Jobs of logs, those whose power is known, and those whose power cannot be."""
    capped = False
    watts: NDArray[np.int64] = NO_ROWS

    def stay_below(self, power: Any, units: int, caps: bool) -> None:
        """From now on, so many processors or nodes draw this power; with ``caps``, some windows are caps."""
        self.power, self.units, self.requests.usual_watts = power, units, power.job
        if power.cap is not None or caps:
            self.capped = True
            self.state.power_cap = self.state.power_free = power.room_for_jobs(units)
            self.make_watts()
            self.draw_windows()
            self.bind()

    def draw_windows(self) -> None:
        """Make the arrays of windows; most machines have none."""

    def withheld(self, window: Window) -> int:
        """What a window takes off the cap while it is open, 2⁻¹⁰ W; what is switched off leaves more to others."""
        if self.capped and window.kind == "off" and self.power.off is not None:
            count = window.processors if isinstance(window.processors, int) else len(window.processors)
            return -round((self.power.idle - self.power.off) * count / STEP)
        if not self.capped or window.watts == math.inf:
            return 0
        return max(0, self.state.power_cap - self.power.above_idle(window.watts, self.units))

    def check_cap(self, window: Window) -> None:
        """``ValueError`` if a window is a cap that cannot be announced here."""
        if window.watts == math.inf:
            return
        if not self.capped:
            raise ValueError(
                "this machine was opened without a cap on its power, so that none can be announced: give it "
                "power=Power(cap='1 MW'), or a window of kind cap from the beginning"
            )
        self.power.check(self.units, "processors or nodes", [window.watts])

    def make_watts(self) -> None:
        """Have room for all jobs."""
        if self.capped and (size := len(self.watts)) < self.requests.capacity:
            longer = np.full(self.requests.capacity, round(self.power.job / STEP), np.int64)
            longer[:size] = self.watts
            self.watts = longer

    def bind_watts(self) -> None:
        """Let the engine go by power, too."""
        if self.capped:
            put_below_cap(self.state)
            self.state.bind(watts=self.watts)

    def note_watts(self, rows: slice, columns: Mapping[str, Any]) -> None:
        """Jobs have come, of which some columns are given."""
        if self.capped and "power" in columns:
            power = np.asarray(columns["power"], np.float64)
            self.watts[rows] = np.round(np.where(np.isnan(power), self.power.job, power) / STEP)

    def note_power(self, jobs: int, known: int, odd: int) -> None:
        """Of so many jobs of a log the power is known; of some it is ``odd``, and counts as unknown."""
        self.power_in_log = tuple(map(sum, zip(self.power_in_log, (jobs, known, odd), strict=True)))

    def told_of_power(self) -> list[str]:
        """What a result says of the power in logs, and of a cap that is none."""
        jobs, known, odd = self.power_in_log
        if self.power is None:
            return []
        doubts: list[str] = self.power.doubts()
        if self.capped and self.requests.size and not self.watts[: self.requests.size].any():
            said = "the cap on power has no effect: no job draws any; say what each processor of one draws (job=)"
            doubts.append(said)
        if known == jobs:
            return doubts
        why = f" (of {odd:,} it cannot be)" if odd else ""
        return [
            *doubts,
            f"the log says the power of {known:,} of {jobs:,} jobs{why}; the others draw {self.power.job:.15g} W per "
            "processor",
        ]

    def watts_of(self, rows: Any) -> NDArray[np.float64]:
        """What each processor of some jobs draws above idle, W."""
        power = self.requests.power[rows]
        return np.where(np.isnan(power), self.power.job, power)


def cap_now(state: MachineState, power: Any, units: int) -> float:
    """What so many processors or nodes and their jobs may draw now, W; infinite without a cap."""
    room = state.power_cap - state.power_held if is_below_cap(state) else NO_CAP
    return math.inf if room > NO_CAP / 2 else float(room * STEP + power.idle * units)


def power_now(jobs: Requests, running: NDArray[np.int64], power: Any, units: int) -> float:
    """What they draw now, W; NaN if nothing is known of the machine's power."""
    if power is None:
        return math.nan
    each = np.where(np.isnan(jobs.power[running]), power.job, jobs.power[running])
    return float(power.idle * units + jobs.processors[running] @ each)
