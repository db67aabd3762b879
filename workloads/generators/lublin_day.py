"""The day of the Lublin–Feitelson model: how busy each half hour is, from midnight.

The number of submissions follows a gamma density over the day, counted in half hours from 5 o'clock: with G
the distribution function of gamma(shape a, scale b) and i = 11 … 58, the half hour (i − 1) mod 48 has the raw
weight G(i + ½) − G(i − ½). Divided by their mean, the weights sum to 48.

Source: Lublin and Feitelson, The workload on parallel supercomputers: modeling the characteristics of rigid
jobs, JPDC 63(11), 2003, and their program m_lublin99.c at the Parallel Workloads Archive.
"""

from __future__ import annotations

import numpy as np

from thinktime.workloads.generators.quantities import Real

HALF_HOURS = 48


def raw(shape: float = 8.1737, scale: float = 3.9631) -> Real:
    """The weights before normalization; the defaults are those of all jobs."""
    from scipy.special import gammainc

    i = np.arange(11, 11 + HALF_HOURS)
    weights = np.empty(HALF_HOURS)
    weights[(i - 1) % HALF_HOURS] = gammainc(shape, (i + 0.5) / scale) - gammainc(shape, (i - 0.5) / scale)
    return weights


def half_hours(shape: float = 8.1737, scale: float = 3.9631) -> Real:
    """The weights of the 48 half hours, with mean 1."""
    weights = raw(shape, scale)
    return np.asarray(weights / weights.mean(), dtype=np.float64)
