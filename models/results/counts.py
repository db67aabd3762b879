"""The counts of a run: jobs by what became of them, users, and what users gave up, as metrics."""

from typing import Any

import numpy as np

from thinktime.models.results import measures
from thinktime.models.results.metric import FRACTION, METRICS, SECONDS
from thinktime.models.results.outcome import abandonment
from thinktime.models.results.outcome import served as are_served
from thinktime.models.results.responses import KINDS
from thinktime.models.results.schedule import Schedule
from thinktime.models.state import State

_LEGENDS = {
    State.FINISHED: "Jobs that ran to their end.",
    State.KILLED: "Jobs ended by the machine at their requested time or at an interruption, or by users while running.",
    State.WITHDRAWN: "Jobs cancelled by the user while waiting.",
    State.REFUSED: "Jobs that the machine cannot run.",
    State.WAITING: "Jobs still waiting at the horizon.",
    State.RUNNING: "Jobs still running at the horizon.",
}


@METRICS.of_run("jobs", source="SWF field 1", group="counts", told=False, describes=True)
def jobs(result: Schedule) -> int:
    """Requests for processors for some time; their number."""
    return len(result)


def _in(state: State) -> None:
    def count(result: Schedule) -> int:
        return int(np.count_nonzero(result["state"] == state))

    count.__doc__ = _LEGENDS[state]
    METRICS.of_run(
        "jobs", source="ours", name=state.label, group="counts", told=state in (State.FINISHED, State.KILLED),
        heading="killed" if state == State.KILLED else "", describes=True,
    )(count)  # fmt: skip


for _state in _LEGENDS:
    _in(_state)


@METRICS.of_run("jobs", source="ours", over="window", group="counts", told=False, describes=True)
def dropped(part: Any) -> int:
    """Jobs of a log that cannot be used (with `--json` by reason)."""
    return sum(part.result.dropped.values())


@METRICS.of_run(
    "jobs", source="ours", term="no run time", name="zero_runtime", group="counts", told=False, describes=True
)
def without_runtime(result: Schedule) -> int:
    """Jobs that ran for 0 s: they have no slowdown."""
    return int(np.count_nonzero(measures.actual_runtime(result) == 0))


@METRICS.of_run("users", source="SWF field 12", summary=False, describes=True)
def users(result: Schedule) -> int:
    """Users who submitted jobs."""
    return len(np.unique(result["user"]))


@METRICS.of_run("jobs", source="ours", summary=False, describes=True)
def unfinished(result: Schedule) -> int:
    """Jobs waiting or running at the horizon."""
    return int((result["state"] < State.FINISHED).sum())


@METRICS.of_run(SECONDS, source="ours", over="window", term="warm-up", summary=False, describes=True)
def warm_up(part: Any) -> float:
    """Initial time that is not measured (s)."""
    return max(float(part.first), 0.0)


@METRICS.of_run("jobs", source="ours", group="given up", describes=True)
def served(result: Schedule) -> int:
    """Jobs that finished or were killed, and were not given up between two runs."""
    return int(are_served(result).sum())


@METRICS.of_run("jobs", source="ours", group="given up", describes=True)
def abandoned_jobs(result: Schedule) -> int:
    """Jobs given up by users: withdrawn while waiting, also after an interruption, or never submitted."""
    return abandonment(result).abandoned


@METRICS.of_run(FRACTION, source="ours", term="share given up", group="given up")
def abandoned_share(result: Schedule) -> float:
    """Abandoned jobs / all jobs that users wanted to run."""
    return abandonment(result).share


@METRICS.of_run("processor-hours", source="ours", term="work given up", group="given up")
def lost_processor_hours(result: Schedule) -> float:
    """Processors × run time of the abandoned jobs (processor-hours)."""
    return abandonment(result).processor_hours


@METRICS.of_run("jobs", source="ours", group="lost demand", told=False)
def lost_jobs(result: Schedule) -> int:
    """Jobs that users left out, and parts of jobs that they made smaller (lost demand)."""
    return int(result.lost_demand["jobs"].sum())


@METRICS.of_run("processor-hours", source="ours", group="lost demand", told=False)
def lost_node_hours(result: Schedule) -> float:
    """Processors × run time of jobs that users left out, and of parts of jobs that they made smaller."""
    return float(np.nansum(result.lost_demand["node_hours"]))


_ANSWERS = {
    "delayed": "submitted later, at a better time",
    "reshaped": "submitted with fewer processors",
    "degraded": "made smaller",
    "renounced": "not submitted",
    "shifted": "submitted to another queue or partition",
}
"""What the users of jobs did, by the kind of the response."""


def _responses(kind: str) -> None:
    said = f"that were {_ANSWERS[kind]}, since their users responded to a signal or a condition"

    def jobs_of(result: Schedule) -> int:
        return int((result.responses["response"] == kind).sum())

    def hours_of(result: Schedule) -> float:
        return float(np.nansum(result.responses["wanted"][result.responses["response"] == kind]))

    jobs_of.__doc__ = f"Jobs {said}."
    hours_of.__doc__ = f"Processors × run time, as they were wanted, of jobs {said}."
    METRICS.of_run("jobs", source="ours", name=f"{kind}_jobs", summary=False)(jobs_of)
    METRICS.of_run("processor-hours", source="ours", name=f"{kind}_processor_hours", summary=False)(hours_of)


for _kind in KINDS:
    _responses(_kind)
