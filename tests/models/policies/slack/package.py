"""Running the package's policy on the twin's jobs."""

from collections.abc import Iterator
from typing import Any

import simpy

import thinktime as tt
from tests.models.policies.slack.literal import J, Rules, Twin
from thinktime.models.machine.machine import Machine
from thinktime.models.policies.slack import Slack
from thinktime.models.results.result import Result
from thinktime.models.state import State


def policy_of(rules: Rules, jobs: list[J], **options: Any) -> Slack:
    """The policy with the twin's parameters, and the jobs' own priorities."""
    table = {job.id: (float(job.up), float(job.pp)) for job in jobs}
    return Slack(
        heuristic=rules.heuristic, slack_factor=rules.sf, awt=rules.awt, alpha_u=rules.au, alpha_t=rules.at,
        alpha_p=rules.ap, alpha_f=rules.af, permutations=rules.permutations, tick=rules.tick,
        delayed=rules.delayed, classes=rules.classes,
        quotas=[{"user": user, "processor_hours": most / 3600} for user, most in rules.quotas.items()],
        priorities=lambda job: table[job.id], **options,
    )  # fmt: skip


def run_package(rules: Rules, jobs: list[J], policy: Any = None, overrun: str = "kill") -> Result:
    """The same jobs through SimPy."""
    env = simpy.Environment()
    machine = Machine(env, rules.processors, policy or policy_of(rules, jobs), overrun)

    def owner(job: J) -> Iterator[Any]:
        yield env.timeout(job.submit)
        handle = machine.submit(tt.Job(runtime=job.runtime, processors=job.n, estimate=job.t, id=job.id, user=job.user))
        if job.withdrawn is not None:
            yield env.timeout(job.withdrawn - job.submit)
            if handle.state <= State.WAITING:
                handle.cancel()

    for job in jobs:
        env.process(owner(job))
    env.run()
    return machine.result()


def assert_same(rules: Rules, jobs: list[J]) -> None:
    """Start by start, promise by promise, bound by bound."""
    Twin(rules, jobs).run()
    result = run_package(rules, jobs)
    rows = {number: row for row, number in enumerate(result["id"].tolist())}
    for job in jobs:
        row = rows[job.id]
        there = [result[name].item(row) for name in ("start", "promised", "latest_start", "end")]
        nan = float("nan")
        ours = [nan if x is None else float(x) for x in (job.start, job.promised, job.latest, job.end)]
        if job.start is None:
            there, ours = there[:3], ours[:3]
        assert repr(there) == repr(ours), f"job {job.id} of {jobs}"
