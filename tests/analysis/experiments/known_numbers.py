"""A sweep of numbers that are known beforehand, in which one run fails."""

from pathlib import Path

from thinktime.analysis.experiments import Scenario, Sweep, sweep

MODEL = '''
def numbers(policy, seed, factor=1):
    """Numbers that are known: a shared luck, and what the policy makes of it."""
    luck = [3, 7, 4, 9, 6][seed - 1]
    if policy == "sjf" and seed == 2:
        raise RuntimeError("<script>alert('& luck')</script>")
    extra = {"fcfs": 0, "easy": -2 - 0.1 * luck, "sjf": 0.5 * (-1) ** seed}[policy]
    return {"mean_wait": 3600.0 * factor * (10 + luck + extra), "utilization": 0.5 + 0.01 * luck, "score": 1.0 * seed}
'''

KNOWN = """
name = "Known numbers"
policies = ["fcfs", "easy", "sjf"]
metrics = ["mean_wait", "utilization", "score"]
replications = 5
[model]
function = "model.py:numbers"
"""


def known_numbers(folder: Path, scenario: str = KNOWN) -> Sweep:
    """Sweep over the known numbers in a folder."""
    (folder / "model.py").write_text(MODEL)
    return sweep(Scenario.from_text(scenario, folder=folder), folder / "out", processes=1)
