"""The pitfalls of evaluating schedulers, and which of them an experiment avoids.

The list is that of D. Frachtenberg and D. Feitelson, Pitfalls in parallel job scheduling evaluation (JSSPP 2005), as
far as the experiment's data allow, with our criteria. Each item has a verdict and a reason, from the scenario and the
results: `avoided`, `partly`, `not avoided`, or `cannot tell`, where a person must decide.

    print(checklist("results/"))
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from thinktime.analysis.experiments.sweep_results import Sweep
from thinktime.analysis.reports.facts import Facts
from thinktime.workloads.html import paragraph, table
from thinktime.workloads.units import in_one_unit

AVOIDED, PARTLY, NOT_AVOIDED, CANNOT_TELL = "avoided", "partly", "not avoided", "cannot tell"
VERDICTS = (AVOIDED, PARTLY, NOT_AVOIDED, CANNOT_TELL)
SIGNS = {
    AVOIDED: "\N{CHECK MARK}",
    PARTLY: "\N{ALMOST EQUAL TO}",
    NOT_AVOIDED: "\N{MULTIPLICATION SIGN}",
    CANNOT_TELL: "?",
}

ABANDONMENT = ("abandoned_share", "abandoned_jobs")
"""Metrics of how much users gave up."""

Answer = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Item:
    """One pitfall with its verdict and the reason."""

    group: str
    """`workload`, `metrics` or `experiment`."""
    pitfall: str
    verdict: str
    reason: str

    @property
    def sign(self) -> str:
        """The verdict as one character."""
        return SIGNS[self.verdict]


@dataclass(frozen=True, slots=True)
class Checklist:
    """All items, shown as text, or as a table in notebooks."""

    items: tuple[Item, ...]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def count(self, verdict: str) -> int:
        """The number of items with this verdict."""
        return sum(item.verdict == verdict for item in self.items)

    @property
    def score(self) -> str:
        """The number of pitfalls with each verdict, as text."""
        counts = ", ".join(f"{self.count(verdict)} {verdict}" for verdict in VERDICTS[1:])
        return f"{self.count(AVOIDED)} of {len(self)} pitfalls avoided, {counts}"

    def __str__(self) -> str:
        lines = [self.score]
        for group in dict.fromkeys(item.group for item in self.items):
            lines += ["", group]
            for item in self.items:
                if item.group == group:
                    lines += [f"  {item.sign} {item.pitfall}: {item.verdict}", f"      {item.reason}"]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = ["pitfall", "verdict", "about", "reason"]
        rows = [[each.pitfall, f"{each.sign} {each.verdict}", each.group, each.reason] for each in self.items]
        return paragraph(self.score) + table(head, rows, keys=4)


def checklist(sweep: Sweep | str | Path) -> Checklist:
    """The checklist of a sweep, or of its folder."""
    return judged(Facts.of(sweep if isinstance(sweep, Sweep) else Sweep(sweep)))


def judged(facts: Facts) -> Checklist:
    """The checklist for an experiment's facts."""
    return Checklist(tuple(Item(group, pitfall, *ask(facts)) for group, pitfall, ask in QUESTIONS))


def _too_little(facts: Facts) -> Answer:
    jobs = facts.jobs_text
    if facts.log:
        return NOT_AVOIDED, f"only one log ({facts.log}), {jobs}; run other logs as well"
    if facts.comparisons.seeds < 2:
        return NOT_AVOIDED, f"one sample of a synthetic workload, {jobs}"
    if 0 < facts.jobs[1] < 1000:
        return PARTLY, f"{facts.comparisons.seeds} samples, but short ones: {jobs}"
    return AVOIDED, f"{facts.comparisons.seeds} samples of {facts.source}, {jobs}"


def _unrepresentative(facts: Facts) -> Answer:
    if not facts.log:
        return AVOIDED, f"no part of a log was picked: {facts.source}"
    if facts.part:
        return NOT_AVOIDED, f"only the part {facts.part} of {facts.log} was run; say why this part"
    return AVOIDED, f"the whole of {facts.log}"


def _uncleaned(facts: Facts) -> Answer:
    if not facts.log:
        return AVOIDED, "no log, so no flurries of one user and no leftovers"
    if "cln" in facts.log:
        return AVOIDED, f"{facts.log} is a cleaned version of its log"
    return CANNOT_TELL, f"{facts.log} does not say that it was cleaned; thinktime trace plot shows flurries"


def _killed(facts: Facts) -> Answer:
    killed = facts.total("killed")
    how = f"jobs that overrun their estimates are handled by the rule {facts.overrun}"
    if killed is None:
        return PARTLY, f"{how}, but their number is not among the metrics (killed)"
    return AVOIDED, f"{how}; {killed:,.0f} jobs were killed in all runs"


def _estimates(facts: Facts) -> Answer:
    return {
        "log": (AVOIDED, "estimates are those of the log's own users"),
        "exact": (NOT_AVOIDED, "estimates are exact, which users' estimates never are"),
        "factor": (NOT_AVOIDED, "estimates are run times times a factor, unlike users' round values"),
        "modelled": (AVOIDED, f"estimates are modelled: {facts.estimates_text}"),
        "unknown": (CANNOT_TELL, f"the scenario has no model of estimates ({facts.source})"),
    }[facts.estimates]


def _open(facts: Facts) -> Answer:
    if facts.loop_kind == "closed":
        return AVOIDED, "users are in the loop: they wait for results before they submit more"
    if facts.loop_kind == "dependencies":
        return PARTLY, "jobs wait for those they depend on in the log, but users do not react otherwise"
    if facts.loop_kind == "open":
        return NOT_AVOIDED, "submissions do not react to the schedule (open system), though some real users would"
    return CANNOT_TELL, "the model is the scenario's own"


def _load_scaling(facts: Facts) -> Answer:
    if not facts.scaled:
        return AVOIDED, "the load was not scaled"
    if facts.squeezed:
        return NOT_AVOIDED, "the log's interarrival times were scaled, which compresses the daily cycle"
    if facts.log:
        kept = "which keeps the log's week and bursts"
        return AVOIDED, f"weeks and days of users were left out or copied, {kept}"
    return AVOIDED, "the rate of a synthetic workload was set before its cycle, and its bursts kept"


def _saturated(facts: Facts) -> Answer:
    if facts.top_load is not None and facts.top_load >= 1:
        at = f"with an offered load of {facts.top_load:g}"
        return NOT_AVOIDED, f"{at} there is no steady state; waits grow with the run"
    used, wait = facts.highest("utilization"), facts.highest("mean_wait")
    if wait and facts.span and wait > 0.05 * facts.span:
        part = f"{wait / facts.span:.0%} of the {in_one_unit(facts.span)} that are simulated"
        return NOT_AVOIDED, f"the longest mean wait ({in_one_unit(wait)}) is {part}, so queues do not settle"
    if used is None:
        return CANNOT_TELL, "utilization is not among the metrics"
    text = f"the highest mean utilization is {used:.1%}"
    return (AVOIDED, text) if used < 0.95 else (NOT_AVOIDED, f"{text}, so queues may grow forever")


def _too_wide(facts: Facts) -> Answer:
    refused, dropped = facts.total("refused"), facts.total("dropped")
    if refused is None and dropped is None:
        if facts.log:
            return CANNOT_TELL, "neither refused nor dropped is a metric, so wide jobs are not counted"
        return AVOIDED, f"jobs are drawn for the machine of {facts.size}"
    found = (refused or 0) + (dropped or 0)
    return AVOIDED, f"{found:,.0f} jobs were refused or dropped in all runs, and counted"


def _daily_cycle(facts: Facts) -> Answer:
    if facts.cycle is None:
        return CANNOT_TELL, f"the scenario does not say when users are active ({facts.source})"
    if facts.cycle and facts.squeezed:
        return PARTLY, "there is a daily cycle, but scaling the load compressed it"
    return (AVOIDED, facts.cycle) if facts.cycle else (NOT_AVOIDED, f"no daily cycle: {facts.source}")


def _means_alone(facts: Facts) -> Answer:
    skewed = [name for name in facts.metrics if name.startswith("mean_") and "_user_" not in name]
    lonely = [name for name in skewed if not facts.has_spread(name.removeprefix("mean_"))]
    if not skewed:
        return AVOIDED, "no mean over jobs is used"
    if lonely:
        verdict = PARTLY if len(lonely) < len(skewed) else NOT_AVOIDED
        return verdict, f"no median or percentile beside {', '.join(lonely)}"
    return AVOIDED, f"there are medians or percentiles beside {', '.join(skewed)}"


def _unbounded(facts: Facts) -> Answer:
    slowdowns = [name for name in facts.metrics if "slowdown" in name]
    bare = [name for name in slowdowns if not re.search("(bounded|floored)_slowdown", name)]
    if bare:
        return NOT_AVOIDED, f"{', '.join(bare)}: very short jobs dominate; use a bounded slowdown"
    if slowdowns:
        return AVOIDED, "every slowdown is bounded"
    return AVOIDED, "no slowdown is used"


def _open_goals(facts: Facts) -> Answer:
    goals = [name for name in ("makespan", "utilization") if name in facts.metrics]
    if not goals:
        return AVOIDED, "neither makespan nor utilization is measured"
    if facts.loop_kind == "closed":
        return AVOIDED, "users are in the loop, so utilization is an outcome of the policy"
    if "makespan" in goals:
        return NOT_AVOIDED, "makespan is measured in an open system, where the last submission sets it"
    return PARTLY, "utilization of an open system is set by the submissions; read it as a description"


def _censored(facts: Facts) -> Answer:
    unfinished = facts.total("unfinished")
    estimated = [name for name in facts.metrics if name.startswith("km_")]
    if unfinished:
        jobs = f"{unfinished:,.0f} jobs were unfinished at the ends of the runs"
        if estimated:
            return AVOIDED, f"{jobs}; counted in: {estimated[0]}"
        return PARTLY, f"{jobs}; they are counted, but have no waits"
    if unfinished is not None:
        return AVOIDED, "no job was unfinished at the end of any run"
    if facts.scenario.horizon is None:
        return AVOIDED, "every run continues until its last job has ended"
    omitted = "so jobs still waiting are left out"
    return NOT_AVOIDED, f"runs stop at a horizon, but unfinished is not a metric, {omitted}"


def _units(facts: Facts) -> Answer:
    return AVOIDED, "times are in s and sizes in processors throughout; the report names every unit"


def _warm_up(facts: Facts) -> Answer:
    if facts.warm_up:
        cool = ", and those of a cool-down" if facts.scenario.cool_down else ""
        return AVOIDED, f"jobs submitted in the first {facts.warm_up} are not measured{cool}"
    if facts.scenario.measure_from is not None:
        return AVOIDED, f"a window is measured, {facts.window}"
    return NOT_AVOIDED, "measurement begins with the first job, although the machine starts empty"


def _intervals(facts: Facts) -> Answer:
    if facts.comparisons.seeds < 2 and facts.comparisons.batches:
        doubt = ", some of which cannot be trusted (?)" if facts.comparisons.doubts else ""
        return PARTLY, f"one run of each, with intervals by batch means for means over jobs{doubt}"
    if facts.comparisons.seeds < 2:
        return NOT_AVOIDED, "one run of each, so there are no intervals"
    widest = f"; the widest is ±{facts.widest[1]:.0%} ({facts.widest[0]})" if facts.widest else ""
    if facts.scenario.shake is not None:
        logs = f"{facts.comparisons.seeds} shaken copies of one log"
        return PARTLY, f"{logs}: intervals say how much depends on its exact times alone{widest}"
    verdict = AVOIDED if facts.comparisons.seeds >= 5 else PARTLY
    return verdict, f"{facts.comparisons.seeds} replications give intervals{widest}"


def _one_load(facts: Facts) -> Answer:
    if facts.load_values > 1:
        return AVOIDED, f"{facts.load_values} values of {facts.load_parameter}"
    return NOT_AVOIDED, "policies are compared at one load only"


def _tuning(facts: Facts) -> Answer:
    tuned = [policy for policy in facts.comparisons.policies if ":" in policy.replace(".py:", "")]
    if tuned:
        return CANNOT_TELL, f"options were set by hand: {', '.join(tuned)}; were the others tuned as well?"
    return AVOIDED, "every policy runs with its defaults"


def _assumptions(facts: Facts) -> Answer:
    ties = "ties are broken by submission, then job number"
    return AVOIDED, f"stated: the overrun rule is {facts.overrun}; {ties}; every run has its seed"


def _machine(facts: Facts) -> Answer:
    if not facts.size:
        return CANNOT_TELL, "the model sets its machine"
    return AVOIDED, f"the machine has {facts.size}"


def _baseline(facts: Facts) -> Answer:
    policies, common = facts.comparisons.policies, ("easy", "conservative")
    standard = [policy for policy in policies if policy.partition(":")[0] in common]
    if len(policies) < 2:
        return NOT_AVOIDED, "there is only one policy, so nothing is compared"
    if standard:
        return AVOIDED, f"among the policies: {', '.join(standard)}"
    return PARTLY, "no policy in common use (easy, conservative) is among those compared"


def _sensitivity(facts: Facts) -> Answer:
    if varied := ", ".join(facts.comparisons.parameters):
        return AVOIDED, f"varied: {varied} ({len(facts.comparisons.points)} points)"
    return NOT_AVOIDED, "only policy and seed were varied"


def _users(facts: Facts) -> Answer:
    found = [name for name in facts.metrics if "_user_" in name or "@" in name]
    if not found:
        return (NOT_AVOIDED, "there is no metric per user (such as mean_user_mean_wait), so heavy users dominate")
    seen = f"seen by users: {', '.join(found)}"
    reported = [name for name in facts.metrics if name.partition("@")[0] in ABANDONMENT]
    given_up = facts.comparisons.given_up
    if given_up is False:
        return AVOIDED, f"{seen}; no user gave up a job"
    if reported:
        return AVOIDED, f"{seen}; what users gave up: {', '.join(reported)}"
    if given_up is None:
        return PARTLY, f"{seen}, but it is unknown whether users gave up jobs; measure abandoned_share"
    return PARTLY, f"{seen}, but users gave up jobs, and abandoned_share is not among the metrics"


QUESTIONS: tuple[tuple[str, str, Callable[[Facts], Answer]], ...] = (
    ("workload", "too short, or only one trace", _too_little),
    ("workload", "an unrepresentative part of a log", _unrepresentative),
    ("workload", "a log that was not cleaned", _uncleaned),
    ("workload", "kills and failed jobs ignored", _killed),
    ("workload", "wrong estimates (exact, or a multiple)", _estimates),
    ("workload", "users who do not react (open system)", _open),
    ("workload", "wrong scaling of the load", _load_scaling),
    ("workload", "a saturated system", _saturated),
    ("workload", "jobs wider than the machine", _too_wide),
    ("workload", "daily cycle removed", _daily_cycle),
    ("metrics", "only means of skewed data", _means_alone),
    ("metrics", "slowdown without a bound", _unbounded),
    ("metrics", "makespan or utilization as goals of an open system", _open_goals),
    ("metrics", "unfinished jobs left out", _censored),
    ("metrics", "inconsistent units", _units),
    ("experiment", "no warm-up", _warm_up),
    ("experiment", "no confidence intervals", _intervals),
    ("experiment", "one load only", _one_load),
    ("experiment", "unequal tuning", _tuning),
    ("experiment", "hidden assumptions (kills, ties)", _assumptions),
    ("experiment", "size of the machine unstated", _machine),
    ("experiment", "a cherry-picked baseline", _baseline),
    ("experiment", "no sensitivity analysis", _sensitivity),
    ("experiment", "the users' view ignored", _users),
)
