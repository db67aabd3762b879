"""The gaps of a log by hand, and their model against models written out row by row."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, optimize, sparse

from thinktime.analysis.diagnosis import hazard, ridge
from thinktime.analysis.diagnosis.gaps import Gaps, gaps_of
from thinktime.workloads import Trace
from thinktime.workloads.units import DAY, HOUR, MINUTE, WEEK
from thinktime.workloads.user_models import delimit


def gaps(n=60, seed=1):
    """Gaps of three users, with jobs of all sorts."""
    rng = np.random.default_rng(seed)
    end = np.sort(rng.uniform(0, 4 * WEEK, n))
    return Gaps(
        user=rng.integers(0, 3, n) * 5, end=end, clock=end + 9 * HOUR,
        gap=np.append(rng.lognormal(9, 2, n - 2), [0.0, 3 * WEEK]), wait=rng.exponential(HOUR, n),
        runtime=rng.exponential(HOUR, n), processors=2 ** rng.integers(0, 6, n),
    )  # fmt: skip


def test_the_bins():
    """34 bins from a minute to two weeks, in six ranges."""
    assert len(hazard.EDGES) == 35
    assert (hazard.EDGES[1], hazard.EDGES[-1]) == (MINUTE, pytest.approx(2 * WEEK))
    assert len(hazard.BORDERS) == 7 and (np.diff(hazard.BORDERS) > 0).all()
    assert (hazard.BORDERS[0], hazard.BORDERS[-1]) == (0, 34)
    assert hazard.bins_of(np.array([0.0, 59.9, 60.0, 1.3e6])).tolist() == [0, 0, 1, 34]


def test_what_is_at_risk():
    """A gap has a row for each bin that it reaches; one beyond the last has all, and ends in none."""
    place, bins, outcome = hazard.at_risk(np.array([30.0, 70.0, 3 * WEEK]))
    assert place.tolist() == [0, 1, 1] + [2] * 34
    assert bins.tolist() == [0, 0, 1, *range(34)]
    assert outcome.tolist() == [True, False, True] + [False] * 34


def written_out(group, columns, outcome, groups, strength):
    """The largest penalised likelihood, by a general optimiser over all rows."""
    wide = np.hstack([np.eye(groups)[group], columns])
    penalty = np.full(wide.shape[1], strength)
    penalty[groups] = 1e-6 * strength

    def loss(weights):
        logits = wide @ weights
        likely = np.where(outcome, -np.log1p(np.exp(-logits)), -np.log1p(np.exp(logits))).sum()
        return penalty @ weights**2 / 2 - likely

    return optimize.minimize(loss, np.zeros(wide.shape[1]), method="BFGS", options={"gtol": 1e-6}).x


def test_the_fit_has_the_largest_likelihood():
    """Newton's method finds the model that a search over the likelihood, written out, finds."""
    rng = np.random.default_rng(3)
    group = rng.integers(0, 3, 80)
    columns = np.column_stack([np.ones(80), rng.normal(size=(80, 2))])
    outcome = rng.random(80) < 0.4
    model = ridge.fit(ridge.Rows(group, sparse.csr_matrix(columns)), outcome, 3, 0.7)
    expected = written_out(group, columns, outcome, 3, 0.7)
    np.testing.assert_allclose(np.concatenate([model.groups, model.weights]), expected, atol=2e-3)


def test_nothing_ever_happens():
    """Where the outcome is always the same, the fit ends, and says so with near certainty."""
    for always in (True, False):
        rows = ridge.Rows(np.zeros(40, np.int64), sparse.csr_matrix(np.ones((40, 1))))
        model = ridge.fit(rows, np.full(40, always), 1)
        chance = 1 / (1 + np.exp(-model.logits(rows)))
        assert np.abs(chance - always).max() < 1e-3


def by_hand(fitted, seen, i, name):
    """The probability of each bin, and of a longer gap, for one gap: column by column."""
    scale, found, left = fitted.scale, [], 1.0
    described = [np.log(seen.runtime[i] + 60), np.log2(seen.processors[i]), np.log(seen.wait[i] + 60)]
    z = [(x - m) / s for x, m, s in zip(described, scale.centre, scale.spread, strict=True)]
    user = scale.users.tolist().index(seen.user[i]) if seen.user[i] in scale.users else len(scale.users)
    for span in range(6):
        first, stop = hazard.BORDERS[span : span + 2]
        model = fitted.models[name][span]
        for k in range(first, stop):
            time = seen.clock[i] + (hazard.EDGES[k] + hazard.EDGES[k + 1]) / 2
            hour, day = int(time // HOUR) % 24, int(time // DAY) % 7
            b = model.weights
            logit = model.groups[user] + b[0] + b[1 + k - first]
            rest = b[1 + stop - first :]
            if name != "M0":
                logit += rest[hour] + rest[24] * (day in (5, 6))
            for kind in range({"M0": 0, "M1": 0, "M2": 2, "M3": 3}[name]):
                logit += rest[25 + kind] * z[kind]
            h = 1 / (1 + np.exp(-logit))
            found.append(left * h)
            left *= 1 - h
    return np.array([*found, left])


def brute_crps(p, gap):
    """The integral of the squared distance between the distribution function and the observed step."""
    edges = np.log(hazard.EDGES + 60)
    heights = np.concatenate([[0.0], np.cumsum(p)[:-1]])
    y = np.log(min(gap, hazard.LONGEST) + 60)
    square = lambda x: (np.interp(x, edges, heights) - (x >= y)) ** 2  # noqa: E731
    return sum(integrate.quad(square, a, b, points=[y] if a < y < b else None)[0] for a, b in pairwise(edges))


def test_scores_against_brute_force():
    """Log score and CRPS of each gap under each model are those computed column by column and by integration."""
    first, second = gaps(60, 1), gaps(12, 2)
    second.user[:3] = 77  # a new user
    fitted = hazard.fit(first)
    found = fitted.forecast(second)
    for name in hazard.MODELS:
        for i in range(len(second)):
            p = by_hand(fitted, second, i, name)
            assert p.sum() == pytest.approx(1)
            assert found.log_score[name][i] == pytest.approx(np.log(p[hazard.bins_of(second.gap[i])]))
            if name in ("M0", "M3"):
                assert found.crps[name][i] == pytest.approx(brute_crps(p, second.gap[i]), abs=1e-6)


def test_chunks_do_not_matter(monkeypatch):
    """Gaps may be scored in parts."""
    fitted = hazard.fit(gaps())
    whole = fitted.forecast(gaps(30, 2))
    monkeypatch.setattr(hazard, "CHUNK", 7)
    for name, scores in fitted.forecast(gaps(30, 2)).log_score.items():
        np.testing.assert_allclose(scores, whole.log_score[name])


def test_the_halves_do_not_overlap():
    """What is fitted was over before the first gap that is scored began."""
    first, second = hazard.halves(gaps())
    assert (first.end + first.gap).max() < second.end.min()
    assert len(second) >= len(gaps()) // 2 >= len(first)


def test_gaps_by_hand():
    """A gap has the job of the batch that ended last; overlaps and last batches have none."""
    trace = Trace(
        {
            "submit": [0, 10, 5000, 5010, 9000, 50_000],
            "wait": [100, 0, 0, 40_000, 5, 0],
            "runtime": [900, 2000, 50, 100, 10, 10],
            "requested_processors": [1, 8, 2, 4, 1, 1],
            "user": [1, 1, 1, 2, 2, -1],
        }
    )
    found = gaps_of(trace, delimit(trace))
    # user 1: a batch of two jobs ends at 2010, the next begins at 5000; user 2's second comes before the first ended
    assert found.gap.tolist() == [2990]
    assert (found.end.tolist(), found.wait.tolist(), found.runtime.tolist(), found.processors.tolist()) == (
        [2010], [0], [2000], [8],
    )  # fmt: skip


def test_gaps_are_in_order_of_the_ends():
    """Gaps come by end, with the week of each."""
    trace = Trace(
        {"submit": [0, DAY, WEEK, 2 * WEEK], "wait": [0] * 4, "runtime": [2 * DAY, HOUR, 60, 60], "user": [1, 2, 2, 1]}
    )
    found = gaps_of(trace, delimit(trace))
    assert found.gap.tolist() == [6 * DAY - HOUR, 12 * DAY]
    assert found.week.tolist() == [0, 0]
    assert np.array_equal(found.take(np.array([1])).gap, [12 * DAY])
