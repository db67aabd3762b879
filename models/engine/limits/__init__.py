"""Limits of a site in every pass."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
