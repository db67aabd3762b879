"""Nothing that the package reads or writes can hold code."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = {"pickle", "shelve", "marshal", "dill", "cloudpickle", "joblib", "dbm"}
FILES = [file for room in ("workloads", "models", "users", "analysis", "api") for file in (ROOT / room).rglob("*.py")]


def nodes(*words: str) -> list[tuple[Path, ast.AST]]:
    """What stands in the files in which one of the words stands."""
    texts = {file: file.read_text() for file in FILES}
    some = {file: text for file, text in texts.items() if any(word in text for word in words)}
    return [(file, node) for file, text in some.items() for node in ast.walk(ast.parse(text))]


def test_no_module_of_the_package_pickles() -> None:
    """No pickles, by any of the modules that make or read them, nor by pandas."""
    found = []
    for file, node in nodes(*MODULES):
        names = [each.name for each in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [node.attr] if isinstance(node, ast.Attribute) else []
        if any(name.partition(".")[0] in MODULES or name in ("read_pickle", "to_pickle") for name in names):
            found.append(f"{file}: {ast.unparse(node)}")
    assert found == []


def test_arrays_are_read_and_written_without_pickles() -> None:
    """`numpy.load` says ``allow_pickle=False``, and objects are never saved alone."""
    calls = [(file, node) for file, node in nodes("np.load", "np.save") if isinstance(node, ast.Call)]
    calls = [(file, node) for file, node in calls if ast.unparse(node.func) in ("np.load", "np.save")]
    assert calls
    for file, node in calls:
        given = {each.arg: ast.unparse(each.value) for each in node.keywords}
        assert given.get("allow_pickle") == "False", f"{file}:{node.lineno}"
