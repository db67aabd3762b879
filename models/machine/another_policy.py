"""A machine at one time, but with another policy from then on.

    rest = tt.run(tt.MachineSpec(begin=under_policy(state, "conservative")))

The new policy has made none of the machine's plans, so waiting jobs come to it at this time, in order of submission,
as they would if it had just been switched on; they count as submitted when they were. Running jobs run on. The accounts
of an order begin empty, unless the order is the same.

Some rules need more than that: what was submitted before (campaigns), ranks of those that run, or parts of a machine
that are made for them. They are refused in the table of impossible combinations.
"""

from typing import Any

import simpy

from thinktime.models.machine.spec import MachineSpec
from thinktime.models.machine.state import MachineState


def under_policy(state: MachineState, policy: Any) -> MachineState:
    """The same machine, but under another policy from the time of the state on.

    ``ValueError`` if the policy cannot take over (`thinktime.models.machine.combinations`).

    >>> import thinktime as tt
    >>> jobs = {"submit": [0, 1, 2], "runtime": [10, 20, 5], "requested_time": [10, 20, 5], "allocated": [1, 2, 1]}
    >>> states = []
    >>> def look(env, machine):
    ...     yield env.timeout(4)
    ...     states.append(machine.state())
    >>> tt.run(tt.MachineSpec(2, "fcfs"), tt.Trace(jobs), look)["start"].tolist()
    [0.0, 10.0, 30.0]
    >>> tt.run(tt.MachineSpec(begin=under_policy(states[0], "easy")))["start"].tolist()
    [0.0, 10.0, 4.0]
    """
    machine = MachineSpec(begin=state.going_over(policy)).open(simpy.Environment(state.time))
    machine.scheduler.take_over()
    return machine.state()
