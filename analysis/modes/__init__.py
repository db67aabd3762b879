"""One log replayed in several ways: open-loop, with feedback, and with users drawn from it."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
