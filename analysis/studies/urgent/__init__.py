"""The study of urgent jobs: what they gain from priority, reservations and preemption, and what others lose."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
