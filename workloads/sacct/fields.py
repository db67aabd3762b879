"""What becomes of sacct's values in a log, in words: the table of the documentation.

Beside each column of `sacct -P` is its place in `sacct --json`.
"""

from typing import NamedTuple


class Field(NamedTuple):
    """A column, or a kind of value, and what becomes of it."""

    text: str
    json: str
    here: str


FIELDS = (
    Field(
        "Eligible; without it, Start − Planned (before Slurm 23.02: Reserved)",
        "time/eligible",
        "when a job could first start, for `--eligible` and LOG.conditions.csv",
    ),
    Field("TimelimitRaw (min), Timelimit", "time/limit (min)", "field 9"),
    Field(
        "UNLIMITED, Partition_Limit",
        "infinite",
        "no estimate (a replay uses the run time); `--time-limit 7-00:00:00` sets one",
    ),
    Field("Restarts (24.11)", "restart_cnt", "attempts that are not listed (`--duplicates`) are counted"),
    Field("Exclusive=NODE (26.05)", "exclusive (squeue)", "`#excl` in the request"),
    Field(
        "steps (`100.batch`, `100.extern`, `100.0`)",
        "steps",
        "merged into their job: memory used (the largest MaxRSS × NTasks) and CPU time",
    ),
    Field(
        "`101_2`, `101_[3-9]`; `102+1`",
        "array, het",
        "tasks of arrays, components of heterogeneous jobs: separate jobs, whose numbers in Slurm are in LOG.names.csv",
    ),
    Field(
        "`--dependency`, `--array=…%2`, `--begin`, `--hold` in SubmitLine",
        "submit_line; dependency (squeue)",
        "LOG.conditions.csv, for `replay --dependencies`; not what the script itself asks",
    ),
    Field(
        "attempts of a requeued job", "the same", "separate jobs, each depending on the one before (fields 17 and 18)"
    ),
    Field("COMPLETED; CANCELLED, REVOKED", "state/current", "status 1; status 5, without a run if it never started"),
    Field("FAILED, TIMEOUT, NODE_FAIL, …", "the same", "status 0, with the run time that it had"),
    Field(
        "RUNNING, SUSPENDED, …; PENDING",
        "the same",
        "status −1, with the run time so far; no run, and dropped by readers",
    ),
    Field(
        "ReqMem `4Gc`, `2Gn`, `128G`",
        "required/memory_per_cpu, …_per_node (MB)",
        "KB per processor (given per CPU, per node, per job)",
    ),
    Field(
        "User, Account, JobName, QOS, Partition",
        "user, account, name, qos, partition",
        "fields 12 to 16, as numbers from 1 in order of the first submission",
    ),
    Field("`gres/…` of ReqTRES, else AllocTRES (GPUs, …)", "tres/requested, else allocated", "request after field 18"),
    Field("ConsumedEnergyRaw (J)", "energy of tres/allocated", "`Trace.further` and parquet; 0 is not known"),
    Field("licences, burst buffers", "the same", "dropped and counted"),
    Field("a time beyond the year 9999", "the same", "the line is dropped, and quoted"),
)
