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
    "slurm": "slurm",
}
"""Rules, with the headings of their columns."""

OTHERS = {
    "easy, predicted by last-two": ("easy", "last-two"),
    "conservative, predicted by last-two": ("conservative", "last-two"),
    "cplant24.nomax.all": ("cplant24.nomax.all", "requested"),
    "creasy": ("creasy", "requested"),
    "easy:order=relshare": ("easy:order=relshare", "requested"),
    "easy:order=relshare,resort=start": ("easy:order=relshare,resort=start", "requested"),
    "slack:awt=3600": ("slack:awt=3600", "requested"),
    "tradeoff:limit=100": ("tradeoff:limit=100", "requested"),
    "recorded": ("recorded", "requested"),
    "ostrich": ("ostrich", "requested"),
    "faircamp": ("faircamp", "requested"),
}
"""Other rules, by title: the policy, and what it plans with."""

LIMIT = 30.0  # s
QUICK = 2_000  # jobs with --quick


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="Seconds of every rule with every order on SDSC-SP2.")
    parser.add_argument("--logs", metavar="DIR", help="folder of the logs (default: THINKTIME_TRACES)")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="runs of each; the fastest counts")
    parser.add_argument("--quick", action="store_true", help=f"the first {QUICK:,} jobs only")
    parser.add_argument("--others", action="store_true", help="the other rules alone, without the table of orders")
    given = parser.parse_args()
    trace, processors, real = open_log("SDSC-SP2", folder(given.logs))
    if given.quick:
        trace = trace.select([row < QUICK for row in range(len(trace))])
    kind = "" if real else ", GENERATED: the real log is not available"
    print(f"SDSC-SP2: {len(trace):,} jobs on {processors} processors{kind}; seconds\n")
    if not given.others:
        _orders(trace, processors, given)
    for title, (policy, estimates) in OTHERS.items():
        seconds = _fastest(trace, policy, processors, given.repeat, estimates)
        print(f"{title:<40}{seconds:>10.2f}", flush=True)


def _orders(trace: tt.Trace, processors: int, given: argparse.Namespace) -> None:
    """Every rule with every order."""
    print(f"{'order':<9}" + "".join(f"{title:>10}" for title in RULES.values()), flush=True)
    seconds = {}
    for order in tt.policies.ORDERS:
        for rule in RULES:
            spec = f"{rule},order={order}" if ":" in rule else f"{rule}:order={order}"
            seconds[spec] = _fastest(trace, spec, processors, given.repeat)
        row = list(seconds.values())[-len(RULES) :]
        print(f"{order:<9}" + "".join(f"{value:>10.2f}" for value in row), flush=True)
    slowest = max(seconds, key=lambda spec: seconds[spec])
    verdict = "met" if seconds[slowest] <= LIMIT else "NOT MET"
    told = "" if given.quick else f"; each within {LIMIT:g} s: {verdict}"
    print(f"\nslowest: {slowest}, {seconds[slowest]:.2f} s{told}\n")


def _fastest(trace: tt.Trace, policy: str, processors: int, repeat: int, estimates: str = "requested") -> float:
    """The seconds of the fastest of some runs."""
    runs = [tt.replay(trace, policy, processors, estimates=estimates).simulation_seconds for _ in range(repeat)]
    return min(run for run in runs if run is not None)


if __name__ == "__main__":
    main()
