"""The slack paper: slack-based backfilling with priorities."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
