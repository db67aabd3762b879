"""Forecasts from the state of a machine."""

from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.models.machine.cuts import taking
from thinktime.analysis.now import draws
from thinktime.analysis.now.outlook import ARRIVING, TODAY, quantile, share_by
from thinktime.analysis.now.page import page
from thinktime.analysis.now.told import values
from thinktime.models.machine.announcing import announcing
from thinktime.models.machine.simpy_insides import stop
from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.limits import Limits
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.workloads.changes.events_file import EventsRead

NOW = 50_000.0
LENGTH = {1: 600.0, 2: 2500.0, 3: 7000.0, 4: 300.0}


def _log(seed: int, spread: float = 0.0, users: bool = True) -> tt.Trace:
    """Users whose jobs each run equally long, or nearly; a machine of 8 is busy with them."""
    rng = np.random.default_rng(seed)
    n = 420
    submit, user = np.sort(rng.integers(0, 100_000, n)), rng.integers(1, 5, n)
    runtime = np.array([LENGTH[each] for each in user.tolist()]) * rng.uniform(1 - spread, 1 + spread, n)
    columns: dict[str, Any] = {
        "submit": submit, "wait": np.zeros(n), "runtime": runtime.round(), "allocated": rng.integers(1, 5, n),
        "requested_time": np.full(n, 10_000.0), "user": user,
    }  # fmt: skip
    return tt.Trace(columns)


def _recorded(log: tt.Trace, policy: str = "easy") -> tuple[tt.Trace, tt.MachineState, tt.Result]:
    """The log with the waits that a machine makes, the state at `NOW`, and what happens if nothing comes later."""
    states: list[tt.MachineState] = []
    result = tt.run(tt.MachineSpec(8, policy), log, taking([NOW], states))
    rest = tt.run(tt.MachineSpec(begin=states[0].without_arrivals()))
    return log.with_columns(wait=result["start"] - result["submit"]), states[0], rest


@pytest.fixture(scope="module")
def known() -> tuple[tt.Trace, tt.MachineState, tt.Result]:
    """A log in which run times follow from users."""
    return _recorded(_log(1))


def _starts(rest: tt.Result) -> dict[int, float]:
    return dict(zip(rest["id"].tolist(), rest["start"].tolist(), strict=True))


def test_what_is_known_is_foretold_exactly() -> None:
    """If all jobs of the log run equally long and nobody comes, every draw has the starts that really follow."""
    log = _log(2).with_columns(runtime=np.full(420, 1500.0))
    history, state, rest = _recorded(log)
    outlook = tt.forecast(state, history, draws=3, arrivals="none")
    truth = [_starts(rest)[job] for job in outlook.waiting.id.tolist()]
    assert len(truth) > 5
    assert outlook.starts.tolist() == [truth] * 3
    for low, high in (outlook.interval(0.5), outlook.interval(0.95)):
        assert low.tolist() == high.tolist() == outlook.median().tolist() == truth
    assert (outlook.waiting.by_limits >= truth).all()
    assert outlook.share_by(1e9).tolist() == [1.0] * len(truth)
    assert outlook.share_by(-1.0).tolist() == [0.0] * len(truth)


def test_jobs_that_have_ended_do_not_run() -> None:
    """While nobody waits, a machine sleeps through ends; a forecast from its state knows that they are over."""
    log = tt.Trace({"submit": [0, 0], "wait": [0, 0], "runtime": [9, 99], "allocated": [1, 1], "user": [1, 2]})
    states: list[tt.MachineState] = []
    tt.run(tt.MachineSpec(2), log, taking([50.0], states))
    outlook = tt.forecast(states[0], log, draws=2, arrivals="none", until=500)
    assert sum(outlook.running.values()) == 1
    assert outlook.drawings[TODAY].use[:, 0].tolist() == [1.0, 1.0]


def test_without_a_history_jobs_run_to_their_limits(known: Any) -> None:
    """Then the forecast is the one that a scheduler makes, and says that it knows nothing else."""
    outlook = tt.forecast(known[1], draws=2, until="9 d")
    assert outlook.starts.tolist() == [outlook.waiting.by_limits.tolist()] * 2
    assert any("run to their limits" in note for note in outlook.notes)
    assert any("nobody comes" in note for note in outlook.notes)


def test_the_same_seed_gives_the_same_numbers(known: Any) -> None:
    """Draws belong to the seed and their number: more draws begin with the same ones, and another seed has others."""
    history, state, _ = known
    few = tt.forecast(state, history, draws=3, until="6 h")
    more = tt.forecast(state, history, draws=5, until="6 h")
    assert np.array_equal(few.starts, more.starts[:3])
    assert np.array_equal(few.drawings[TODAY].use, more.drawings[TODAY].use[:3])
    other = tt.forecast(state, history, draws=3, until="6 h", seed=1)
    assert not np.array_equal(few.starts, other.starts)


def test_a_change_that_changes_nothing_moves_nobody(known: Any) -> None:
    """Draw k has the same luck under every change: the same state twice gives equal starts in every draw."""
    history, state, _ = known
    outlook = tt.forecast(state, history, draws=4, until="12 h", changes={"same": state})
    assert (outlook.moved("same") == 0).all()
    now, later = outlook.everybody("same")
    assert (now.mean, now.half, later.mean) == (0.0, 0.0, 0.0)


def test_a_job_that_is_not_submitted_yet(known: Any) -> None:
    """A narrow, short one starts no later than a wide, long one, and the others are forecast as without it."""
    history, state, _ = known
    small, large = tt.Job(user=4, processors=1, runtime=300, estimate=400), tt.Job(user=4, processors=8, runtime=9000)
    outlook = tt.forecast(state, history, draws=6, arrivals="none", jobs={"small": small, "large": large})
    assert (outlook.asked["small"] <= outlook.asked["large"]).all()
    assert np.array_equal(outlook.starts, tt.forecast(state, history, draws=6, arrivals="none").starts)


def test_a_draw_is_over_once_the_job_that_is_asked_about_has_started(
    known: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its start is the one of a draw that goes on; the first draw does."""
    history, state, _ = known
    job, until, given = {"one": tt.Job(user=4, processors=1, runtime=300, estimate=400)}, NOW + 6 * tt.HOUR, []
    monkeypatch.setattr(draws, "stop", lambda env: given.append(env.now) or stop(env))
    brief = tt.forecast(state, history, draws=4, until="6 h", jobs=job)
    assert given == brief.asked["one"][1:].tolist()
    assert max(given) < until
    monkeypatch.setattr(draws, "stop", lambda env: None)
    assert np.array_equal(tt.forecast(state, history, draws=4, until="6 h", jobs=job).asked["one"], brief.asked["one"])


def test_nothing_later_is_used(known: Any) -> None:
    """A history that ends now says the same as one that goes on, whatever happens later."""
    history, state, _ = known
    begun = history.submit + history.wait
    unknown = np.where(begun + history.runtime > NOW, history.runtime + 400.0, history.runtime)
    changed = history.with_columns(runtime=unknown, wait=np.where(begun > NOW, history.wait + 9.0, history.wait))
    for arrivals in ("reacting", "calibrated", "open"):
        one, other = (tt.forecast(state, each, draws=1, arrivals=arrivals, until="2 h") for each in (history, changed))
        assert np.array_equal(one.starts, other.starts), arrivals


@pytest.mark.parametrize("arrivals", ["reacting", "calibrated", "open", "none"])
def test_it_is_said_who_comes(known: Any, arrivals: str) -> None:
    """Jobs come as often as the history has them, where users react; and it is said who they are."""
    history, state, _ = known
    outlook = tt.forecast(state, history, draws=2, arrivals=arrivals, until="3 h")
    assert outlook.arrivals == values(outlook)["arrivals"] == arrivals
    assert f"who comes: {ARRIVING[arrivals]}." in page(outlook, "A page").html
    assert (outlook.drawings[TODAY].later.mean() > 0) == (arrivals in ("reacting", "calibrated"))


def test_users_are_fitted_once_for_all_forecasts(known: Any) -> None:
    """Users who were fitted before are those who come, and another luck of theirs has other jobs."""
    history, state, _ = known
    users = tt.calibrate(history.select(history.submit <= NOW), score=False, until=NOW)
    how: dict[str, Any] = {"draws": 3, "arrivals": "calibrated", "until": "2 h"}
    given, fitted, other = (
        tt.forecast(state, history, **how, **more).drawings[TODAY] for more in ({"users": users}, {}, {"seed": 2})
    )
    assert given.later.tolist() == fitted.later.tolist()
    assert given.later_wait.tolist() == fitted.later_wait.tolist() != other.later_wait.tolist()
    assert len(set(given.later_wait.tolist())) == 3


def test_without_a_history_no_users_can_be_fitted(known: Any) -> None:
    """One sentence, as for a history in which nobody comes again."""
    history, state, _ = known
    with pytest.raises(ValueError, match="there is no history to which users could be fitted"):
        tt.forecast(state, draws=2, arrivals="calibrated")
    with pytest.raises(ValueError, match="does not say who submitted its jobs"):
        tt.forecast(state, history.with_columns(user=np.full(420, -1)), draws=2, arrivals="calibrated")
    with pytest.raises(ValueError, match="a fit needs 10 times"):
        tt.forecast(state, history.with_columns(user=np.arange(420)), draws=2, arrivals="calibrated")


def test_waiting_jobs_are_taken_back_as_in_the_history() -> None:
    """Where half of the jobs were taken back after a minute, about as many of the waiting ones leave, and say so."""
    history, state, _ = _recorded(_log(1))
    n = len(history)
    rng = np.random.default_rng(1)
    gone = (rng.random(n) < 0.5) & (history.submit < 40_000)
    columns = {"status": np.where(gone, 5, 1), "runtime": np.where(gone, 0.0, history.runtime)}
    with_gone = history.with_columns(**columns, wait=np.where(gone, rng.exponential(3000, n).round(), history.wait))
    outlook = tt.forecast(state, with_gone, draws=20, arrivals="none")
    assert 0.1 < outlook.leaves().mean() < 0.9
    assert tt.forecast(state, history, draws=2, arrivals="none").leaves().tolist() == [0.0] * len(outlook.waiting)
    known = outlook.starts[~np.isnan(outlook.starts)]
    assert (known > NOW).all()


def test_a_history_of_another_machine_or_moment_is_refused(known: Any) -> None:
    """One that has other jobs at this time, one that begins later; of one that ends long before, that is said."""
    history, state, _ = known
    others = _log(3)
    with pytest.raises(ValueError, match=r"at the time of the state, the history has \d+ other jobs, and none"):
        tt.forecast(state, others.with_columns(runtime=np.full(len(others), 20_000.0)), draws=1)
    with pytest.raises(ValueError, match=r"the history does not begin before the state, but 10m \d+s later"):
        tt.forecast(state, history.with_columns(submit=history.submit + NOW + 50), draws=1)
    old = history.select(history.submit < NOW - 30_000)
    moved = old.with_columns(submit=old.submit - 200_000)
    assert any("the history ends before" in each for each in tt.forecast(state, moved, draws=1, until=60).notes)


@pytest.fixture(scope="module")
def changing() -> tuple[tt.Trace, tt.MachineState]:
    """The same on a machine that can change."""
    log, states = _log(1), list[tt.MachineState]()
    result = tt.run(tt.MachineSpec(8, changes=tt.Changes()), log, taking([NOW], states))
    return log.with_columns(wait=result["start"] - result["submit"]), states[0]


def test_nobody_starts_in_a_window_to_come(changing: Any, known: Any) -> None:
    """With one of the whole machine in an hour, jobs start before or after it; elsewhere it is refused."""
    history, state = changing
    window = tt.Window(NOW + 3600, NOW + 30_000, processors=8)
    events = EventsRead((window, tt.Window(9, 99, processors=8)), tt.Outages.of([]))
    outlook = tt.forecast(state, history, draws=3, until="1 d", changes={"window": announcing(state, events)})
    starts = outlook.drawings["window"].starts
    assert not ((starts > window.start) & (starts < window.end)).any()
    assert (starts >= window.end).any() and ((outlook.starts > window.start) & (outlook.starts < window.end)).any()
    unlike = tt.forecast(known[1], known[0], draws=3, until="1 d")
    assert np.array_equal(outlook.starts, unlike.starts), "that it can change makes no difference"
    with pytest.raises(ValueError, match="a state of a machine that does not change"):
        announcing(known[1], events)
    late = EventsRead((), tt.Outages.of([(NOW - 9, NOW + 9, "0-3")]))
    with pytest.raises(ValueError, match="an outage has begun before the state"):
        announcing(state, late)


def test_failures_are_drawn_if_they_are_asked_for(changing: Any, known: Any) -> None:
    """Draw k has the same failures under every change; without them it is as on a machine that does not change."""
    history, state = changing
    failures = tt.Failures(mtbf="4 h", mttr="2 h")
    outlook = tt.forecast(state, history, draws=3, until="6 h", failures=failures, changes={"same": state})
    assert np.array_equal(outlook.starts, outlook.drawings["same"].starts)
    plain = tt.forecast(state, history, draws=3, until="6 h")
    assert outlook.drawings[TODAY].use.mean() < plain.drawings[TODAY].use.mean()
    with pytest.raises(ValueError, match="a state of a machine that does not change"):
        tt.forecast(known[1], history, draws=1, failures=failures)


def test_a_job_beyond_a_limit_waits_for_it() -> None:
    """Each user may have two processors: ann's second job waits for her first one, and bob's is too wide for ever."""
    owners = [Association("a", name) for name in ("ann", "bob")]
    tree = AccountTree((Association("root"), Association("a"), *owners))
    normal = QOS("normal", limits=Limits(max_tres_per_user={"cpu": 2}))
    site = Site(nodes=tt.Nodes.uniform(1, 4), qos=(normal,), accounts=tree, enforce=("limits",))
    states: list[tt.MachineState] = []

    def come(env: simpy.Environment, machine: tt.Machine) -> Any:
        for user, processors in (("ann", 2), ("ann", 1), ("bob", 4)):
            machine.submit(tt.Job(user=user, processors=processors, runtime=100, queue="normal", group="a"))
        yield env.timeout(9)
        states.append(machine.state())

    tt.run(tt.MachineSpec(4, "fcfs", site=site), come)
    waiting = tt.forecast(states[0], draws=1).waiting
    assert waiting.reason == [f"{word}: max_tres_per_user (cpu) of QOS normal" for word in ("limit", "never")]


def test_quantiles_are_of_what_is_known() -> None:
    """By hand: a start after the horizon counts as later than all, and a job that left does not count."""
    inf, nan = np.inf, np.nan
    starts = np.array([[1.0, nan, 5.0], [2.0, nan, nan], [3.0, nan, inf], [4.0, nan, inf]])
    assert quantile(starts, 0.5).tolist()[0::2] == [2.0, inf]
    assert quantile(starts, 0.25).tolist()[0::2] == [1.0, 5.0]
    assert np.isnan(quantile(starts, 0.5)[1])
    assert share_by(starts, 3.0).tolist()[0::2] == [0.75, 0.0]
    assert share_by(starts, 5.0)[2] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"draws": 0}, "draws must be a whole number"),
        ({"until": 0}, "until must be a time above 0 s"),
        ({"arrivals": "many"}, "arrivals are 'many'"),
    ],
)
def test_what_cannot_be_is_refused(known: Any, words: dict[str, Any], sentence: str) -> None:
    """One sentence each."""
    with pytest.raises(ValueError, match=sentence):
        tt.forecast(known[1], **words)
