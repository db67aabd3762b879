"""What the expectations paper found (section 4.2), and whether it is seen.

One rule for all: a comparison holds if its sides differ by more than 5 % in the direction that the paper says,
fails if they differ so in the other, and is undecided between. A finding is seen if all its
comparisons hold, not seen if one fails.
"""

from collections.abc import Mapping

from thinktime.analysis.expectations import Expectations, measures_of
from thinktime.analysis.papers.expectations.printed import EASY, FAIR_EASY, FAIR_FIFO, FIFO, VEET
from thinktime.analysis.papers.expectations.runs import Variant, heavy_part, in_use
from thinktime.analysis.papers.expectations.study import Evidence
from thinktime.analysis.study import Finding, Thresholds, together

THRESHOLDS = Thresholds(least=0.05)
less = THRESHOLDS.less
RULE = (
    f"Rule: the sides of a comparison differ by more than {100 * THRESHOLDS.least:.0f} %, else it is undecided; "
    "a finding is seen if all its comparisons hold, NOT seen if one fails."
)
METRICS = ("wait", "response time", "slowdown")


def shown(study: Evidence) -> list[Variant]:
    """Every variant once, the study's own assumptions first."""
    return [*study.judgements, *study.sizes[1:]]


def findings(study: Evidence | Variant) -> list[Finding]:
    """Every finding of section 4.2 that words or figures state."""
    found = study.expectations
    return [*_of_job_metrics(found), *_of_violations(found), *_of_use(found)]


def _of_job_metrics(found: Mapping[str, Expectations]) -> list[Finding]:
    """Figure 5."""
    means = {policy: measures_of(jobs) for policy, jobs in found.items()}

    def better(*pairs: tuple[str, str]) -> bool | None:
        return together(less(means[a][name], means[b][name]) for a, b in pairs for name in METRICS)

    def waits(*policies: str) -> str:
        return " and ".join(f"{means[policy]['wait'] / 3600:.1f}" for policy in policies)

    pairs = [(a, b) for a in (EASY, FAIR_EASY) for b in (FIFO, FAIR_FIFO)]
    return [
        Finding(
            "by job metrics, backfilling beats FIFO, with and without fairshare",
            "wait, response, slowdown",
            f"waits {waits(EASY, FAIR_EASY)}; {waits(FIFO, FAIR_FIFO)} h",
            better(*pairs),
        ),
        Finding(
            "by job metrics, plain backfilling beats FIFO with fairshare",
            "wait, response, slowdown",
            f"waits {waits(EASY, FAIR_FIFO)} h",
            better((EASY, FAIR_FIFO)),
        ),
    ]


def _of_violations(found: Mapping[str, Expectations]) -> list[Finding]:
    """Figures 6a and 6b."""
    users = {policy: jobs.users() for policy, jobs in found.items()}
    upper = {policy: float(table["veet"].quantile(0.75)) for policy, table in users.items()}
    whole = {policy: int((table["veet"] == 100.0).sum()) for policy, table in users.items()}
    violated = {policy: int(jobs.violated.sum()) for policy, jobs in found.items()}
    late = {policy: float(table["weighted_tardiness"].median()) for policy, table in users.items()}

    def listed(values: Mapping[str, float], scale: float = 1.0) -> str:
        return " ".join(f"{values[policy] / scale:,.0f}" for policy in found)

    with_fair = [less(upper[policy], VEET) for policy in (FAIR_FIFO, FAIR_EASY)]
    without = [less(VEET, upper[policy]) for policy in (FIFO, EASY)]
    return [
        Finding(
            "yet to its users plain backfilling is worse: more violated EETs",
            "larger quartile",
            f"{upper[EASY]:.0f} and {upper[FAIR_FIFO]:.0f} %",
            less(upper[FAIR_FIFO], upper[EASY]),
        ),
        Finding(
            "75 % of users have at most 35 % violated, only with fairshare",
            "< 35, > 35 without",
            f"{listed(upper)} %",
            together([*with_fair, *without]),
        ),
        Finding(
            "no scheduler is without users at 100 %", "> 0 each", f"{listed(whole)} users", min(whole.values()) > 0
        ),
        Finding("plain FIFO violates most EETs", "most", listed(violated), _largest(violated, FIFO)),
        Finding(
            "backfilling with fairshare violates fewest EETs",
            "fewest",
            listed(violated),
            _smallest(violated, FAIR_EASY),
        ),
        Finding(
            "and has the least weighted tardiness of users",
            "smallest median",
            f"{listed(late, 3600)} h",
            _smallest(late, FAIR_EASY),
        ),
    ]


def _of_use(found: Mapping[str, Expectations]) -> list[Finding]:
    """Figure 7."""
    busy = {policy: in_use(jobs) for policy, jobs in found.items()}
    table = found[FIFO].users()
    heavy = table.index[: max(1, len(table) // 10)].tolist()
    parts = {policy: heavy_part(jobs, heavy) for policy, jobs in found.items()}
    return [
        Finding(
            "FIFO leaves gaps in the use of the machine",
            "< backfilling",
            " ".join(f"{100 * busy[policy]:.0f}" for policy in found) + " %",
            together(less(busy[a], busy[b]) for a in (FIFO, FAIR_FIFO) for b in (EASY, FAIR_EASY)),
        ),
        Finding(
            "fairshare lets the heaviest users be late (long lines)",
            "their part grows",
            " ".join(f"{100 * parts[policy]:.0f}" for policy in found) + " % of tardiness",
            together([less(parts[FIFO], parts[FAIR_FIFO]), less(parts[EASY], parts[FAIR_EASY])]),
        ),
    ]


def _smallest(values: Mapping[str, float], policy: str) -> bool | None:
    return together(less(values[policy], value) for other, value in values.items() if other != policy)


def _largest(values: Mapping[str, float], policy: str) -> bool | None:
    return together(less(value, values[policy]) for other, value in values.items() if other != policy)
