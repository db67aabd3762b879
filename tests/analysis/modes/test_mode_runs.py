"""Comparisons of modes: rankings, neighbours, and who changes places."""

import dataclasses
import re

import numpy as np
import pytest

import thinktime as tt
from tests.workloads.user_models.logs import log
from thinktime.analysis.experiments.kept_batches import Kept
from thinktime.analysis.left_log import left_by
from thinktime.analysis.modes.figures import slowdown_by_mode
from thinktime.analysis.modes.mode_comparison import ModeComparison, made_of, mode_ranges, rankings
from thinktime.analysis.modes.mode_runs import compare_modes
from thinktime.analysis.modes.rankings import SCORE
from thinktime.analysis.modes.user_measures import Measures, within_run
from thinktime.analysis.statistics import Cut
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.state import State
from thinktime.users.office_log import made_up_log
from thinktime.workloads.mode_names import MODES
from thinktime.workloads.user_models import resample


def comparison(**modes):
    """Measures that hold slowdowns only: a row of replications for each mode and policy."""
    nothing = {field.name: np.nan for field in dataclasses.fields(Measures)} | {"slowdown_batches": None}

    def made(value):
        return Measures(**(nothing | {"numbers": {SCORE: value, "mean_wait": 10.0 * value}}))

    measures = {mode: {policy: tuple(map(made, values)) for policy, values in of.items()} for mode, of in modes.items()}
    return ModeComparison(4, 10, len(next(iter(next(iter(modes.values())).values()))), measures)


def test_policies_are_ranked_by_mean_slowdown_and_neighbours_compared():
    """Policies are ranked by mean slowdown, with paired differences of neighbours."""
    found = comparison(open={"a": (9, 10, 11), "b": (1, 2, 3), "c": (2.5, 3, 3.5)})
    assert found.ranking("open") == ["b", "c", "a"]
    first, second = found.pairs("open")
    assert (first.first, first.second, first.difference.interval.mean) == ("b", "c", 1)
    assert (second.first, second.second, second.difference.interval.mean) == ("c", "a", 7)


def test_draws_of_calibrated_users_say_what_may_be():
    """However many draws have a mean beyond chance: if 80 % of draws are on both sides, the log does not say."""
    a, b = np.linspace(4.0, 5.0, 20), np.linspace(4.0, 5.0, 20) + np.linspace(-0.5, 3.0, 20)
    found = comparison(calibrated={"a": a, "b": b}, generative={"a": a, "b": b})
    assert [found.verdict(mode, "b", "a") for mode in found.measures] == ["within chance", "beyond chance"]
    assert found.foretold("calibrated", "b", "a") == pytest.approx((-0.5 + 1.1 * 3.5 / 19, 3.0 - 1.1 * 3.5 / 19))
    (told,) = [line for line in rankings(found) if line.startswith("  b less a: the mean wait differs by -3 to +28 s")]
    assert told.endswith("20 draws): the log does not say under which of them waits are shorter.")
    sure = comparison(calibrated={"a": a, "b": a + 1.0 + a / 10})
    assert sure.verdict("calibrated", "b", "a") == "beyond chance"
    assert not any("does not say" in line for line in rankings(sure))
    (warned,) = [
        line for line in rankings(dataclasses.replace(sure, lacks=("queue", "days"))) if "does not say" in line
    ]
    assert warned.startswith("  Users submit less while jobs wait and are busier on some days, beyond their model: ")
    assert comparison(calibrated={"a": a[:8], "b": b[:8]}).foretold("calibrated", "b", "a") is None


def test_draws_of_calibrated_users_have_the_luck_of_the_log_in_turn():
    """The first is what the hazards that were fitted give; the second has new luck, the third that of the log."""
    jobs = [(user, 9000.0 * number + 1300 * user, 9000.0 * number + 8000) for number in range(8) for user in range(3)]
    left, seed = log(jobs, 2), (0, 0)
    found = compare_modes(left, {"easy": "easy"}, ("calibrated",), 2, draws=3)
    expected = [
        tt.run(tt.MachineSpec(2, "easy"), tt.sources.calibrated(left, luck=luck, seed=(*seed, draw), posterior=own))
        for draw, (luck, own) in enumerate([("kept", None), ("new", (*seed, 1)), ("kept", (*seed, 2))])
    ]
    waits = [float((each["start"] - each["submit"]).mean()) for each in expected]
    assert [each["mean_wait"] for each in found.measures["calibrated"]["easy"]] == pytest.approx(waits)
    assert len(set(waits)) == 3


def test_a_change_of_places_is_certain_where_both_intervals_say_so():
    """A policy that is better in one mode and worse in the other certainly changes places."""
    found = comparison(
        open={"a": (1, 2, 3), "b": (2.1, 3, 3.9), "c": (9, 9, 9)},
        feedback={"a": (2.1, 3, 3.9), "b": (1, 2, 3), "c": (9, 9, 9)},
    )
    (change,) = found.reversals()
    assert (change.better, change.worse, change.mode, change.other_mode) == ("a", "b", "open", "feedback")
    assert change.certain is True
    noisy = comparison(open={"a": (1, 2, 3), "b": (2.1, 3, 3.9)}, feedback={"a": (1, 9, 2), "b": (9, 1, 1)})
    assert [each.certain for each in noisy.reversals()] == [False]
    single = comparison(open={"a": (1,), "b": (2,)}, feedback={"a": (2,), "b": (1,)})
    (change,) = single.reversals()
    assert change.certain is False and change.verdicts == ("too little data", "too little data")
    assert single.pairs("open")[0].difference is None


NOISE = np.resize([0.1, -0.1, -0.1, 0.1, -0.1, 0.1], 24)


def batched(**modes):
    """One run for each mode and policy, whose slowdowns have these batch means and this hash of the jobs."""
    found = comparison(**{mode: {p: (np.mean(b),) for p, (b, _) in of.items()} for mode, of in modes.items()})
    measures = {
        mode: {
            policy: tuple(
                dataclasses.replace(
                    each, slowdown_batches=Kept(Cut(tuple(modes[mode][policy][0]), True), modes[mode][policy][1])
                )
                for each in row
            )
            for policy, row in of.items()
        }
        for mode, of in found.measures.items()
    }
    return dataclasses.replace(found, measures=measures)


def test_one_run_says_what_is_within_chance():
    """With one run, an interval of batches says which difference is within chance."""
    big = np.resize([5.0, 50.0, 500.0], 24)
    found = batched(
        open={"a": (big, "x"), "b": (big + 1 + NOISE, "x")}, feedback={"a": (big + 0.01, "y"), "b": (big + NOISE, "y")}
    )
    (pair,) = found.pairs("open")
    assert (pair.first, pair.second, pair.verdict, pair.certain) == ("a", "b", "beyond chance", True)
    assert pair.difference.interval.mean == pytest.approx(1 + NOISE.mean())
    assert found.pairs("feedback")[0].verdict == "within chance"
    (change,) = found.reversals()
    assert change.certain is False and change.verdicts == ("beyond chance", "within chance")
    lines = list(rankings(found))
    assert lines[0].startswith("open: a < b (+1.0 ") and "feedback: b \N{ALMOST EQUAL TO} a" in lines[1]
    assert "The ranking changes beyond chance:" not in lines
    assert "a is better than b in open (beyond chance), worse in feedback (within chance)." in lines[-1]


def test_one_run_can_be_certain():
    """A ranking changes beyond chance where the batches of both modes leave out 0 on different sides."""
    steady = np.full(24, 9.0)
    found = batched(
        open={"a": (steady, "x"), "b": (steady + 1 + NOISE, "x")},
        feedback={"a": (steady + 1 + NOISE, "y"), "b": (steady, "y")},
    )
    assert [each.certain for each in found.reversals()] == [True]
    assert "The ranking changes beyond chance:" in list(rankings(found))


def test_runs_of_other_jobs_are_not_paired():
    """Batches of different jobs are not paired, so their spread hides a difference of 1."""
    big = np.resize([5.0, 50.0, 500.0], 24)
    found = batched(generative={"a": (big, "x"), "b": (big + 1 + NOISE, "other")})
    (pair,) = found.pairs("generative")
    assert pair.verdict == "within chance" and not pair.difference.paired


def test_batches_that_depend_on_each_other_leave_a_doubt():
    """A difference that drifts leaves out 0, but its dependent batches leave it in doubt."""
    drift = np.arange(1.0, 25)
    found = batched(open={"a": (np.zeros(24), "x"), "b": (drift, "x")})
    (pair,) = found.pairs("open")
    assert (pair.verdict, pair.certain) == ("in doubt", False)


def test_batches_against_the_means_are_within_chance():
    """Nothing is certain where batches and means disagree because of the dropped first batch."""
    steady = np.full(24, 9.0)
    found = batched(open={"a": (steady, "x"), "b": (steady + 1 + NOISE, "x")})
    of = found.measures["open"]
    turned = tuple(dataclasses.replace(each, numbers={SCORE: 0.5}) for each in of["b"])
    found = dataclasses.replace(found, measures={"open": {**of, "b": turned}})
    assert found.ranking("open") == ["b", "a"]
    assert found.pairs("open")[0].verdict == "within chance"


def test_equal_results_are_not_ordered():
    """The same policy under two names is equal in every mode and never changes places."""
    trace = log([(u, 300 * k + 10 * u, 300 * k + 10 * u + 50 * u) for u in range(1, 7) for k in range(9)])
    found = compare_modes(trace, {"one": "easy", "two": "easy", "sjf": "easy:order=sjf"}, processors=2)
    for mode in ("open", "feedback"):
        assert found.verdict(mode, "one", "two") == "equal"
        line = next(line for line in rankings(found) if line.startswith(f"{mode}: "))
        assert re.search(r"one( \([^)]*\))? = two", line), line
    assert not [each for each in found.reversals() if {each.better, each.worse} == {"one", "two"}]


def test_an_equal_pair_that_differs_elsewhere_does_not_change_places():
    """Policies that are equal in one mode and apart in another do not change places."""
    found = comparison(open={"a": (2,), "b": (2,)}, feedback={"a": (2,), "b": (1,)})
    assert found.ranking("open") == ["a", "b"] and found.ranking("feedback") == ["b", "a"]
    assert list(found.reversals()) == []


def test_feedback_compares_the_same_jobs_of_the_log():
    """With feedback, batches are of the same jobs though they come at other times."""
    rows = [(u, 100 * k + 10 * u, 100 * k + 10 * u + 50 * u) for u in range(1, 7) for k in range(9)]
    whole, results = log(rows), {}
    found = compare_modes(
        whole, {"fcfs": "fcfs", "sjf": "easy:order=sjf"}, processors=1,
        keep=lambda mode, policy, _, result: results.update({(mode, policy): result}),
    )  # fmt: skip
    first, second = (results["feedback", policy] for policy in ("fcfs", "sjf"))
    assert first["submit"].tolist() != second["submit"].tolist()
    assert found.difference("feedback", "sjf", "fcfs").paired
    places = [second["id"].tolist().index(number) for number in whole.id.tolist()]
    response, runtime = second["end"] - second["submit"], np.maximum(second["runtime"], 10)
    slowdowns = np.maximum(response / runtime, 1)[places]
    batches = found.measures["feedback"]["sjf"][0].slowdown_batches.cut.means
    assert batches == pytest.approx(slowdowns[2:].reshape(26, 2).mean(axis=1))


def test_a_part_of_a_log_and_a_load():
    """A cut log of 4 rounds has six users, and at a load of 1.5 nine are drawn from them."""
    rows = [(u, 1000 * k + 10 * u, 1000 * k + 10 * u + 50 * u) for u in range(1, 7) for k in range(6)]
    whole = log(rows)
    part = compare_modes(whole, {"easy": "easy"}, processors=4, start=2000)
    assert (part.jobs, part.source.whole, part.source.start, part.source.end) == (24, 36, 2000, None)
    assert part.measures == compare_modes(whole.between(2000), {"easy": "easy"}, processors=4).measures
    more = compare_modes(whole, {"easy": "easy"}, MODES, 4, population=1.5, start=2000)
    (drawn,) = more.source.drawn
    assert (drawn.users, drawn.jobs, more.source.log.users) == (9, 36, 6)
    assert drawn.offered_load > 1.2 * more.source.log.offered_load
    assert {mode: of["easy"][0]["jobs"] for mode, of in more.measures.items()}["open"] == 36


def test_a_load_draws_users_as_the_feedback_study_does():
    """A load draws every user equally often and the rest by chance, also at 1."""
    rows = [(u, 1000 * k + 10 * u, 1000 * k + 10 * u + 50 * u) for u in range(1, 7) for k in range(6)]
    whole, seen = log(rows), {}
    for load in (1.0, 1.3):
        compare_modes(
            whole, {"easy": "easy"}, ["open"], 4, seed=3, replications=2, population=load,
            keep=lambda mode, policy, number, result: seen.update({number: result}),
        )  # fmt: skip
        for number in range(2):
            level = resample(whole, (3, number), load, replace=False)
            assert seen[number]["runtime"].tolist() == level.runtime.tolist()
            assert seen[number]["submit"].tolist() == level.submit.tolist()


def test_an_interval_within_a_run_says_if_its_batches_depend_on_each_other():
    """Independent values are trusted; a random walk, and batches of fewer than ten values, are not."""
    noise = np.random.default_rng(1).normal(size=3000)
    assert within_run(noise).trusted
    assert not within_run(noise.cumsum()).trusted
    assert not within_run(noise[:150]).trusted


def test_the_picture_has_slowdown_throughput_and_intervals():
    """Two panels with a line per policy, the log's name, and bars as wide as the table's intervals."""
    found = compare_modes(made_up_log(2, 15), {"fcfs": "fcfs", "easy": "easy"}, processors=20)
    picture = slowdown_by_mode(found, "office.swf")
    left, right = picture.axes
    assert "office.swf" in picture.get_suptitle() and "batch means (slowdown only)" in picture.get_suptitle()
    assert "slowdown" in left.get_title("left") and "jobs a day" in right.get_title("left")
    low, high, _ = found.measures["open"]["fcfs"][0].slowdown_interval
    bars = [line.get_segments() for line in left.collections]
    assert bars[0][0][1, 1] - bars[0][0][0, 1] == pytest.approx(high - low)
    assert all(np.isnan(bar).any() or not len(bar) for line in right.collections for bar in line.get_segments())
    several = slowdown_by_mode(compare_modes(made_up_log(2, 15), {"easy": "easy"}, processors=20, replications=3))
    assert "3 draws of users" in several.get_suptitle()
    (throughput,) = several.axes[1].collections
    assert all(bar[1, 1] > bar[0, 1] for bar in throughput.get_segments())


def test_work_lost_and_delayed():
    """A job killed at 10 s loses 90 s, and with feedback the last batch comes after the log's end."""
    trace = log([(2, 0, 100), (1, 10, 30), (1, 90, 95)]).with_columns(requested_time=[10, 20, 5])
    (lost,) = compare_modes(trace, {"fcfs": "fcfs"}, ["open"], 1).measures["open"]["fcfs"]
    assert lost["work_lost"] == pytest.approx(90 / 3600)
    assert lost["work_delayed"] == 0
    slow = log([(2, 0, 100), (1, 10, 30), (1, 90, 95)])
    (delayed,) = compare_modes(slow, {"fcfs": "fcfs"}, ["feedback"], 1).measures["feedback"]["fcfs"]
    assert delayed["work_delayed"] == pytest.approx(5 / 3600)
    assert delayed["mean_session_response_time"] == pytest.approx(((185 - 10) + 100) / 2)
    assert delayed["mean_user_response_time"] == pytest.approx(((110 + 5) / 2 + 100) / 2)


def test_all_modes_meet_the_same_users_in_a_replication():
    """Open loop and feedback have the same jobs in a replication, and another set in the next."""
    trace = log([(u, 1000 * k + 10 * u, 1000 * k + 10 * u + 50 * u) for u in range(1, 7) for k in range(5)])
    seen = {}
    compare_modes(
        trace,
        {"easy": "easy"},
        replications=3,
        seed=1,
        keep=lambda mode, policy, number, result: seen.update({(mode, number): result}),
    )
    for number in range(3):
        both = [seen[mode, number] for mode in ("open", "feedback")]
        assert both[0]["runtime"].tolist() == both[1]["runtime"].tolist()
        assert (both[0]["state"] == State.FINISHED).all()
    assert seen["open", 0]["runtime"].tolist() != seen["open", 1]["runtime"].tolist()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"modes": ["shut"]}, "modes are"),
        ({"modes": []}, "not none"),
        ({"replications": 0}, "at least 1"),
        ({"population": 0.0}, "population must be a finite number above 0"),
        ({"start": 10.0}, "the log has no jobs from 10.0 to its end"),
    ],
)
def test_what_cannot_be_is_refused(words, message):
    """Unknown modes, no modes, no replications, no load and no jobs are refused."""
    with pytest.raises(ValueError, match=message):
        compare_modes(log([(1, 0, 5)]), {"easy": "easy"}, **words)


@pytest.fixture(scope="module", name="busy")
def busy_log():
    """The schedule of an office under EASY on a machine that is too small for it."""
    return left_by(made_up_log(weeks=1, users=8), MachineSpec(8, "easy"))


def test_users_may_be_drawn_several_times(busy):
    """The first draw is that of a single one; the means and intervals are over all."""
    once, twice = (compare_modes(busy, {"easy": "easy"}, ["generative"], 8, draws=draws) for draws in (1, 2))
    first, second = twice.measures["generative"]["easy"]
    assert once.measures["generative"]["easy"] == (first,)
    assert first["mean_wait"] != second["mean_wait"]
    assert twice.mean("generative", "easy", "mean_wait") == (first["mean_wait"] + second["mean_wait"]) / 2
    assert (once.runs("generative"), twice.runs("generative"), twice.replications) == (1, 2, 1)


def test_a_corrected_mode_says_of_the_policy_that_made_the_log_what_the_log_has(busy):
    """In the mean over draws; of others it says the same multiple, and the open loop is left alone."""
    policies, modes = {"easy": "easy", "fcfs": "fcfs"}, ["open", "feedback", "generative"]
    plain, found = (compare_modes(busy, policies, modes, 8, draws=2, correct=each) for each in (None, "easy"))
    recorded = plain.mean("open", "easy", "mean_wait")  # EASY made it
    assert found.mean("generative", "easy", "mean_wait") == pytest.approx(recorded)
    assert found.measures["open"] == plain.measures["open"]
    by = found.correction["generative"]["mean_wait"]
    assert found.mean("generative", "fcfs", "mean_wait") == pytest.approx(
        by * plain.mean("generative", "fcfs", "mean_wait")
    )
    low, high = (each.measures["feedback"]["easy"][0].slowdown_interval[0] for each in (plain, found))
    assert high == pytest.approx(low * found.correction["feedback"][SCORE], nan_ok=True)
    assert found.correction["feedback"]["mean_wait"] != 1  # it repeats the log, unless run times are moved
    assert any("corrected, which multiplies mean waits by" in line for line in made_of(found, "feedback"))


@pytest.mark.parametrize(
    "options, said",
    [({"draws": 0}, "at least 1"), ({"correct": "easy", "replications": 2}, "no schedule to correct by")],
)
def test_draws_and_correction_are_checked(options, said):
    """Before anything runs."""
    with pytest.raises(ValueError, match=said):
        compare_modes(log([(1, 0, 10)]), {"easy": "easy"}, **options)


def test_the_former_name_of_the_correction_is_refused():
    """With the new one; `calibrated` is a mode."""
    with pytest.raises(TypeError, match="no argument 'calibrate'; it is now called 'correct'"):
        compare_modes(log([(1, 0, 10)]), {"easy": "easy"}, calibrate="easy")


def test_the_range_of_the_modes():
    """The lowest and the highest mean wait, and the modes that have them; it does not claim to hold the truth."""
    nothing = {field.name: np.nan for field in dataclasses.fields(Measures)} | {"slowdown_batches": None}
    measures = {
        mode: {"easy": (Measures(**(nothing | {"numbers": {"mean_wait": wait}})),)}
        for mode, wait in {"open": 300.0, "feedback": 100.0, "clock": 200.0}.items()
    }
    found = ModeComparison(4, 10, 1, measures)
    assert next(mode_ranges(found)).startswith("Range of these modes")
    assert list(mode_ranges(found))[1] == "  easy: 100 s (feedback) to 300 s (open), a factor of 3.0"
    assert list(mode_ranges(ModeComparison(4, 10, 1, {"open": measures["open"]}))) == []
