"""Behaviours of users in scenario files: what stands there is what a script would say."""

from pathlib import Path

import pytest
import simpy
from scipy import stats

import thinktime as tt
from thinktime.analysis.experiments import Scenario, sweep
from thinktime.analysis.experiments.reactions import KINDS, made
from thinktime.users import behaviours

OFFICE = """
policies = ["easy"]
metrics = ["finished", "lost_jobs", "lost_node_hours", "lost_jobs@shy", "lost_jobs@calm", "mean_wait"]
seeds = [3]
horizon = "2 d"
machine.processors = 4
[users.calm]
count = 3
runtime = "1 h"
jobs = 3
think_time = "10 min"
[users.shy]
count = 2
runtime = "1 h"
jobs = 2
think_time = "10 min"
first = "5 min"
[users.shy.behaviours]
patience = { time = "30 min" }
balk = { queue = 4 }
[sweep.grid]
"users.shy.behaviours.balk.queue" = [2, 4]
"""


def test_a_scenario_is_the_script_that_says_the_same(tmp_path: Path) -> None:
    """A run has the numbers of the same users in a script, and keys of behaviours can be swept."""
    table = sweep(Scenario.from_text(OFFICE), tmp_path, processes=1).table
    for queue in (2, 4):
        env = simpy.Environment()
        machine = tt.Machine(env, 4, "easy")
        calm = tt.Profile(runtime=tt.HOUR, jobs=3, think_time=10 * tt.MINUTE)
        react = (behaviours.Patience(30 * tt.MINUTE), behaviours.Balk(queue=queue))
        shy = tt.Profile(runtime=tt.HOUR, jobs=2, think_time=10 * tt.MINUTE, first=5 * tt.MINUTE, behaviours=react)
        users = {f"calm {k}": calm for k in (1, 2, 3)} | {f"shy {k}": shy for k in (1, 2)}
        tt.population(env, machine, users, seed=3)
        env.run(until=2 * tt.DAY)
        expected = machine.result().summary()
        [row] = table[table["users.shy.behaviours.balk.queue"] == queue].to_dict("records")
        assert expected["lost_jobs"] > 0
        for name in ("finished", "lost_jobs", "lost_node_hours", "mean_wait"):
            assert row[name] == expected[name], name
        assert (row["lost_jobs@shy"], row["lost_jobs@calm"]) == (expected["lost_jobs"], 0)


def test_every_kind_can_be_made() -> None:
    """Every kind of behaviour can be made with all its keys, in the order of the file."""
    when = {"when": {"crowded": 5}}
    shown = {"signal": {"times": [0, 3600], "values": [1, 2], "kind": "noisy", "error": 0.1}, "sees": "forecast"}
    tables = {
        "continuation": {"level": 0.7, "decay": 0.1, "away": "8 h", "late": {"distribution": "expon", "scale": "1 h"}},
        "linear_thinking": {"slope": 0.5, "offset": "10 min", "spread": {"distribution": "expon"}},
        "rhythm": {"origin": "1 d"},
        "patience": {"time": {"distribution": "expon", "scale": "4 h"}},
        "balk": {"queue": 5, "backlog": "1 h", "wait": "2 h"},
        "delay": {"when": {"windows": [["12 h", "16 h"], ["36 h", "40 h"]]}, "by": "1 h", "times": 3},
        "degrade": when,
        "reconfigure": {"when": {"waiting_long": "1 h"}},
        "renounce_2": when,
        "renounce": when,
        "estimate": {"raised": 3, "lowered": 0.5},
        "in_flight": {"jobs": 2},
        "come_back": {"after": "10 min", "times": 3},
        "split": {"parts": 3, "least": "5 min"},
        "choose": {"queues": ["short"], "partitions": ["fast"]},
        "mold": {
            "factors": [0.5, 1], "speedup": "amdahl(0.1)", "believes": "linear", "tries": 3, "habit": 0.5,
            "budget": 50, "period": "7 d", "shown": shown,
        },
        "parcel": {"factors": [0.5], "parts": 4},
        "shorten": {"margin": 1.5, "gain": "1 h"},
        "discouraged": {"after": 2},
        "contentment": {"complaints": 5, "away": "1 d"},
        "mornings": {"share": 0.5, "late": "30 min"},
        "reshape": {"when": {"elastic": shown | {"elasticity": 0.5, "reference": 2}}, "share": 0.25, "serial": 0.1},
        "see_you_later": {"when": {"dear": shown | {"above": 1}}, "away": "8 h", "late": "1 h", "times": 2},
        "shift": when | {"queue": "night", "partition": "old"},
        "sleep_on_it": {"budget": 50, "period": "7 d", "low": 0.1, "shown": shown, "before": "1 d"},
        "rush": {"budget": 50, "period": "7 d", "low": 0.1, "hurry": 0.5},
        "logit": {
            "shown": shown, "money": 2, "hour": 1, "worth": 3, "delay": "1 d", "reshape": 0.5, "serial": 0.1,
            "degrade": 0.5, "renounce": True, "queues": {"night": 0.5}, "partitions": {"old": 0.5},
        },
    }  # fmt: skip
    pieces = made(tables)
    assert [type(piece).__name__.lower() for piece in pieces] == [
        name.removesuffix("_2").replace("_", "") for name in tables
    ]
    assert {name.removesuffix("_2") for name in tables} == set(KINDS)
    assert isinstance(pieces[3].time, stats.distributions.rv_frozen) and pieces[3].time.mean() == 4 * tt.HOUR
    assert pieces[5].when.times == ((12 * tt.HOUR, 16 * tt.HOUR), (36 * tt.HOUR, 40 * tt.HOUR))


@pytest.mark.parametrize(
    "tables, message",
    [
        ({"patients": {"time": 5}}, "there is no behaviour 'patients'; did you mean 'patience'?"),
        ({"patience": {"tim": 5}}, "patience has no key 'tim'; did you mean 'time'?"),
        ({"patience": {}}, "patience needs time"),
        ({"patience": 5}, "patience must be a table of time, not 5"),
        ({"balk": {}}, "balk: Balk needs a condition"),
        ({"balk": {"queue": "many"}}, "balk.queue must be a number, not 'many'"),
        ({"balk": {"wait": "long"}}, "balk.wait"),
        ({"degrade": {"when": {"windows": [5]}}}, r"degrade.when must be a list of pairs of times"),
        ({"degrade": {"when": {"full": 5}}}, "degrade.when has no condition 'full'"),
        ({"degrade": {"when": 5}}, "degrade.when must be a table with one of windows, waiting_long, crowded"),
        ({"in_flight": {"jobs": 0}}, "in_flight: jobs must be at least 1"),
    ],
)
def test_what_is_wrong_is_named(tables: dict[str, object], message: str) -> None:
    """The error names the behaviour, the key and what may stand there."""
    with pytest.raises(ValueError, match=message.replace("[", r"\[").replace("?", r"\?")):
        made(tables)
