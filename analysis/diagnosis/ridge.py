"""Logistic regression with a ridge, for data with one effect per group and a few others.

Row i has the group g_i and the columns z_i (sparse), and its outcome y_i is 1 with probability

    p_i = 1 / (1 + exp(-(u_{g_i} + z_i b)))

The penalised likelihood  sum_i log p(y_i) - r/2 (|u|² + |b|²)  is concave, and Newton's method finds its maximum. Its
matrix has a large diagonal block for u, which is eliminated first (Schur's complement), so that a step costs as much
as the few columns of z, however many groups there are. The first column is the intercept, which has no penalty.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from thinktime.workloads.arrays import Flags, Floats, Whole

RIDGE = 1.0
STEPS = 50
CLOSE = 1e-6
"""Newton's method ends when a step would gain less than this per row."""

Sparse = Any
"""A matrix of scipy.sparse in rows."""


class Rows(NamedTuple):
    """What is known of each row: its group, and its columns."""

    group: Whole
    columns: Sparse


@dataclass(frozen=True, eq=False, slots=True)
class Ridge:
    """The groups' effects and the columns' weights of a fitted model."""

    groups: Floats
    """u, the effect of each group."""
    weights: Floats
    """b, the weight of each column."""

    def logits(self, rows: Rows) -> Floats:
        """The logarithm of the odds of each row."""
        found: Floats = self.groups[rows.group] + rows.columns @ self.weights
        return found


def fit(rows: Rows, outcome: Flags, groups: int, ridge: float = RIDGE, start: Ridge | None = None) -> Ridge:
    """The model with the largest penalised likelihood.

    ``groups`` is the number of groups. ``start`` is a model with fewer columns, where the search begins; by default
    everything but the intercept is 0.
    """
    columns = rows.columns
    penalty = np.full(columns.shape[1], ridge)
    penalty[0] = ridge * 1e-6  # none, but a matrix that can be inverted if nothing ever happened
    y = outcome.astype(np.float64)
    weights = np.zeros(columns.shape[1])
    if start is None:
        share = np.clip(y.mean() if len(y) else 0.5, 1e-6, 1 - 1e-6)
        weights[0] = np.log(share / (1 - share))
        model = Ridge(np.zeros(groups), weights)
    else:
        weights[: len(start.weights)] = start.weights
        model = Ridge(start.groups, weights)
    value = _objective(model, rows, y, ridge, penalty)
    for _ in range(STEPS):
        by_group, by_column, gain = _newton(model, rows, y, ridge, penalty)
        length, found = 1.0, -np.inf
        while length > 1e-6:
            following = Ridge(model.groups + length * by_group, model.weights + length * by_column)
            found = _objective(following, rows, y, ridge, penalty)
            if found >= value:
                model, value = following, found
                break
            length /= 2
        if gain <= CLOSE * max(len(y), 1) or length <= 1e-6:
            break
    return model


def log_likelihood(logits: Floats, outcome: Flags | bool) -> Floats:
    """The logarithm of the probability of each row's outcome."""
    found: Floats = -np.logaddexp(0.0, np.where(outcome, -logits, logits))
    return found


def _objective(model: Ridge, rows: Rows, y: Floats, ridge: float, penalty: Floats) -> float:
    likely = log_likelihood(model.logits(rows), y > 0).sum()
    return float(likely - (ridge * model.groups @ model.groups + penalty @ model.weights**2) / 2)


def _newton(model: Ridge, rows: Rows, y: Floats, ridge: float, penalty: Floats) -> tuple[Floats, Floats, float]:
    """The step of the groups, that of the columns, and what they gain to second order."""
    from scipy import sparse

    columns, groups = rows.columns, len(model.groups)
    p = 1 / (1 + np.exp(-model.logits(rows)))
    curvature, error = p * (1 - p), y - p
    slope_u = np.bincount(rows.group, error, groups) - ridge * model.groups
    slope_b = columns.T @ error - penalty * model.weights
    weights = columns.data * np.repeat(curvature, np.diff(columns.indptr))
    weighted = sparse.csr_matrix((weights, columns.indices, columns.indptr), columns.shape)
    member = sparse.csr_matrix((np.ones(len(y)), rows.group, np.arange(len(y) + 1)), (len(y), groups))
    across = sparse.csr_matrix(weighted.T @ member)
    inner = (weighted.T @ columns).toarray() + np.diag(penalty)
    own = np.bincount(rows.group, curvature, groups) + ridge
    # Products of sparse matrices throughout: on a busy machine the threads of BLAS spend their time waiting.
    scaled = sparse.csr_matrix(across.multiply(1 / own))
    step_b = np.linalg.solve(inner - (scaled @ across.T).toarray(), slope_b - scaled @ slope_u)
    step_u = (slope_u - across.T @ step_b) / own
    return step_u, step_b, float(slope_u @ step_u + slope_b @ step_b) / 2
