"""Settings of Slurm's that are not modelled, each with the reason, and those of no effect on schedules.

All other settings that an import knows are modelled: they are read by the modules of `thinktime.models.site.slurm`,
whose table of all of them is `thinktime.models.site.slurm.settings_table`. A site keeps what it has of those that are
not modelled (`Site.not_modelled`), so that checks and results can say so.
"""

IN_ITS_SECOND = "passes take no time here, and none is late"
LICENCES = "licences are not modelled"
NETWORKS = "networks are not modelled, so any nodes will do"
POWER = "nodes are not switched off to save power"
UNSEEN = "what it changes at submission is not seen"
NO_HETEROGENEOUS = "components of heterogeneous jobs are separate jobs here"
ASKED = "requests in logs have it already"

CONFIGURATION = {
    "BurstBufferType": "burst buffers are not modelled",
    "CliFilterPlugins": UNSEEN,
    "CompleteWait": "the next job starts as soon as one has ended",
    "FederationParameters": "federations are not modelled",
    "JobSubmitPlugins": UNSEEN,
    "Licenses": LICENCES,
    "MaxBatchRequeue": "jobs are requeued as often as needed",
    "MaxJobCount": "jobs beyond it are not refused",
    "MaxMemPerCPU": "a job with more memory is not given more processors",
    "MaxMemPerNode": "it is no limit here",
    "PrioritySiteFactorPlugin": "its part of the priority is not known",
    "PrologSlurmctld": "jobs start without a prolog",
    "SchedulerTimeSlice": "jobs do not take turns",
    "SuspendProgram": POWER,
    "SuspendTime": POWER,
    "TopologyPlugin": NETWORKS,
}
"""Of slurm.conf."""

SCHEDULER = {
    "allow_zero_lic": LICENCES,
    "assoc_limit_stop": "a job that waits for a limit holds no other back",
    "batch_sched_delay": IN_ITS_SECOND,
    "bf_allow_magnetic_slot": "reservations that draw jobs are not modelled",
    "bf_busy_nodes": "reservations do not prefer nodes in use",
    "bf_hetjob_immediate": NO_HETEROGENEOUS,
    "bf_hetjob_prio": NO_HETEROGENEOUS,
    "bf_ignore_newly_avail_nodes": IN_ITS_SECOND,
    "bf_licenses": LICENCES,
    "bf_max_job_array_resv": "tasks of an array get reservations like other jobs, but none while they wait for its %",
    "bf_max_time": IN_ITS_SECOND,
    "bf_min_prio_reserve": "jobs get reservations whatever their priority",
    "bf_node_space_size": "plans have no largest size here",
    "bf_one_resv_per_job": "a job in several partitions may have a reservation in each",
    "bf_running_job_reserve": "running jobs are expected to leave with their groups",
    "bf_topopt_enable": NETWORKS,
    "bf_topopt_iterations": NETWORKS,
    "bf_yield_interval": IN_ITS_SECOND,
    "bf_yield_rpc_cnt": IN_ITS_SECOND,
    "bf_yield_sleep": IN_ITS_SECOND,
    "defer": IN_ITS_SECOND,
    "defer_batch": IN_ITS_SECOND,
    "delay_boot": POWER,
    "disable_job_shrink": "jobs keep their size",
    "enable_user_top": "users do not put their jobs on top",
    "extra_constraints": "constraints other than features are not modelled",
    "ignore_constraint_validation": "a job that no nodes could hold is refused",
    "ignore_prefer_validation": "preferences are not modelled",
    "max_array_tasks": "arrays of any number of tasks are accepted",
    "max_rpc_cnt": IN_ITS_SECOND,
    "max_sched_time": IN_ITS_SECOND,
    "max_switch_wait": NETWORKS,
    "no_backup_scheduling": "there is one controller, which is always there",
    "reduce_completing_frag": "the next job starts as soon as one has ended",
    "requeue_on_resume_failure": POWER,
    "sched_max_job_start": "a main pass starts as many jobs as fit",
    "sched_min_interval": IN_ITS_SECOND,
    "spec_cores_first": "processors reserved for the system are not taken off those of jobs",
    "time_min_as_soft_limit": "there is no --time-min",
    "whole_hetjob": NO_HETEROGENEOUS,
}
"""Of SchedulerParameters."""

PREEMPT = {
    "min_exempt_priority": "jobs of any priority may be preempted",
    "reclaim_licenses": LICENCES,
    "send_user_signal": "jobs that are preempted do not react to signals",
    "suspend_grace_time": "jobs are suspended at once",
}
"""Of PreemptParameters; in SchedulerParameters they begin with ``preempt_``."""

PARTITIONS = {
    "AllowGroups": "groups of the operating system are not known",
    "Alternate": "no job is sent to another partition",
    "ExclusiveTopo": NETWORKS,
    "ExclusiveUser": "jobs of several users may share nodes",
    "LLN": "nodes are chosen as in all partitions",
    "MaxCPUsPerNode": "it is no limit here",
    "MaxCPUsPerSocket": "sockets are not told apart",
    "MaxMemPerCPU": "a job with more memory is not given more processors",
    "MaxMemPerNode": "it is no limit here",
    "OverTimeLimit": "that of the site holds in all partitions",
    "PowerDownOnIdle": POWER,
    "ReqResv": "jobs do not need a reservation",
    "RootOnly": "all users may submit",
    "SelectTypeParameters": "all partitions give out the same resources",
    "Topology": NETWORKS,
}
"""Of partitions."""

NODES = {
    "CoreSpecCount": "processors reserved for the system are not taken off those of jobs",
    "CpuSpecList": "processors reserved for the system are not taken off those of jobs",
    "MemSpecLimit": "memory reserved for the system is not taken off that of jobs",
    "RestrictedCoresPerGPU": "cores that are kept for jobs with GPUs are given to all jobs",
    "ThreadsPerCore": "single processors are given out, not whole cores",
    "Weight": "jobs get nodes in the order of the file, without regard to weights",
}
"""Of nodes."""

_AHEAD = "work ahead is limited for groups only (GrpTRESRunMins)"
ACCOUNTING = {
    "LimitFactor": "it does not change limits here",
    "MaxTRESRunMins": _AHEAD,
    "MaxTRESRunMinsPA": _AHEAD,
    "MaxTRESRunMinsPerAccount": _AHEAD,
    "MaxTRESRunMinsPerUser": _AHEAD,
    "MaxTRESRunMinsPU": _AHEAD,
    "MinPrioThres": "jobs start whatever their priority",
    "MinPrioThresh": "jobs start whatever their priority",
    "UsageThres": "jobs start whatever the use of their association",
    "UsageThreshold": "jobs start whatever the use of their association",
}
"""Of associations and QOS."""

QOS_FLAGS = {
    "EnforceUsageThreshold": "jobs start whatever the use of their association",
    "NoReserve": "jobs get reservations whatever their QOS",
    "RequiresReservation": "jobs do not need a reservation",
    "UsageFactorSafe": "UsageFactor does not count for what a job may still use",
}
"""Flags of QOS."""

PRIORITY_FLAGS = {
    "CALCULATE_RUNNING": "priorities of running jobs do not matter here",
    "MAX_TRES_GRES": "a job is billed for the sum of all its resources",
}
"""Flags of PriorityFlags; those that would change every order are refused by the order itself."""

REFUSED: dict[str, dict[str, str]] = {
    "slurm.conf": CONFIGURATION,
    "SchedulerParameters": SCHEDULER,
    "PreemptParameters": PREEMPT,
    "PriorityFlags": PRIORITY_FLAGS,
    "PartitionName": PARTITIONS,
    "NodeName": NODES,
    "associations and QOS": ACCOUNTING,
    "flags of QOS": QOS_FLAGS,
}
"""By where they stand: each setting that is not modelled, and the reason."""
NO_EFFECT: dict[str, frozenset[str]] = {
    part: frozenset(text.split())
    for part, text in {
        "slurm.conf": """
        accountingstoragebackuphost accountingstorageexternalhost accountingstoragehost
        accountingstorageparameters accountingstoragepass accountingstorageport accountingstoragetres
        accountingstorageuser accountingstoreflags accountingstorejobcomment acctgatherenergytype
        acctgatherfilesystemtype acctgatherinterconnecttype acctgathernodefreq acctgatherprofiletype
        allowspecresourcesusage authaltparameters authalttypes authtype backupaddr backupcontroller
        batchstarttimeout bcastexclude bcastparameters boot_time communicationparameters controladdr
        controlmachine coresspecplugin cpufreqdef cpufreqgovernors credtype debugflags defaultstoragehost
        defaultstoragetype defmempercpu defmempernode disablerootjobs eiotimeout epilog epilogmsgtime
        epilogslurmctld epilogtimeout extsensorsfreq extsensorstype fastschedule firstjobid getenvtimeout
        gpufreqdef grestypes groupupdateforce groupupdatetime hash_val hashplugin healthcheckinterval
        healthchecknodestate healthcheckprogram inactivelimit interactivestepoptions jobacctgatherfrequency
        jobacctgatherparams jobacctgathertype jobcompfunction jobcomphost jobcomploc jobcompparams jobcomppass
        jobcompport jobcomptype jobcompuser jobcontainertype jobcredentialprivatekey
        jobcredentialpubliccertificate jobdefaults jobfileappend killonbadexit launchparameters launchtype
        logtimeformat mailprog mailtimeout maxdbdmsgs maxjobid
        maxnodecount maxstepcount maxtaskspernode mcsparameters mcsplugin messagetimeout minjobage mpidefault
        mpiparams multiple_slurmd next_job_id nodefeaturesplugins overfullreport plugindir plugstackconfig
        powerparameters powerplugin priorityparameters privatedata proctracktype prolog prologepilogtimeout
        prologflags prologtimeout propagateprioprocess propagateresourcelimits propagateresourcelimitsexcept
        rebootprogram reconfigflags requeueexit requeueexithold resumefailprogram resumeprogram resumerate
        resumetimeout resvepilog resvoverrun resvprolog returntoservice routeplugin schedulerport
        schedulerrootfilter scronparameters slurm_conf slurm_version slurmctldaddr slurmctlddebug
        slurmctldhost slurmctldlogfile slurmctldparameters slurmctldpidfile slurmctldplugstack slurmctldport
        slurmctldprimaryoffprog slurmctldprimaryonprog slurmctldsyslogdebug slurmctldtimeout slurmddebug
        slurmdlogfile slurmdparameters slurmdpidfile slurmdport slurmdspooldir slurmdsyslogdebug slurmdtimeout
        slurmduser slurmschedlogfile slurmschedloglevel slurmuser srunepilog srunportrange srunprolog
        statesavelocation suspendexcnodes suspendexcparts suspendexcstates suspendrate suspendtimeout
        switchname switchparameters switchtype taskepilog taskplugin taskpluginparam taskprolog tcptimeout
        tlstype tmpfs topologyparam trackwckey treewidth unkillablestepprogram unkillablesteptimeout usepam
        vsizefactor waittime x11parameters
        """,
        "SchedulerParameters": """
        bf_continue build_queue_timeout correspond_after_task_cnt disable_hetjob_steps enable_hetjob_steps
        enable_job_state_cache ignore_numa max_script_size max_submit_line_size no_env_cache
        nohold_on_prolog_fail requeue_setup_env_fail salloc_wait_nodes sbatch_wait_nodes step_retry_count
        step_retry_time
        """,
        "PartitionName": """
        cpubind defmempercpu defmempernode disablerootjobs hidden jobdefaults resumetimeout suspendtime
        suspendtimeout
        """,
        "NodeName": """
        bcastaddr cpubind nodeaddr nodehostname port reason tmpdisk
        """,
    }.items()
}
"""By where they stand, in lower case: settings of daemons, logs and tools, and what logs have already."""

_NAMES = {part: {name.lower(): name for name in known} for part, known in REFUSED.items()}


def named(part: str, key: str) -> str:
    """A setting that is not modelled as Slurm writes it; empty if it is modelled, or does not matter."""
    return _NAMES[part].get(key.lower(), "")


def reason(part: str, key: str) -> str:
    """Why a setting is not modelled; empty if it is, or does not matter."""
    return REFUSED[part].get(named(part, key), "")


def of_backfill(key: str) -> str:
    """A sentence if a key of a site's backfill is an option of Slurm's that is not modelled, else nothing."""
    for option in (key, f"bf_{key}"):
        if why := reason("SchedulerParameters", option):
            return f"{option} is not modelled: {why}"
    return ""
