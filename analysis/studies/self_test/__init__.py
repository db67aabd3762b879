"""The shaken self-test: what replays with feedback forget when run times move by 1 %, and why."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
