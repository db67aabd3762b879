"""Fitted users in files: what was written is read, and what was not is answered with a sentence."""

import json
import shutil
import zipfile
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import thinktime as tt
from tests.users.calibrated.fitting import busy_log
from thinktime.workloads.calibration.users_file import ARRAYS, REST, read_users, write_users
from thinktime.workloads.calibration.withdrawals import Withdrawals


@pytest.fixture(name="users", scope="module")
def fitted():
    """Users of a small log, with scores."""
    trace = busy_log(3, 100, 3, 20_000)
    status, runtime = np.ones(100, int), trace.runtime.copy()
    status[::5], runtime[::5] = 5, 0.0
    return tt.calibrate(trace.with_columns(status=status, runtime=runtime))


@pytest.fixture(name="folder")
def written(users, tmp_path):
    """A folder with them."""
    return write_users(users, tmp_path / "users")


def assert_equal(one, other, where="users"):
    """Two values have the same type and, down to the last bit of each array, the same content."""
    assert type(one) is type(other), where
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes(), where
    elif is_dataclass(one):
        for each in fields(one):
            assert_equal(getattr(one, each.name), getattr(other, each.name), f"{where}.{each.name}")
    elif isinstance(one, dict):
        assert list(one) == list(other), where
        for key in one:
            assert_equal(one[key], other[key], f"{where}[{key}]")
    elif isinstance(one, tuple):
        assert len(one) == len(other), where
        for place, pair in enumerate(zip(one, other, strict=True)):
            assert_equal(*pair, f"{where}[{place}]")
    else:
        assert one == other or (one != one and other != other), where


def test_what_was_written_is_read(users, folder):
    """Every array and number, to the last bit."""
    assert users.scores and len(users.residuals) and isinstance(users.withdrawals, Withdrawals)
    assert_equal(read_users(folder), users)


def test_without_what_may_be_missing(tmp_path):
    """No withdrawals, and nothing held out."""
    users = tt.calibrate(busy_log(4), score=False)
    assert users.withdrawals is None and not users.scores
    assert_equal(read_users(write_users(users, tmp_path / "some" / "where")), users)


def test_users_that_were_read_do_the_same(users, folder):
    """A draw from what they may be, too."""
    trace = busy_log(3, 160, 4, 30_000)
    one, other = (each.of(trace, 5) for each in (users, read_users(folder)))
    assert one.level.tobytes() == other.level.tobytes() and one.tables.base.tobytes() == other.tables.base.tobytes()


def test_nothing_is_pickled(folder, tmp_path):
    """No array is one of objects, and one that is in the file is not read."""
    with np.load(folder / ARRAYS, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    assert not any(each.dtype.hasobject for each in arrays.values())
    mark = tmp_path / "was-run"

    class Trap:
        def __reduce__(self):
            return mark.touch, ()

    np.savez(folder / ARRAYS, **arrays | {"names": np.array([Trap()], dtype=object)})
    sentence_of(folder)
    assert not mark.exists()


def sentence_of(folder):
    """The sentence with which a folder is refused: it names the folder, and has one line."""
    with pytest.raises(ValueError) as caught:
        read_users(folder)
    said = str(caught.value)
    assert str(folder) in said and "\n" not in said and len(said) < 400
    assert caught.value.__suppress_context__ or caught.value.__cause__ is None
    return said


def without(folder, name):
    """Leave an array out."""
    with np.load(folder / ARRAYS) as file:
        arrays = {each: file[each] for each in file.files if each != name}
    np.savez(folder / ARRAYS, **arrays)


def rest(folder, **changed):
    """Change what is beside the arrays."""
    given = json.loads((folder / REST).read_text())
    (folder / REST).write_text(json.dumps(given | changed))


def with_array(folder, name, of):
    """Change an array."""
    with np.load(folder / ARRAYS) as file:
        arrays = {each: file[each] for each in file.files}
    np.savez(folder / ARRAYS, **arrays | {name: of(arrays[name])})


DAMAGES = {
    "no arrays": lambda folder: (folder / ARRAYS).unlink(),
    "no rest": lambda folder: (folder / REST).unlink(),
    "no folder": shutil.rmtree,
    "arrays are text": lambda folder: (folder / ARRAYS).write_text("hello"),
    "arrays are empty": lambda folder: (folder / ARRAYS).write_bytes(b""),
    "arrays are one array": lambda folder: np.save((folder / ARRAYS).open("wb"), np.arange(3)),
    "arrays are cut": lambda folder: (folder / ARRAYS).write_bytes((folder / ARRAYS).read_bytes()[:-300]),
    "another archive": lambda folder: zipfile.ZipFile(folder / ARRAYS, "w").writestr("names.txt", "hello"),
    "no values": lambda folder: without(folder, "values_0"),
    "no names": lambda folder: without(folder, "names"),
    "rest is cut": lambda folder: (folder / REST).write_text((folder / REST).read_text()[:-20]),
    "rest is a list": lambda folder: (folder / REST).write_text("[1, 2]"),
    "rest is a number": lambda folder: (folder / REST).write_text("7"),
    "rest is binary": lambda folder: (folder / REST).write_bytes(b"\xff\xfe\x00\x81"),
    "rest has no version": lambda folder: (folder / REST).write_text("{}"),
    "a class of no kind": lambda folder: rest(folder, classes=[{"structure": "odd", "effects": [], "sizes": []}]),
    "more classes than arrays": lambda folder: rest(
        folder, classes=json.loads((folder / REST).read_text())["classes"] * 2
    ),
    "no classes": lambda folder: rest(folder, classes=[]),
    "scores are numbers": lambda folder: rest(folder, scores={"blind": 3}),
    "a score has more": lambda folder: rest(folder, scores={"blind": {"nats": 1.0, "error": 0.0, "more": 2.0}}),
    "fewer users": lambda folder: with_array(folder, "class_of", lambda of: of[:-1]),
    "a class that is not there": lambda folder: with_array(folder, "class_of", lambda of: of + 3),
    "fewer levels": lambda folder: with_array(folder, "levels_0", lambda of: of[:-1]),
    "fewer values": lambda folder: with_array(folder, "values_0", lambda of: of[:-1]),
    "covariances of others": lambda folder: with_array(folder, "covariance_0", lambda of: of[:-1]),
    "names are words": lambda folder: with_array(folder, "names", lambda of: of.astype(str)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files(folder, damage):
    """One sentence."""
    DAMAGES[damage](folder)
    sentence_of(folder)


def test_a_file_in_place_of_the_folder(folder):
    """And a folder in place of a file."""
    sentence_of(folder / REST)
    (folder / REST).unlink()
    (folder / REST).mkdir()
    sentence_of(folder)


def test_a_newer_version(folder):
    """It says which version the files have."""
    rest(folder, version=2)
    assert sentence_of(folder).endswith("is of version 2, and this thinktime reads 1")


@pytest.mark.parametrize("shape", [b"(1,), ", b"(1, 'a", b"((((((", b"(1)))))"])
def test_headers_that_are_not_python(folder, shape):
    """An array says its shape as a tuple of Python, which is read as such, and as an older one if it is none."""
    with zipfile.ZipFile(folder / ARRAYS) as file:
        arrays = {name: file.read(name) for name in file.namelist()}
    name = next(name for name, whole in arrays.items() if b"'shape': " in whole)
    before, after = arrays[name].split(b"'shape': ", 1)
    with zipfile.ZipFile(folder / ARRAYS, "w") as file:
        for each, whole in arrays.items():
            file.writestr(each, before + b"'shape': " + shape + after[len(shape) :] if each == name else whole)
    with pytest.raises(ValueError, match="does not hold users as `thinktime calibrate --out` writes them"):
        read_users(folder)


def test_bytes_that_were_changed(folder):
    """A byte of the archive that is another one is answered with a sentence, or did not matter."""
    whole, rng = (folder / ARRAYS).read_bytes(), np.random.default_rng(0)
    users, refused = read_users(folder), 0
    for place in rng.integers(0, len(whole), 150).tolist():
        (folder / ARRAYS).write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            found = read_users(folder)
        except ValueError as error:
            assert str(folder) in str(error) and "\n" not in str(error)
            refused += 1
        else:
            assert_equal(found, users)
    assert refused > 100
