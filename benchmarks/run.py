"""All benchmarks in turn: start-up, logs, replays, nodes, changes, users, rules, sweeps, slack, search, view, gym."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Run each script in its own process."""
    parser = argparse.ArgumentParser(description="All benchmarks (about ten minutes).")
    parser.add_argument("--logs", metavar="DIR", help="folder of the logs (default: THINKTIME_TRACES)")
    parser.add_argument("--quick", action="store_true", help="small versions, to test the scripts")
    given = parser.parse_args()
    logs = ["--logs", given.logs] if given.logs else []
    quick = ["--quick"] if given.quick else []
    startup = ["--repeat", "1"] if given.quick else []
    for script, options in (
        ("startup", startup),
        ("reading", quick),
        ("scale", quick),
        ("replay", logs + quick),
        ("nodes", logs + quick),
        ("changing", logs + quick),
        ("feedback", logs + quick),
        ("rules", logs + quick),
        ("sweeps", logs + quick),
        ("slack", logs + quick),
        ("search", quick),
        ("priorities", quick),
        ("view", logs + quick),
        ("gym", logs + quick),
    ):
        print(f"== {script}", flush=True)
        subprocess.run([sys.executable, str(HERE / f"{script}.py"), *options], check=True)
        print(flush=True)


if __name__ == "__main__":
    main()
