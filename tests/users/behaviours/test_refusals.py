"""Users whose submissions are refused, and users who choose by predicted starts."""

import pytest
import simpy

import thinktime as tt
from thinktime.models.site.limits import Limits
from thinktime.models.site.qos import QOS
from thinktime.models.state import State
from thinktime.users import behaviours as b

DENIES = frozenset({"DenyOnLimit"})


def site(*qualities):
    """A site with limits."""
    return tt.Site(nodes=tt.Nodes.uniform(4, 1), qos=qualities, enforce=frozenset({"limits"}))


def campaign(behaviours, where, jobs=3, runtime=100.0, processors=1, **profile):
    """The result of one campaign of ann's on four processors."""
    user = tt.Profile(
        runtime=runtime, jobs=jobs, think_time=0, processors=processors, behaviours=tuple(behaviours), **profile
    )
    users = tt.sources.campaigns({"ann": user}, seed=1, campaigns=1)
    return tt.run(tt.MachineSpec(4, "easy", site=where), users)


def test_who_is_refused_comes_back():
    """With two jobs allowed at a time, the third is submitted again every 60 s until there is a place."""
    result = campaign([b.ComeBack(60)], site(QOS("normal", limits=Limits(max_submit=2))))
    assert result["submit"].tolist() == [0, 0, 0, 60, 120]
    assert result["state"].tolist() == [State.FINISHED, State.FINISHED, State.REFUSED, State.REFUSED, State.FINISHED]
    assert result["start"].tolist()[-1] == 120
    assert result.lost.empty


def test_who_is_refused_too_often_gives_up():
    """After two more tries the job is lost, and counted."""
    result = campaign([b.ComeBack(10, times=2)], site(QOS("normal", limits=Limits(max_submit=2))))
    assert result["submit"].tolist() == [0, 0, 0, 10, 20]
    assert result.lost[["reason", "user"]].values.tolist() == [["refused", "ann"]]


def test_without_a_behaviour_refused_jobs_are_gone():
    """The campaign goes on without them, and the note says which limit it was."""
    result = campaign([], site(QOS("normal", limits=Limits(max_submit=2))))
    assert result["state"].tolist() == [State.FINISHED, State.FINISHED, State.REFUSED]
    assert result.notes == ["1 job was refused: max_submit of QOS normal"]


def test_too_long_jobs_are_split():
    """A job of 400 s where 100 s are allowed becomes four, by halves."""
    where = site(QOS("normal", flags=DENIES, limits=Limits(max_wall=100.0)))
    result = campaign([b.Split()], where, jobs=1, runtime=400.0)
    ran = result["state"] == State.FINISHED
    assert result["runtime"][ran].tolist() == [100.0] * 4
    assert result["estimate"].tolist() == [400, 200, 200, 100, 100, 100, 100]


def test_parts_do_not_get_too_short():
    """Below 150 s no user splits a job any more."""
    where = site(QOS("normal", flags=DENIES, limits=Limits(max_wall=100.0)))
    result = campaign([b.Split(least=150)], where, jobs=1, runtime=400.0)
    assert result["estimate"].tolist() == [400, 200, 200] and not (result["state"] == State.FINISHED).any()


def test_the_first_behaviour_with_an_answer_counts():
    """What is too long is split, and who has too many jobs comes back."""
    where = site(QOS("normal", flags=DENIES, limits=Limits(max_wall=100.0, max_submit=1)))
    result = campaign([b.Split(), b.ComeBack(50)], where, jobs=1, runtime=200.0)
    assert result["submit"].tolist() == [0, 0, 0, 50, 100] and result["end"].tolist()[-1] == 200


def test_users_choose_the_queue_that_starts_them_first():
    """Under a QOS of at most one job, the second goes where there is none."""
    env = simpy.Environment()
    where = site(QOS("normal", limits=Limits(max_jobs=1)), QOS("long"))
    machine = tt.MachineSpec(4, "easy", site=where).open(env)
    machine.submit(tt.Job(runtime=1000, user="ann"))
    user = tt.Profile(runtime=10, jobs=1, first=5, think_time=0, behaviours=(b.Choose(queues=["long"]),))
    users = tt.sources.campaigns({"ann": user}, seed=1, campaigns=1)
    users.begin(env, machine)
    env.run()
    result = machine.result()
    assert result.jobs["queue"].tolist()[1:] == ["long"] and result["start"].tolist() == [0, 5]


def test_users_ask_for_less_if_short_jobs_pass():
    """Behind a head that starts at 100, a job that asks for 90 s passes it, and one that asks for 900 s does not."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "easy")
    machine.submit(tt.Job(runtime=100, processors=3))
    machine.submit(tt.Job(runtime=100, processors=4))
    user = tt.Profile(
        runtime=60, overestimate=15, jobs=1, first=5, think_time=0, behaviours=(b.Shorten(margin=1.5, gain=60),)
    )
    tt.sources.campaigns({"ann": user}, seed=1, campaigns=1).begin(env, machine)
    env.run()
    result = machine.result()
    assert result["estimate"].tolist() == [100, 100, 90] and result["start"].tolist() == [0, 100, 5]


@pytest.mark.parametrize("make", [lambda: b.ComeBack(5, times=0), lambda: b.Split(parts=1), lambda: b.Choose()])
def test_wrong_behaviours_are_refused(make):
    """Numbers that mean nothing."""
    with pytest.raises(ValueError, match=r"times|parts|queues"):
        make()
