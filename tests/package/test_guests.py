"""Studies are guests of the package: they use what is public, what all studies are made of, and their own files.

So a study shows how far the interface carries. One that goes on from another says so, by its name, in the docstring of
its `study.py`, and may use the files of that one too.
"""

import ast
import functools
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import thinktime
from tools.docs.public import BESIDE, SAME, WHOLE, names

SHELVES = ("papers", "studies")
NAMED = re.compile(r"`(thinktime\.analysis\.(?:papers|studies)\.\w+)")
"""The package of a study, in prose."""


def studies(root: Path) -> list[Path]:
    """The folders of all studies."""
    return sorted(file.parent for shelf in SHELVES for file in (root / "analysis" / shelf).glob("*/study.py"))


def own(folder: Path) -> set[str]:
    """The packages whose files are a study's own: its folder, and the studies that it goes on from."""
    said = ast.get_docstring(ast.parse((folder / "study.py").read_text(encoding="utf-8")))
    return {f"thinktime.analysis.{folder.parent.name}.{folder.name}", *NAMED.findall(str(said))}


def public(module: str, name: str = "") -> bool:
    """Whether a module, or a name of it, is public."""
    found = importlib.import_module(module)
    listed = module in (*WHOLE, *BESIDE, *SAME.values()) or "__all__" in vars(found)
    return (listed and (not name or name in names(module))) or (bool(name) and public_module(f"{module}.{name}"))


def public_module(module: str) -> bool:
    """Whether this is a module, and public."""
    parent, _, name = module.rpartition(".")
    return isinstance(getattr(importlib.import_module(parent), name, None), ModuleType) and public(module)


def used(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The module, and the name of it (empty: the module itself), of all that a file takes of the package."""
    doors: dict[str, object] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                if each.name == "thinktime":
                    doors[each.asname or each.name] = thinktime
                elif each.name.startswith("thinktime."):
                    yield each.name, ""
        elif isinstance(node, ast.ImportFrom) and (node.level or str(node.module).partition(".")[0] == "thinktime"):
            module = "." * node.level + (node.module or "")
            yield from ((module, each.name) for each in node.names)
            if not node.level:
                found = importlib.import_module(module)
                doors |= {each.asname or each.name: getattr(found, each.name, None) for each in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            door, *parts, name = ast.unparse(node).split(".")
            place = functools.reduce(lambda found, part: getattr(found, part, None), parts, doors.get(door))
            if isinstance(place, ModuleType):
                yield place.__name__, name


def wrong(file: Path, *packages: str) -> list[str]:
    """What a file of a study takes that is neither public nor of its own packages."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [
        f"{file.name}: {name} of {module}"
        for module, name in used(tree)
        if not f"{module}.".startswith(tuple(f"{each}." for each in packages))
        and (module.startswith(".") or not public(module, name))
    ]


def test_studies_are_guests(root: Path) -> None:
    """Each file takes of the package what is public, or what is its own."""
    found = {}
    for folder in studies(root):
        # The `__init__.py` is where the package takes the folder in.
        found |= {folder.name: [each for file in sorted(folder.glob("[!_]*.py")) for each in wrong(file, *own(folder))]}
    assert {study: each for study, each in found.items() if each} == {}


def test_a_study_goes_on_from_those_that_its_docstring_names(root: Path) -> None:
    """Users who are calibrated are judged in the worlds of the prediction study; that study goes on from none."""
    prediction, calibrated = (own(root / "analysis" / "studies" / name) for name in ("prediction", "calibrated"))
    assert prediction == {"thinktime.analysis.studies.prediction"}
    assert calibrated == {"thinktime.analysis.studies.calibrated"} | prediction


@pytest.mark.parametrize(
    ("line", "taken"),
    [
        ("import thinktime as tt\ntt.replay", []),
        ("import thinktime as tt\ntt.policies.Easy.select", []),
        ("from thinktime.analysis.study import Study", []),
        ("from thinktime.analysis import fairness", []),
        ("import thinktime as tt\ntt.policies.base", ["mine.py: base of thinktime.policies"]),
        ("import thinktime as tt\ntt.models.engine", ["mine.py: engine of thinktime.models"]),
        ("from thinktime import models\nmodels.engine", ["mine.py: engine of thinktime.models"]),
        ("import thinktime.models.engine.rules", ["mine.py:  of thinktime.models.engine.rules"]),
        (
            "def late():\n    from thinktime.workloads.names import key_of",
            ["mine.py: key_of of thinktime.workloads.names"],
        ),
        ("from ..goal import runs", ["mine.py: runs of ..goal"]),
    ],
)
def test_what_is_not_public_is_found(tmp_path: Path, line: str, taken: list[str]) -> None:
    """By an import, in a function as well, or as an attribute of the front door."""
    file = tmp_path / "mine.py"
    file.write_text(line + "\n")
    assert wrong(file, "thinktime.analysis.papers.mine") == taken
