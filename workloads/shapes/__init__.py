"""Jobs whose size is a choice: speed-ups, the sizes that jobs may have, and logs of which some jobs are given such."""

from thinktime.workloads.lazy import import_on_demand
from thinktime.workloads.shapes.shape import Shape
from thinktime.workloads.shapes.speedup import SpeedUp

__all__ = ["Shape", "SpeedUp"]

import_on_demand(__name__)
