"""Closed forms: textbook numbers, and each form against another that shares no code with it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.analysis.queueing import (
    asymptotic_bounds,
    closed_network,
    erlang_c,
    interactive_response_time,
    mmc,
    repairman,
)


def test_textbook_numbers():
    """C(2, 1), M/M/1 at half load and C(10, 8) are those of the textbooks."""
    assert erlang_c(2, 1.0) == pytest.approx(1 / 3)
    assert erlang_c(10, 8.0) == pytest.approx(0.40918, abs=5e-6)
    queue = mmc(1, 0.5, 1.0)
    assert (queue.response_time, queue.in_system, queue.waiting_probability) == pytest.approx((2, 1, 0.5))
    assert erlang_c(5000, 4900.0) < 1  # no factorial overflows


@given(st.integers(1, 40), st.floats(0.01, 0.99))
def test_the_probability_to_wait_by_its_definition(servers, utilization):
    """The probability to wait is Erlang's C as a sum of factorials."""
    load = servers * utilization
    last = load**servers / math.factorial(servers) / (1 - utilization)
    expected = last / (sum(load**k / math.factorial(k) for k in range(servers)) + last)
    assert erlang_c(servers, load) == pytest.approx(expected, rel=1e-9)


def mean_value_analysis(users, demands, think_time):
    """The recursion of Reiser and Lavenberg for stations of one server."""
    queue = [0.0] * len(demands)
    for n in range(1, users + 1):
        responses = [demand * (1 + length) for demand, length in zip(demands, queue, strict=True)]
        throughput = n / (think_time + sum(responses))
        queue = [throughput * response for response in responses]
    return throughput, responses


@given(
    st.integers(1, 40),
    st.lists(st.floats(0.05, 20), min_size=1, max_size=4),
    st.one_of(st.just(0.0), st.floats(0.1, 100)),
)
def test_a_network_of_single_servers_is_mean_value_analysis(users, demands, think_time):
    """Convolution and the MVA recursion give the same throughput and response times."""
    throughput, responses = mean_value_analysis(users, demands, think_time)
    stations = closed_network(users, demands, think_time)
    assert [station.throughput for station in stations] == pytest.approx([throughput] * len(demands), rel=1e-8)
    assert [station.response_time for station in stations] == pytest.approx(responses, rel=1e-8)


@given(st.integers(1, 80), st.integers(1, 300), st.floats(0.1, 10), st.floats(0.1, 100))
def test_a_network_of_one_station_is_the_repairman(servers, users, service, think):
    """One station of c servers and users who think: birth and death, and convolution; every field."""
    [station] = closed_network(users, [service], think, [servers])
    model = repairman(servers, users, service, think)
    for name in station.__slots__:
        assert getattr(station, name) == pytest.approx(getattr(model, name), rel=1e-7, abs=1e-9), name


@given(st.integers(1, 60), st.integers(1, 200), st.floats(0.1, 10), st.floats(0.1, 100))
def test_the_laws_hold_among_the_numbers(servers, users, service, think):
    """Little's law, utilization, the response-time law and the asymptotic bounds hold."""
    model = repairman(servers, users, service, think)
    assert model.in_system == pytest.approx(model.throughput * model.response_time)
    assert model.utilization == pytest.approx(model.throughput * service / servers)
    law = interactive_response_time(users, model.throughput, think)
    assert law == pytest.approx(model.response_time, rel=1e-6, abs=1e-9 * think)
    bounds = asymptotic_bounds(servers, users, service, think)
    near = 1 + 1e-9
    assert bounds.throughput[0] / near <= model.throughput <= bounds.throughput[1] * near
    assert bounds.response_time[0] / near <= model.response_time <= bounds.response_time[1] * near


@pytest.mark.parametrize("servers, rate", [(1, 0.7), (4, 3.2), (32, 30.0)])
def test_many_users_who_think_long_are_an_open_queue(servers, rate):
    """With N and Z growing at N / Z = λ, M/M/c//N tends to M/M/c, monotonically from below."""
    limit = mmc(servers, rate, 1.0)
    responses = [repairman(servers, n, 1.0, n / rate).response_time for n in (100, 1000, 10_000, 100_000)]
    assert np.diff(responses).min() > 0 and responses[-1] < limit.response_time
    assert responses[-1] == pytest.approx(limit.response_time, rel=0.01)
    assert repairman(servers, 100_000, 1.0, 100_000 / rate).waiting_probability == pytest.approx(
        limit.waiting_probability, rel=0.01
    )


@given(
    st.integers(1, 8), st.integers(1, 30), st.floats(0.1, 10), st.floats(0.1, 10), st.floats(0.1, 100),
    st.integers(0, 20),
)  # fmt: skip
def test_impatience_by_solving_the_balance_equations(servers, users, service, think, patience, room):
    """With reneging and balking, the numbers are those of the solved balance equations."""
    most = min(users, servers + room + 1)
    flow = np.zeros((most + 1, most + 1))
    for k in range(most):
        flow[k, k + 1] = (users - k) / think
        flow[k + 1, k] = min(k + 1, servers) / service + max(k + 1 - servers, 0) / patience
    generator = flow - np.diag(flow.sum(axis=1))
    system = np.vstack([generator.T, np.ones(most + 1)])
    chances = np.linalg.lstsq(system, np.array([0.0] * (most + 1) + [1.0]), rcond=None)[0]
    waiting = sum(max(k - servers, 0) * p for k, p in enumerate(chances))
    intended = sum((users - k) / think * p for k, p in enumerate(chances))
    balked = (users - most) / think * chances[most]
    model = repairman(servers, users, service, think, patience, room)
    assert model.in_queue == pytest.approx(waiting, rel=1e-6, abs=1e-9)
    assert model.lost == pytest.approx((waiting / patience + balked) / intended, rel=1e-6, abs=1e-9)
    assert model.wait == pytest.approx(waiting / (intended - balked), rel=1e-6, abs=1e-9)


def test_the_knee_is_where_the_bounds_meet():
    """At N* users, N / (S + Z) = c / S."""
    bounds = asymptotic_bounds(4, 10, 100.0, 150.0)
    assert bounds.knee == 10.0
    assert bounds.throughput[1] == 0.04


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: mmc(2, 0.02, 100.0), "load is 2.0 servers"),
        (lambda: mmc(0, 0.02, 1.0), "servers must be a whole number of at least 1, not 0"),
        (lambda: repairman(1, 2.5, 1.0, 1.0), "users must be a whole number"),
        (lambda: repairman(1, 2, -1.0, 1.0), "service_time must be finite and above 0"),
        (lambda: repairman(1, 2, 1.0, 1.0, patience=0), "patience must be above 0 s"),
        (lambda: closed_network(3, [1.0, 2.0], servers=[1]), "do not match"),
        (lambda: closed_network(3, [], 1.0), "do not match"),
        (lambda: closed_network(3, [1.0], -1.0), "think_time must be finite and at least 0"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(call, message):
    """The error names the number and what it may be."""
    with pytest.raises(ValueError, match=message):
        call()
