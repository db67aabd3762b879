"""The machine as a SimPy resource: its scheduler process, its events, what users and analyses see of it."""

from thinktime.models.machine.machine import Machine as Machine
from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
