"""What a cap on power costs: CPU time of a replay over the same log without power, and over the machine that it equals.

    python benchmarks/power.py [LOG] [--runs N]

Every job draws 100 W per processor, so a cap of nine tenths of the machine makes the schedule of a machine of nine
tenths of the processors. The least time of some runs counts, in turn, within one process.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import thinktime as tt

WATTS, PART = 100.0, 0.9
RULES = ("easy", "conservative")


def main() -> None:
    """Print the ratios for each rule."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("log", metavar="LOG", nargs="?", default="LANL-CM5-1994-4.1-cln.swf.gz")
    asked.add_argument("--runs", type=int, default=9)
    given = asked.parse_args()
    log = tt.read_swf(given.log)
    size = log.machine_size or int(log.processors.max())
    part = int(PART * size)
    log = log.select(log.processors <= part)
    drawing = tt.Trace(log.columns, log.header, further={"power": WATTS * log.processors.astype(np.float64)})
    for rule in RULES:
        kinds = {
            "none": (log, tt.MachineSpec(size, rule)),
            "power, no cap": (drawing, tt.MachineSpec(size, rule, power=tt.Power())),
            "a cap that never binds": (drawing, tt.MachineSpec(size, rule, power=tt.Power(cap="1 GW"))),
            "fewer processors": (log, tt.MachineSpec(part, rule)),
            "a cap that binds": (drawing, tt.MachineSpec(size, rule, power=tt.Power(cap=WATTS * part))),
        }
        least = dict.fromkeys(kinds, np.inf)
        for _ in range(given.runs):
            for name, (jobs, spec) in kinds.items():
                began = time.process_time()
                tt.run(spec, tt.sources.log(jobs))
                least[name] = min(least[name], time.process_time() - began)
        print(f"{rule}: {least['none']:.4f} s without power")
        for name, over in (("power, no cap", "none"), ("a cap that never binds", "none"),
                           ("a cap that binds", "fewer processors")):  # fmt: skip
            print(f"  {name} over {over}: {least[name] / least[over]:.2f}")


if __name__ == "__main__":
    main()
