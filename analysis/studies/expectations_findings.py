"""What the expectations paper found (section 4.2), and whether it is seen."""

from __future__ import annotations

from thinktime.analysis.expectations.evaluate import Expectations
from thinktime.analysis.expectations.pictures import measures_of
from thinktime.analysis.studies.expectations import Study, heavy_part
from thinktime.analysis.studies.findings import Finding

FIFO, FAIR_FIFO, EASY, FAIR_EASY = "fcfs", "none:order=fairshare", "easy", "easy:order=fairshare"


def findings(study: Study) -> list[Finding]:
    """Every finding of section 4.2 that words or figures state."""
    found = study.expectations
    means = {policy: measures_of(jobs) for policy, jobs in found.items()}
    upper = {policy: _quantile(jobs, 0.75) for policy, jobs in found.items()}
    median = {policy: _quantile(jobs, 0.5) for policy, jobs in found.items()}
    late = {policy: float(jobs.users()["weighted_tardiness"].median()) for policy, jobs in found.items()}
    violated = {policy: int(jobs.violated.sum()) for policy, jobs in found.items()}
    whole = {policy: int((jobs.users()["veet"] == 100.0).sum()) for policy, jobs in found.items()}
    plain = ("wait", "response time", "slowdown")
    heavy = found[FIFO].users().index[: max(1, len(found[FIFO].users()) // 10)].tolist()
    parts = {policy: heavy_part(jobs, heavy) for policy, jobs in found.items()}
    return [
        Finding(
            "by job metrics, backfilling beats FIFO, with and without fairshare",
            "wait, response, slowdown",
            f"waits {_hours(means, EASY, FAIR_EASY)}; {_hours(means, FIFO, FAIR_FIFO)} h",
            all(
                max(means[EASY][name], means[FAIR_EASY][name])
                < min(means[FIFO][name], means[FAIR_FIFO][name])
                for name in plain
            ),
        ),
        Finding(
            "75 % of users have at most 35 % violated, only with fairshare",
            "<= 35, > 35 without",
            " ".join(f"{upper[policy]:.0f}" for policy in found) + " %",
            max(upper[FAIR_FIFO], upper[FAIR_EASY]) <= 35 < min(upper[FIFO], upper[EASY]),
        ),
        Finding(
            "no scheduler is without users at 100 %",
            "> 0 each",
            " ".join(str(whole[policy]) for policy in found) + " users",
            min(whole.values()) > 0,
        ),
        Finding(
            "plain FIFO violates most EETs",
            "largest",
            " ".join(f"{violated[policy]:,}" for policy in found),
            violated[FIFO] == max(violated.values()),
        ),
        Finding(
            "plain backfilling is worse for users than FIFO with fairshare",
            "larger quartile",
            f"{upper[EASY]:.0f} and {upper[FAIR_FIFO]:.0f} %",
            upper[EASY] > upper[FAIR_FIFO],
        ),
        Finding(
            "though by job metrics it is better",
            "wait, response, slowdown",
            f"waits {_hours(means, EASY, FAIR_FIFO)} h",
            all(means[EASY][name] < means[FAIR_FIFO][name] for name in plain),
        ),
        Finding(
            "backfilling with fairshare violates fewest EETs",
            "smallest, and median",
            " ".join(f"{median[policy]:.0f}" for policy in found) + " % medians",
            violated[FAIR_EASY] == min(violated.values()) and median[FAIR_EASY] == min(median.values()),
        ),
        Finding(
            "and has the least weighted tardiness of users",
            "smallest median",
            " ".join(f"{late[policy] / 3600:,.0f}" for policy in found) + " h",
            late[FAIR_EASY] == min(late.values()),
        ),
        Finding(
            "FIFO leaves gaps in the use of the machine",
            "< backfilling",
            " ".join(f"{100 * study.in_use[policy]:.0f}" for policy in found) + " %",
            max(study.in_use[FIFO], study.in_use[FAIR_FIFO])
            < min(study.in_use[EASY], study.in_use[FAIR_EASY]),
        ),
        Finding(
            "fairshare lets the heaviest users be late (long lines)",
            "their part grows",
            " ".join(f"{100 * parts[policy]:.0f}" for policy in found) + " % of tardiness",
            parts[FAIR_FIFO] > parts[FIFO] and parts[FAIR_EASY] > parts[EASY],
        ),
    ]


def _quantile(jobs: Expectations, part: float) -> float:
    return float(jobs.users()["veet"].quantile(part))


def _hours(means: dict[str, dict[str, float]], *policies: str) -> str:
    return " and ".join(f"{means[policy]['wait'] / 3600:.1f}" for policy in policies)
