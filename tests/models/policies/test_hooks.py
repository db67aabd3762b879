"""Hooks: the machine calls those that a policy has, when their docstrings say, and refuses those that there are not."""

import pytest
import simpy

import thinktime as tt
from thinktime.models.policies.base import ATTRIBUTES, HOOKS
from thinktime.models.policies.hooks import Hooks
from thinktime.policies import Conservative, Easy, Policy, from_spec


def called_at(now, *, derived):
    """A policy with every hook, which notes what is called, and the notes."""
    log = []

    class Noting(Policy if derived else object):
        alarm = now

        def select(self, view, now):
            log.append(("select", now, [job.id for job in view.queue]))
            free = view.free
            for job in view.queue:
                if job.processors <= free:
                    free -= job.processors
                    yield job

        def next_clock(self, now):
            log.append(("next_clock", now))
            return self.alarm if now < self.alarm else None

        def on_clock(self, view, now):
            log.append(("on_clock", now))

        def on_estimate(self, view, rows, now):
            log.append(("on_estimate", now, [view.request(row).id for row in rows]))
            return [now] * len(rows)

        def on_calendar(self, calendar):
            log.append(("on_calendar",))

        def check(self, trace):
            log.append(("check", len(trace)))

        def rehearse(self, run):
            log.append(("rehearse",))
            return self

        def notes(self, processors):
            log.append(("notes", processors))
            return ["noted"]

        def copy(self):
            log.append(("copy",))
            return self

    def telling(name):
        def hook(self, view, rows, now):
            log.append((name, now, [view.request(row).id for row in rows], view.free))

        return hook

    for name in ("on_end", "on_withdraw", "on_submit", "on_start", "on_revise"):
        setattr(Noting, name, telling(name))
    return Noting(), log


@pytest.mark.parametrize("derived", [True, False], ids=["derived", "any object"])
def test_hooks_are_called_in_the_order_of_an_instant(derived):
    """At 5 s jobs end, are killed, withdrawn, come and start, and each hook sees the processors that are free."""
    policy, log = called_at(5.0, derived=derived)
    env = simpy.Environment()
    machine = tt.Machine(env, 2, policy)
    machine.submit(tt.Job(id=1, runtime=5, processors=1, estimate=6))
    machine.submit(tt.Job(id=2, runtime=9, processors=1, estimate=5))
    waiting = machine.submit(tt.Job(id=3, runtime=1, processors=2))
    machine.submit(tt.Job(id=4, runtime=1, processors=2))

    def at_five():
        yield env.timeout(5)
        waiting.cancel()
        machine.submit(tt.Job(id=5, runtime=1, processors=2))

    env.process(at_five())
    env.run(until=5.5)
    assert log[0] == ("copy",)
    assert [entry for entry in log if entry[1:2] == (5,)] == [
        ("on_end", 5, [1], 1), ("on_estimate", 5, [2]), ("on_end", 5, [2], 2), ("on_clock", 5),
        ("on_withdraw", 5, [3], 2), ("on_submit", 5, [5], 2), ("select", 5, [4, 5]), ("on_start", 5, [4], 0),
        ("next_clock", 5),
    ]  # fmt: skip


@pytest.mark.parametrize("derived", [True, False], ids=["derived", "any object"])
def test_hooks_of_a_replay(derived):
    """The log is checked, the policy rehearses, hears the calendar, is told of later ends, and has the last word."""
    policy, log = called_at(50.0, derived=derived)
    columns = {"runtime": [5, 3, 20], "requested_processors": [1, 1, 2], "requested_time": [8, 2, 25]}
    trace = tt.Trace({"submit": [0, 0, 1], **columns})
    result = tt.replay(trace, policy, 2, estimates="factor=0.5")
    assert log[:4] == [("check", 3), ("rehearse",), ("copy",), ("on_calendar",)]
    assert ("on_revise", 2.5, [1], 1) in log
    assert log[-1] == ("notes", 2) and result.notes[-1] == "noted"


def test_hooks_that_are_asked_for():
    """A user who asks for a start hears what the policy plans; a forecast with exact run times has it plan anew."""

    class Planned(tt.policies.Strict):
        planned_anew = 0

        def predict(self, view, row):
            return 77.0 if view.request(row).id == 2 else float("nan")

        def replan(self, view):
            Planned.planned_anew += 1

    env = simpy.Environment()
    machine = tt.Machine(env, 1, Planned())
    jobs = [machine.submit(tt.Job(id=number, runtime=9, processors=1, user="ada")) for number in (1, 2, 3)]
    env.run(until=1)
    sight = machine.sight("ada")
    assert [sight.predicted_start(job) for job in jobs[1:]] == [77, 18]
    trace = tt.Trace({"submit": [0, 1], "runtime": [5, 5], "requested_processors": [1, 1]})
    fair = tt.analysis.fairness.NoLaterArrivals(estimates="exact")
    tt.replay(trace, Planned(), 1, observers=[fair])
    assert Planned.planned_anew == 2


def test_what_a_policy_does_not_have_is_not_called():
    """Of a `Policy` only the overridden hooks are bound; None on an object takes a hook away."""
    assert {name for name in HOOKS if getattr(Hooks(Easy()), name)} == {"select", "replan", "copy"}
    slack = {tick: Hooks(from_spec(f"slack:tick={tick}")).on_estimate for tick in ("yes", "no")}
    assert slack["yes"] is not None and slack["no"] is None


def test_hooks_of_a_policy_that_is_kept_may_be_passed_on():
    """Hooks that were taken from another policy count, those that it does not have do not."""

    class Around:
        def __init__(self, rule):
            for name in ("select", "on_end", "next_clock"):
                setattr(self, name, getattr(rule, name))

    bound = [Hooks(Around(rule)) for rule in (Easy(), Conservative())]
    assert [(hooks.on_end is None, hooks.next_clock is None) for hooks in bound] == [(True, True), (False, False)]


class Misspelt:
    """Any object with select."""

    def select(self, view, now):
        """Nobody."""

    def on_sumbit(self, view, rows, now):
        """Never called."""


class MisspeltPolicy(Policy):
    """A `Policy`."""

    def select(self, view, now):
        """Nobody."""

    def on_sumbit(self, view, rows, now):
        """Never called."""


class MisspeltEasy(Easy):
    """A ready rule with a hook."""

    def on_sumbit(self, view, rows, now):
        """Never called."""


@pytest.mark.parametrize("kind", [Misspelt, MisspeltPolicy, MisspeltEasy])
def test_a_method_that_is_no_hook_is_refused(kind):
    """The machine and the replay name the near hook."""
    message = rf"a {kind.__name__} has a method on_sumbit\(\), which no machine calls; did you mean 'on_submit'\?"
    with pytest.raises(ValueError, match=message):
        tt.Machine(simpy.Environment(), 4, kind())
    with pytest.raises(ValueError, match=message):
        tt.replay(tt.Trace({"submit": [0], "runtime": [1], "requested_processors": [1]}), kind(), 4)


def test_a_misspelt_hook_in_a_script_is_refused(tmp_path):
    """The error begins with the text of the policy; what is not called is not refused."""
    path = tmp_path / "mine.py"
    path.write_text("class P:\n    on_time = True\n    def select(self, view, now): return []\n")
    assert from_spec(f"{path}:P").on_time
    path.write_text("class P:\n    def select(self, view, now): return []\n    def on_finish(self): pass\n")
    with pytest.raises(ValueError, match=r"^policy '.*': a P has a method on_finish\(\)"):
        from_spec(f"{path}:P")


def test_a_policy_without_select_is_none():
    """Neither a `Policy` that does not override it nor any other object is a policy."""
    for wrong in (Policy(), object()):
        with pytest.raises(TypeError, match="is no policy"):
            tt.Machine(simpy.Environment(), 4, wrong)


def test_a_derived_policy_is_not_trusted():
    """A class derived from a ready rule has its own select called, and cannot write to the machine's columns."""

    class Mine(Easy):
        def select(self, view, now):
            view.requests.estimate[view.waiting] = 1.0
            return super().select(view, now)

    machine = tt.Machine(simpy.Environment(), 4, Mine())
    machine.submit(tt.Job(runtime=5, processors=1))
    with pytest.raises(ValueError, match="read-only"):
        machine.env.run()


def test_every_hook_has_a_place_and_a_meaning():
    """What `Hooks` holds is what `Policy` has, and each hook says what it is for."""
    assert set(Hooks.__annotations__) | {"order"} == set(HOOKS) | set(ATTRIBUTES)
    assert all(hook.__doc__ for hook in HOOKS.values())


def test_a_part_of_the_queue_itself_may_be_proposed():
    """A policy that returns a slice of the waiting rows is told which jobs have started, whatever is left to wait."""
    told = []

    class First(Policy):
        def select(self, view, now):
            return view.waiting[:1] if view.free == view.capacity else None

        def on_start(self, view, rows, now):
            told.extend(view.request(row).id for row in rows.tolist())

    trace = tt.Trace({"submit": [0, 0, 0], "runtime": [5, 5, 5], "requested_processors": [1, 1, 1]})
    tt.replay(trace, First(), 2)
    assert told == [1, 2, 3]
