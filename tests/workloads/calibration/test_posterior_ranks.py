"""Simulation-based calibration: truths that are drawn from the model rank evenly among draws from the posterior.

S. Talts and others, Validating Bayesian inference algorithms with simulation-based calibration (2018).
The ranks after 200 fits of each kind are printed by
``pytest -s -m thorough tests/workloads/calibration/test_posterior_ranks.py``.
"""

import numpy as np
import pytest
from scipy import stats

import thinktime as tt
from tests.how_many import few_or_many
from tests.workloads.calibration.users_of_logs import log_of
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.effects import BLIND, REACTING
from thinktime.workloads.calibration.fit import Fitting
from thinktime.workloads.calibration.fitted import FittedUsers
from thinktime.workloads.calibration.pieces import pieces_of
from thinktime.workloads.header import Header
from thinktime.workloads.units import HOUR, WEEK

SEVERAL = 30 * [6] + 5 * [100]
"""How often each user submits again."""
DRAWS, BINS = 49, 10
MACHINE = tt.MachineSpec(2000, "fcfs")
"""On which nothing waits."""


class Truth:
    """Users whose hazards are drawn from the model: a mean, and effects and levels with variances of their own."""

    def __init__(self, structure, effects, again, seed):
        rng = np.random.default_rng(seed)
        self.structure, self.effects, self.again, users = structure, effects, again, len(again)
        user = np.repeat(np.arange(users), np.array(again) + 1)
        length = 1.0 if structure is BLIND else np.ceil(rng.lognormal(np.log(0.5 * HOUR), 1.0, len(user)))
        submit = rng.uniform(0.0, WEEK, users)[user] + 3600.0 * (np.arange(len(user)) % 101)
        columns = {"submit": submit, "user": user, "runtime": 0 * submit + length, "wait": 0 * submit}
        columns["allocated"] = np.ones(len(user), int)
        order = np.argsort(submit, kind="stable")
        log = tt.Trace({name: of[order] for name, of in columns.items()}, Header.build(MaxProcs=2000, UnixStartTime=0))
        self.calendar = Calendar.of_log(log)
        self.mean, self.values = np.log(1 / HOUR), {}
        for effect in effects:
            penalty = structure.penalty(effect) * np.exp(rng.uniform(np.log(0.5), np.log(4.0)))
            root = np.linalg.cholesky(np.linalg.inv(penalty))
            self.values[effect] = root @ rng.standard_normal(len(penalty))
        self.levels = rng.standard_normal((users, structure.kinds))
        self.levels *= np.exp(rng.uniform(np.log(0.4), np.log(1.0), structure.kinds))
        level, waits = self.levels[:, structure.kind].copy(), np.zeros((users, 2), bool)
        if structure is REACTING:
            waits[:] = True
            level[:, :6] = -np.inf
        users = FittedUsers(structure.tables(self.mean, self.values), np.zeros(users, int), level, self.calendar)
        self.log = log_of(tt.run(MACHINE, tt.sources.calibrated(log, users, luck="new", seed=seed)))

    def ranks(self, rng):
        """Of some of what is known of the truth, by kind: the share of draws that are below."""
        fitting = Fitting(pieces_of(self.log, self.calendar), len(self.again))
        fitting.waits[:] = self.structure is REACTING
        found = fitting.fit(self.structure, self.effects, np.ones(len(self.again), bool)).found
        true = np.concatenate([[self.mean], *self.values.values()])
        draws = [found.drawn(rng) for _ in range(DRAWS)]
        values, levels = (np.array([each[place] for each in draws]) for place in (0, 1))
        few = rng.choice(np.flatnonzero(np.array(self.again) < 10))
        often = rng.choice(np.flatnonzero(np.array(self.again) > 10))
        kind, ranks, places = self.structure.kinds - 2, {}, [0]
        for effect, place in found.places.items():
            part = slice(place.start - 1, place.stop - 1)
            known = np.where(found.zero[part], 0.0, found.expected[part])
            one, other = place.start + np.argsort(-known)[:2]
            places.append(one)
            ranks[effect] = (values[:, one] - values[:, other] < true[one] - true[other]).mean()
        usual, truth = values[:, places].sum(axis=1), true[places].sum()
        ranks["usual rate"] = (usual < truth).mean()
        for name, who in (("few submissions", few), ("many submissions", often)):
            level = self.levels[who, kind]
            ranks[f"rate of {name}"] = (usual + levels[:, who, kind] < truth + level).mean()
            ranks[f"level of {name}"] = (levels[:, who, kind] < level).mean()
        return ranks


CASES = {
    "look at nothing": (BLIND, ("age", "clock"), SEVERAL),
    "wait": (REACTING, ("age", "end", "clock", "response"), SEVERAL),
}


def evenly(ranks, bins):
    """The p-value of shares that should be uniform, and how many are in each bin."""
    counts = np.bincount((bins * np.array(ranks)).astype(int), minlength=bins)
    return stats.chisquare(counts).pvalue, counts


@pytest.mark.parametrize("fits", few_or_many(4, 200))
@pytest.mark.parametrize("users", CASES)
def test_ranks_of_the_truth_are_even(users, fits):
    """Those of each kind of numbers, after Bonferroni; after few fits, those of all together."""
    ranks = {}
    for seed in range(fits):
        for kind, share in Truth(*CASES[users], seed).ranks(np.random.default_rng((seed, 1))).items():
            ranks.setdefault(kind, []).append((share * DRAWS + 0.5) / (DRAWS + 1))
    if fits < 10 * BINS:
        assert evenly(np.concatenate(list(ranks.values())), 5)[0] > 1e-3
        return
    found = {kind: evenly(of, BINS) for kind, of in ranks.items()}
    for kind, (chance, counts) in found.items():
        print(f"{kind:28s} p = {chance:.3f}  {' '.join(f'{each:3d}' for each in counts)}")
    assert min(chance for chance, _ in found.values()) * len(found) > 0.05
