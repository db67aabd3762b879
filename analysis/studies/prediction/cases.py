"""The cases: what is changed, from a log recorded under EASY on 64 processors; and checks, in which nothing is."""

from collections.abc import Sequence
from dataclasses import dataclass

import thinktime as tt
from thinktime.analysis.studies.prediction.world import PROCESSORS


@dataclass(frozen=True, slots=True)
class Case:
    """A machine with users, of which a log of another is to tell."""

    policy: str = "easy"
    machine: float = 1.0
    """Processors per processor of the log's machine."""
    users: float = 1.0
    """Users per user of the log."""
    recorded: str = "easy"
    """The policy of the log."""

    @property
    def spec(self) -> tt.MachineSpec:
        """The machine of this case, with its policy."""
        return tt.MachineSpec(round(PROCESSORS * self.machine), self.policy)

    @property
    def same(self) -> "Case":
        """The case in which nothing is changed, for this log."""
        return Case(self.recorded, recorded=self.recorded)

    @property
    def truth(self) -> "Case":
        """The case whose answer is the truth, whatever the log was recorded under."""
        return Case(self.policy, self.machine, self.users)


SAME = "EASY"
POLICIES = {
    SAME: Case(),
    "FCFS": Case("fcfs"),
    "SJF-EASY": Case("easy:order=sjf"),
    "conservative": Case("conservative"),
    "fairshare-EASY": Case("easy:order=fairshare"),
}
"""Another policy. The first is the log's own: no change, which is a check."""
MACHINES = {
    "-40 % processors": Case(machine=0.6),
    "-20 % processors": Case(machine=0.8),
    "-10 % processors": Case(machine=0.9),
    "+10 % processors": Case(machine=1.1),
    "+20 % processors": Case(machine=1.2),
    "+40 % processors": Case(machine=1.4),
}
USERS = {"-20 % users": Case(users=0.8), "+20 % users": Case(users=1.2)}
FROM_FCFS = {"FCFS from FCFS": Case("fcfs", recorded="fcfs"), "EASY from FCFS": Case("easy", recorded="fcfs")}
"""Of a log that was recorded under FCFS: no change, and EASY. Checks, since such a log holds what little users did."""
CASES = POLICIES | MACHINES | USERS | FROM_FCFS
QUICK = (SAME, "FCFS", "SJF-EASY", "-20 % processors", "+20 % processors")
CHECKS = (SAME, *FROM_FCFS)
LUCKY = (SAME, "FCFS")
"""The cases for which the truth is drawn with other dice."""
APART = {"other_users": tuple(USERS), "from_fcfs": ("EASY from FCFS",)}
"""Cases that are told apart: with other persons, of whom no log says anything, and from a log of a bad policy."""


def changes(names: Sequence[str]) -> tuple[str, ...]:
    """The cases in which the policy or the machine is changed for the same users, from a log under EASY."""
    return tuple(name for name in names if name not in (*CHECKS, *USERS))
