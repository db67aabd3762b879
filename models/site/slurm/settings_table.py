"""All settings that an import knows, by where they stand, and what becomes of each: one table.

A setting is *modelled*: it is read, and schedules follow it. Or it is *not modelled*: the import says so with the
reason, and so do checks and results of the site. Or it has *no effect on schedules*. Whatever else slurm.conf has is
named by the import.
"""

from typing import NamedTuple

from thinktime.models.site import effects, qos
from thinktime.models.site.priority import FLAGS
from thinktime.models.site.slurm import associations, limits, nodes, partitions, qualities, scheduler_parameters
from thinktime.models.site.slurm.scheduler_parameters import PREFIX
from thinktime.models.site.slurm.settings import known_settings

MODELLED, NOT_MODELLED, NO_EFFECT = "modelled", "not modelled", "no effect on schedules"


class Known(NamedTuple):
    """A setting: where it stands, what becomes of it, and why it is not modelled."""

    part: str
    name: str
    effect: str
    why: str = ""


def known() -> list[Known]:
    """All settings, part by part."""
    read = {
        "slurm.conf": known_settings(),
        "SchedulerParameters": [
            *scheduler_parameters.BACKFILL,
            *scheduler_parameters.PREEMPTION,
            scheduler_parameters.SERIAL_AT_END,
        ],
        "PreemptParameters": [name.removeprefix(PREFIX) for name in scheduler_parameters.PREEMPTION],
        "PriorityFlags": [*FLAGS, "FAIR_TREE"],
        "PartitionName": [*partitions.READ, *partitions.OTHERS],
        "NodeName": nodes.READ,
        "associations and QOS": [*limits.OF_ASSOCIATIONS, *limits.OF_QOS, *associations.COMMON, *qualities.COMMON],
        "flags of QOS": [*qos.FLAGS, "Relative"],
    }
    found = []
    for part, names in read.items():
        found += [Known(part, name, MODELLED) for name in sorted(set(names))]
        found += [Known(part, name, NOT_MODELLED, why) for name, why in effects.REFUSED[part].items()]
        found += [Known(part, name, NO_EFFECT) for name in sorted(effects.NO_EFFECT.get(part, ()))]
    return found
