"""Figures 3a, 3b and 4 of the ostrich paper.

Figure 4 is the paper's example (appendix A): three users, four campaigns, six processors. The text gives the
campaigns' work (48, 18, 10 and 8) and the times of submission (0, 0, 2 and 5); the lengths of the jobs are in the
figure alone. The ones here are ours, chosen so that every statement of the text is true: user 3 waits for processors
until t = 3, the first campaign of user 3 and that of user 2 end at 5, and the second campaign of user 3, ready at 5,
starts at its virtual start, 7.
"""

import simpy
from matplotlib.figure import Figure

import thinktime as tt
from thinktime.analysis.papers.ostrich.printed import PRINTED
from thinktime.analysis.papers.ostrich.study import Evidence
from thinktime.analysis.pictures import stretch_histogram, virtual_and_real, worst_stretches


def figures(found: Evidence) -> dict[str, Figure]:
    """Each figure by the name of its file, with the paper's numbers marked."""
    stretches = {policy: found.stretches(policy) for policy in found.numbers}
    above = {policy: printed.above_20 for policy, printed in PRINTED.items()}
    maxima = {policy: {"short": each.short, "long": each.long} for policy, each in found.numbers.items()}
    worst: dict[str, dict[str, float | str]] = {
        policy: {"short": printed.short, "long": printed.long} for policy, printed in PRINTED.items()
    }
    worst["fcfs"]["short"] = f"> {PRINTED['fcfs'].short:g}"
    return {
        "figure-3a": stretch_histogram(stretches, above),
        "figure-3b": worst_stretches(maxima, worst),
        "figure-4": virtual_and_real(example()),
    }


PROCESSORS = 6
USERS: dict[str, tuple[float, list[list[float]]]] = {
    "user 1": (0.0, [[2.0] * 24]),
    "user 2": (0.0, [[3.0, 3.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0]]),
    "user 3": (2.0, [[2.0] * 5, [2.0] * 4]),
}
"""Time of the first submission (s), and the run times (s) of each campaign; think times are 0."""


def example(policy: str = "ostrich") -> tt.Result:
    """Simulate the example of figure 4 under a policy."""
    env = simpy.Environment()
    machine = tt.Machine(env, PROCESSORS, policy)
    for name, (first, campaigns) in USERS.items():
        env.process(tt.scripted_user(env, machine, name, campaigns, think_time=0.0, first=first))
    env.run()
    return machine.result()
