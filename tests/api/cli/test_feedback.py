"""The command that compares policies in several ways of running one log."""

import json
import re

import numpy as np
import pytest

from tests.analysis.diagnosis import worlds
from thinktime.workloads import Trace, write_swf
from thinktime.workloads.header import Header
from thinktime.workloads.mode_names import MODES


@pytest.fixture(name="log")
def write_log(tmp_path):
    """A log of four users who submit, wait and think; on 4 processors it is crowded."""
    rng = np.random.default_rng(3)
    rows = []
    for user in range(1, 5):
        at = float(rng.integers(0, 500))
        for _ in range(40):
            wait, run, width = (int(rng.integers(*span)) for span in ((0, 900), (20, 1500), (1, 4)))
            rows.append((user, at, wait, run, width, run * 2))
            at += wait + run + (int(rng.integers(10, 900)) if rng.random() < 0.8 else 9000)
    user, submit, wait, run, width, request = map(np.array, zip(*rows, strict=True))
    columns = {"user": user, "submit": submit, "wait": wait, "runtime": run, "allocated": width}
    path = tmp_path / "users.swf"
    header = Header().set("MaxProcs", 4).set("UnixStartTime", 1_000_000_000)
    write_swf(Trace({**columns, "requested_processors": width, "requested_time": request}, header), path)
    return path


@pytest.fixture(name="thinktime")
def call(run):
    """What a command prints that does its work."""

    def succeed(*words):
        status, out, err = run(*words)
        assert status == 0, err
        return out

    return succeed


def compare(thinktime, *words):
    """The JSON object of a comparison."""
    return json.loads(thinktime("feedback", *words, "--json", "--quiet"))


def test_the_shape_of_the_object(thinktime, log):
    """The object has modes, policies, measures and rankings, and one run has intervals by batches."""
    found = compare(thinktime, log, "--policy", "fcfs", "--policy", "easy")
    assert list(found["modes"]) == ["open", "feedback"]
    for mode, policies in found["modes"].items():
        assert set(policies) == {"fcfs", "easy"}
        for of in policies.values():
            assert {"jobs", "mean_wait", "mean_bounded_slowdown_10", "throughput_per_day"} <= set(of)
            assert of["jobs"] == 160
        best, worst = found["ranking"][mode]
        key = "mean_bounded_slowdown_10"
        assert policies[best][key] <= policies[worst][key]
        (pair,) = found["intervals"][mode]
        assert (pair["first"], pair["second"]) == (best, worst)
        assert pair["certain"] is (pair["verdict"] == "beyond chance")
        assert set(pair["difference"]) == {"mean", "low", "high"}
    assert (found["trace"], found["dropped"]) == (str(log), {})
    assert found["log"]["load"] is None and found["log"]["drawn"] == [found["log"]["part"]]
    assert found["log"]["part"]["jobs"] == 160 and found["log"]["outside"] == 0


def test_certain_is_never_null(thinktime, log):
    """`certain` is true or false for each pair and each change of places, with any number of runs."""
    modes = ("--mode", "open", "--mode", "feedback", "--mode", "generative")
    policies = ("--policy", "easy", "--policy", "conservative", "--policy", "easy:order=sjf")
    for more in ((), ("--replications", "2"), ("--from", "0", "--to", "3000")):
        found = compare(thinktime, log, *modes, *policies, *more)
        pairs = [pair for of in found["intervals"].values() for pair in of]
        assert all(type(each["certain"]) is bool for each in pairs + found["reversals"]), more
        assert all(type(changes) is bool for changes in found["ranking_changes"].values())
    assert "too little data" in {pair["verdict"] for pair in pairs}


def test_equal_policies_are_equal(thinktime, log):
    """EASY under two spellings is ranked as equal to itself."""
    shown = thinktime("feedback", log, "--policy", "easy", "--policy", "easy:order=fcfs", "--quiet")
    assert "open: easy = easy:order=fcfs" in shown and "feedback: easy = easy:order=fcfs" in shown
    assert "<" not in shown and "The ranking is the same in all modes." in shown


@pytest.mark.parametrize("mode", ["open", "feedback", "generative"])
def test_a_part_of_the_log_with_more_users(thinktime, log, mode):
    """A population of half as many users again is drawn in every mode, and the object says so."""
    words = (log, "--policy", "easy", "--mode", mode, "--from", "20000", "--to", "80000")
    plain, more = (compare(thinktime, *words, *load) for load in ((), ("--population", "1.5")))
    of = more["log"]
    assert (of["jobs"], of["from"], of["to"], of["population"]) == (160, 20000, 80000, 1.5)
    assert of["outside"] + of["part"]["jobs"] == 160 and 0 < of["outside"] < 160
    assert (of["part"]["users"], of["drawn"][0]["users"]) == (4, 6)
    assert of["drawn"][0]["offered_load"] > of["part"]["offered_load"]
    assert of["part"] == plain["log"]["part"] == plain["log"]["drawn"][0]
    jobs = [found["modes"][mode]["easy"]["jobs"] for found in (plain, more)]
    assert jobs[1] > jobs[0]
    assert more == compare(thinktime, *words, "--population", "1.5")


@pytest.mark.parametrize("mode", ["open", "feedback", "generative"])
def test_a_wanted_load_is_reached_by_users(thinktime, log, mode):
    """Half and twice the log's load are reached within 2 % in every mode by fewer or more users."""
    words = (log, "--policy", "easy", "--mode", mode)
    offered = compare(thinktime, *words)["log"]["part"]["offered_load"]
    jobs = []
    for factor in (0.5, 2):
        found = compare(thinktime, *words, "--load", repr(factor * offered))
        assert found["log"]["load"] == factor * offered
        assert found["log"]["drawn"][0]["offered_load"] == pytest.approx(factor * offered, rel=0.02)
        jobs.append(found["modes"][mode]["easy"]["jobs"])
    assert jobs[0] < jobs[1]


def test_the_table_says_what_was_cut_and_drawn(thinktime, log):
    """The table says how many jobs and users are left, and which load was reached."""
    words = ("feedback", log, "--policy", "easy", "--from", "20000", "--population", "0.5", "--quiet")
    shown = " ".join(thinktime(*words).split())
    assert "of 160 in the log; 0.5 users per user: 2 instead of 4 users" in shown
    assert "% of the machine" in shown


def test_policies_names_break_where_words_end(thinktime, log):
    """A policy's name breaks after a colon or a comma, within 100 columns."""
    policy = "easy:order=fairshare,half_life=7d"
    shown = thinktime("feedback", log, "--policy", policy, "--policy", "fcfs", "--quiet")
    lines = [line.split()[0] for line in shown.splitlines() if line.strip()]
    assert {"easy:", "order=fairshare,", "half_life=7d"} <= set(lines)
    assert all(len(line) <= 100 for line in shown.splitlines())


def test_replications_have_paired_intervals(thinktime, log):
    """With three replications each pair of neighbours has the interval of its difference."""
    found = compare(
        thinktime, log, "--replications", "3", "--seed", "5", "--mode", "feedback", "--policy", "fcfs", "--policy",
        "easy",
    )  # fmt: skip
    (pair,) = found["intervals"]["feedback"]
    of = found["modes"]["feedback"]
    key = "mean_bounded_slowdown_10"
    assert pair["difference"]["mean"] == pytest.approx(of[pair["second"]][key] - of[pair["first"]][key])
    assert pair["difference"]["low"] <= pair["difference"]["mean"] <= pair["difference"]["high"]


def test_the_recorded_policy_gives_the_log_back(thinktime, log, tmp_path):
    """The recorded policy gives the log's jobs and waits in both modes, and delays nothing."""
    found = compare(thinktime, log, "--policy", "recorded", "--out", tmp_path / "out")
    assert found["modes"]["open"]["recorded"] == found["modes"]["feedback"]["recorded"]
    schedules = [tmp_path / "out" / mode / "recorded" / "schedule.swf" for mode in ("open", "feedback")]
    fields = [[line.split()[:5] for line in path.read_text().splitlines() if line[0] != ";"] for path in schedules]
    assert fields[0] == fields[1]
    assert len(fields[0]) == 160


def test_throughput_is_finished_jobs_per_day(thinktime, log):
    """Throughput is finished jobs per day from the first submission to the last end."""
    rows = [line.split() for line in log.read_text().splitlines() if line[0] != ";"]
    first = min(float(row[1]) for row in rows)
    last = max(float(row[1]) + float(row[2]) + float(row[3]) for row in rows)
    found = compare(thinktime, log, "--policy", "recorded", "--mode", "open")["modes"]["open"]["recorded"]
    assert found["throughput_per_day"] == pytest.approx(160 / ((last - first) / 86400))


def test_the_same_seed_gives_the_same_bytes(thinktime, log):
    """The same seed gives the same bytes, and another seed other users."""
    words = ("feedback", log, "--mode", "generative", "--policy", "easy", "--json", "--quiet")
    first, again, other = (thinktime(*words, "--seed", seed) for seed in ("1", "1", "2"))
    assert first == again
    assert first != other


def test_the_former_name_of_the_correction_is_refused(run, log):
    """With one sentence that has the new one: `calibrate` is a command, and `calibrated` a mode."""
    status, out, err = run("feedback", log, "--calibrate", "easy")
    assert (status, out) == (2, "")
    assert err.splitlines() == [
        "thinktime: error: thinktime feedback has no option --calibrate; it is now called '--correct'"
    ]


def test_users_drawn_from_fits(thinktime, log):
    """Users drawn from fits have other jobs than those from samples, and the object says so."""
    words = (log, "--mode", "generative", "--policy", "easy", "--seed", "1")
    plain, fitted, again = (compare(thinktime, *words, "--draw", draw) for draw in ("samples", "fitted", "fitted"))
    assert (plain["draw"], fitted["draw"]) == ("samples", "fitted")
    assert fitted == again
    assert fitted["modes"] != plain["modes"]


@pytest.mark.parametrize("hours", ["9-17", "log"])
def test_a_table_for_people(thinktime, log, hours):
    """The table has at most 100 columns, with the rankings of all modes below."""
    modes = ("--mode", "open", "--mode", "feedback", "--mode", "generative")
    shown = thinktime("feedback", log, *modes, "--policy", "fcfs", "--policy", "easy", "--quiet", "--hours", hours)
    assert all(len(line) <= 100 for line in shown.splitlines())
    for words in ("open: ", "feedback: ", "generative: ", "he ranking", "batch means"):
        assert words in shown
    assert shown.startswith(("Trust ", "Which mode to trust"))


def test_an_interval_by_batches_that_cannot_be_trusted_is_marked(thinktime, log):
    """A run of 160 jobs has batches of seven: `?` beside the interval, and what it means; the object says so, too."""
    words = (log, "--policy", "fcfs", "--policy", "easy", "--mode", "open", "--mode", "feedback")
    for policies in compare(thinktime, *words)["modes"].values():
        assert all(of["mean_bounded_slowdown_10_interval"]["trusted"] is False for of in policies.values())
    shown = thinktime("feedback", *words, "--quiet")
    rows = [
        line for line in shown.splitlines() if "\N{PLUS-MINUS SIGN}" in line and line.startswith(("fcfs ", "easy "))
    ]
    assert len(rows) == 4 and all(re.search("\N{PLUS-MINUS SIGN} [0-9.,]+ \\? ", row) for row in rows)
    assert "?: not to be trusted, since batches depend on each other" in " ".join(shown.split())
    several = (*words, "--replications", "2")
    assert "?: not to be trusted" not in " ".join(thinktime("feedback", *several, "--quiet").split())
    assert all(
        of["mean_bounded_slowdown_10_interval"]["trusted"]
        for policies in compare(thinktime, *several)["modes"].values()
        for of in policies.values()
    )


def test_it_is_said_that_drawn_users_wait_more(thinktime, log):
    """In the help, where modes are offered, and above the table of drawn users."""
    for command in (("feedback",), ("site", "whatif")):
        assert "Drawn users (generative) wait for results more than the log's" in " ".join(
            thinktime(*command, "--help").split()
        )
    shown = " ".join(thinktime("feedback", log, "--policy", "easy", "--mode", "generative", "--quiet").split())
    assert "users drawn from those of the log; they wait for results more than these do" in shown


def test_the_object_says_which_mode_to_trust(thinktime, log):
    """It has the modes and the sentence that stands above the tables."""
    words = (log, "--policy", "easy", "--mode", "open", "--quiet")
    told = json.loads(thinktime("feedback", *words, "--json"))["diagnosis"]
    shown = " ".join(thinktime("feedback", *words).split())
    assert shown.startswith(told["sentence"])
    assert all(mode in MODES for mode in told["trust"])
    assert {"jump", "null", "over_placebo", "self_test", "corrected"} <= told.keys()


def test_the_self_test_stands_in_the_sentence(thinktime, tmp_path):
    """Users who wait: the command shakes the log itself, and says how much of it feedback keeps."""
    path = tmp_path / "eager.swf"
    write_swf(worlds.eager(), path)
    told = json.loads(thinktime("feedback", path, "--policy", "easy", "--quiet", "--json"))
    assert list(told["modes"]) == ["open", "feedback", "reacting"]
    test, (low, high) = told["diagnosis"]["self_test"], told["diagnosis"]["intervals"]["self_test"]
    assert (
        f"feedback's self-test {test:.2f} [{low:.2f}, {high:.2f}], where 1 keeps the log"
        in told["diagnosis"]["sentence"]
    )


def test_files(thinktime, log, tmp_path):
    """The folder has the comparison, its pictures, and each run's jobs by mode and policy."""
    thinktime("feedback", log, "--policy", "easy", "--policy", "fcfs", "--out", tmp_path / "out", "--quiet")
    names = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    files = ("jobs.csv", "schedule.swf", "result.npz")
    runs = {f"{m}/{p}/{f}" for m in ("open", "feedback") for p in ("easy", "fcfs") for f in files}
    pictures = {"slowdown-by-mode.png", "load-and-slowdown-easy.png", "load-and-slowdown-fcfs.png"}
    assert names == runs | {"feedback.json"} | pictures


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--mode", "closed"), "--mode cannot be 'closed'"),
        (("--estimates", "perfect"), "--estimates: estimates cannot be 'perfect'"),
        (("--replications", "0"), "--replications must be a whole number of at least 1"),
        (("--draw", "normal", "--mode", "generative"), "--draw cannot be 'normal'"),
        (("--draw", "fitted", "--mode", "open"), "needs --mode generative"),
        (("--draws", "3", "--mode", "open"), "needs --mode generative or calibrated"),
        (("--delimitation", "first"), "--delimitation cannot be 'first'"),
        (("--hours", "9-9"), "--hours must be two hours of the day"),
        (("--load", "0"), "--load must be a fraction of the machine above 0"),
        (("--load", "nan"), "--load must be a fraction of the machine above 0"),
        (("--population", "0"), "--population must be above 0"),
        (("--population", "nan"), "--population must be above 0"),
        (("--population", "2", "--load", "0.5"), "give one of them"),
        (("--from", "9e9"), "no jobs from 9e9"),
        (("--from", "500", "--to", "100"), "--to 100 must be after --from 500"),
        (("--from", "noon"), "--from: "),
        (("--policy", "recorded", "--mode", "generative"), "drawn users"),
        (("--policy", "recorded", "--load", "1.2"), "drawn users"),
        (("--policy", "recorded", "--replications", "2"), "drawn users"),
    ],
)
def test_what_cannot_be_is_one_sentence(run, log, words, message):
    """A wrong request ends with status 2 and one line with what would be right."""
    status, out, err = run("feedback", log, *words)
    assert (status, out) == (2, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_estimates_of_a_replay(thinktime, log):
    """The replay takes the policy's estimates as an option, and the table says so."""
    plain, exact = (
        thinktime("replay", log, "--policy", "easy", *words, "--quiet") for words in ((), ("--estimates", "exact"))
    )
    assert "policies plan with estimates: exact" in exact
    assert "plan with" not in plain


def test_response_times_say_of_how_many_they_are(thinktime, log):
    """JSON and table say how many users and sessions the mean response times are of."""
    found = json.loads(thinktime("feedback", log, "--policy", "easy", "--json", "--quiet"))
    easy = found["modes"]["feedback"]["easy"]
    counts = easy["observations"]
    assert counts["jobs"]["n"] == 160 and counts["users"]["n"] == 4 and counts["sessions"]["n"] > 20
    assert (easy["abandoned_share"], easy["lost_processor_hours"]) == (0, 0)
    shown = thinktime("feedback", log, "--policy", "easy", "--quiet")
    sessions = counts["sessions"]["n"]
    assert f"feedback: response times are means of 4 users and {sessions} sessions." in shown


def test_nodes_of_one_processor_compare_as_processors_do(thinktime, log, tmp_path):
    """With `--machines`, every mode has the measures of the pool where each node is one processor."""
    (tmp_path / "site.machines").write_text("0 thin 4 1 1 0\n")
    modes = ("--mode", "open", "--mode", "feedback", "--mode", "generative")
    pool = compare(thinktime, log, *modes, "--policy", "easy")
    nodes = compare(thinktime, log, *modes, "--policy", "easy", "--machines", tmp_path / "site.machines")
    assert nodes["modes"] == pool["modes"] and nodes["processors"] == 4


def test_what_cannot_be_combined_is_refused_before_the_runs(run, log, tmp_path):
    """The sentence of the table, exit status 2, and nothing on standard output."""
    (tmp_path / "site.machines").write_text("0 thin 4 1 1 0\n")
    words = ("feedback", log, "--machines", tmp_path / "site.machines", "--quiet")
    for more, message in (
        (("--policy", "recorded"), "cannot be combined with nodes: the log's own schedule need not fit"),
    ):
        status, out, err = run(*words, *more)
        assert (status, out) == (2, "") and message in err


def test_sessions_are_of_whole_jobs_under_a_runtime_limit(thinktime, log):
    """Every mode runs a policy with a limit; its segments are in the session of their job, and the output says so."""
    words = (log, "--policy", "easy", "--policy", "easy:runtime_limit=300s")
    modes = ("--mode", "open", "--mode", "feedback", "--mode", "generative")
    found = compare(thinktime, *words, *modes)
    for mode, policies in found["modes"].items():
        whole, split = policies.values()
        assert split["jobs"] > whole["jobs"], mode
        if mode != "generative":  # whose users get further or less far
            assert split["observations"]["sessions"] == whole["observations"]["sessions"]
        assert split["mean_session_response_time"] > 300
    shown = " ".join(thinktime("feedback", *words, "--quiet").split())
    assert "Under easy:runtime_limit=300s each segment of a split job counts as a job, but not in sessions." in shown


def test_intervals_over_draws_are_monte_carlo_error(thinktime, log):
    """The conditions under the tables say so, and the range of the modes claims nothing of the truth."""
    modes = ("--mode", "open", "--mode", "generative", "--draws", "2")
    shown = " ".join(thinktime("feedback", log, *modes, "--policy", "easy", "--quiet").split())
    assert "t over 2 draws of users (Monte-Carlo error alone)" in shown
    assert "Range of these modes" in shown and "the truth may lie outside" in shown
    assert "ncertainty" not in shown
