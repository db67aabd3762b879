"""Limits by the names that they have in the dump, in tables of associations, and in tables of QOS."""

from collections.abc import Mapping
from typing import Any

from thinktime.models.site.limits import Limits
from thinktime.models.site.slurm.values import Read, absent, amounts, at, clock, limit
from thinktime.workloads.units import MINUTE


def _times_minutes(text: str) -> Any:
    return amounts(text, factor=MINUTE)


OF_ASSOCIATIONS: dict[str, tuple[str, Read]] = {
    "maxjobs": ("max_jobs", limit),
    "maxjobsaccrue": ("max_jobs_accrue", limit),
    "maxsubmit": ("max_submit", limit),
    "maxsubmitjobs": ("max_submit", limit),
    "maxwall": ("max_wall", clock),
    "maxwalldurationperjob": ("max_wall", clock),
    "maxtres": ("max_tres", amounts),
    "maxtresperjob": ("max_tres", amounts),
    "maxtrespernode": ("max_tres_per_node", amounts),
    "maxtresmins": ("max_tres_seconds", _times_minutes),
    "maxtresminsperjob": ("max_tres_seconds", _times_minutes),
    "grpjobs": ("group_jobs", limit),
    "grpjobsaccrue": ("group_jobs_accrue", limit),
    "grpsubmit": ("group_submit", limit),
    "grpsubmitjobs": ("group_submit", limit),
    "grpwall": ("group_wall", clock),
    "grptres": ("group_tres", amounts),
    "grptresmins": ("group_tres_seconds", _times_minutes),
    "grptresrunmins": ("group_tres_run_seconds", _times_minutes),
}
"""Columns of `sacctmgr -P show assoc` and keys of the dump, without blanks and in lower case."""

OF_QOS: dict[str, tuple[str, Read]] = {
    **{key: each for key, each in OF_ASSOCIATIONS.items() if key.startswith("grp") or "tres" in key},
    "maxwall": ("max_wall", clock),
    "maxtrespu": ("max_tres_per_user", amounts),
    "maxtresperuser": ("max_tres_per_user", amounts),
    "maxtrespa": ("max_tres_per_account", amounts),
    "maxtresperaccount": ("max_tres_per_account", amounts),
    "maxjobspu": ("max_jobs", limit),
    "maxjobsperuser": ("max_jobs", limit),
    "maxjobspa": ("max_jobs_per_account", limit),
    "maxjobsperaccount": ("max_jobs_per_account", limit),
    "maxsubmitpu": ("max_submit", limit),
    "maxsubmitjobspu": ("max_submit", limit),
    "maxsubmitpa": ("max_submit_per_account", limit),
    "maxsubmitjobspa": ("max_submit_per_account", limit),
    "maxjobsaccruepu": ("max_jobs_accrue", limit),
    "maxjobsaccruepa": ("max_jobs_accrue_per_account", limit),
    "mintres": ("min_tres", amounts),
    "mintresperjob": ("min_tres", amounts),
    "maxwalldurationperjob": ("max_wall", clock),
}
"""Columns of `sacctmgr -P show qos`. MaxTRES is that of a job, MaxTRESPU that of a user."""


def of_cells(where: str, cells: Mapping[str, str], known: Mapping[str, tuple[str, Read]]) -> Limits:
    """The limits in a row, whose columns are called as in `known`."""
    given = {known[key]: (key, text) for key, text in cells.items() if key in known and not absent(text)}
    return Limits(**{field: at(where, key, read, text) for (field, read), (key, text) in given.items()})
