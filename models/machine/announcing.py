"""A machine at one time, at which windows and outages become known that are to come.

rest = tt.run(tt.MachineSpec(begin=announcing(state, read_events("events.csv", machine=128))))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import simpy

from thinktime.models.machine.combinations import refuse
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.machine.wanted import Wanted

if TYPE_CHECKING:
    from thinktime.models.machine.state import MachineState
    from thinktime.workloads.changes.events_file import EventsRead


def check_changing(state: MachineState) -> None:
    """``ValueError`` if the machine of a state cannot change."""
    refuse(Wanted(unchanging=state.fields["changes"] is None))


def announcing(state: MachineState, events: EventsRead) -> MachineState:
    """The state of the machine once it is told of windows; of outages it is not told. What is over is left out.

    ``ValueError`` if the machine cannot change, or something has begun.

    >>> import thinktime as tt
    >>> from thinktime.workloads.changes.events_file import EventsRead
    >>> states = []
    >>> def look(env, machine):
    ...     yield env.timeout(5)
    ...     states.append(machine.state())
    >>> spec = tt.MachineSpec(2, changes=tt.Changes())
    >>> log = tt.Trace({"submit": [0, 9], "runtime": [8, 10], "requested_time": [8, 10], "allocated": [2, 1]})
    >>> result = tt.run(spec, log, look)
    >>> there = announcing(states[0], EventsRead((tt.Window(15, 20, processors=2),), tt.Outages.of([])))
    >>> tt.run(tt.MachineSpec(begin=there))["start"].tolist(), result["start"].tolist()
    ([0.0, 20.0], [0.0, 9.0])
    """
    check_changing(state)
    machine = MachineSpec(begin=state).open(simpy.Environment(state.time))
    for window in events.windows:
        if window.end > state.time:
            machine.add_window(window)
    outages = events.outages
    to_come = outages.between(since=state.time) if len(outages) else outages
    begun = len(outages) - len(to_come)
    if begun and (outages.end[:begun] > state.time).any():
        raise ValueError(f"an outage has begun before the state ({state.time:.15g} s) and is not over")
    machine.add_outages(to_come)
    return machine.state()
