# ruff: noqa: E501 -- lines of sacct are long
"""What sacct prints, made by hand after the manual's and sites' examples."""

from collections.abc import Callable

from thinktime.workloads.sacct import Converted

Make = Callable[..., Converted]

HEADER = (
    "JobID|JobIDRaw|JobName|User|Account|Partition|QOS|State|Submit|Eligible|Start|End|Elapsed|ElapsedRaw|"
    "Timelimit|NNodes|ReqCPUS|AllocCPUS|ReqMem|ReqTRES|AllocTRES|MaxRSS|NTasks|TotalCPU|Cluster"
)

SITE = (
    HEADER
    + """
1000|1000|relax|ann|chem|batch|normal|COMPLETED|2024-05-02T08:00:00|2024-05-02T08:00:00|2024-05-02T08:10:00|2024-05-02T10:10:00|02:00:00|7200|04:00:00|2|64|64|128G|billing=64,cpu=64,mem=128G,node=2|billing=64,cpu=64,mem=128G,node=2|||5-08:00:00|aurora
1000.batch|1000.batch|batch||chem|||COMPLETED|2024-05-02T08:10:00|2024-05-02T08:10:00|2024-05-02T08:10:00|2024-05-02T10:10:00|02:00:00|7200||1|32|32|||cpu=32,mem=64G,node=1|2048K|1|00:01.500|aurora
1000.extern|1000.extern|extern||chem|||COMPLETED|2024-05-02T08:10:00|2024-05-02T08:10:00|2024-05-02T08:10:00|2024-05-02T10:10:00|02:00:00|7200||2|64|64|||billing=64,cpu=64,mem=128G,node=2|0|2|00:00.002|aurora
1000.0|1000.0|relax.x||chem|||COMPLETED|2024-05-02T08:10:02|2024-05-02T08:10:02|2024-05-02T08:10:02|2024-05-02T10:10:00|01:59:58|7198||2|64|64|||cpu=64,mem=128G,node=2|1.5G|64|5-07:59:58|aurora
1001_1|1002|sweep|bob|bio|batch|normal|FAILED|2024-05-02T08:05:00|2024-05-02T08:05:00|2024-05-02T08:05:30|2024-05-02T08:06:00|00:00:30|30|01:00:00|1|1|2|4Gc|cpu=1,mem=4G,node=1|cpu=2,mem=8G,node=1|||00:28.125|aurora
1001_1.batch|1002.batch|batch||bio|||FAILED|2024-05-02T08:05:30|2024-05-02T08:05:30|2024-05-02T08:05:30|2024-05-02T08:06:00|00:00:30|30||1|2|2|||cpu=2|100M|1|00:28.125|aurora
1001_2|1003|sweep|bob|bio|batch|normal|OUT_OF_MEMORY|2024-05-02T08:05:00|2024-05-02T08:05:00|2024-05-02T08:05:40|2024-05-02T08:15:40|00:10:00|600|01:00:00|1|1|2|4Gc|cpu=1,mem=4G,node=1|cpu=2,mem=8G,node=1|||09:30.000|aurora
1001_[3-9%2]|1001|sweep|bob|bio|batch|normal|PENDING|2024-05-02T08:05:00|2024-05-02T08:05:00|Unknown|Unknown|00:00:00|0|01:00:00|1|1|0|4Gc|cpu=1,mem=4G,node=1||||00:00:00|aurora
1010|1010|big|ann|chem|batch|long|TIMEOUT|2024-05-02T09:00:00|2024-05-02T09:30:00|2024-05-02T09:30:00|2024-05-03T09:30:20|1-00:00:20|86420|1-00:00:00|4|128|128|2000Mn|cpu=128,mem=8000M,node=4|cpu=128,mem=8000M,node=4|||100-00:00:00|aurora
1011|1011|oops|cid|bio|batch|normal|CANCELLED by 5021|2024-05-02T09:10:00|2024-05-02T09:10:00|None|2024-05-02T09:40:00|00:00:00|0|UNLIMITED|1|8|0|0|cpu=8,node=1||||00:00:00|aurora
1012|1012|a|b|cid|bio|gpu|normal|CANCELLED by 5021|2024-05-02T09:20:00|2024-05-02T09:20:00|2024-05-02T09:20:10|2024-05-02T09:50:10|00:30:00|1800|Partition_Limit|1|8|8|32G|cpu=8,mem=32G,node=1|cpu=8,gres/gpu=2,mem=32G,node=1|||03:59:00|aurora
1013|1013|node|dee||gpu|normal|NODE_FAIL|2024-05-02T10:00:00|2024-05-02T10:00:00|2024-05-02T10:00:05|2024-05-02T10:20:05|00:20:00|1200|02:00:00|1|4|4|1T|cpu=4,mem=1T,node=1|cpu=4,mem=1T,node=1|||01:00:00|aurora
1013|1013|node|dee||gpu|normal|COMPLETED|2024-05-02T10:20:06|2024-05-02T10:22:06|2024-05-02T10:25:06|2024-05-02T11:25:06|01:00:00|3600|02:00:00|1|4|4|1T|cpu=4,mem=1T,node=1|cpu=4,mem=1T,node=1|||03:00:00|aurora
1013.batch|1013.batch|batch||bio|||COMPLETED|2024-05-02T10:25:06|2024-05-02T10:25:06|2024-05-02T10:25:06|2024-05-02T11:25:06|01:00:00|3600||1|4|4|||cpu=4|8G|1|03:00:00|aurora
1020|1020|live|ann|chem|batch|normal|RUNNING|2024-05-02T11:00:00|2024-05-02T11:00:00|2024-05-02T11:00:01|Unknown|05:00:00|18000|12:00:00|1|16|16|16G|cpu=16,mem=16G,node=1|cpu=16,mem=16G,node=1|||00:00:00|aurora
1021+0|1021|het|ann|chem|batch|normal|COMPLETED|2024-05-02T12:00:00|2024-05-02T12:00:00|2024-05-02T12:01:00|2024-05-02T12:02:00|00:01:00|60|00:10:00|1|2|2|1G|cpu=2,mem=1G,node=1|cpu=2,mem=1G,node=1|||00:50.000|aurora
1021+1|1022|het|ann|chem|gpu|normal|COMPLETED|2024-05-02T12:00:00|2024-05-02T12:00:00|2024-05-02T12:01:00|2024-05-02T12:02:00|00:01:00|60|00:10:00|1|3|3|1G|cpu=3,mem=1G,node=1|cpu=3,mem=1G,node=1|||00:50.000|aurora
"""
)
"""A day of a site, with one of everything; the name of job 1012 holds the separator."""


def small(rows: str, columns: str = "JobID|User|State|Submit|Start|End|Elapsed|Timelimit|ReqCPUS|AllocCPUS") -> str:
    """A file with few columns."""
    return f"{columns}\n{rows.strip()}\n"
