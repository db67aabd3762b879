"""The demo: twelve users on one machine for two weeks, with the same random draws under several policies.

Eight users run short jobs (uniform on [1 s, 1 h], the short profile of the ostrich paper's section 6), four
run long ones (uniform on [1 h, 10 h], its long profile). A campaign has ten jobs on average (geometric). A
job asks for 1 to 32 processors, each halving of the width being twice as likely, and users request twice the
time that they need. Think times are exponential: half an hour for short users, four hours for long ones.
The numbers not in the paper are ours, chosen so that 64 processors are busy but not overloaded.

Each policy has a process of its own.
"""

from dataclasses import dataclass

import simpy
from scipy import stats

from thinktime.analysis.parallel import cores, processes, submit
from thinktime.models.machine.machine import Machine
from thinktime.models.results.result import Result
from thinktime.users.campaign_user import population
from thinktime.users.profiles import Profile
from thinktime.workloads.units import DAY, HOUR, MINUTE

PROCESSORS = 64
HORIZON = 14 * DAY
POLICIES = {
    "fcfs": "fcfs",
    "easy": "easy",
    "conservative": "conservative",
    "ostrich": "ostrich:corrected=yes",  # users request twice what they need, so V corrects their estimates
}
SEED = 1

_width = stats.rv_discrete(values=([1, 2, 4, 8, 16, 32], [32 / 63, 16 / 63, 8 / 63, 4 / 63, 2 / 63, 1 / 63]))
SHORT = Profile(
    runtime=stats.uniform(1, HOUR - 1),
    jobs=stats.geom(1 / 10),
    processors=_width,
    overestimate=2.0,
    think_time=stats.expon(scale=30 * MINUTE),
    first=stats.uniform(0, 8 * HOUR),
)
LONG = Profile(
    runtime=stats.uniform(HOUR, 9 * HOUR),
    jobs=stats.geom(1 / 10),
    processors=_width,
    overestimate=2.0,
    think_time=stats.expon(scale=4 * HOUR),
    first=stats.uniform(0, 8 * HOUR),
)
USERS: dict[str | int, Profile] = {
    **{f"short {i}": SHORT for i in range(1, 9)},
    **{f"long {i}": LONG for i in range(1, 5)},
}


@dataclass(frozen=True, slots=True)
class Demo:
    """The demo's results by policy, and a description of what they show."""

    results: dict[str, Result]
    words: str


def run_demo(seed: int = SEED) -> Demo:
    """Run the demo, on as many cores as there are policies; the one that takes longest begins first."""
    with processes(min(cores(), len(POLICIES))) as executor:
        begun = {name: submit(executor, under, POLICIES[name], seed, HORIZON) for name in reversed(POLICIES)}
        results = {name: begun[name].result() for name in POLICIES}
    return Demo(results, in_words(results))


def under(policy: str, seed: int = SEED, horizon: float = HORIZON) -> Result:
    """The users under one policy."""
    env = simpy.Environment()
    machine = Machine(env, PROCESSORS, policy)
    population(env, machine, USERS, seed)
    env.run(until=horizon)
    return machine.result()


def in_words(results: dict[str, Result]) -> str:
    """One paragraph on what the numbers show, all computed from the results."""
    summaries = {name: result.summary() for name, result in results.items()}
    first = next(iter(results))
    most = max(results, key=lambda name: summaries[name]["finished"])
    gain = summaries[most]["finished"] / summaries[first]["finished"] - 1
    sentences = [
        f"In {HORIZON / DAY:.0f} days the same {len(USERS)} users, with the same luck, got "
        + _listed([f"{summaries[name]['finished']:,} jobs done under {name}" for name in results])
        + f": {gain:.0%} more under {most} than under {first}, because users who get their results sooner "
        "think sooner and submit sooner. A log replayed with its recorded submit times cannot show this: "
        "every policy would be given the same jobs.",
        "A short user's campaign took "
        + _listed([f"{_hours(result, 'short'):.1f} h under {name}" for name, result in results.items()])
        + " on average, a long user's "
        + _listed([f"{_hours(result, 'long'):.1f} h" for result in results.values()])
        + ".",
        _who_gains(results, first, most),
        "The machine was used to "
        + _listed([f"{summaries[name]['utilization']:.0%}" for name in results])
        + "; the processors that lay idle while jobs waited for them (loss of capacity) came to "
        + _listed([f"{summaries[name]['loss_of_capacity']:.1%}" for name in results])
        + ".",
    ]
    return " ".join(sentences)


def _who_gains(results: dict[str, Result], first: str, most: str) -> str:
    """A sentence on whether both profiles are better off under the policy with the most jobs done."""
    ratios = {kind: _hours(results[most], kind) / _hours(results[first], kind) for kind in ("short", "long")}
    losers = [kind for kind, ratio in ratios.items() if ratio > 1.05]
    if not losers:
        return f"Short and long users both gain from {most}."
    listed = _listed([f"{kind} users wait {ratios[kind]:.1f} times as long as under {first}" for kind in losers])
    return f"Not everybody gains from {most}: {listed}, so more jobs done is not more work done."


def _hours(result: Result, kind: str) -> float:
    """Mean time from a campaign's submission to its end, h, over the users of one profile."""
    campaigns = result.campaigns
    return float(campaigns.loc[campaigns["user"].str.startswith(kind), "response_time"].mean()) / HOUR


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
