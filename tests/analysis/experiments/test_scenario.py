"""Scenario files: what they mean, and one clear sentence with the place where something is wrong."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import thinktime as tt
from thinktime.analysis.experiments import Scenario
from thinktime.analysis.experiments.faults import line_of
from thinktime.analysis.experiments.measured_run import simulate
from thinktime.analysis.experiments.plan import count, runs
from thinktime.analysis.experiments.scenario_sources import crowd
from thinktime.users import SHORT
from thinktime.workloads.units import seconds

ROOT = Path(__file__).resolve().parents[3]
READY = sorted((ROOT / "docs" / "scenarios").glob("*.toml"))

USERS = """\
policies = ["easy"]
horizon = "2 d"
warm_up = "12 h"

[machine]
processors = 64

[users.short]
profile = "short"
count = 3
hours = { start = 8, end = 18 }

[users.tester]
runtime = "5 min"
jobs = { distribution = "geom", p = 0.5 }
think_time = { reaction = "wait", base = "10 min", factor = 2 }
processors = { values = [1, 4], weights = [3, 1] }

[sweep.grid]
"machine.processors" = [64, 96]
"users.short.count" = [3, 4]
[[sweep.points]]
"horizon" = "1 d"
"""

LOG = """\
; UnixStartTime: 0
; MaxProcs: 4
""" + "".join(f"{n} {100 * n} 0 {50 + n} 2 -1 -1 2 {90 + n} -1 1 {n % 3} 1 -1 1 -1 -1 -1\n" for n in range(1, 41))


def test_what_a_file_says() -> None:
    """Durations, profiles, quantities, reactions and hours arrive as what they are."""
    scenario = Scenario.from_text(USERS)
    assert (scenario.horizon, scenario.warm_up) == (2 * tt.DAY, 12 * tt.HOUR)
    users = crowd(scenario)
    assert list(users) == ["short 1", "short 2", "short 3", "tester 1"]
    assert users["short 1"].runtime is SHORT.runtime and users["short 1"].hours == tt.WorkingHours(8, 18)
    tester = users["tester 1"]
    assert tester.runtime == 300.0 and tester.processors.values == (1.0, 4.0)
    assert tester.processors.mean == 1.75
    assert isinstance(tester.think_time, tt.Reaction)


def test_python_says_the_same() -> None:
    """A scenario made of keyword arguments equals that of its text."""
    scenario = Scenario.from_text(USERS)
    built = Scenario(
        policies=["easy"],
        horizon="2 d",
        warm_up=43_200,
        machine={"processors": 64},
        users=dict(scenario.users),
        sweep={"grid": {"machine.processors": [64, 96], "users.short.count": [3, 4]}, "points": [{"horizon": "1 d"}]},
    )
    assert built == scenario
    assert Scenario.from_text(built.text) == scenario


def test_the_points_and_the_runs() -> None:
    """A sweep runs every point with every combination of the grid, every policy and every seed."""
    scenario = Scenario.from_text(USERS)
    listed = list(scenario.points())
    assert listed == [
        {"horizon": "1 d", "machine.processors": size, "users.short.count": n} for size in (64, 96) for n in (3, 4)
    ]
    made = list(runs(scenario))
    assert len(made) == count(scenario) == 4 * 1 * 5
    assert len({run.key for run in made}) == len({run.digest for run in made}) == 20
    resolved = scenario.resolved(listed[-1])
    assert (resolved.horizon, resolved.machine.processors, resolved.users["short"].count) == (tt.DAY, 96, 4)


def test_one_seed_where_nothing_is_random(tmp_path: Path) -> None:
    """A recorded log runs once, and drawn users, estimates or logs run with every seed."""
    (tmp_path / "log.swf").write_text(LOG)
    plain = Scenario.from_text('[trace]\nfile = "log.swf"', folder=tmp_path)
    assert plain.all_seeds == (1,)
    assert plain.resolved({"trace.mode": "generative"}).all_seeds == (1, 2, 3, 4, 5)
    assert plain.resolved({"trace.requested": "tsafrir"}).random
    assert plain.resolved({"trace.resample": True}).random
    swept = plain.content() | {"replications": 4, "sweep": {"grid": {"trace.mode": ["open", "generative"]}}}
    assert count(Scenario.from_tables(swept, folder=tmp_path)) == 3 * (1 + 4)


@pytest.mark.parametrize("mode", ["open", "dependencies", "feedback", "generative"])
def test_modes_of_a_log(tmp_path: Path, mode: str) -> None:
    """Each mode is the replay of that name with the machine's overrun rule and estimates."""
    (tmp_path / "log.swf").write_text(LOG)
    text = f'[trace]\nfile = "log.swf"\nmode = "{mode}"\n[machine]\noverrun = "extend"\nestimates = "exact"'
    found = simulate(Scenario.from_text(text, folder=tmp_path), "easy", 7)
    log = tt.read_swf(tmp_path / "log.swf")
    how = {"policy": "easy", "overrun": "extend", "estimates": "exact"}
    from thinktime.users.feedback import replay_with_feedback
    from thinktime.users.generative import generative_users

    expected = {
        "open": lambda: tt.replay(log, **how),
        "dependencies": lambda: tt.replay(log, **how, dependencies=True),
        "feedback": lambda: replay_with_feedback(log, **how),
        "generative": lambda: generative_users(log, **how, seed=7),
    }[mode]()
    assert found["start"].tolist() == expected["start"].tolist()
    assert found.overrun == "extend"


def test_a_part_of_a_log_at_a_load(tmp_path: Path) -> None:
    """`from`, `to` and `load` cut and squeeze a log, with dates in its own zone."""
    from thinktime.workloads.generators import offered_load

    (tmp_path / "log.swf").write_text(LOG)
    text = '[trace]\nfile = "log.swf"\nfrom = "10 min"\nto = 1970-01-01T00:50:00\nload = 0.8\nscaling = "times"'
    found = simulate(Scenario.from_text(text, folder=tmp_path), "easy", 1)
    assert found["id"].tolist() == list(range(6, 30))
    log = tt.read_swf(tmp_path / "log.swf")
    scaled = log.between(600, 3000).with_columns(submit=found["submit"])
    assert offered_load(scaled, 4) == pytest.approx(0.8, rel=0.01)


def test_users_beside_a_log(tmp_path: Path) -> None:
    """A log and users in the loop share the machine; the horizon ends both."""
    (tmp_path / "log.swf").write_text(LOG)
    text = 'horizon = "1 h"\n[trace]\nfile = "log.swf"\n[users.short]\nprofile = "short"\nthink_time = 60'
    found = simulate(Scenario.from_text(text, folder=tmp_path), "easy", 1)
    names = {str(each) for each in found.labels("user")}
    assert "short 1" in names and "2" in names and found.now == 3600


FAULTS = {
    "policies = [": "not valid TOML",
    'polices = ["easy"]': "line 1: has no key 'polices'; did you mean 'policies'?",
    'policies = ["esay"]': "line 1: policies: policy 'esay': there is no policy 'esay'; did you mean 'easy'",
    'policies = ["easy", "easy"]': "the policy 'easy' is listed twice",
    'policies = "easy"': "policies must be a list, not 'easy'",
    'metrics = ["mean_wiat"]': "line 1: metrics: there is no metric 'mean_wiat'; did you mean 'mean_wait'?",
    'horizon = "2 days"': "line 1: horizon: a duration must be a number of seconds, or a string such as '7 d'",
    "replications = 0": "replications must be at least 1, not 0",
    "replications = 2.5": "replications must be a whole number, not 2.5",
    "seeds = []": "seeds must not be empty",
    "seeds = [1, 1]": "the seed 1 is listed twice",
    "replications = 2\nseeds = [1]": "has both seeds and replications",
    "[machine]\nprocesors = 4": "line 2: machine has no key 'procesors'; did you mean 'processors'?",
    "[machine]\nprocessors = 0": "line 2: machine.processors must be at least 1, not 0",
    '[machine]\noverrun = "kil"': "line 2: machine.overrun cannot be 'kil'; did you mean 'kill'?",
    '[machine]\nestimates = "magic"': "line 1: machine: ",
    "machine = 3": "machine must be a table, not 3",
    "[users.ada]\ncount = 2": "line 1: users.ada needs runtime and jobs and think_time, or profile",
    '[users.ada]\nprofile = "short"\nthink_tim = 3': "line 3: users.ada has no key 'think_tim'; did you mean",
    '[users.ada]\nprofile = "short"\nthink_time = { reaction = "mood" }': "line 3: users.ada.think_time cannot react",
    "[users.ada]\njobs = inf\nruntime = 1\nthink_time = 1": (
        "line 2: users.ada.jobs must be finite: inf is no whole number of jobs"
    ),
    '[users.ada]\nprofile = "short"\nfirst = { values = [nan] }': "line 3: users.ada.first must be finite, not nan",
    '[users.ada]\nprofile = "short"\nruntime = { kind = "unifrm" }': "users.ada.runtime has no kind",
    '[users.ada]\nprofile = "short"\nprocessors = { values = [1], weights = [1, 2] }': "one weight for each",
    '[users.ada]\nprofile = "short"\nhours = { start = 9, end = 9 }': "users.ada.hours: working hours are from",
    "[trace]\nload = 1": "line 1: trace needs file",
    '[trace]\nfile = "x"\nfrom = "soon"': "line 3: trace.from must be a time since the log's start",
    '[trace]\nfile = "x"\nrequested = "wild"': "trace has no kind 'wild'",
    '[workload]\nrecipe = "lubin"': "line 1: workload: there is no recipe 'lubin'; did you mean 'lublin'?",
    '[workload]\nmode = "closed"\nrecipe = { model = { kind = "lublin", variant = "both" } }': (
        "the variant 'both' cannot have users in the loop"
    ),
    '[sweep.grid]\n"machin.processors" = [1]': "'machin.processors' cannot vary; the keys that can are machine",
    '[sweep.grid]\n"machine.processors" = [8, 0]': (
        "line 2: with machine.processors = 0: machine.processors must be at least 1, not 0"
    ),
    '[sweep.grid]\n"machine.processors" = []': "sweep.grid.machine.processors must not be empty",
    '[precision]\nmetric = "mean_wait"': "precision needs relative = FRACTION",
    '[precision]\nmetric = "p99_wait"\nrelative = 0.1': "precision.metric must be one of metrics",
    '[model]\nfunction = "simulate"': "model.function",
}


@pytest.mark.parametrize("text", FAULTS)
def test_faults(text: str) -> None:
    """Every fault is one sentence that begins with the file and the line."""
    rest = "" if re.search(r"\[(users|trace|workload|model)", text) else '\n[trace]\nfile = "x.swf"'
    with pytest.raises(ValueError) as caught:
        Scenario.from_text(text + rest, "my.toml")
    said = str(caught.value)
    expected = FAULTS[text]
    assert expected in said, said
    assert said.startswith("my.toml") and "\n" not in said


def test_the_line_of_a_place() -> None:
    """The line of a key is found below tables, dotted and quoted keys, else that of its table."""
    text = 'a = 1\nb.c = 2\n\n[sweep.grid]  # comment\n"trace.load" = [1]\n[[sweep.points]]\nx = 1\n'
    assert line_of(text, ("a",)) == 1
    assert line_of(text, ("b", "c")) == 2
    assert line_of(text, ("sweep", "grid", "trace.load", 0)) == 5
    assert line_of(text, ("sweep", "grid", "other")) == 4
    assert line_of(text, ("nothing",)) is None


@pytest.mark.parametrize("path", READY, ids=lambda path: path.stem)
def test_ready_scenarios(path: Path) -> None:
    """The scenarios of the papers are complete and say how to run them."""
    scenario = Scenario.read(path)
    assert scenario.name == path.stem and len(scenario.description) > 20
    assert f"thinktime run {path.name}" in path.read_text() or path.stem == "expectations"
    assert count(scenario) >= len(scenario.policies)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7 d", 604_800), ("12h", 43_200), ("1 h 30 min", 5_400), ("90", 90), (" 2 w", 1_209_600), (2.5, 2.5),
        ("1d 3h", 97_200),
    ],
)  # fmt: skip
def test_durations(text: str | float, value: float) -> None:
    """Numbers are seconds, and texts have units that add up."""
    assert seconds(text) == value


@pytest.mark.parametrize("text", ["", "d", "7 days", "1 h x", "-3", -1, True, None, "nan", "inf", "1,5 h", "3 d 4"])
def test_no_durations(text: object) -> None:
    """Anything that is not a duration is refused with what would be right."""
    with pytest.raises(ValueError, match=re.escape(f"not {text!r}")):
        seconds(text)


def test_a_log_at_a_load_keeps_its_week(tmp_path: Path) -> None:
    """`load` drops or copies weeks and days of users, so every job keeps its hour of the week."""
    from thinktime.workloads.generators import Mix, Poisson, Recipe, UserClass, generate, offered_load, weekly
    from thinktime.workloads.user_models import scale_users

    crowd = (UserClass(name="all", spread=1.0, jobs=3, gaps=20, runtimes=1_500),)
    recipe = Recipe(model=Mix(arrivals=Poisson(mean=2_000), classes=crowd), cycle=weekly())
    log = generate(recipe, jobs=3_000, users=30, processors=8, seed=1)
    tt.write_swf(log, tmp_path / "log.swf")
    for load in (0.15, 0.6):
        text = f'[trace]\nfile = "log.swf"\nload = {load}'
        found = simulate(Scenario.from_text(text, folder=tmp_path), "easy", 1)
        expected, _ = scale_users(tt.read_swf(tmp_path / "log.swf"), load)
        assert found["submit"].tolist() == expected.submit.tolist()
        assert offered_load(expected) == pytest.approx(load, rel=0.02)
        assert set(found["submit"] % tt.WEEK) <= set(log.submit % tt.WEEK)
        squeezed = simulate(Scenario.from_text(f'{text}\nscaling = "times"', folder=tmp_path), "easy", 1)
        assert len(squeezed) == 3_000 and not set(squeezed["submit"] % tt.WEEK) <= set(log.submit % tt.WEEK)


@pytest.mark.parametrize("recipe", ["mmpp", "weibull", "b-model", "poisson", "lublin", "short-long"])
def test_every_recipe_with_users_in_the_loop(recipe: str) -> None:
    """`mode = "closed"` takes every recipe by name; no user has two campaigns under way."""
    text = f'machine.processors = 64\nworkload = {{ recipe = "{recipe}", jobs = 300, users = 5, mode = "closed" }}'
    found = simulate(Scenario.from_text(text), "easy", 1)
    assert len(found) == 300
    for user in found.users.index:
        own = np.flatnonzero(found.labels("user") == user)
        starts = np.unique(found["submit"][own])
        ends = [found["end"][own][found["submit"][own] == time].max() for time in starts]
        assert (starts[1:] >= np.array(ends[:-1])).all()


def test_office_hours_and_estimates_of_campaigns_in_the_loop() -> None:
    """Cycles, hours, widths and estimates of a campaign recipe hold with users in the loop too."""
    text = """
machine.processors = 16
[workload]
jobs = 200
users = 4
mode = "closed"
requested = { kind = "factor", factor = 3 }
[workload.recipe]
cycle = "weekly"
[workload.recipe.model]
kind = "campaigns"
processors = 4
hours = { start = 8, end = 18 }
"""
    found = simulate(Scenario.from_text(text), "easy", 1)
    hour, day = found["submit"] % tt.DAY / tt.HOUR, found["submit"] // tt.DAY % 7
    assert ((hour >= 8) & (hour <= 18) & (day < 5)).all()
    assert set(found["processors"]) == {4} and (found["estimate"] == 3 * found["runtime"]).all()


def test_a_misspelt_key_in_python_is_the_sentence_of_a_file():
    """In nested tables, too."""
    with pytest.raises(ValueError, match=r"the scenario: has no key 'polices'; did you mean 'policies'[?]"):
        Scenario(polices=["easy"])
    with pytest.raises(ValueError, match="the scenario: machine has no key 'cpus'; "):
        Scenario(machine={"cpus": 4})
    assert (
        pickle.loads(pickle.dumps(Scenario(horizon="1 d", machine={"processors": 4}, workload={"jobs": 5}))).horizon
        == 86_400
    )
