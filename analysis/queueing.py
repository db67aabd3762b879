"""Closed forms of queueing theory, to check simulations against: open queues, users who think, bounds.

Symbols: c servers (processors, for sequential jobs), service time S (mean run time, s), think time Z (s), N users,
arrival rate λ and throughput X (1/s), response time R (wait and service, s), wait W = R - S, number in the system L,
of which L_q are waiting. Service and think times are exponential (`repairman` holds for any think times), every job
takes one server, and the order is first come, first served. The utilization is U = X S / c.

Three laws hold for any distributions, and are behind `interactive_response_time` and `asymptotic_bounds`:
Little's law L = X R, the utilization law U = X S / c, and the response-time law of interactive systems R = N / X - Z.

Sources: L. Kleinrock, Queueing Systems I (1975) for M/M/c and M/M/c//N; M. Reiser, S. Lavenberg, Mean-value
analysis of closed multichain queuing networks (JACM 27(2), 1980) for MVA; E. Lazowska et al., Quantitative
System Performance (1984) for the bounds.

>>> round(mmc(servers=1, arrival_rate=0.5, service_time=1.0).response_time, 12)
2.0
>>> round(repairman(servers=1, users=1, service_time=10.0, think_time=30.0).throughput, 12)
0.025
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats
from thinktime.workloads.names import quoted


@dataclass(frozen=True, slots=True)
class Station:
    """The steady state of one queue: means over time or over jobs. Times in s, rates in 1/s."""

    throughput: float
    response_time: float
    wait: float
    in_system: float
    in_queue: float
    utilization: float
    waiting_probability: float
    """The fraction of jobs that find every server busy on arrival."""
    lost: float = 0.0
    """The fraction of intended jobs that are lost by impatient users."""


@dataclass(frozen=True, slots=True)
class AsymptoticBounds:
    """Bounds on throughput (1/s) and response time (s), and the number of users at the knee."""

    throughput: tuple[float, float]
    response_time: tuple[float, float]
    knee: float
    """N* = (Z + S) c / S, the number of users above which the machine is the bottleneck."""


def erlang_c(servers: int, load: float) -> float:
    """The probability that a job has to wait in M/M/c; ``load`` is λ S, in servers, below c.

    >>> round(erlang_c(1, 0.3), 12)
    0.3
    """
    servers = checks.whole("servers", servers)
    if not 0 <= load < servers:
        raise ValueError(f"load is {quoted(load)} servers, but must be from 0 to below the {servers} that there are")
    blocked = 1.0  # Erlang's B formula, by its recursion: no factorials, no overflow
    for k in range(1, servers + 1):
        blocked = load * blocked / (k + load * blocked)
    return blocked / (1.0 - load / servers * (1.0 - blocked))


def mmc(servers: int, arrival_rate: float, service_time: float) -> Station:
    """M/M/c: Poisson arrivals at ``arrival_rate``, whatever the queue. ValueError at saturation and beyond."""
    checks.positive("arrival_rate", arrival_rate, "finite and above 0")
    checks.positive("service_time", service_time, "finite and above 0")
    load = arrival_rate * service_time
    chance = erlang_c(servers, load)
    wait = chance * service_time / (servers - load)
    return Station(
        throughput=arrival_rate,
        response_time=wait + service_time,
        wait=wait,
        in_system=arrival_rate * (wait + service_time),
        in_queue=arrival_rate * wait,
        utilization=load / servers,
        waiting_probability=chance,
    )


def repairman(
    servers: int, users: int, service_time: float, think_time: float, patience: float = math.inf, room: float = math.inf
) -> Station:
    """M/M/c//N, the machine-repairman model: N users think, submit one job each, and wait for its end.

    The number of jobs is a birth-and-death process: from k to k + 1 at rate (N - k) / Z, and back at min(k, c) / S.
    Arriving users see the system in the steady state of N - 1 users (the arrival theorem).

    Impatient users renege and balk: each waiting job is withdrawn at rate 1 / ``patience`` (s, the mean of exponential
    patience), and no user submits while more than ``room`` jobs wait; a user who loses a job thinks again. Then
    ``throughput`` is that of served jobs, ``wait`` and ``response_time`` are over submitted jobs, and ``lost`` is the
    share of intended jobs that are lost.
    """
    servers = checks.whole("servers", servers)
    users = checks.whole("users", users)
    checks.positive("service_time", service_time, "finite and above 0")
    checks.positive("think_time", think_time, "finite and above 0")
    if not patience > 0 or not room >= 0:
        raise ValueError(
            f"patience must be above 0 s and room at least 0 jobs, not {quoted(patience)} and {quoted(room)}"
        )
    chances = _repairman_states(servers, users, service_time, think_time, patience, room)
    k = np.arange(len(chances))
    throughput = float(np.minimum(k, servers) @ chances) / service_time
    in_system = float(k @ chances)
    in_queue = float(np.maximum(k - servers, 0) @ chances)
    others = _repairman_states(servers, users - 1, service_time, think_time, patience, room)
    submitted = throughput + in_queue / patience
    return Station(
        throughput=throughput,
        response_time=in_system / submitted,
        wait=in_queue / submitted,
        in_system=in_system,
        in_queue=in_queue,
        utilization=throughput * service_time / servers,
        waiting_probability=float(others[servers:].sum()),
        lost=1.0 - throughput * think_time / (users - in_system),
    )


def closed_network(
    users: int, service_times: Sequence[float], think_time: float = 0.0, servers: Sequence[int] | None = None
) -> list[Station]:
    """The exact steady state of each station of a closed network with one class of ``users``.

    Each user thinks for ``think_time`` (s), then visits every station once; ``service_times`` are the mean demands
    there (s), ``servers`` the number of servers of each (1 by default). ``response_time`` is that of one
    station, and all of them add up to R. Exact for exponential service, first come first served.

    Computed by convolution (J. Buzen, CACM 16(9), 1973), whose terms are all positive. The recursion of MVA, which
    gives the same numbers, loses all its digits if a station has many servers.
    """
    users = checks.whole("users", users)
    counts = [checks.whole("servers", count) for count in servers or [1] * len(service_times)]
    if not len(service_times) or len(counts) != len(service_times):
        raise ValueError(f"{len(service_times)} service times and {len(counts)} numbers of servers do not match")
    checks.number("think_time", think_time, "finite and at least 0 s", least=0.0)
    for demand in service_times:
        checks.positive("service_times", demand, "finite and above 0")
    factors = [_weights(users, d, c) for d, c in zip(service_times, counts, strict=True)]
    thinking = _weights(users, think_time, users)
    network = reduce(_convolved, factors, thinking)
    throughput = math.exp(network[users - 1] - network[users])
    stations = []
    for place, (demand, count) in enumerate(zip(service_times, counts, strict=True)):
        rest = reduce(_convolved, factors[:place] + factors[place + 1 :], thinking)
        chances = np.exp(factors[place] + rest[::-1] - network[users])
        # On arrival, users see the steady state of N - 1 users.
        seen = np.exp((factors[place][:-1] + rest[-2::-1]) - network[users - 1])
        in_system = float(np.arange(users + 1) @ chances)
        response = in_system / throughput
        stations.append(
            Station(
                throughput=throughput,
                response_time=response,
                wait=response - demand,
                in_system=in_system,
                in_queue=in_system - throughput * demand,
                utilization=throughput * demand / count,
                waiting_probability=float(seen[count:].sum()),
            )
        )
    return stations


def asymptotic_bounds(servers: int, users: int, service_time: float, think_time: float) -> AsymptoticBounds:
    """Bounds for users who submit a job on one server, wait for it and think.

    The optimistic bounds hold for any distributions and any order of service: X is at most min(c / S, N / (S + Z)),
    so R is at least max(S, N S / c - Z). In the pessimistic bounds a user waits for all others each time: X is at least
    N / (N S + Z), R at most N S. They hold for exponential service times.
    """
    servers = checks.whole("servers", servers)
    users = checks.whole("users", users)
    checks.positive("service_time", service_time, "finite and above 0")
    checks.number("think_time", think_time, "finite and at least 0 s", least=0.0)
    s, z, n = service_time, think_time, users
    most = min(servers / s, n / (s + z))
    return AsymptoticBounds(
        throughput=(n / (n * s + z), most), response_time=(n / most - z, n * s), knee=(z + s) * servers / s
    )


def interactive_response_time(users: float, throughput: float, think_time: float) -> float:
    """R = N / X - Z (s): the response time of N users with throughput X (1/s) who think for Z (s)."""
    checks.positive("throughput", throughput, "finite and above 0")
    return users / throughput - think_time


def _repairman_states(
    servers: int, users: int, service_time: float, think_time: float, patience: float, room: float
) -> Floats:
    """The probabilities of 0 … jobs in the system, by logarithms so that no product overflows."""
    most = users if room >= users else min(users, servers + math.floor(room) + 1)
    k = np.arange(1, most + 1)
    deaths = np.minimum(k, servers) / service_time + np.maximum(k - servers, 0) / patience
    steps = np.log((users - k + 1) / think_time / deaths)
    weights = np.concatenate([[0.0], np.cumsum(steps)])
    chances: Floats = np.exp(weights - weights.max())
    chances /= chances.sum()
    return chances


def _weights(users: int, demand: float, servers: int) -> Floats:
    """Logarithms of the weights of 0 … N jobs at one station: prod demand / min(k, c)."""
    k = np.arange(1, users + 1)
    with np.errstate(divide="ignore"):
        return np.concatenate([[0.0], np.cumsum(np.log(demand / np.minimum(k, servers)))])


def _convolved(first: Floats, second: Floats) -> Floats:
    """Logarithms of sum_j first(j) second(n - j), for each n."""
    with np.errstate(invalid="ignore"):
        return np.array([np.logaddexp.reduce(first[: n + 1] + second[n::-1]) for n in range(len(first))])
