"""Users of a log who live its time once more, with other luck: a log with waits, whose users react to them.

Users are fitted to the log (`thinktime.calibrate`), and submit its batches on a machine with new residuals
(`thinktime.users.calibrated`). What they submit is the log's; when they do, and how long it waits, is not. In simulated
logs the jump at ends (`thinktime.analysis.diagnosis.jump`) is the log's within its interval; on logs of the archive it
is larger by about 0.1. Neither luck is the reason (kept, it is as large), nor the uncertainty of the fit, nor levels of
users (if all are alike, it is larger), and other waits are so in part: users submit too seldom in the minutes before an
end, and nearly as often as in the log after it.
"""

from thinktime.models.machine.spec import MachineSpec
from thinktime.models.policies import as_policy
from thinktime.models.policies.hooks import Hooks
from thinktime.models.results.result import Result
from thinktime.users import sources
from thinktime.users.run import run
from thinktime.workloads.calibration.users import Users
from thinktime.workloads.streams import Seed
from thinktime.workloads.trace import Trace


def with_other_luck(trace: Trace, machine: MachineSpec, seed: Seed, users: Users | None = None) -> Result:
    """What the users of a log do on a machine, with luck from a seed.

    `thinktime.models.results.site_log` makes a log of it. ``users`` are fitted to the log unless they are given.
    """
    if Hooks(as_policy(machine.policy)).as_recorded:
        raise ValueError("policy 'recorded' cannot schedule users with other luck: the log holds no schedule of theirs")
    return run(machine, sources.calibrated(trace, users, luck="new", seed=seed))
