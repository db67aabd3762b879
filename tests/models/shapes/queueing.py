"""The mean time in the system of jobs that share processors, as queueing theory has it.

Jobs come at random (Poisson, ``arrivals`` a second), and their work is exponential. With equal shares, cost 0 and
limits that nobody reaches, the number of jobs on a pool is then a birth-death chain, whose deaths come at the sum of
the speeds of those that run: whoever is left has, at any time, as much work before it as a newcomer. ``services``
are jobs a second at speed 1.

Source: Kleinrock, Queueing Systems 1 (1975), chapter 3.
"""

from collections.abc import Callable
from math import factorial

import numpy as np


def one_server(arrivals: float, services: float) -> float:
    """M/M/1, T = 1 / (mu - lambda): linear speed-up and sizes from one to all, which have mu."""
    return 1 / (services - arrivals)


def several_servers(arrivals: float, services: float, servers: int) -> float:
    """M/M/m by Erlang's C, T = 1/mu + C / (m mu - lambda): linear speed-up, at most P/m processors each, with mu."""
    load = arrivals / services
    full = load**servers / factorial(servers) / (1 - load / servers)
    waits = full / (sum(load**jobs / factorial(jobs) for jobs in range(servers)) + full)
    return 1 / services + waits / (servers * services - arrivals)


def speeds_of_equal_shares(processors: int, speedup: Callable[[int], float]) -> np.ndarray:
    """The sum of the speed-ups of 1, 2, …, P jobs on P processors, of which each has as many, or one more."""
    totals = []
    for jobs in range(1, processors + 1):
        share, more = divmod(processors, jobs)
        totals.append((jobs - more) * float(speedup(share)) + (more * float(speedup(share + 1)) if more else 0.0))
    return np.array(totals)


def chain(arrivals: float, services: np.ndarray) -> float:
    """T = L / lambda of the chain in which 1, 2, … jobs end at these rates, and more than are listed at the last.

    The k-th of the balance equations is lambda p(k - 1) = mu(k) p(k), and the last says that probabilities add up to
    1; from n, the length of the list, on they fall by r = lambda / mu(n), so p(n) stands for a tail of p(n) / (1 - r).
    """
    count = len(services)
    ratio = arrivals / services[-1]
    tail = 1 / (1 - ratio)
    equations = np.zeros((count + 1, count + 1))
    for jobs in range(1, count + 1):
        equations[jobs - 1, jobs - 1 : jobs + 1] = arrivals, -services[jobs - 1]
    equations[count, :count] = 1
    equations[count, count] = tail
    shares = np.linalg.solve(equations, np.append(np.zeros(count), 1.0))
    beyond = shares[count] * (count * tail + ratio * tail**2)
    number = float(np.arange(count) @ shares[:count] + beyond)
    return number / arrivals
