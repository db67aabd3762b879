"""Environments side by side, in one process and on the same arrays."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from thinktime.analysis.gym.environment import Environment, Seen, Sources
from thinktime.models.engine.codes.agent import NOW
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.orders.options import one_of
from thinktime.workloads.names import quoted

MODES = AutoresetMode.NEXT_STEP.value, AutoresetMode.DISABLED.value
NOTHING = 0.0, False, False
"""What a step gains that begins a run."""
OVER = 0.0, True, False
"""What it gains of one that is over and stays so."""


class VectorEnvironment(gymnasium.vector.VectorEnv[Seen, NDArray[np.int64], NDArray[Any]]):
    """``num_envs`` environments, each as `Environment` makes it of the same arguments.

    It does what Gymnasium's `SyncVectorEnv` does of them: a run that is over begins anew at the next step, whose action
    does not count. It takes a third of the time, since what agents see is copied once. ``info`` has an array for each
    thing, of all environments. With ``autoreset_mode="Disabled"``, runs that are over stay so, and gain nothing, until
    the next ``reset``, which begins those anew that are true in ``options["reset_mask"]``, or all.

    ``ValueError`` as for `Environment`, and for another mode.
    """

    def __init__(
        self,
        machine: MachineSpec,
        sources: Sources,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> None:
        one_of("autoreset_mode", AutoresetMode(autoreset_mode).value, MODES)
        if isinstance(num_envs, bool) or not isinstance(num_envs, int) or num_envs < 1:
            raise ValueError(f"num_envs must be a whole number of at least 1, not {quoted(num_envs)}")
        self.envs = [Environment(machine, sources, **options) for _ in range(num_envs)]
        self.num_envs, one = num_envs, self.envs[0]
        self.metadata = {**Environment.metadata, "autoreset_mode": AutoresetMode(autoreset_mode)}
        self._again = AutoresetMode(autoreset_mode) is AutoresetMode.NEXT_STEP
        self.single_observation_space, self.single_action_space = one.observation_space, one.action_space
        self.observation_space = batch_space(one.observation_space, num_envs)
        self.action_space = batch_space(one.action_space, num_envs)
        self._layout = one.layout
        self._seen = np.zeros((num_envs, *self._layout.seen.shape))
        self._masks = np.zeros((num_envs, *self._layout.mask.shape), np.int8)
        self._over = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Begin all runs; environment i gets the seed + i, or the i-th of several."""
        seeds = self._seeds(seed)
        given = (options or {}).get("reset_mask")
        chosen = np.ones(self.num_envs, np.bool_) if given is None else np.asarray(given, np.bool_)
        for i in np.flatnonzero(chosen).tolist():
            env, own = self.envs[i], seeds[i]
            env.seeded(own)
            env.begin(own)
            self._seen[i], self._masks[i] = env.agent.seen, env.agent.mask
        self._over = self._over & ~chosen
        return self._observations(), self._infos()

    def step(
        self, actions: Any
    ) -> tuple[Seen, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Each environment does a step, or begins anew."""
        gained = []
        for i, (env, action, over) in enumerate(
            zip(self.envs, np.asarray(actions).tolist(), self._over.tolist(), strict=True)
        ):
            if over and self._again:
                env.begin(None)
                gained.append(NOTHING)
            elif over:
                gained.append(OVER)
            else:
                gained.append(env.advance(action))
            agent = env.agent
            self._seen[i], self._masks[i] = agent.seen, agent.mask
        rewards, terminated, truncated = (np.array(each) for each in zip(*gained, strict=True))
        self._over = terminated | truncated
        return self._observations(), rewards, terminated, truncated, self._infos()

    def close_extras(self, **kwargs: Any) -> None:
        """Give all runs up; there are none yet where the arguments were wrong."""
        for env in getattr(self, "envs", ()):
            env.close()

    def _observations(self) -> Seen:
        return self._layout.laid_out(self._seen.copy())

    def _infos(self) -> dict[str, Any]:
        everyone = np.ones(self.num_envs, np.bool_)
        known = {"action_mask": self._masks.copy(), "time": self._seen[:, NOW].copy()}
        return known | {f"_{name}": everyone.copy() for name in known}

    def _seeds(self, seed: Any) -> list[int | None]:
        if seed is None or isinstance(seed, int | np.integer):
            return [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"there are {self.num_envs} environments, but {len(seed)} seeds")
        return list(seed)
