"""The log that a policy would have left: its own schedule of the recorded submissions.

So the policy that the log's users met is known, and a replay under it gives the log back, open-loop and with feedback.
"""

import numpy as np

from thinktime.models.machine.spec import MachineSpec
from thinktime.models.state import State
from thinktime.users import sources
from thinktime.users.run import run
from thinktime.workloads.trace import Trace


def left_by(trace: Trace, machine: MachineSpec) -> Trace:
    """The log that a machine's policy would have left of these submissions, without the jobs that it refuses.

    Jobs that are withdrawn before they start wait until then, and do not run.
    """
    result = run(machine, sources.log(trace))
    rows = result["state"] != State.REFUSED
    submit, start, end = (result[name][rows] for name in ("submit", "start", "end"))
    ran, kept = np.isfinite(start), trace.select(np.isin(trace.id, result["id"][rows]))
    return kept.with_columns(wait=np.where(ran, start, end) - submit, runtime=np.where(ran, end - start, 0.0))
