"""Machines of nodes: what a node has, what a job asks of nodes, and where it is placed."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
