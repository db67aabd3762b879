"""Numbers of `thinktime.models.policies.ostrich.progress`."""

from thinktime.workloads.arrays import Floats, Ints, IntTable

NOBODY = -1
BY_CAMPAIGN = {
    **dict.fromkeys(("active", "begun", "free", "owner", "index", "number", "after", "live", "joined"), Ints),
    **dict.fromkeys(("submit", "work", "virtual_start", "virtual_end", "urgency", "given"), Floats),
    **dict.fromkeys(("finish", "tag"), IntTable),
}
BY_USER = {
    **dict.fromkeys(("appeared", "since", "founded", "jobs", "latest", "first", "last"), Ints),
    **{"weight": Floats, "share": IntTable},
}
CAMPAIGNS = (
    dict.fromkeys(("time", "service", "due", "shares", "unit", "speed", "of", "line"), Ints) | BY_CAMPAIGN | BY_USER
)
