"""What sizes cost: CPU time of replays in which a fifth of the jobs is malleable, over the same log with rigid jobs.

    python benchmarks/shapes.py [LOG] [--runs N]

The least time of some runs counts, in turn, within one process.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import thinktime as tt

RULES = ("easy", "conservative-dynamic")
HOW = "expand=oldest,shrink=latest"


def main() -> None:
    """Print the ratios for each rule, and for jobs that share the processors."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("log", metavar="LOG", nargs="?", default="KTH-SP2-1996-2.1-cln.swf.gz")
    asked.add_argument("--runs", type=int, default=5)
    given = asked.parse_args()
    rigid = tt.read_swf(given.log)
    size = rigid.machine_size or int(rigid.processors.max())
    shaped = tt.Shaping(share=0.2, speedup="amdahl(0.01)").of(rigid, size)
    for rule in RULES:
        kinds = {
            "rigid jobs": (rigid, rule),
            "shapes that no policy heeds": (shaped, rule),
            "sizes to choose, rigid jobs": (rigid, f"shapes:{HOW},base={rule}"),
            "20 % malleable": (shaped, f"shapes:{HOW},base={rule}"),
            "20 % malleable, by predicted end": (shaped, f"shapes:size=earliest,{HOW},base={rule}"),
        }
        if rule == "easy":
            kinds["20 % malleable, equal shares"] = (shaped, "shapes:share=equal")
        least = dict.fromkeys(kinds, np.inf)
        for _ in range(given.runs):
            for name, (jobs, policy) in kinds.items():
                began = time.process_time()
                tt.run(tt.MachineSpec(size, policy), tt.sources.log(jobs))
                least[name] = min(least[name], time.process_time() - began)
        usual = least.pop("rigid jobs")
        print(f"{rule}: {usual:.4f} s with rigid jobs")
        for name, seconds in least.items():
            print(f"  {name}: {seconds / usual:.2f} times")


if __name__ == "__main__":
    main()
