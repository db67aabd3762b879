"""What the slack paper finds (sections 5.1 to 5.3 and 6), and whether it is seen, by one rule for all."""

from collections.abc import Callable, Iterable
from itertools import pairwise

from thinktime.analysis.papers.slack.printed import CONSERVATIVE, HEURISTICS, SLACK
from thinktime.analysis.papers.slack.runs import GAPS, TINY
from thinktime.analysis.papers.slack.study import Evidence
from thinktime.analysis.study import Finding, Thresholds, together

RULE = Thresholds()
"""When a difference counts, in every row."""

LOW = 2294.0 / SLACK - 1
"""By how much the others wait longer than with equal priorities, by the paper's table (its text says 3.9 %)."""


def findings(found: Evidence) -> list[Finding]:
    """Every finding, for a study with all cases."""
    return _equal(found) + _parameters(found) + _preferred(found) + _gap(found)


def _equal(found: Evidence) -> list[Finding]:
    """Section 5.2: equal priorities."""
    mean = found.mean
    months = zip(found.waits["ast"], found.waits["conservative"], strict=True)
    worse = [RULE.more(slack.mean, base.mean) for slack, base in months].count(True)
    names = list(HEURISTICS)
    gains = [found.better(name) for name in names]
    printed = [row.equal / CONSERVATIVE - 1 for row in HEURISTICS.values()]
    return [
        _same("conservative backfilling: about as EASY", mean("conservative"), mean("easy")),
        _less("slack-based: less waiting", mean("ast"), mean("conservative")),
        _size("  by 16.5 %", -found.better("ast"), SLACK / CONSERVATIVE - 1),
        Finding("  in no month more", "none more", f"{worse} of {len(found.months)} more", worse == 0),
        _less("  less than EASY, too", mean("ast"), mean("easy")),
        _all("all heuristics: less than conservative", names, mean, mean("conservative")),
        Finding(
            "  by 16.5, 13.0, 11.7, 9.2, 8.1 %",
            "each size",
            " ".join(f"{100 * gain:.1f}" for gain in gains) + " %",
            together(RULE.size(-gain, size) for gain, size in zip(gains, printed, strict=True)),
        ),
        _all("  less than EASY, too", names, mean, mean("easy")),
        Finding(
            "  AST < AAT < DP < DC < DU",
            "each less",
            " < ".join(sorted(names, key=mean)).upper(),
            together(RULE.less(mean(one), mean(other)) for one, other in pairwise(names)),
        ),
        _best("  AST is the best", "ast", {name: mean(name) for name in names}),
        Finding(
            "  DU is the worst",
            "more than all",
            _two(mean("du"), max(mean(name) for name in names[:-1])),
            together(RULE.more(mean("du"), mean(name)) for name in names[:-1]),
        ),
    ]


def _parameters(found: Evidence) -> list[Finding]:
    """Sections 4.8, 5.2 and 6: what the parameters do with equal priorities."""
    mean = found.mean
    alike = (mean("all 1"), mean("all 2"))
    return [
        _less("slack factor 9: a bit better than 3", mean("factor 9"), mean("ast")),
        _less("AWT of each month: a few % better", mean("awt by month"), mean("ast")),
        Finding(
            "all jobs preferred alike: worse",
            "both more",
            f"{alike[0]:.0f}, {alike[1]:.0f} / {mean('ast'):.0f}",
            together(RULE.more(each, mean("ast")) for each in alike),
        ),
        *(_same(f"{title}: as conservative", mean(case), mean("conservative")) for title, case in TINY.items()),
    ]


def _preferred(found: Evidence) -> list[Finding]:
    """Section 5.3: every fifth job is preferred."""
    equal, total = found.mean("ast"), found.total("ast preferred")
    unequal = {name: found.mean(f"{name} preferred") for name in HEURISTICS}
    spread = max(unequal.values()) / min(unequal.values()) - 1
    return [
        _less("preferred jobs: less than the others", total.high, total.low),
        _size("  by 14.8 %", total.high / total.low - 1, 1955.28 / 2294.0 - 1),
        _less("  less than with equal priorities", total.high, equal),
        _size("  by 2.5 %", total.high / equal - 1, 1955.28 / SLACK - 1),
        _more("others: more than with equal priorities", total.low, equal),
        _size("  by 14.4 % (the text: 3.9 %)", total.low / equal - 1, LOW),
        _less("  less than under conservative", total.low, found.total("conservative").low),
        _less("  less than under EASY", total.low, found.total("easy").low),
        _more("all: more than with equal priorities", total.mean, equal),
        _size("  by 11.1 %", total.mean / equal - 1, 0.111),
        Finding(
            "the five heuristics within 2.5 %",
            "about the same",
            _percent(spread),
            RULE.same(max(unequal.values()), min(unequal.values())),
        ),
        _best("  AAT is the best, narrowly", "aat", unequal),
    ]


def _gap(found: Evidence) -> list[Finding]:
    """Sections 5.3 and 6: the difference of priorities, and that of waits."""
    equal, total, weights = found.mean("ast"), found.total("ast preferred"), found.total("weights preferred")
    smaller = [found.total(f"gap {gap:g}") for gap in GAPS]
    means = [each.mean for each in smaller]
    costs = [RULE.more(mean, equal) for mean in means]
    lowest = min([*means, total.mean])
    farthest = max(means, key=lambda mean: abs(mean - equal))
    return [
        Finding(
            "the mean over UP + PP is lowest at 0",
            "none less",
            _two(lowest, equal),
            all(RULE.less(mean, equal) is not True for mean in [*means, total.mean]),
        ),
        Finding(
            "  below 2 it is close to that",
            "about the same",
            _two(farthest, equal),
            all(RULE.same(mean, equal) for mean in means),
        ),
        Finding(
            "  only the largest costs",
            "more at 2 only",
            f"more at {costs.count(True)} of {len(costs)} below 2",
            together([RULE.more(total.mean, equal), True not in costs]),
        ),
        Finding(
            "  a smaller UP + PP still helps",
            "each less",
            f"{min(each.gap for each in smaller):.0f} s at least",
            together(RULE.less(each.high, each.low) for each in smaller),
        ),
        Finding(
            "  but less than 2 does",
            "each gap less",
            f"{max(each.gap for each in smaller):.0f} / {total.gap:.0f} s",
            together(RULE.less(each.gap, total.gap) for each in smaller),
        ),
        *(
            _less(f"{title}: a smaller gap", found.total(f"{case} preferred").gap, total.gap)
            for title, case in TINY.items()
        ),
        Finding(
            "priority weight 1, others 0.2: both more",
            "both more",
            f"{weights.high:.0f}, {weights.low:.0f} / {total.high:.0f}, {total.low:.0f}",
            together([RULE.more(weights.high, total.high), RULE.more(weights.low, total.low)]),
        ),
        _more("  and a slightly larger gap", weights.gap, total.gap),
    ]


def _less(says: str, ours: float, than: float) -> Finding:
    return Finding(says, "less", _two(ours, than), RULE.less(ours, than))


def _more(says: str, ours: float, than: float) -> Finding:
    return Finding(says, "more", _two(ours, than), RULE.more(ours, than))


def _same(says: str, ours: float, other: float) -> Finding:
    return Finding(says, "about the same", _two(ours, other), RULE.same(ours, other))


def _size(says: str, ours: float, printed: float) -> Finding:
    return Finding(says, "the size", _percent(abs(ours)), RULE.size(ours, printed))


def _all(says: str, names: Iterable[str], mean: Callable[[str], float], than: float) -> Finding:
    each = [RULE.less(mean(name), than) for name in names]
    return Finding(says, "all less", f"{each.count(True)} of {len(each)}", together(each))


def _best(says: str, name: str, means: dict[str, float]) -> Finding:
    others = {other: mean for other, mean in means.items() if other != name}
    second = min(others, key=others.__getitem__)
    ours = f"{means[name]:.0f} / {second.upper()} {others[second]:.0f}"
    return Finding(says, "less than all", ours, together(RULE.less(means[name], mean) for mean in others.values()))


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.1f} %"


def _two(one: float, other: float) -> str:
    return f"{one:.0f} / {other:.0f}"
