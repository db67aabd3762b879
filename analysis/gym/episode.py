"""A run that stops whenever its agent has to choose, and goes on with the answer.

It is the same run as `thinktime.users.run` makes of any policy. It runs in a greenlet: the policy that is asked in the
middle of a pass, far below SimPy's loop, switches to the caller who steps through the run, and is switched back to.
That takes half a microsecond; a thread would take twenty.
"""

from collections.abc import Sequence
from typing import Any

import greenlet
import simpy

from thinktime.models.machine.machine import Machine
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.policies import as_policy
from thinktime.models.policies.agents.advised import Advised
from thinktime.models.policies.agents.agent import Agent, Mask, Observation
from thinktime.models.results.result import Result
from thinktime.users.run import run
from thinktime.users.source import Begun, Source
from thinktime.workloads.units import Duration, as_seconds


class Episode:
    """One run of a machine under an agent that is asked from outside.

    SimPy's clock shows the time of every question, so that `so_far` is what has happened until then.
    """

    def __init__(
        self, spec: MachineSpec, sources: Sequence[Any], until: Duration | None, agent: Agent, adviser: Any = None
    ) -> None:
        asking = agent.asking(self._ask)
        self._spec = spec.under(asking if adviser is None else Advised(as_policy(adviser), asking))
        self._sources, self._until = sources, as_seconds("until", until)
        self._run = greenlet.greenlet(self._play)
        self._witness = Witness()
        self.result: Result | None = None
        """The result, when the run is over."""

    @property
    def agent(self) -> Agent:
        """The machine's policy, which has what the agent sees."""
        policy: Any = self._witness.machine.policy
        agent: Agent = policy.agent if isinstance(policy, Advised) else policy
        return agent

    @property
    def advice(self) -> int | None:
        """What the adviser would answer, no job when the run is over; None without an adviser."""
        policy: Any = self._witness.machine.policy
        if not isinstance(policy, Advised):
            return None
        return policy.advice if self.result is None else policy.agent.jobs

    def go_on(self, answer: int | None = None) -> bool:
        """Run until the agent is asked, from its last answer on; false if the run is over."""
        run = self._run
        run.parent = greenlet.getcurrent()
        ended = run.switch() if answer is None else run.switch(answer)
        if not run.dead:
            return True
        self.result = ended
        machine = self._witness.machine
        view = machine.scheduler.view
        view.look(machine.pool, ended.now)
        self.agent.look(view.trusted(), ended.now)
        return False

    def so_far(self) -> Result:
        """What has happened until now."""
        return self._witness.machine.result() if self.result is None else self.result

    def stop(self) -> None:
        """Give the run up."""
        if self._run and not self._run.dead:
            self._run.parent = greenlet.getcurrent()
            self._run.throw()

    def _play(self) -> Result:
        return run(self._spec, *self._sources, self._witness, until=self._until)

    def _ask(self, observation: Observation, mask: Mask) -> Any:
        if observation is not self.agent.observation:
            raise ValueError(
                "somebody asks for a forecast, or goes on from a state, which would ask the agent what it will do; an "
                "agent that is a function can be asked (thinktime.policies.Agent), one that is stepped through cannot"
            )
        return self._run.parent.switch()


class Witness(Source):
    """Knows the machine of a run, and submits nothing."""

    machine: Machine
    jobs = 0

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Keep the machine, and submit nothing to it."""
        self.machine = machine
        return Begun(simpy.Event(env).succeed())
