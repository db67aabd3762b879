"""The closed forms that moldable and malleable jobs are judged by have known values, and agree where they meet."""

import numpy as np
import pytest

from tests.models.shapes.cases import Speedup
from tests.models.shapes.queueing import chain, one_server, several_servers, speeds_of_equal_shares


def test_one_server() -> None:
    """At half load, twice the mean service."""
    assert one_server(0.5, 1.0) == 2


def test_several_servers() -> None:
    """Two at half load: 4/3; ten at 8 erlang: C = 0.40918 (tables), so 1 + 0.40918 / 2; one: M/M/1."""
    assert several_servers(1.0, 1.0, 2) == pytest.approx(4 / 3)
    assert several_servers(8.0, 1.0, 10) == pytest.approx(1 + 0.40918 / 2, abs=5e-6)
    assert several_servers(0.7, 1.0, 1) == pytest.approx(one_server(0.7, 1.0))


def test_the_chain_by_hand() -> None:
    """Half serial on two processors: rates 4/3, 2, 2; with one arrival a second p(0) = 0.4, and 1.2 jobs are there."""
    speeds = speeds_of_equal_shares(2, Speedup("amdahl", number=0.5).of)
    assert speeds == pytest.approx([4 / 3, 2])
    assert chain(1.0, speeds) == pytest.approx(1.2)


def test_equal_shares_differ_by_one_processor_at_most() -> None:
    """The square roots of 4, 2 + 2, 2 + 1 + 1 and 1 + 1 + 1 + 1."""
    root = 2**0.5
    assert speeds_of_equal_shares(4, lambda size: size**0.5) == pytest.approx([2, 2 * root, root + 2, 4])


def test_the_chain_of_wholly_parallel_jobs_is_one_server() -> None:
    """With linear speed-up, all P processors work whenever there is a job."""
    speeds = speeds_of_equal_shares(16, Speedup("linear").of)
    assert chain(13.0, speeds) == pytest.approx(one_server(13.0, 16.0))


def test_the_chain_of_serial_jobs_is_as_many_servers() -> None:
    """Jobs that gain nothing are served by P servers, or by m if at most P/m processors do for a job."""
    speeds = speeds_of_equal_shares(16, Speedup("amdahl", number=1).of)
    assert chain(13.0, speeds) == pytest.approx(several_servers(13.0, 1.0, 16))
    capped = np.minimum(4 * np.arange(1, 17), 16.0)
    assert chain(13.0, capped) == pytest.approx(several_servers(13.0, 4.0, 4))
