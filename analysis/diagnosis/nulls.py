"""Worlds in which no user reacts, as a yardstick for what a log seems to show.

Users who never look at a result also show "reactions": a long response swallows short gaps (the next submission comes
before the end, so it is of the same batch, or overlaps), and people who work by day submit at certain times after what
was submitted by day. Only what goes beyond that is reaction, so it is measured in two ways:

* a *deadline world* (`unreacting`): the log's users with the log's jobs, each at a time that has nothing to do with
  any result. Per user, bursts of jobs, the gaps between them within sessions, the sizes of sessions and the breaks
  between sessions are each put into a random order. Sessions are delimited by submissions alone, breaks are in active
  time (`WeeklyRhythm`), so that they keep to the user's day and week. The first session begins when it did. Jobs end as
  an open-loop replay under EASY on the log's machine says.
* *placebo ends* (`with_ends`): the same submissions with the ends that another policy would have given them. Users
  cannot have seen those.
"""

import numpy as np

from thinktime.analysis.left_log import left_by
from thinktime.models.machine.spec import MachineSpec
from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.grid import to_grid
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import MINUTE
from thinktime.workloads.user_models.population import STRENGTH
from thinktime.workloads.user_models.rhythm import WeeklyRhythm, rhythm_of
from thinktime.workloads.user_models.sessions import THRESHOLDS, Groups, campaigns, spans

BURST = MINUTE
"""Jobs that a user submits within this time (s) of the burst's first one stay together."""
BREAK = THRESHOLDS["arrival"]
"""Longer times without a submission (s) are breaks between sessions."""
POLICY, PLACEBO = "easy", "easy:order=sjf"
"""The policy of the deadline world, and of the placebo's ends: jobs with the shortest estimate first."""


def deadline_world(trace: Trace, seed: Seed, processors: int | None = None) -> Trace:
    """A log of users who look at no result (`unreacting`), with waits and run times under EASY."""
    return with_ends(unreacting(trace, seed), POLICY, processors)


def with_ends(trace: Trace, policy: str = PLACEBO, processors: int | None = None) -> Trace:
    """A log with the waits and run times that an open-loop replay gives its jobs; those it refuses are left out."""
    return left_by(trace, MachineSpec(processors, policy))


def unreacting(trace: Trace, seed: Seed) -> Trace:
    """A log with the same jobs of the same users, who submit them without looking at any result.

    Jobs without a user keep their times. Waits are those of the log, so they have no meaning yet.
    """
    bursts = campaigns(trace, BURST)
    rng = stream(seed, "deadline world")
    before = bursts.before()
    opens = (before < 0) | (bursts.submit - bursts.last_submit[before] > BREAK)
    everybody = rhythm_of(trace, bursts.submit[opens])
    rows, submit = [np.flatnonzero(trace.user < 0)], [trace.submit[trace.user < 0]]
    for own in spans(bursts.owner):
        if bursts.user[own.start] < 0:
            continue
        rhythm = rhythm_of(trace, bursts.submit[own][opens[own]], everybody.weights, STRENGTH)
        drawn = own.start + rng.permutation(own.stop - own.start)
        begins = _begins(bursts, own, drawn, opens[own], rhythm, rng)
        jobs = bursts.jobs[drawn]
        places = np.repeat(bursts.bounds[drawn] - np.cumsum(jobs) + jobs, jobs) + np.arange(jobs.sum())
        rows.append(bursts.order[places])
        submit.append(np.repeat(begins - bursts.submit[drawn], jobs) + trace.submit[rows[-1]])
    chosen = np.concatenate(rows)
    columns = {name: column[chosen] for name, column in trace.columns.items()}
    columns["submit"] = to_grid(np.concatenate(submit))
    columns["preceding"], columns["think_time"] = np.full(len(chosen), -1), np.full(len(chosen), np.nan)
    return Trace(columns, trace.header, names=trace.names)


def _begins(
    bursts: Groups, own: slice, drawn: Whole, opens: Flags, rhythm: WeeklyRhythm, rng: np.random.Generator
) -> Floats:
    """When each of a user's bursts begins, in their new order (s).

    ``opens`` says which of the user's bursts, in the order of the log, begin a session.
    """
    submit, last = bursts.submit[own], bursts.last_submit[own]
    first = np.flatnonzero(opens)
    active = rhythm.activity(submit[first[1:]]) - rhythm.activity(last[first[1:] - 1])
    breaks = rng.permutation(active).tolist()
    gaps = rng.permutation((submit[1:] - last[:-1])[~opens[1:]])
    sizes = rng.permutation(np.diff(np.append(first, len(opens))))
    session = np.repeat(np.arange(len(sizes)), sizes)
    opening = np.cumsum(sizes) - sizes
    length = bursts.last_submit[drawn] - bursts.submit[drawn]
    inside = np.ones(len(opens), np.bool_)
    inside[opening] = False
    step = np.zeros(len(opens))
    step[inside] = gaps + length[:-1][inside[1:]]
    since = np.cumsum(step)
    since -= since[opening][session]
    lasting = (since + length)[opening + sizes - 1].tolist()
    begin = [submit.item(0)]
    for pause, took in zip(breaks, lasting, strict=False):  # the last session has no break
        begin.append(rhythm.later(begin[-1] + took, pause))
    return np.array(begin)[session] + since
