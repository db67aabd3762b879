"""The files of a snapshot, and the commands of Slurm that print them.

What changes quickly is asked first and together, between the times in `begun.txt` and `ended.txt` (Unix time, s). All
times are Unix times (``SLURM_TIME_FORMAT=%s``), which no time zone changes; `zone.txt` has the zone of the machine
where the commands ran, for people to read. `times.csv` says of each file between which times it was printed.
"""

from dataclasses import dataclass

BEGUN, ENDED, ZONE, TIMES = "begun.txt", "ended.txt", "zone.txt", "times.csv"
NAMES = "names.csv"
"""The key of a snapshot in which numbers stand for names."""
HISTORY = "sacct.psv"
SQUEUE = {
    "%i": "JOBID", "%F": "ARRAY_JOB_ID", "%K": "ARRAY_TASK_ID", "%j": "NAME", "%u": "USER", "%a": "ACCOUNT",
    "%P": "PARTITION", "%q": "QOS", "%T": "STATE", "%r": "REASON", "%Q": "PRIORITY", "%V": "SUBMIT_TIME",
    "%e": "END_TIME", "%S": "START_TIME", "%M": "TIME", "%l": "TIME_LIMIT", "%D": "NODES", "%C": "CPUS",
    "%N": "NODELIST", "%n": "REQ_NODES", "%E": "DEPENDENCY", "%v": "RESERVATION", "%h": "OVER_SUBSCRIBE",
}  # fmt: skip
"""Fields of squeue, by the letters that ask for them."""
SACCT = (
    "JobID,JobIDRaw,JobName,User,Account,Partition,QOS,State,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,"
    "Timelimit,NNodes,ReqCPUS,AllocCPUS,ReqMem,ReqTRES,AllocTRES,MaxRSS,NTasks,TotalCPU,Cluster,NodeList,SubmitLine"
)


@dataclass(frozen=True, slots=True)
class Command:
    """A file, and the command that prints it."""

    file: str
    words: tuple[str, ...]
    needed: bool = False
    """Whether there is no state without it."""
    moving: bool = True
    """Whether it changes from second to second."""

    @property
    def text(self) -> str:
        """The command as it is typed."""
        return " ".join(self.words)


def _command(file: str, text: str, needed: bool = False, moving: bool = True) -> Command:
    return Command(file, tuple(text.split()), needed, moving)


COMMANDS = (
    _command("jobs.txt", "scontrol -d -o show job", needed=True),
    Command("squeue.psv", ("squeue", "-a", "-r", "-o", "|".join(SQUEUE))),
    _command("sprio.txt", "sprio -l"),
    _command("sprio_norm.txt", "sprio -l -n"),
    _command("assoc_mgr.txt", "scontrol -o show assoc_mgr"),
    _command("sshare.psv", "sshare -a -l -P"),
    _command("nodes.txt", "scontrol -o show node", needed=True),
    _command("partitions.txt", "scontrol -o show partition", needed=True),
    _command("reservations.txt", "scontrol -o show reservation"),
    _command("sdiag.txt", "sdiag"),
    Command("squeue_start.psv", ("squeue", "-a", "-r", "--start", "-o", "%i|%j|%T|%S|%Y|%N")),
    _command("squeue.json", "squeue -a --json"),
    _command("config.txt", "scontrol show config", needed=True, moving=False),
    _command("assoc.psv", "sacctmgr -P show assoc tree", moving=False),
    _command("qos.psv", "sacctmgr -P show qos", moving=False),
)
"""All but the history, in the order in which they are run."""


def history(since: str) -> Command:
    """The jobs of the past, from a time on as sacct reads it, such as ``now-90days``."""
    words = ("sacct", "--parsable2", "--allusers", "--duplicates", "--starttime", since, "--format", SACCT)
    return Command(HISTORY, words, moving=False)
