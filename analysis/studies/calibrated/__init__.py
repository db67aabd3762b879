"""The study of calibrated users: whether users fitted to a log do what those who left it would have done."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
