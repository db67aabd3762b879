"""States in files: what is refused, in one sentence each, and what is kept to the last bit."""

import json
import math
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thinktime as tt
from tests.frozen.cases import PROCESSORS, log
from tests.models.machine.cuts import digest, taking
from thinktime.models.machine.saved import classes, file
from thinktime.models.machine.saved.graph import Read, Written
from thinktime.models.state import Reason


def _state(spec: tt.MachineSpec, source: Any = None, at: float = 93.25) -> tt.MachineState:
    states: list[tt.MachineState] = []
    tt.run(spec, log(5) if source is None else source, taking([at], states))
    return states[0]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a state."""
    path = tmp_path_factory.mktemp("states") / "june.state"
    _state(tt.MachineSpec(PROCESSORS, "conservative")).save(path)
    return path


def _changed(path: Path, to: Path, text: Callable[[Any], None] | None = None, data: bytes | None = None) -> Path:
    """The same file with other contents, and checksums that are right."""
    with zipfile.ZipFile(path) as archive:
        told, arrays = json.loads(archive.read(file.TEXT)), archive.read(file.ARRAYS)
    if text is not None:
        text(told)
    with zipfile.ZipFile(to, "w") as archive:
        archive.writestr(file.TEXT, json.dumps(told))
        archive.writestr(file.ARRAYS, arrays if data is None else data)
    return to


def _refused(path: Path) -> str:
    with pytest.raises(ValueError) as raised:
        tt.MachineState.read(path)
    said = str(raised.value)
    assert str(path) in said and "\n" not in said
    return said


def test_values_come_back_to_the_last_bit():
    """Numbers of all kinds, what is shared, and what refers to itself."""
    odd = np.frombuffer(bytes.fromhex("0100000000f87f7f"), np.float64)[0].item()  # a NaN with a payload
    shared, loop, column = [1, 2], [], np.arange(3.0)
    loop.append(loop)
    numbers = [0.1, -0.0, math.inf, -math.inf, 5e-324, 2**200, True, None, "\ud800", odd]
    value = {"numbers": numbers, "twice": (shared, shared), "loop": loop, (1, "a"): {3, 1}, "x": column, "y": column,
             "none": np.empty((0, 2), np.int8), "far": np.broadcast_to(np.int64(-1), 1000)}  # fmt: skip
    written = Written(value)
    found = Read(json.loads(json.dumps(written.nodes)), written.arrays).value(written.root)
    bits = [np.float64(each).tobytes() if isinstance(each, float) else each for each in found["numbers"]]
    assert bits == [np.float64(each).tobytes() if isinstance(each, float) else each for each in numbers]
    assert found["twice"][0] is found["twice"][1] and found["loop"][0] is found["loop"]
    assert found["x"] is found["y"] and found[1, "a"] == {1, 3} and type(found["numbers"][6]) is bool


def test_a_number_with_a_name_is_that_number():
    """As plain Python, policies have names where compiled code has numbers alone."""
    assert Written(Reason.RESERVATION).root == 3 and type(Written(Reason.RESERVATION).root) is int


def test_same_state_same_bytes_in_every_process(saved, tmp_path):
    """Neither the order of sets nor what happens to be in memory is in a file."""
    program = (
        "import sys; from tests.models.machine.test_state_files import _state, PROCESSORS, tt\n"
        "_state(tt.MachineSpec(PROCESSORS, 'conservative')).save(sys.argv[1])"
    )
    subprocess.run([sys.executable, "-c", program, tmp_path / "again.state"], check=True, env={"PYTHONHASHSEED": "7"})
    assert (tmp_path / "again.state").read_bytes() == saved.read_bytes()


def test_a_path_is_a_beginning(saved):
    """A machine begins from a file wherever it begins from a state, and its description in TOML has the name."""
    whole = tt.run(tt.MachineSpec(PROCESSORS, "conservative"), log(5))
    spec = tt.MachineSpec(begin=saved)
    assert digest(tt.run(spec)) == digest(whole)
    assert digest(tt.run(tt.MachineSpec(PROCESSORS, "conservative"), begin=saved)) == digest(whole)
    assert digest(tt.run(tt.MachineSpec.from_toml(spec.to_toml()))) == digest(whole)
    with pytest.raises(ValueError, match=r"begin = nowhere\.state cannot be read: No such file"):
        tt.MachineSpec(begin="nowhere.state")


def test_an_old_file_stays_if_the_new_one_cannot_be_written(saved, tmp_path):
    """A file is written whole or not at all."""
    path = tmp_path / "a.state"
    path.write_text("old")
    with pytest.raises(ValueError, match="a state in a file cannot be combined"):
        _state(tt.MachineSpec(PROCESSORS, lambda view, now: list(view.queue)[:0])).save(path)
    assert path.read_text() == "old" and [each.name for each in tmp_path.iterdir()] == ["a.state"]


def test_other_files_are_refused(saved, tmp_path):
    """Text, another archive, the beginning of a state, a bit that has changed."""
    path, content = tmp_path / "bad.state", saved.read_bytes()
    for bad, sentence in (
        (b"", "is no state of a machine"),
        (b"; a log in SWF", "is no state of a machine"),
        (content[: len(content) // 2], "is cut off"),
        (content[:-1], "is cut off"),
        (content[:-3000] + bytes([content[-3000] ^ 1]) + content[-2999:], "is damaged"),
    ):
        path.write_bytes(bad)
        assert sentence in _refused(path)
    np.savez(tmp_path / "other.npz", a=np.arange(3))
    assert "is another archive" in _refused(tmp_path / "other.npz")


def test_other_versions_classes_and_layouts_are_refused(saved, tmp_path):
    """What another version of thinktime has written, what it does not know, and what is compiled otherwise."""
    path = tmp_path / "bad.state"

    def told(**other: Any) -> str:
        return _refused(_changed(saved, path, lambda text: text.update(other)))

    assert "version 2 of the format" in told(version=2) and "says that it is 'x'" in told(format="x")
    assert "has a 'os.system'" in told(layouts={"os.system": "0"})
    name = "models.policies.reservations.Kept"
    assert "has a Kept of another layout" in told(layouts={name: "0" * 8})
    assert "is damaged" in told(nodes=[["os.system", {}]]) and "is damaged" in told(root=[-1])
    assert "is damaged" in told(arrays=[["<i8", [10**12]]]) and "is damaged" in told(arrays=[["|O", [1]]])


def test_indices_are_looked_at(saved, tmp_path):
    """No row, place or number out of range reaches compiled code, whatever the checksums say."""
    with zipfile.ZipFile(saved) as archive:
        told, data = json.loads(archive.read(file.TEXT)), archive.read(file.ARRAYS)
    pool = next(own for what, *of in told["nodes"] if what == "models.jobs.pool.Pool" for own in of)
    places = [0]
    for dtype, shape, *marks in told["arrays"]:
        size = np.dtype(dtype).itemsize * (1 if "constant" in marks else math.prod(shape))
        places.append(places[-1] + size + -size % 64)
    for name in ("waiting", "running", "ending", "arrived"):
        for wrong in (10**9, -(10**9)):
            begin = places[pool[name]["array"]]
            bad = data[:begin] + wrong.to_bytes(8, "little", signed=True) + data[begin + 8 :]
            assert f"an element of {name} is out of range" in _refused(_changed(saved, tmp_path / "x", data=bad))
    numbers = pool["state"][0]
    for wrong in (-1, 10**6):

        def change(text: Any, wrong: int = wrong) -> None:
            node = text["nodes"][numbers]
            node[node.index("in_queue") + 1] = wrong

        assert "in_queue is out of range" in _refused(_changed(saved, tmp_path / "x", change))


class _Own(tt.Estimator):
    def estimate(self, job: Any, now: float) -> float:
        """A second less than asked."""
        return max(1.0, job.requested - 1)


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        (tt.MachineSpec(PROCESSORS, lambda view, now: list(view.queue)[:0]), "here policy <lambda>"),
        (tt.MachineSpec(PROCESSORS, tt.policies.Easy(order=lambda jobs, now: jobs.estimate)), "here order <lambda>"),
        (tt.MachineSpec(PROCESSORS, estimates=_Own()), "here estimator _Own"),
    ],
)
def test_code_is_no_data(spec, what, tmp_path):
    """Policies, orders and estimators of one's own are refused, and the sentence says which."""
    with pytest.raises(ValueError, match="a state in a file cannot be combined with policies") as raised:
        _state(spec).save(tmp_path / "a.state")
    assert str(raised.value).endswith(what)
    assert not list(tmp_path.iterdir())


def test_every_name_is_that_of_a_class():
    """The closed table names classes that exist, and each has a layout."""
    for name in sorted(classes.NAMES):
        short = name.removeprefix("thinktime.")
        assert classes.name_of(classes.class_of(short)) == short and len(classes.layout(short)) == 8
    with pytest.raises(KeyError):
        classes.class_of("os.system")


def test_a_machine_that_has_many_more_jobs_by_then_is_kept(tmp_path: Path) -> None:
    """A runtime limit splits the first job alone; its segments go on after those that came later."""
    spec, states = tt.MachineSpec(PROCESSORS, "easy:runtime_limit=15s"), list[tt.MachineState]()

    def first(env: Any, machine: tt.Machine) -> Any:
        machine.submit(tt.Job(runtime=40, processors=PROCESSORS))
        for _ in range(400):
            machine.submit(tt.Job(runtime=1, processors=1))
            yield env.timeout(1 / 64)

    whole = tt.run(spec, first, taking([10.5], states))
    path = tmp_path / "split.state"
    states[0].save(path)
    assert digest(tt.run(spec, begin=tt.MachineState.read(path))) == digest(whole)
