"""Users whose jobs are interrupted: they hear of it, and may give up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import simpy

import thinktime as tt
from tests.users.behaviours.behaving import lost
from thinktime.users import behaviours as b

WORK = tt.Profile(runtime=100, jobs=3, think_time=60, processors=2, first=0)
EVERY_40 = tt.Outages.of([(40 * k, 40 * k + 1, "0") for k in range(1, 40)])


def one(*behaviours: Any, campaigns: int = 1, size: int = 4, **more: Any) -> tuple[tt.Result, tt.Machine]:
    """Ada on a machine whose processor 0 fails every 40 s for a second."""
    env = simpy.Environment()
    machine = tt.Machine(env, size, changes=tt.Changes(outages=EVERY_40))
    profile = replace(WORK, behaviours=behaviours, **more)
    env.process(tt.campaign_user(env, machine, "ada", tt.stream(1, "ada"), profile, campaigns))
    env.run()
    return machine.result(), machine


@dataclass
class Notes(tt.Behaviour):
    """Writes down the interruptions that it hears of."""

    heard: list[Any] = field(default_factory=list)

    def __deepcopy__(self, memo: Any) -> Notes:
        return self

    def interrupted(self, user: Any, job: tt.Job, event: Any, what: tt.Interruption) -> None:
        self.heard.append((user.env.now, user.name, job.runtime, event.id, what))


def test_behaviours_hear_of_every_interruption() -> None:
    """A behaviour hears of each interruption when it happens, with the job, its event, and what was lost."""
    notes = Notes()
    result, _ = one(notes, jobs=1)
    runs = result.runs
    broken = runs[runs.how == "failed"]
    assert len(broken) == 1 and runs.how.tolist()[-1] == "finished"  # the second run is on other processors
    expected = [(40.0, "ada", 100, 1, tt.Interruption(40.0, "failure", 40.0))]
    assert notes.heard == expected == [(end, "ada", 100, 1, tt.Interruption(end, "failure", end)) for end in broken.end]


def test_a_user_gives_up_the_campaign() -> None:
    """At the second interruption all jobs of the campaign that are not over are cancelled and lost."""
    result, _ = one(b.Discouraged(after=2), processors=4)
    jobs = result.jobs
    assert jobs[["start", "end", "state"]].iloc[0].tolist() == [0, 80, "killed"]
    assert jobs[["end", "state"]].iloc[1:].values.tolist() == [[80, "withdrawn"]] * 2
    assert lost(result) == [[80.0, "discouraged", 1, 400 / 3600]] * 3


def test_patient_users_go_on() -> None:
    """Below the number of interruptions nothing is given up, and each campaign counts from 0."""
    plain, _ = one(campaigns=2)
    patient, _ = one(b.Discouraged(after=50), campaigns=2)
    assert plain.runs.equals(patient.runs) and not len(patient.lost)
    # Processor 0 fails once or twice for each campaign; three in one campaign would be one too many.
    counts = plain.runs[plain.runs.how == "failed"].merge(plain.jobs, left_on="job", right_on="id").campaign
    most = counts.value_counts().max()
    assert len(counts) > most and not len(one(b.Discouraged(after=int(most) + 1), campaigns=2)[0].lost)


def test_jobs_that_are_held_back_are_given_up_too() -> None:
    """With a limit on jobs in flight, the rest of the campaign is never submitted, and the user goes on."""
    result, machine = one(b.InFlight(1), b.Discouraged(after=1), processors=4, campaigns=2)
    assert result.jobs[["submit", "end", "state"]].values.tolist() == [[0, 40, "killed"], [100, 120, "killed"]]
    assert lost(result) == [[t, "discouraged", 1, 400 / 3600] for t in (40.0, 40.0, 40.0, 120.0, 120.0, 120.0)]
    assert result.lost["submitted"].tolist() == [True, False, False] * 2
    assert machine.over == 2


@dataclass
class Careful(tt.Behaviour):
    """Checkpoints after a first interruption, and asks for less after the second."""

    seen: int = 0

    def interrupted(self, user: Any, job: tt.Job, event: Any, what: tt.Interruption) -> None:
        self.seen += 1

    def adapt(self, user: Any, job: tt.Job) -> tt.Job:
        return replace(job, checkpoint=10, processors=1 if self.seen > 1 else job.processors) if self.seen else job


def test_a_behaviour_may_checkpoint_and_ask_for_less() -> None:
    """What a behaviour has heard changes the jobs to come: less is lost, and they are narrower."""
    plain, _ = one(campaigns=9, jobs=1, processors=4, runtime=30)
    careful, _ = one(Careful(), campaigns=9, jobs=1, processors=4, runtime=30)
    widths = careful.jobs.processors.tolist()
    assert widths == sorted(widths, reverse=True) and set(widths) == {4, 1}
    failed = [result.runs[result.runs.how == "failed"] for result in (plain, careful)]
    assert set(failed[0].progress) == {0.0} and failed[1].progress.tolist()[0] == 0.0 and failed[1].progress.max() > 0


@pytest.mark.parametrize("after", [0, -1, 1.5, "x"])
def test_odd_numbers_are_refused(after: Any) -> None:
    """A number of interruptions is whole and at least 1."""
    with pytest.raises(ValueError, match="after must be a whole number of at least 1"):
        b.Discouraged(after=after)
