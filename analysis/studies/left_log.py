"""The log that a policy would have left: its own schedule of the recorded submissions.

So the policy that the log's users met is known, and a replay under it gives the log back, open-loop and with feedback.
"""

import numpy as np

from thinktime.models.machine_spec import MachineSpec
from thinktime.users import sources
from thinktime.users.run import run
from thinktime.workloads.trace import Trace


def left_by(trace: Trace, machine: MachineSpec) -> Trace:
    """The log that a machine's policy would have left of these submissions."""
    result = run(machine, sources.log(trace))
    kept = trace.select(np.isin(trace.id, result["id"]))
    return kept.with_columns(wait=result["start"] - result["submit"], runtime=result["end"] - result["start"])
