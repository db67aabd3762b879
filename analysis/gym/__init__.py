"""Policies that learn: an environment for Gymnasium, in which an agent is the policy and the users react to it.

    env = gymnasium.make("thinktime/Machine-v0", machine=tt.MachineSpec(processors=64), sources=tt.sources.log(log))

* `environment`: one run at a time, which stops whenever the agent has to choose (`Environment`)
* `vector`: many of them side by side in one process (`VectorEnvironment`)
* `episode`: such a run
* `rewards`: any metric of the package, at the end or step by step
* `log_windows`: parts of a log, another one for each seed (`windows`)

The environments need Gymnasium, and greenlet, which stops a run in the middle of a pass: the extra ``gym``. What they
have trained is a policy that needs neither (`thinktime.models.policies.agents.agent`).
"""

from importlib.util import find_spec

if missing := [name for name in ("gymnasium", "greenlet") if find_spec(name) is None]:
    raise ImportError(f"thinktime.gym needs {' and '.join(missing)}: pip install 'thinktime[gym]'", name=missing[0])

from thinktime.analysis.gym.environment import Environment
from thinktime.analysis.gym.log_windows import windows
from thinktime.analysis.gym.vector import VectorEnvironment
from thinktime.workloads.lazy import import_on_demand

__all__ = ["Environment", "VectorEnvironment", "windows"]

import_on_demand(__name__)
