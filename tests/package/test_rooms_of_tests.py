"""The folders of the tests are those of the package, so that a test is found where its module is."""

from collections import defaultdict
from pathlib import Path

import pytest

ROOMS = ("analysis", "api", "models", "users", "workloads")
TWINS = ("twin.py", "reference.py", "exact.py", "literal.py")


@pytest.fixture(scope="module")
def folders(root: Path) -> list[Path]:
    """The folders with tests of a room, except those with a twin, which are called after a paper."""
    folders = {path.parent for room in ROOMS for path in (root / "tests" / room).rglob("test_*.py")}
    return sorted(folder for folder in folders if not any((folder / twin).exists() for twin in TWINS))


def test_every_folder_of_tests_is_a_folder_of_the_package(root: Path, folders: list[Path]) -> None:
    """Tests of a room lie in that room's own folders."""
    tests = root / "tests"
    assert [folder for folder in folders if not (root / folder.relative_to(tests)).is_dir()] == []


def test_a_test_called_after_a_module_lies_where_the_module_lies(root: Path, folders: list[Path]) -> None:
    """`test_eet.py` lies in the folder of `eet.py`, or, where several modules share a name, in one of theirs."""
    homes = defaultdict(set)
    for module in (path for room in ROOMS for path in (root / room).rglob("*.py")):
        homes[f"test_{module.name}"].add(root / "tests" / module.parent.relative_to(root))
    tests = [test for folder in folders for test in folder.glob("test_*.py")]
    assert [test for test in tests if test.name in homes and test.parent not in homes[test.name]] == []
