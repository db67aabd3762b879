"""A small site as a file, and a log of it with the names of its numbers."""

from pathlib import Path

SITE = """
name = "pluto"
nodes = [{ name = "n", resources = { processors = 4 }, names = "n[1-3]" }]
partitions = [{ name = "batch", nodes = "n[1-2]", default = true }, { name = "debug", nodes = "n3" }]
qos = [{ name = "normal" }, { name = "high", priority = 10 }]
accounts = [{ account = "a" }, { account = "a", user = "ann" }, { account = "b" }, { account = "b", user = "bob" }]
backfill = { interval = 1 }

[priority]
type = "multifactor"
qos = 1000
"""
NAMES = "kind,number,name\nuser,1,ann\nuser,2,bob\naccount,1,a\naccount,2,b\nqos,1,normal\nqos,2,high\n" + (
    "partition,1,batch\npartition,2,debug\n"
)
#         number, submit, run time, processors, user, group, queue (QOS), partition
JOBS = (
    (1, 0, 100, 8, 1, 1, 1, 1),  # all of batch
    (2, 10, 50, 8, 1, 1, 1, 1),
    (3, 20, 50, 8, 2, 2, 2, 1),  # high: before job 2
    (4, 30, 40, 4, 2, 2, 1, 2),  # alone in debug
    (5, 200, 10, 4, 3, 1, 1, 1),  # of a user whom the site does not know
)


def write(folder: Path) -> Path:
    """Write pluto.toml, tiny.swf and tiny.names.csv; the path of the log."""
    lines = [
        f"{n} {at} 0 {runtime} {p} -1 -1 {p} {runtime} -1 1 {user} {group} -1 {queue} {partition} -1 -1\n"
        for n, at, runtime, p, user, group, queue, partition in JOBS
    ]
    path = folder / "tiny.swf"
    path.write_text("; UnixStartTime: 1000000000\n; MaxProcs: 99\n" + "".join(lines))
    (folder / "tiny.names.csv").write_text(NAMES)
    (folder / "pluto.toml").write_text(SITE)
    return path
