"""The scheduler of Slurm: its quick pass along the queue, and the backfill pass that plans."""

from thinktime.models.policies.slurm.policy import Slurm as Slurm
from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
