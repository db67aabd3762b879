"""Users' own allocators: plain functions that compiled rules call."""

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.how_many import few_or_many, in_turn
from tests.models.machine.nodes.test_against_twin import MACHINES, RULES, machine_of, random_case
from thinktime.workloads.nodes import Nodes


def first_fit(free, chunk, nodes):
    """The node with the smallest number."""
    return np.arange(len(free))


def best_fit(free, chunk, nodes):
    """The node with the least left of the first resource, then of the second, and so on."""
    return free @ 100.0 ** -np.arange(free.shape[1])


def worst_fit(free, chunk, nodes):
    """The node with the most left."""
    return -best_fit(free, chunk, nodes)


ALLOCATORS = {"first-fit": first_fit, "best-fit": best_fit, "worst-fit": worst_fit}
POLICIES = [*RULES, "cplant:starve=5s", "creasy", "ostrich", "ostrich-slurm", "faircamp", "easy:order=fairshare"]


def schedule(*given):
    """Starts, ends and nodes."""
    _, result = machine_of(*given)
    return repr([result["start"].tolist(), result["end"].tolist(), result.nodes.interval_sets()])


@pytest.mark.parametrize("how_many", few_or_many(3, 15))
@pytest.mark.parametrize(("policy", "leap"), in_turn(2, POLICIES, ["0", "1"]))
def test_a_function_that_does_what_an_allocator_of_the_package_does(monkeypatch, policy, leap, how_many):
    """A function that scores nodes as an allocator of the package chooses them makes its schedule under every rule."""
    monkeypatch.setenv("THINKTIME_LEAP", leap)
    for seed in range(how_many):
        name, function = list(ALLOCATORS.items())[seed % 3]
        nodes, jobs = random_case(seed)
        machine = MACHINES[seed % 5]
        assert schedule(nodes, jobs, policy, name, *machine) == schedule(nodes, jobs, policy, function, *machine)


@pytest.mark.parametrize("policy", ["fcfs", "easy", "easy:reservations=2", "conservative", "cplant", "ostrich"])
def test_an_allocator_may_refuse_nodes(policy):
    """No job gets a node whose score is NaN, on nodes of one processor either; what needs it is impossible."""

    def but_the_first(free, chunk, nodes):
        return np.where(np.arange(len(free)) == 0, np.nan, 0)

    env = simpy.Environment()
    machine = tt.Machine(env, policy=policy, nodes=Nodes.uniform(3, 1), allocator=but_the_first)
    for _ in range(5):
        machine.submit(tt.Job(runtime=5, processors=1))
    with pytest.raises(ValueError, match="could not give even if they were idle"):
        machine.submit(tt.Job(runtime=5, processors=3))
    env.run()
    result = machine.result()
    assert result["start"].tolist() == [0, 0, 5, 5, 10]
    assert result.nodes.interval_sets() == ["1", "2", "1", "2", "1"]


class Failing:
    """An allocator that fails at one of its calls."""

    def __init__(self, at, error):
        self.left, self.error = at, error

    def __call__(self, free, chunk, nodes):
        self.left -= 1
        if self.left == 0:
            raise self.error
        return np.arange(len(free))


def run_with(allocator, policy):
    """Eight jobs of a user who waits for none of them."""
    env = simpy.Environment()
    machine = tt.Machine(env, policy=policy, nodes=Nodes.uniform(2, 4), allocator=allocator)
    for number in range(8):
        machine.submit(tt.Job(runtime=5 + number, estimate=20, nodes=f"{1 + number % 2}:ppn=3"))
    env.run()


@pytest.mark.parametrize("leap", ["0", "1"])
@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "conservative-dynamic", "cplant", "ostrich"])
def test_what_an_allocator_raises_reaches_the_user(monkeypatch, policy, leap):
    """An exception of an allocator comes out of the call in which it was raised, with its own arguments."""
    monkeypatch.setenv("THINKTIME_LEAP", leap)
    count = Failing(-1, None)
    run_with(count, policy)
    calls = -1 - count.left
    assert calls > 5
    for at in (1, 2, 4, calls // 2, calls):
        with pytest.raises(ZeroDivisionError) as raised:
            run_with(Failing(at, ZeroDivisionError("no node", at)), policy)
        assert raised.value.args == ("no node", at)


@pytest.mark.parametrize("policy", ["fcfs", "conservative", "cplant", "ostrich"])
def test_an_allocator_that_gives_too_few_scores(policy):
    """An allocator has to give one score for each node, or is told how many it gave."""
    with pytest.raises(ValueError, match=r"the allocator few gave \(1,\) scores, but must give one for each of 2"):

        def few(free, chunk, nodes):
            return np.zeros(1)

        run_with(few, policy)
