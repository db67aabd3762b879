"""Compiled kernels: once each, with the results of plain Python, and safely by many processes at once."""

from tests.models.kernels.schedules import SPECS

PROCESSES = 8


def test_every_kernel_is_used_and_compiled_once(compiled):
    """After every rule, kind of order and overrun has run, each kernel has exactly one specialisation."""
    assert len(compiled["kernels"]) >= 20
    assert {name: count for name, count in compiled["kernels"].items() if count != 1} == {}


def test_plain_python_makes_the_same_schedules(compiled, start, finish):
    """With NUMBA_DISABLE_JIT=1 the same functions give the same bytes under every rule, order and overrun."""
    plain = finish(start(NUMBA_DISABLE_JIT="1"))
    assert plain["kernels"] == {}
    assert len(plain["schedules"]) == 6 * len(SPECS) - 3
    assert plain["schedules"] == compiled["schedules"]
    assert plain["nodes"] == compiled["nodes"]


def test_the_usual_cache_is_not_stale(compiled, start, finish):
    """Kernels in the usual cache do as fresh ones: Numba overlooks changes in files a kernel calls into."""
    assert finish(start())["schedules"] == compiled["schedules"]


def test_the_schedules_are_not_all_alike(compiled):
    """The workload tells rules, orders and overruns apart, so that equal digests mean something."""
    assert len(set(compiled["schedules"].values())) > len(compiled["schedules"]) / 2


def test_fresh_processes_share_an_empty_cache(compiled, start, finish, tmp_path):
    """Eight processes that start at once on one empty cache all finish, with the same schedule."""
    processes = [start("fcfs", NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(PROCESSES)]
    found = [finish(process)["schedules"] for process in processes]
    assert list(tmp_path.rglob("*.nbi"))
    expected = {key.replace("none:order=fcfs", "fcfs"): value for key, value in compiled["schedules"].items()}
    for schedules in found:
        assert schedules == {key: expected[key] for key in schedules}
