"""Limits of associations and QOS: what may run, wait or be used.

Slurm's MaxJobs of an association and MaxJobsPU of a QOS are one kind of limit, that of a user, so they have one name
here; and so have MaxSubmitJobs and MaxSubmitPU. Limits that begin with ``group`` are those of all jobs of an
association with everything below it, or of a QOS (Slurm's Grp…). The others are per job, per user or per account.

Of each kind, the first that is set counts: of the partition's QOS, the job's QOS, the user, the accounts up to root.
The limits of a group hold at every level. (Slurm 22.05.8, measured.)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thinktime.models.site.tres import Amounts, Tres, TresSeconds
from thinktime.workloads.names import quoted
from thinktime.workloads.reading.table import Table
from thinktime.workloads.reading.values import Seconds

NOTHING: Tres[int] = Tres()


@dataclass(frozen=True, slots=True)
class Limits(Table):
    """Limits; None, or a resource that is not named, is not limited.

    Times are seconds, memory is in bytes, and ``…_tres_seconds`` are amounts times seconds. Resources are a `Tres`, or
    any mapping such as ``{"cpu": 8}``.
    """

    max_jobs: int | None = None
    """Running jobs of a user (MaxJobs, MaxJobsPU)."""
    max_submit: int | None = None
    """Running and waiting jobs of a user; more are refused (MaxSubmitJobs, MaxSubmitPU)."""
    max_wall: Seconds | None = None
    """Time limit of a job (MaxWall)."""
    max_tres: Amounts = NOTHING
    """Resources of a job (MaxTRES)."""
    max_tres_per_node: Amounts = NOTHING
    """Resources of a job on each of its nodes (MaxTRESPerNode)."""
    max_tres_seconds: TresSeconds = NOTHING
    """Resources of a job times its time limit (MaxTRESMins)."""
    min_tres: Amounts = NOTHING
    """The least that a job may ask for; QOS only (MinTRES)."""
    max_tres_per_user: Amounts = NOTHING
    """Resources in use by the running jobs of a user; QOS only (MaxTRESPU)."""
    max_tres_per_account: Amounts = NOTHING
    """Resources in use by the running jobs of an account; QOS only (MaxTRESPA)."""
    max_jobs_per_account: int | None = None
    """Running jobs of an account; QOS only (MaxJobsPA)."""
    max_submit_per_account: int | None = None
    """Running and waiting jobs of an account; QOS only (MaxSubmitPA)."""
    max_jobs_accrue: int | None = None
    """Waiting jobs of a user whose age counts (MaxJobsAccrue, MaxJobsAccruePU)."""
    max_jobs_accrue_per_account: int | None = None
    """Waiting jobs of an account whose age counts; QOS only (MaxJobsAccruePA)."""
    group_jobs: int | None = None
    """Jobs that may run at once (GrpJobs)."""
    group_submit: int | None = None
    """Running and waiting jobs; more are refused (GrpSubmitJobs)."""
    group_jobs_accrue: int | None = None
    """Waiting jobs whose age counts (GrpJobsAccrue)."""
    group_wall: Seconds | None = None
    """Decayed time of all jobs (GrpWall)."""
    group_tres: Amounts = NOTHING
    """Resources in use by running jobs (GrpTRES)."""
    group_tres_seconds: TresSeconds = NOTHING
    """Resources times time used, s, decayed (GrpTRESMins)."""
    group_tres_run_seconds: TresSeconds = NOTHING
    """Resources of running jobs times what is left of their time limits (GrpTRESRunMins)."""

    def __post_init__(self) -> None:
        for name, value in self.given():
            if isinstance(value, Mapping):
                object.__setattr__(self, name, Tres(value))
            elif not value >= 0:
                raise ValueError(f"{name} must be at least 0, not {quoted(value)}")

    def given(self) -> list[tuple[str, Any]]:
        """The limits that are set, with their names."""
        values = ((name, getattr(self, name)) for name in self.__slots__)
        return [(name, value) for name, value in values if value is not None and (value or not isinstance(value, Tres))]


NO_LIMITS = Limits()
