"""The checklist of pitfalls: verdicts and reasons follow from the data."""

import pytest

from thinktime.analysis.experiments import Scenario, Sweep
from thinktime.analysis.experiments.comparisons import Cell, ComparedMetric, Comparisons, Point
from thinktime.analysis.experiments.metric_units import unit_of
from thinktime.analysis.reports import Checklist, checklist
from thinktime.analysis.reports.checklist import SIGNS, VERDICTS, judged
from thinktime.analysis.reports.facts import Facts
from thinktime.analysis.statistics import Interval

LOG = '[trace]\nfile = "KTH-SP2-1996-2.1-cln.swf.gz"\n'
RECIPE = '[machine]\nprocessors = 8\n[workload]\nrecipe = "lublin"\n'
USERS = 'horizon = "30 d"\n[machine]\nprocessors = 8\n[users.short]\nprofile = "short"\n'


def facts(
    text: str,
    seeds: int = 5,
    numbers: dict[str, float] | None = None,
    points: tuple[dict[str, object], ...] = ({},),
    span: float = 0.0,
) -> Facts:
    """The facts of an experiment that was not run: the scenario, and the means of some metrics."""
    scenario = Scenario.from_text(text)
    numbers = numbers or {}
    cells = {name: {(0, "easy"): Cell(Interval(value, 0.1 * value), seeds)} for name, value in numbers.items()}
    measured = [ComparedMetric(name, unit_of(name, [1.0]), each) for name, each in cells.items()]
    policies = list(scenario.policies)
    parameters = list(dict.fromkeys(name for point in points for name in point))
    comparisons = Comparisons(
        policies, policies[0], parameters, [Point(each) for each in points], measured, seeds, 0.95
    )
    variants = tuple(scenario.resolved(each) for each in points)
    return Facts(comparisons, scenario, variants, list(numbers), (5000, 5000), span)


def verdict(pitfall: str, found: Checklist) -> tuple[str, str]:
    """The verdict on the pitfall that has these words, and the reason."""
    (item,) = [each for each in found if pitfall in each.pitfall]
    return item.verdict, item.reason


CASES = [
    ("one trace", LOG, {}, {}, "not avoided", "only one log (KTH"),
    ("one trace", RECIPE, {}, {}, "avoided", "5 samples of the recipe lublin, 5,000 jobs"),
    ("one trace", RECIPE, {}, {"seeds": 1}, "not avoided", "one sample"),
    ("unrepresentative", LOG, {}, {}, "avoided", "the whole of KTH"),
    ("unrepresentative", LOG + "from = 1996-10-01\n", {}, {}, "not avoided", "from 1996-10-01"),
    ("unrepresentative", LOG + "to = 86400\n", {}, {}, "not avoided", "to 86400 s"),
    ("not cleaned", LOG, {}, {}, "avoided", "cleaned version"),
    ("not cleaned", LOG.replace(".1-cln", ""), {}, {}, "cannot tell", "does not say"),
    ("kills and", RECIPE, {"killed": 12.0}, {}, "avoided", "60 jobs were killed"),
    ("kills and", RECIPE, {}, {}, "partly", "not among the metrics"),
    ("estimates", LOG, {}, {}, "avoided", "the log's own users"),
    ("estimates", LOG + 'requested = "exact"\n', {}, {}, "not avoided", "exact"),
    ("estimates", LOG + 'requested = { kind = "factor", factor = 2 }\n', {}, {}, "not avoided", "factor"),
    ("estimates", LOG + 'requested = "tsafrir"\n', {}, {}, "avoided", "tsafrir"),
    ("estimates", RECIPE, {}, {}, "not avoided", "exact"),
    ("estimates", RECIPE + 'requested = "tsafrir"\n', {}, {}, "avoided", "tsafrir"),
    ("estimates", USERS, {}, {}, "not avoided", "exact"),
    ("estimates", USERS + "overestimate = 2.0\n", {}, {}, "not avoided", "factor"),
    ("estimates", USERS + 'overestimate = { distribution = "expon" }\n', {}, {}, "avoided", "users (1 short)"),
    ("do not react", LOG, {}, {}, "not avoided", "open system"),
    ("do not react", LOG + 'mode = "dependencies"\n', {}, {}, "partly", "depend on"),
    ("do not react", USERS, {}, {}, "avoided", "users are in the loop"),
    ("scaling", LOG, {}, {}, "avoided", "not scaled"),
    ("scaling", LOG + "load = 0.9\n", {}, {}, "avoided", "weeks and days of users"),
    ("scaling", LOG + 'load = 0.9\nscaling = "times"\n', {}, {}, "not avoided", "compresses"),
    ("scaling", RECIPE + "load = 0.9\n", {}, {}, "avoided", "synthetic"),
    ("saturated", RECIPE, {"utilization": 0.7}, {}, "avoided", "70.0%"),
    ("saturated", RECIPE, {"utilization": 0.99}, {}, "not avoided", "99.0%"),
    ("saturated", RECIPE + "load = 1.2\n", {"utilization": 0.9}, {}, "not avoided", "1.2"),
    ("saturated", RECIPE, {}, {}, "cannot tell", "not among the metrics"),
    ("saturated", RECIPE, {"mean_wait": 9e4, "utilization": 0.6}, {"span": 9e5}, "not avoided", "10% of the 10.4 d"),
    ("saturated", RECIPE, {"mean_wait": 9e3, "utilization": 0.6}, {"span": 9e5}, "avoided", "60.0%"),
    ("wider", LOG, {}, {}, "cannot tell", "not counted"),
    ("wider", LOG, {"dropped": 2.0}, {}, "avoided", "10 jobs"),
    ("daily", LOG, {}, {}, "avoided", "log's own"),
    ("daily", LOG + "load = 0.9\n", {}, {}, "avoided", "log's own"),
    ("daily", LOG + 'load = 0.9\nscaling = "times"\n', {}, {}, "partly", "compressed"),
    ("daily", RECIPE + "load = 0.9\n", {}, {}, "avoided", "recipe's own"),
    ("daily", RECIPE.replace("lublin", "poisson"), {}, {}, "not avoided", "no daily cycle"),
    (
        "daily",
        RECIPE.replace('"lublin"', '{ cycle = "daily", model = "campaigns" }') + 'mode = "closed"\n',
        {},
        {},
        "avoided",
        "recipe's own",
    ),
    ("daily", USERS, {}, {}, "not avoided", "no daily cycle"),
    ("skewed", RECIPE, {"mean_wait": 1.0, "p95_wait": 2.0}, {}, "avoided", "beside mean_wait"),
    ("skewed", RECIPE, {"mean_wait": 1.0}, {}, "not avoided", "beside mean_wait"),
    (
        "skewed",
        RECIPE,
        {"mean_wait": 1.0, "p95_wait": 2.0, "mean_response_time": 2.0},
        {},
        "partly",
        "mean_response_time",
    ),
    ("without a bound", RECIPE, {"mean_slowdown": 9.0}, {}, "not avoided", "mean_slowdown"),
    ("without a bound", RECIPE, {"mean_bounded_slowdown_10": 9.0}, {}, "avoided", "is bounded"),
    ("goals", RECIPE, {"makespan": 9.0}, {}, "not avoided", "makespan"),
    ("goals", RECIPE, {"utilization": 0.5}, {}, "partly", "description"),
    ("goals", USERS, {"utilization": 0.5}, {}, "avoided", "in the loop"),
    ("unfinished", RECIPE, {}, {}, "avoided", "last job"),
    ("unfinished", USERS, {}, {}, "not avoided", "horizon"),
    ("unfinished", USERS, {"unfinished": 0.0}, {}, "avoided", "no job"),
    ("unfinished", USERS, {"unfinished": 3.0}, {}, "partly", "15 jobs"),
    ("warm-up", RECIPE, {}, {}, "not avoided", "starts empty"),
    ("warm-up", 'warm_up = "2 d"\n' + RECIPE, {}, {}, "avoided", "first 2 d"),
    ("warm-up", 'measure_from = "2 d"\nmeasure_to = "9 d"\n' + RECIPE, {}, {}, "avoided", "from 2 d to 9 d"),
    ("warm-up", 'measure_to = "9 d"\n' + RECIPE, {}, {}, "not avoided", "starts empty"),
    ("warm-up", 'warm_up = "mser5"\n' + RECIPE, {}, {}, "avoided", "MSER-5"),
    ("confidence", RECIPE, {"mean_wait": 9.0}, {}, "avoided", "±10% (mean_wait)"),
    ("confidence", RECIPE, {}, {"seeds": 3}, "partly", "3 replications"),
    ("confidence", RECIPE, {}, {"seeds": 1}, "not avoided", "one run"),
    ("confidence", LOG + "[shake]\n", {"mean_wait": 9.0}, {}, "partly", "5 shaken copies of one log"),
    ("one load", RECIPE, {}, {}, "not avoided", "one load"),
    ("one load", RECIPE, {}, {"points": ({"workload.load": 0.5}, {"workload.load": 0.9})}, "avoided", "2 values"),
    ("tuning", RECIPE, {}, {}, "avoided", "defaults"),
    ("tuning", 'policies = ["easy:order=sjf", "fcfs"]\n' + RECIPE, {}, {}, "cannot tell", "easy:order=sjf"),
    ("hidden", RECIPE, {}, {}, "avoided", "overrun rule is kill"),
    ("size of the machine", RECIPE, {}, {}, "avoided", "8 processors"),
    ("cherry", RECIPE, {}, {}, "avoided", "easy, conservative"),
    ("cherry", 'policies = ["fcfs", "none"]\n' + RECIPE, {}, {}, "partly", "no policy in common use"),
    ("cherry", 'policies = ["easy"]\n' + RECIPE, {}, {}, "not avoided", "one policy"),
    ("sensitivity", RECIPE, {}, {}, "not avoided", "policy and seed"),
    ("sensitivity", RECIPE, {}, {"points": ({"warm_up": 5.0}, {"warm_up": 9.0})}, "avoided", "warm_up (2 points)"),
    ("users' view", RECIPE, {"mean_wait": 1.0}, {}, "not avoided", "per user"),
    ("users' view", RECIPE, {"mean_user_mean_wait": 1.0}, {}, "avoided", "mean_user_mean_wait"),
    ("units", RECIPE, {}, {}, "avoided", "in s"),
]


@pytest.mark.parametrize(("pitfall", "text", "numbers", "more", "expected", "reason"), CASES)
def test_verdicts(
    pitfall: str, text: str, numbers: dict[str, float], more: dict[str, object], expected: str, reason: str
) -> None:
    """Verdicts follow from the scenario and the results, and the reason names them."""
    found = verdict(pitfall, judged(facts(text, numbers=numbers, **more)))
    assert found[0] == expected and reason in found[1], found


def test_every_pitfall_has_its_cases() -> None:
    """Every item of the checklist has a test above."""
    pitfalls = [item.pitfall for item in judged(facts(RECIPE))]
    assert len(pitfalls) == 24
    assert [each for each in pitfalls if not any(case[0] in each for case in CASES)] == []


def test_of_a_folder(simulated: Sweep) -> None:
    """A sweep and its folder give the same list."""
    found = checklist(simulated.folder)
    assert str(found) == str(checklist(simulated)) and len(found) == 24
    assert verdict("one load", found) == ("avoided", "2 values of workload.load")
    assert verdict("warm-up", found) == ("avoided", "jobs submitted in the first 2 h are not measured")
    assert "80 jobs per run" in verdict("too short", found)[1]


def test_a_model_of_ones_own(known: Sweep) -> None:
    """For a user's own model, the list says what cannot be told."""
    found = checklist(known)
    assert verdict("do not react", found)[0] == "cannot tell" and verdict("size of", found)[0] == "cannot tell"


def test_it_shows_itself(simulated: Sweep) -> None:
    """The list shows a sign, a verdict and a reason for each item, as text and as a table."""
    found = checklist(simulated)
    text, page = str(found), found._repr_html_()
    assert text.startswith(f"{found.count('avoided')} of 24 pitfalls avoided")
    assert sum(found.count(each) for each in VERDICTS) == 24
    for item in found:
        assert f"{SIGNS[item.verdict]} {item.pitfall}: {item.verdict}" in text and item.reason in text
    assert page.count("<tr>") == 25 and "<b>" not in page
