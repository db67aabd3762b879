"""Every rule with every order on SDSC-SP2 (128 processors): the duration of the event loop.

    python benchmarks/rules.py [--logs DIR] [--repeat N] [--quick]

The target is 30 s for each combination.
"""

from __future__ import annotations

import argparse

from logs import folder, open_log

import thinktime as tt

RULES = {
    "none": "none",
    "no-guarantee": "no-guar.",
    "easy": "easy",
    "easy:reservations=4": "easy, 4",
    "conservative": "conserv.",
    "conservative:compress=event": "event",
    "conservative:compress=scheduled": "sched.",
    "conservative:compress=none": "no compr.",
    "conservative-dynamic": "dynamic",
}
"""Rules, with the headings of their columns."""

LIMIT = 30.0  # s
QUICK = 2_000  # jobs with --quick


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="Seconds of every rule with every order on SDSC-SP2.")
    parser.add_argument("--logs", metavar="DIR", help="folder of the logs (default: THINKTIME_TRACES)")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="runs of each; the fastest counts")
    parser.add_argument("--quick", action="store_true", help=f"the first {QUICK:,} jobs only")
    given = parser.parse_args()
    trace, processors, real = open_log("SDSC-SP2", folder(given.logs))
    if given.quick:
        trace = trace.select([row < QUICK for row in range(len(trace))])
    kind = "" if real else ", GENERATED: the real log is not available"
    print(f"SDSC-SP2: {len(trace):,} jobs on {processors} processors{kind}; seconds\n")
    print(f"{'order':<9}" + "".join(f"{title:>10}" for title in RULES.values()), flush=True)
    seconds = {}
    for order in tt.policies.ORDERS:
        for rule in RULES:
            spec = f"{rule},order={order}" if ":" in rule else f"{rule}:order={order}"
            runs = [tt.replay(trace, spec, processors).simulation_seconds for _ in range(given.repeat)]
            seconds[spec] = min(run for run in runs if run is not None)
        row = list(seconds.values())[-len(RULES) :]
        print(f"{order:<9}" + "".join(f"{value:>10.2f}" for value in row), flush=True)
    slowest = max(seconds, key=lambda spec: seconds[spec])
    verdict = "met" if seconds[slowest] <= LIMIT else "NOT MET"
    told = "" if given.quick else f"; each within {LIMIT:g} s: {verdict}"
    print(f"\nslowest: {slowest}, {seconds[slowest]:.2f} s{told}")


if __name__ == "__main__":
    main()
