"""What structures are made of, arrays and numbers, each under its name; and what their arrays keep."""

import copy
import importlib
import pickle
import random
import re
from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.how_many import in_turn
from tests.models.engine.modules import SOURCES, declarations_of, name_of_module
from tests.models.onlooker import Onlooker
from thinktime.models.engine import gapped
from thinktime.models.engine.codes.starvation import ABOVE_MEAN, ABOVE_QUANTILE
from thinktime.models.engine.parts import Profiles, Room
from thinktime.models.engine.rooms.capped_profile import CappedProfiles
from thinktime.models.engine.rooms.capped_room import CappedRoom
from thinktime.models.engine.spare import SIZE, Spare
from thinktime.models.engine.structure import Structure
from thinktime.models.jobs.pool import Pool
from thinktime.models.policies.cplant.starvation import heavy_line
from thinktime.models.state import State

OBJECTS = {
    "State": {
        "room", "profiles", "changes", "spare", "shortest", "end_groups", "on_nodes", "changing", "grow", "grow_places",
        "chooser",
    },
    "Truth": {"answers", "events"},
    "Profile": {"second"},
    "Rule": {"asks"},
    "Around": {"base"},
    "Asked": {"eyes", "caller", "omissions", "on_select", "on_submit", "on_start", "on_end", "on_withdraw"},
    "AskedOrder": {"eyes", "sort", "accounts", "inner"},
}  # fmt: skip
"""What is no array, number or structure of its own, and what kind of machine this is."""


def kinds(of: type[Structure] = Structure) -> list[type[Structure]]:
    """All structures of compiled modules."""
    modules = {importlib.import_module(name_of_module(path)).__name__ for path in SOURCES}
    found = [each for kind in of.__subclasses__() for each in (kind, *kinds(kind))]
    return [kind for kind in found if kind.__module__ in modules]


def declarations(kind: type) -> str:
    """What the `.pxd` says of a class."""
    text = declarations_of(kind.__module__).read_text()
    return re.split(rf"^cdef class {kind.__name__}\b", text, flags=re.M)[1].partition("\ncdef class ")[0]


def declared(structure: type) -> dict[str, str]:
    """The public attributes of a structure by name, with their types, as compiled code has them."""
    if structure is Structure:
        return {}
    own = {name: kind for kind, name in re.findall(r"^    cdef public (.+) (\w+)$", declarations(structure), re.M)}
    return declared(structure.__mro__[1]) | own


@pytest.mark.parametrize("structure", kinds(), ids=lambda kind: kind.__name__)
def test_every_attribute_is_an_array_a_number_or_a_part(structure: type[Structure]) -> None:
    """FIELDS has all arrays, NUMBERS all numbers, PARTS all structures: who copies these has copied everything."""
    arrays, numbers, parts = set(structure.FIELDS), set(structure.NUMBERS), set(structure.PARTS)
    others, names = set().union(*(OBJECTS.get(kind.__name__, ()) for kind in structure.__mro__)), declared(structure)
    assert len(names) == len(arrays) + len(numbers) + len(parts) + len(others)
    assert {name for name, kind in names.items() if kind.endswith("]")} == arrays
    assert set(names) - arrays - parts - others == numbers
    assert {names[name] for name in numbers} <= {"long long", "double", "bint"}


@pytest.mark.parametrize(("part", "kind"), [(Room, CappedRoom), (Profiles, CappedProfiles)])
def test_below_a_cap_nothing_is_answered_as_on_a_pool(part: type, kind: type) -> None:
    """What stands before a machine's own room or profiles passes on every question, or answers it itself."""
    asked, answered = (set(re.findall(r"^    cp?def .*?(\w+)\(", declarations(each), re.M)) for each in (part, kind))
    assert len(asked) > 20
    assert asked <= answered


def changed(structure: Structure) -> dict[str, Any]:
    """Let every number and array be another than it was; what they are now."""
    for place, (name, value) in enumerate(structure.NUMBERS.items()):
        setattr(structure, name, type(value)(place + 1))
    lines = [name for name in structure.FIELDS if np.asarray(getattr(structure, name)).ndim == 1]
    structure.lengthen(3, *lines, fill=7)
    for part in structure.PARTS:
        changed(getattr(structure, part))
    return contents(structure)


def contents(structure: Structure) -> dict[str, Any]:
    """All that a structure has, to compare."""
    arrays = {name: np.array(getattr(structure, name)).tolist() for name in structure.FIELDS}
    return arrays | structure.all_numbers() | {name: contents(getattr(structure, name)) for name in structure.PARTS}


@pytest.mark.parametrize("how", [Structure.copied, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
@pytest.mark.parametrize(
    "structure",
    [each for each in kinds() if each.__name__ not in ("State", "Truth", "Asked", "AskedOrder")],
    ids=lambda kind: kind.__name__,
)
def test_a_copy_is_equal_and_independent(structure: type[Structure], how: Any) -> None:
    """Copied or saved: the same numbers and arrays; what is changed in the copy stays as it was in the other."""
    one = structure()
    before = changed(one)
    twin = how(one)
    assert contents(twin) == before and type(twin) is structure
    changed(twin)
    for name in structure.FIELDS:
        if len(array := np.asarray(getattr(twin, name))):
            array[...] = 9
    assert contents(one) == before


@pytest.mark.parametrize(("most", "different"), in_turn(2, [8, 2300], [1, 5, 10**9]))
def test_running_jobs_are_in_order_of_their_expected_ends(most, different):
    """Whatever starts and ends, and however rarely a script looks, running jobs are sorted by expected end and id."""
    chance = random.Random(most + different)
    pool, jobs = Pool(most), 10_000
    pool.append(jobs, np.ones(jobs), id=np.array(chance.sample(range(10**6), jobs)), processors=1)
    columns, running = pool.requests, []
    for row in range(jobs):
        while running and (len(running) == most or chance.random() < 0.4):
            place = chance.choice([0, len(running) - 1, chance.randrange(len(running))])
            columns.state[running.pop(place)] = State.FINISHED
            pool.state.at_work -= 1
        columns.expected_end[row] = chance.randrange(different) if row % 3 else -(row // 2000)
        columns.state[row] = State.RUNNING
        pool.state.at_work += 1
        gapped.note_running(pool.state, row)
        running.append(row)
        if row % 50 == 0 or row < 500 or row > 9_900:
            running.sort(key=lambda each: (columns.expected_end[each], columns.id[each]))
            if row % 2:
                gapped.sort_in(pool.state)
            else:
                assert pool.running_rows.tolist() == running


@pytest.mark.parametrize("users", [7, 129, SIZE - 1, SIZE, SIZE + 1, 5 * SIZE])
def test_what_was_taken_stays_as_it_was_when_there_is_no_more_room(users):
    """The mean and the quantile take arrays one after the other, of which only the first has room at the beginning."""
    usage, spare = np.random.default_rng(1).uniform(1, 9, users), Spare()
    for _ in range(3):
        assert heavy_line(spare, usage, ABOVE_MEAN, 0.0) == usage.mean()
        assert heavy_line(spare, usage, ABOVE_QUANTILE, 0.3) == np.quantile(usage, 0.3)


@pytest.mark.parametrize(
    "policy", ["slurm", "ostrich", "cplant:starve=9s,barred=heavy", "easy:order=relshare,resort=start"]
)
@pytest.mark.parametrize("observed", [False, True])
def test_passes_give_back_what_they_take(policy, observed):
    """After many passes, compiled as a whole or one by one, hardly more is in use than after a few."""
    env = simpy.Environment()
    machine = tt.Machine(env, 8, policy)
    if observed:
        machine.observe(Onlooker())
    in_use = []

    def user():
        for k in range(60):
            for size in range(1, 5):
                machine.submit(tt.Job(processors=size, runtime=5 + k % 3, estimate=9, user=f"u{size}"))
            yield env.timeout(20)
            in_use.append(machine.pool.state.spare.used)

    env.process(user())
    env.run()
    assert max(in_use) <= max(in_use[:10]) + 50
