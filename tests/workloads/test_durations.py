"""Times are given as numbers of seconds or as texts such as "3 d", wherever a time is asked for."""

import math
from dataclasses import replace

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime import behaviours
from thinktime.analysis import checkpoints
from thinktime.analysis.statistics import steady_mean, within
from thinktime.users import turnover
from thinktime.workloads.changes import windows
from thinktime.workloads.generators.arrivals import Poisson, Renewal
from thinktime.workloads.generators.owners import Flurry
from thinktime.workloads.generators.recipe_text import from_table
from thinktime.workloads.generators.user_classes import Band
from thinktime.workloads.segments import checked_limit
from thinktime.workloads.units import as_seconds
from thinktime.workloads.user_models import delimit

HOUR = 3600.0
LOG = tt.Trace({"submit": [0, 7000], "runtime": [60, 60], "allocated": [1, 1], "wait": [0, 0], "user": [1, 1]})
JOB = tt.Job(runtime=HOUR, estimate=2 * HOUR, think_time=HOUR, begin=60, checkpoint=600, checkpoint_cost=30, restart=60)
TEXTS = tt.Job(
    runtime="1h", estimate="2 h", think_time="60 min", begin="1 min", checkpoint="10 min", checkpoint_cost="30 s",
    restart="1min",
)  # fmt: skip
PROFILE = tt.Profile(runtime="20 min", jobs=2, think_time="1 h", first="5 min")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (TEXTS, JOB),
        (tt.Window("1 d", "2 d", 4, announced="12 h"), tt.Window(86_400, 172_800, 4, announced=43_200)),
        (tt.Window("1 d", math.inf, 4).end, math.inf),
        (tt.Window(0, 60, 4).shifted("1 min"), tt.Window(60, 120, 4)),
        (windows.repeat(tt.Window(0, 60, 4), "1 h", "2 h"), windows.repeat(tt.Window(0, 60, 4), 3600, 7200)),
        (windows.capacity([(0, 2), ("1 h", 4)]), windows.capacity([(0, 2), (3600, 4)])),
        (tt.Outages.of([("10 s", "1 min", "0-3")]), tt.Outages.of([(10, 60, "0-3")])),
        (tt.Failures(mtbf="30 d", mttr="4 h"), tt.Failures(mtbf=30 * 86_400, mttr=4 * HOUR)),
        (
            tt.Changes(checkpoint="1 h", cost="1 min", restart="1 min", requeue_delay="2 min"),
            tt.Changes(checkpoint=3600, cost=60, restart=60, requeue_delay=120),
        ),
        (PROFILE, tt.Profile(runtime=1200, jobs=2, think_time=3600, first=300)),
        (behaviours.Patience("30 min"), behaviours.Patience(1800.0)),
        (behaviours.Balk(wait="2 h", backlog="1 d"), behaviours.Balk(wait=7200.0, backlog=86_400.0)),
        (behaviours.Delay(len, by="1 h").by, 3600.0),
        (behaviours.Windows([("12 h", "16 h")]), behaviours.Windows([(12 * HOUR, 16 * HOUR)])),
        (behaviours.ComeBack("1 h").after, 3600.0),
        (behaviours.Split(least="2 min"), behaviours.Split(least=120.0)),
        (behaviours.Shorten(gain="5 min"), behaviours.Shorten(gain=300.0)),
        (behaviours.Continuation(away="4 h", late="5 min"), behaviours.Continuation(away=14_400.0, late=300.0)),
        (behaviours.LinearThinking(offset="30 min"), behaviours.LinearThinking(offset=1800.0)),
        (behaviours.Rhythm(origin="1 d"), behaviours.Rhythm(origin=86_400.0)),
        (behaviours.Mornings(late="5 min"), behaviours.Mornings(late=300.0)),
        (behaviours.Contentment(away="7 d").away, 604_800.0),
        (Poisson(mean="5 min"), Poisson(mean=300)),
        (Renewal(gap="5 min"), Renewal(gap=300.0)),
        (Flurry(start="1 h", size=3, gap="5 s", runtime="1 min"), Flurry(start=3600, size=3, gap=5, runtime=60)),
        (Band(upto=4, runtimes="1 h"), Band(upto=4, runtimes=3600.0)),
        (
            from_table({"model": {"arrivals": {"kind": "renewal", "gap": "5 min"}, "runtimes": "1 h"}}, "recipe"),
            from_table({"model": {"arrivals": {"kind": "renewal", "gap": 300}, "runtimes": 3600}}, "recipe"),
        ),
        (checked_limit("1 h"), 3600.0),
        (checkpoints.daly("5 min", "1 d"), checkpoints.daly(300, 86_400)),
        (LOG.between("1 h", "2 h").submit.tolist(), [7000.0]),
        (delimit(LOG, threshold="2 h").threshold, 7200.0),
        (within([10, 70], [1.0, 2.0], start="1 min").tolist(), [2.0]),
        (
            steady_mean(np.arange(100), np.arange(100) % 7, warm_up="10 s").interval,
            steady_mean(np.arange(100), np.arange(100) % 7, warm_up=10).interval,
        ),
        (tt.run(tt.MachineSpec(4), tt.sources.campaigns({"ada": PROFILE}), until="3 h").now, 3 * HOUR),
        (tt.replay(LOG, "easy", 1).during("1 h", "2 h").jobs["submit"].tolist(), [7000.0]),
        (tt.replay_with_feedback(LOG, "easy", 1, threshold="1 h").now, 7060.0),
        (tt.measures.bounded_slowdown(tt.replay(LOG, "easy", 1), "1 min").tolist(), [1.0, 1.0]),
    ],
)  # fmt: skip
def test_a_text_is_the_same_as_its_seconds(text, number):
    """Whatever is made with texts equals what is made with numbers."""
    assert text == number


def test_texts_in_processes():
    """Users, holds and repairs of a model take texts, too."""
    env = simpy.Environment()
    machine = tt.Machine(env, processors=4, changes=tt.Changes())
    env.process(tt.scripted_user(env, machine, "ada", [["1 min", 60], ["30 s"]], think_time="10 min", first="1 min"))
    env.process(turnover(env, machine, PROFILE, 1, between="1 d", stay="1 h", start=1, until="2 h"))
    tt.population(env, machine, {"bob": PROFILE}, 1, until="2 h")
    machine.fail([0], until="1 h")
    machine.request(1, estimate="1 h")
    env.run(until=3 * HOUR)
    result = machine.result()
    mine = result.jobs[result.jobs["user"] == "ada"]
    assert mine["submit"].tolist() == [60.0, 60.0, 720.0]
    assert result["submit"].max() <= 2 * HOUR
    assert machine.fail([1], until="4 h") is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: tt.Job(runtime="1 hour"),
            "runtime: a duration must be a number of seconds, or a string such as '7 d'",
        ),
        (lambda: tt.run(tt.MachineSpec(4), tt.sources.log(LOG), until="soon"), "until: a duration must be"),
        (lambda: tt.Window("now", 60, 4), "start: a duration must be"),
        (lambda: behaviours.Patience("long"), "time: a duration must be"),
        (lambda: replace(PROFILE, think_time="-5 min"), "think_time: a duration must be"),
    ],
)
def test_other_texts_are_named(call, message):
    """A text that is no duration is one sentence that says which argument."""
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_what_is_not_a_text_is_left_to_the_caller():
    """Numbers and None pass unchanged."""
    assert (as_seconds("x", 5), as_seconds("x", None), as_seconds("x", math.inf)) == (5, None, math.inf)
