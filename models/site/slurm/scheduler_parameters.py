"""SchedulerParameters: what passes look at, and the options of preemption that stand there."""

from collections.abc import Callable
from typing import Any

from thinktime.models.site import effects
from thinktime.models.site.backfill import Backfill
from thinktime.models.site.slurm.notes import Notes
from thinktime.models.site.slurm.values import at, number, whole
from thinktime.workloads.names import did_you_mean
from thinktime.workloads.units import MINUTE

NEVER = -1.0
"""The interval without passes."""
UNKNOWN = "this option is not known"


def _flag(text: str) -> bool:
    return True


def _and_a_second(text: str) -> float:
    """Requeued jobs are eligible a second after the delay (as after AuthInfo's cred_expire)."""
    return number(text) + 1


def _interval(text: str) -> float:
    return NEVER if text == "-1" else number(text)


def _minutes(text: str) -> float:
    return MINUTE * number(text)


BACKFILL: dict[str, tuple[str, Callable[[str], Any]]] = {
    "bf_interval": ("interval", _interval),
    "bf_window": ("window", _minutes),
    "bf_resolution": ("resolution", number),
    "bf_max_job_test": ("max_job_test", whole),
    "bf_max_job_user": ("max_job_user", whole),
    "bf_max_job_part": ("max_job_part", whole),
    "bf_max_job_assoc": ("max_job_assoc", whole),
    "bf_max_job_user_part": ("max_job_user_part", whole),
    "bf_max_job_start": ("max_job_start", whole),
    "bf_job_part_count_reserve": ("job_part_count_reserve", whole),
    "bf_min_age_reserve": ("min_age_reserve", number),
    "bf_window_linear": ("window_linear", number),
    "default_queue_depth": ("default_queue_depth", whole),
    "partition_job_depth": ("partition_job_depth", whole),
    "sched_interval": ("sched_interval", _interval),
}
"""The field of `Backfill` for each option, and how its value is read."""

PREEMPTION: dict[str, tuple[str, Callable[[str], Any]]] = {
    "preempt_youngest_first": ("youngest_first", _flag),
    "preempt_reorder_count": ("reorder_count", whole),
    "preempt_strict_order": ("strict_order", _flag),
    "requeue_delay": ("requeue_delay", _and_a_second),
}
"""The field of `Preemption` for each option; PreemptParameters has them without their prefix."""
PREFIX = "preempt_"
SERIAL_AT_END = "pack_serial_at_end"
"""The option of `Site` among them."""
AS_MODELLED = {"batch_sched_delay=0", "bf_max_job_array_resv=20", "sched_min_interval=0"}
"""Values of options that are not modelled which are as the model has it, or Slurm's default."""


def of_text(
    where: str, text: str, notes: Notes, setting: str = "SchedulerParameters", prefix: str = ""
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of `Backfill` and of `Preemption` that a list of options sets, which may lack their ``prefix``."""
    backfill: dict[str, Any] = {}
    preemption: dict[str, Any] = {}
    for item in text.split(","):
        word, _, value = (part.strip() for part in item.partition("="))
        option = prefix + word if word else ""
        for known, fields in ((BACKFILL, backfill), (PREEMPTION, preemption)):
            if option in known:
                field, read = known[option]
                fields[field] = at(where, option, read, value)
        if option and option not in (*BACKFILL, *PREEMPTION, SERIAL_AT_END):
            _note(where, setting, option, item.strip(), notes)
    if backfill.get("interval") == NEVER:
        backfill |= {"interval": Backfill().interval, "enabled": False}
    if backfill.get("sched_interval") == NEVER:
        del backfill["sched_interval"]
        notes.refuse(where, f"{setting} sched_interval=-1", "the main pass is not switched off")
    return backfill, preemption


def _note(where: str, setting: str, option: str, item: str, notes: Notes) -> None:
    """An option that is not read: not modelled, without effect, or not known."""
    reason = effects.reason("SchedulerParameters", option)
    reason = reason or effects.reason("PreemptParameters", option.removeprefix(PREFIX))
    if reason:
        if item not in AS_MODELLED:
            notes.refuse(where, f"{setting} {item}", reason)
    elif option.lower() not in effects.NO_EFFECT["SchedulerParameters"]:
        similar = did_you_mean(option, (*BACKFILL, *PREEMPTION, *effects.SCHEDULER))
        notes.refuse(where, f"{setting} {item}", f"this option is not known; {similar}" if similar else UNKNOWN)
