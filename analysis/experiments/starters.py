"""The commented example scenarios that `thinktime new` writes, ready to run."""

_COMMON = """
policies = ["fcfs", "easy", "conservative"]   # `thinktime policies` lists them; FILE.py:NAME is your own
metrics = [                                   # STATISTIC_MEASURE and others, see docs/how-to/scenarios.md
    "mean_wait", "p95_wait", "mean_bounded_slowdown_10", "utilization", "finished",
]
"""

_OUTPUTS = """
[outputs]
jobs = false            # true: the table of jobs of every run, as Parquet (pip install 'thinktime[parquet]')
series = true           # small curves of every run, for the pictures of `thinktime report`
"""

_USERS = """\
# Users in the loop: they submit a campaign of jobs, wait for all of it, think, and submit the next.
# Durations are seconds, or strings such as "7 d", "12 h", "1 h 30 min".
name = "{name}"
description = "How policies serve a dozen users who share a machine."
{common}
horizon = "14 d"        # the simulated time
warm_up = "1 d"         # jobs submitted in this time are not measured, since the machine starts empty
replications = 5        # the number of seeds, from `seed` on; all policies get the same random numbers
seed = 1

[machine]
processors = 64
overrun = "kill"        # what happens to a job that outlives its estimate: kill, extend, until_needed

[users.short]           # eight users, "short 1" to "short 8"
count = 8
runtime = {{ kind = "uniform", low = "1 s", high = "1 h" }}
jobs = {{ distribution = "geom", p = 0.1 }}                         # per campaign: ten on average
think_time = {{ distribution = "expon", scale = "30 min" }}         # from its end to the next submission
processors = {{ values = [1, 2, 4, 8, 16], weights = [16, 8, 4, 2, 1] }}   # per job
overestimate = 2.0                                                # estimate / run time

[users.long]
count = 4
runtime = {{ kind = "uniform", low = "1 h", high = "10 h" }}
jobs = {{ distribution = "geom", p = 0.1 }}
think_time = {{ distribution = "expon", scale = "4 h" }}
# think_time = {{ reaction = "response_time", base = "10 min", factor = 0.5 }}   # a long wait delays the return
hours = {{ start = 9, end = 17, days = [0, 1, 2, 3, 4] }}           # when they submit; 0 is Monday; 22 to 6 works too

[sweep.grid]            # every combination of these values is run
"machine.processors" = [64, 96]
{outputs}"""

_TRACE = """\
# A log, replayed under several policies. `thinktime trace get NAME` downloads a log of the archive.
name = "{name}"
description = "The effect of backfilling on this log."
{common}
[machine]
# processors = 100      # by default the size in the log's header
overrun = "kill"        # what happens to a job that outlives its estimate: kill, extend, until_needed

[trace]
file = "KTH-SP2-1996-2.1-cln.swf.gz"   # beside this file, in $THINKTIME_TRACES, or fetched by `thinktime trace get`
from = 0                # seconds since the log's start, or a date in its time zone such as 1996-10-01
to = "1997-01-01"
# load = 0.8            # leave out or copy weeks of users to reach this offered load
# requested = "exact"   # replaces the requested times: exact, tsafrir, {{ kind = "factor", factor = 2 }}
mode = "open"           # at the recorded times; "feedback": users wait for what they waited for in the log;
                        # "generative": users drawn from the log, anew for each seed

[sweep.grid]            # every combination of these values is run
"trace.load" = [0.7, 0.8, 0.9]
{outputs}"""

_WORKLOAD = """\
# Synthetic jobs, generated anew for each seed by a recipe of `thinktime generate`.
name = "{name}"
description = "Policies on the Lublin-Feitelson model at increasing load."
{common}
replications = 5        # the number of seeds, from `seed` on; all policies get the same jobs
seed = 1

[machine]
processors = 128

[workload]
recipe = "lublin"       # short-long, lublin, poisson, mmpp, weibull, b-model, or tables: [workload.recipe]
jobs = 2000
users = 26
requested = "tsafrir"   # exact, tsafrir, {{ kind = "factor", factor = 2 }}
mode = "open"           # "closed": campaign users in the loop (recipe = "short-long")

[sweep.grid]            # every combination of these values is run
"workload.load" = [0.5, 0.7, 0.9]

# [[sweep.points]]      # or single points, each with keys and values
# "workload.load" = 0.8
# "machine.processors" = 256
{outputs}"""

STARTERS = {"users": _USERS, "trace": _TRACE, "workload": _WORKLOAD}
"""The example scenarios, by where jobs come from."""


def starter(kind: str, name: str) -> str:
    """The text of an example scenario."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return STARTERS[kind].format(name=escaped, common=_COMMON.strip(), outputs=_OUTPUTS)
