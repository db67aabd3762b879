"""What the ostrich paper finds (section 6), and whether it is seen."""

from math import nan

from thinktime.analysis.papers.ostrich.study import Evidence
from thinktime.analysis.study import Finding, cell


def findings(found: Evidence) -> list[Finding]:
    """Every finding of section 6, and the two lemmas of section 5."""
    fcfs, ostrich = found.numbers["fcfs"], found.numbers["ostrich"]
    below = _over(ostrich.below_2.mean, fcfs.below_2.mean)
    long = _over(ostrich.long.mean, fcfs.long.mean)
    return [
        Finding(
            "FCFS: 42.3 % of the campaigns above 20",
            "30 to 55 %",
            _percent(fcfs.above_20.mean),
            0.30 <= fcfs.above_20.mean <= 0.55,
        ),
        Finding(
            "OStrich: 1.3 % above 20",
            "< 3 %, < FCFS / 10",
            _percent(ostrich.above_20.mean),
            ostrich.above_20.mean < min(0.03, fcfs.above_20.mean / 10),
        ),
        Finding(
            "below 2: OStrich more than 2 × FCFS",
            "ratio > 2",
            f"{cell(below, '.2f')} ({_percent(ostrich.below_2.mean)} / {_percent(fcfs.below_2.mean)})",
            below > 2,
        ),
        Finding("short users under FCFS: above 50", "> 50", cell(fcfs.short.mean), fcfs.short.mean > 50),
        Finding(
            "short users under OStrich: 12.8",
            "< FCFS / 3",
            cell(ostrich.short.mean),
            ostrich.short.mean < fcfs.short.mean / 3,
        ),
        Finding(
            "long users: 6.3 and 6.8, almost the same",
            "ratio 0.8 to 1.25",
            f"{cell(long, '.2f')} ({cell(ostrich.long.mean)} / {cell(fcfs.long.mean)})",
            0.8 <= long <= 1.25,
        ),
        Finding(
            "OStrich: idle area within Lemma 1's bound",
            "0 instances beyond",
            f"{ostrich.behind} of {len(ostrich.idle_shares)}; at most {_percent(max(ostrich.idle_shares))} of it",
            ostrich.behind == 0,
        ),
        Finding(
            "OStrich: none later than Lemma 2's bound",
            "0",
            f"{ostrich.late} of {ostrich.campaigns:,}",
            ostrich.late == 0,
        ),
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _over(value: float, base: float) -> float:
    """The ratio; NaN, which no criterion accepts, where there is none."""
    return value / base if base else nan
