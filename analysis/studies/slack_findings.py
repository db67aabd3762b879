"""What the slack paper finds (sections 5.2 and 5.3), and whether it is seen."""

from __future__ import annotations

from thinktime.analysis.studies.findings import Finding
from thinktime.analysis.studies.slack import GAPS, Study
from thinktime.analysis.studies.slack_paper import HEURISTICS


def findings(found: Study) -> list[Finding]:
    """Every finding of section 5, for a study with all cases."""
    return _equal(found) + _preferred(found)


def _equal(found: Study) -> list[Finding]:
    mean, better = found.mean, found.better
    pairs = list(zip(found.waits["conservative"], found.waits["ast"], strict=True))
    worse = sum(slack.mean > base.mean for base, slack in pairs)
    ours = sorted(HEURISTICS, key=mean)
    return [
        Finding(
            "slack-based: 16.5 % less waiting",
            "10 to 25 %",
            _percent(better("ast")),
            0.10 <= better("ast") <= 0.25,
        ),
        Finding("in no month more waiting", "none worse", f"{worse} of {len(pairs)} worse", worse == 0),
        Finding(
            "less waiting than EASY",
            "slack < EASY",
            _two(mean("ast"), mean("easy")),
            mean("ast") < mean("easy"),
        ),
        Finding("AST < AAT < DP < DC < DU", "same order", " < ".join(ours).upper(), ours == list(HEURISTICS)),
        Finding(
            "each heuristic beats conservative",
            "all 5",
            f"{sum(better(name) > 0 for name in HEURISTICS)} of {len(HEURISTICS)}",
            all(better(name) > 0 for name in HEURISTICS),
        ),
        Finding(
            "slack factor 9: 19.25 %, a bit better",
            "better than 3",
            _two(mean("factor 9"), mean("ast")),
            mean("factor 9") < mean("ast"),
        ),
        Finding(
            "AWT by month: some per cent better",
            "> 1 % better",
            _two(mean("awt by month"), mean("ast")),
            better("awt by month", "ast") > 0.01,
        ),
        Finding(
            "all jobs preferred alike: worse",
            "both > equal",
            f"{mean('all 1'):.0f}, {mean('all 2'):.0f} / {mean('ast'):.0f}",
            min(mean("all 1"), mean("all 2")) > mean("ast"),
        ),
    ]


def _preferred(found: Study) -> list[Finding]:
    equal, total, weights = found.total("ast"), found.total("ast preferred"), found.total("weights preferred")
    gap = total.low - total.high
    gaps = [found.total(f"gap {gap:g}") for gap in GAPS]
    best = min(HEURISTICS, key=lambda name: found.mean(f"{name} preferred"))
    up, down = total.low / equal.mean - 1, total.high / equal.mean - 1
    return [
        Finding(
            "preferred jobs wait 14.8 % less",
            "5 to 25 %",
            _percent(gap / total.low),
            0.05 <= gap / total.low <= 0.25,
        ),
        Finding("than with equal priorities: 2.5 % less", "less", _percent(down), down < 0),
        Finding("others: more (table 14.4 %, text 3.9 %)", "more", _percent(up), up > 0),
        Finding(
            "all together: 11.1 % more",
            "more",
            _percent(total.mean / equal.mean - 1),
            total.mean > equal.mean,
        ),
        Finding(
            "others still less than conservative",
            "less",
            _two(total.low, found.mean("conservative")),
            total.low < found.mean("conservative"),
        ),
        Finding(
            "a smaller gap still helps",
            "each above 0",
            f"{min(each.low - each.high for each in gaps):.0f} s at least",
            all(each.high < each.low for each in gaps),
        ),
        Finding(
            "priority weight 1, others 0.2: both wait more",
            "both",
            f"{weights.high:.0f}, {weights.low:.0f} / {total.high:.0f}, {total.low:.0f}",
            weights.high > total.high and weights.low > total.low,
        ),
        Finding(
            "  and the gap is a little larger",
            "larger",
            _two(weights.low - weights.high, gap),
            weights.low - weights.high > gap,
        ),
        Finding("best with priorities: AAT, narrowly", "AAT", best.upper(), best == "aat"),
    ]


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.1f} %"


def _two(one: float, other: float) -> str:
    return f"{one:.0f} / {other:.0f}"
