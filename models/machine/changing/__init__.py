"""Machines that change: windows, outages, failures, preemption."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
