"""The bytes of logs, compiled: `tokens` (from text to numbers) and `digits` (from numbers to text)."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
