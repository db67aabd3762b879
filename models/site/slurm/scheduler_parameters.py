"""SchedulerParameters: what passes look at, and the options of preemption that stand there."""

from collections.abc import Callable
from typing import Any

from thinktime.models.site.backfill import Backfill
from thinktime.models.site.slurm.notes import Notes
from thinktime.models.site.slurm.values import at, number, whole
from thinktime.workloads.names import did_you_mean
from thinktime.workloads.units import MINUTE

NEVER = -1.0
"""The interval without passes of backfill."""


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
    "bf_max_job_array_resv": ("max_job_array_resv", whole),
    "bf_max_job_start": ("max_job_start", whole),
    "bf_job_part_count_reserve": ("job_part_count_reserve", whole),
    "bf_min_age_reserve": ("min_age_reserve", number),
    "bf_min_prio_reserve": ("min_prio_reserve", whole),
    "bf_window_linear": ("window_linear", number),
    "bf_continue": ("continues", _flag),
    "bf_one_resv_per_job": ("one_resv_per_job", _flag),
    "bf_busy_nodes": ("busy_nodes", _flag),
    "bf_running_job_reserve": ("running_job_reserve", _flag),
    "bf_licenses": ("licenses", _flag),
    "default_queue_depth": ("default_queue_depth", whole),
    "partition_job_depth": ("partition_job_depth", whole),
    "sched_interval": ("sched_interval", number),
    "batch_sched_delay": ("batch_sched_delay", number),
    "assoc_limit_stop": ("assoc_limit_stop", _flag),
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
NOT_PREEMPTING = {
    "min_exempt_priority": "jobs of any priority may be preempted",
    "reclaim_licenses": "licences are not modelled",
    "send_user_signal": "jobs that are preempted do not react to signals",
    "suspend_grace_time": "jobs are suspended at once",
}
"""Options of PreemptParameters that are not used."""

LOAD = (
    "allow_zero_lic", "bb_array_stage_cnt", "bf_allow_magnetic_slot", "bf_hetjob_immediate", "bf_hetjob_prio",
    "bf_ignore_newly_avail_nodes", "bf_max_time", "bf_node_space_size", "bf_topopt_enable", "bf_topopt_iterations",
    "bf_yield_interval", "bf_yield_rpc_cnt", "bf_yield_sleep", "build_queue_timeout", "correspond_after_task_cnt",
    "defer", "defer_batch",
    "delay_boot", "disable_hetjob_steps", "disable_job_shrink", "enable_hetjob_steps", "enable_job_state_cache",
    "enable_user_top", "extra_constraints", "Ignore_NUMA", "max_submit_line_size", "requeue_on_resume_failure",
    "ignore_constraint_validation", "ignore_prefer_validation", "max_array_tasks", "max_rpc_cnt", "max_sched_time",
    "max_script_size", "max_switch_wait", "no_backup_scheduling", "no_env_cache", "nohold_on_prolog_fail",
    "pack_serial_at_end", "reduce_completing_frag", "requeue_setup_env_fail", "salloc_wait_nodes", "sbatch_wait_nodes",
    "sched_max_job_start", "sched_min_interval", "spec_cores_first", "step_retry_count", "step_retry_time",
    "time_min_as_soft_limit", "whole_hetjob",
)  # fmt: skip
"""Options for the load of the real daemon, or for what is not modelled."""


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
        if option and option not in BACKFILL and option not in PREEMPTION:
            notes.add(where, f"{setting} {item.strip()}: {_reason(option)}")
    if backfill.get("interval") == NEVER:
        backfill |= {"interval": Backfill().interval, "enabled": False}
    return backfill, preemption


def _reason(option: str) -> str:
    if option in LOAD:
        return "it concerns the load of the real daemon, or what is not modelled"
    if option.removeprefix(PREFIX) in NOT_PREEMPTING:
        return NOT_PREEMPTING[option.removeprefix(PREFIX)]
    similar = did_you_mean(option, (*BACKFILL, *PREEMPTION, *LOAD))
    return f"this option is not known; {similar}" if similar else "this option is not known"
