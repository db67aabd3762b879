"""The environment: an agent is the policy of a machine, and the users who submit jobs react to what it does."""

from collections.abc import Callable, Sequence
from typing import Any, TypedDict, Unpack

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray

from thinktime.analysis.gym.episode import Episode
from thinktime.analysis.gym.rewards import Reward
from thinktime.models.engine.codes.agent import LARGEST
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.orders.order import Order
from thinktime.models.policies.agents.agent import Agent, first_allowed
from thinktime.models.results.result import Result
from thinktime.users.source import Source
from thinktime.workloads.names import quoted
from thinktime.workloads.units import Duration, as_seconds

Seen = dict[str, NDArray[np.float64]]
Sources = Source | Sequence[Any] | Callable[[int], Any]
SEEDS = 2**31
NAME = "thinktime/Machine-v0"


class AgentOptions(TypedDict, total=False):
    """What the agent sees, and who may start, as keyword arguments of `Agent`."""

    jobs: int
    running: int
    backfilling: str
    order: str | Order | Callable[..., Any]
    shapes: int


class Environment(gymnasium.Env[Seen, Any]):
    """A machine as an environment of Gymnasium: each decision is a step, and each run an episode.

    ``machine`` is the machine; the agent replaces its policy. ``sources`` submit the jobs, as in `run`: a source,
    several in a list, or a function that makes them from a seed, so that each episode has others
    (``lambda seed: tt.sources.drawn(log, seed=seed)``). The run ends as there, or at ``until`` (s).

    Observations, actions and masks are those of `Agent`, and so are ``jobs``, ``running``, ``backfilling``, ``order``
    and ``shapes``, with which the agent chooses sizes of jobs, also of running ones. The mask is in
    ``info["action_mask"]`` and `action_masks`, the time (s) in ``info["time"]``.

    ``reward`` is a metric such as ``"throughput_per_day"``; with a minus, as in ``"-mean_wait"``, less is better; or it
    is a function of a `Result`. It comes at the ``end``, or ``per`` ``step``, as the metric changes: that makes a
    result at each step, which is slow in long runs. The rewards of an episode add up to the metric. An undefined one
    is 0.

    With an ``adviser``, any other policy, ``info["advice"]`` is the action that it would take, and no job may start at
    any time. An agent that follows it makes the adviser's schedule, if it sees the whole queue (``jobs``).

    ``reset(seed=…)`` gives the seed to ``sources``; without one, the next is drawn. An episode whose time is up is
    truncated; all others terminate.

    ``ValueError`` for what is no machine, metric or number, or what cannot be combined.

    >>> import thinktime as tt
    >>> log = tt.Trace({"submit": [0, 1, 1], "runtime": [9, 20, 10], "allocated": [2, 2, 2]})
    >>> env = tt.gym.Environment(tt.MachineSpec(processors=2), tt.sources.log(log), jobs=2)
    >>> observation, info = env.reset(seed=1)
    >>> observation, *_, info = env.step(0)
    >>> info["time"], observation["waiting"].tolist()
    (9.0, [[8.0, 20.0, 2.0, 18.0], [8.0, 10.0, 2.0, 18.0]])
    >>> env.step(1)[1:3], env.step(0)[1:3]
    ((0.0, False), (-8.666666666666666, True))
    >>> env.result["start"].tolist()
    [0.0, 19.0, 9.0]
    """

    def __init__(
        self,
        machine: MachineSpec,
        sources: Sources,
        *,
        reward: str | Callable[[Result], float] = "-mean_wait",
        per: str = "end",
        until: Duration | None = None,
        adviser: Any = None,
        **sight: Unpack[AgentOptions],
    ) -> None:
        if not isinstance(machine, MachineSpec):
            raise TypeError(f"machine must be a MachineSpec, such as MachineSpec(processors=64), not {quoted(machine)}")
        self._machine, self._sources, self._until = machine, sources, as_seconds("until", until)
        self._reward = Reward(reward, per)
        self._adviser = adviser
        self.layout = Agent(first_allowed, **sight)
        """An agent that sees as much as this one does."""
        parts = self.layout.observation
        self.observation_space: Any = Dict(
            {name: Box(0.0, LARGEST, part.shape, np.float64) for name, part in parts.items()}
        )
        self.action_space = Discrete(len(self.layout.mask))
        self._episode: Episode | None = None
        self._asked = False
        self.agent = self.layout
        """The policy of the run, which has what the agent sees."""

    @property
    def result(self) -> Result:
        """The result of the run so far, or of the run that has ended."""
        return self._known.so_far()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Begin a run, and go on to its first decision."""
        self.seeded(seed)
        self.begin(seed)
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Let a job start, or have another size, or none, and go on to the next decision."""
        reward, terminated, truncated = self.advance(int(action))
        return self._observation(), reward, terminated, truncated, self._info()

    def action_masks(self) -> NDArray[np.int8]:
        """A 1 for each action that is allowed now."""
        return self.agent.mask.copy()

    def close(self) -> None:
        """Give the run up."""
        if self._episode is not None:
            self._episode.stop()
            self._episode = None

    # -- for environments side by side, which copy less ---------------------------------

    def seeded(self, seed: int | None) -> None:
        """Draw the seeds of later runs from this one, if there is one."""
        super().reset(seed=seed)

    def begin(self, seed: int | None) -> None:
        """Begin a run; without a seed, draw one."""
        self.close()
        drawn = int(self.np_random.integers(SEEDS)) if seed is None else seed
        sources = self._sources
        given = sources if isinstance(sources, Source | Sequence) else sources(drawn)
        listed = list(given) if isinstance(given, Sequence) else [given]
        self._episode = Episode(self._machine, listed, self._until, self.layout, self._adviser)
        self._asked = self._episode.go_on()
        self.agent = self._episode.agent
        self._reward.begin()

    def advance(self, action: int) -> tuple[float, bool, bool]:
        """Answer; returns the reward, and whether the run has terminated or was truncated."""
        episode = self._known
        if self._asked and episode.go_on(action):
            return self._reward.gained(episode.so_far()) if self._reward.per_step else 0.0, False, False
        self._asked = False
        result = episode.so_far()
        late = self._until is not None and result.now >= self._until
        return self._reward.gained(result), not late, late

    @property
    def _known(self) -> Episode:
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("an environment begins with reset()")
        return self._episode

    def _observation(self) -> Seen:
        agent = self.agent
        return agent.laid_out(agent.seen.copy())

    def _info(self) -> dict[str, Any]:
        agent, advice = self.agent, self._known.advice
        known = {"action_mask": agent.mask.copy(), "time": agent.now}
        return known if advice is None else known | {"advice": advice}


gymnasium.register(
    NAME,
    entry_point=f"{__name__}:Environment",
    vector_entry_point="thinktime.analysis.gym.vector:VectorEnvironment",
    disable_env_checker=True,
)
