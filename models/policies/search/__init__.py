"""Policies that search for the best order of the queue."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
