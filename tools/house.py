"""How large the house is, and whether it keeps to its measure: ``python -m tools.house``.

Per room, the lines of Python and of C types (.pxd), blank ones and comments included. A function with many parameters
has an idea without a name, and a long file has several: functions with more than `PARAMETERS` are few, and there are no
files with more than `LINES`. Counted are the parameters that a function names: ``self`` and ``cls`` are not, nor what
``*`` and ``**`` take.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("models", "users", "workloads", "analysis", "api", "tests")
PARAMETERS = 8
FUNCTIONS = 10
"""The most functions that may have more parameters."""
LINES = 400


def files(room: Path) -> list[Path]:
    """The files of a room that people write."""
    found = [*room.rglob("*.py"), *room.rglob("*.pxd")]
    return sorted(path for path in found if "_compiled" not in path.parts)


def lines(path: Path) -> int:
    """The lines of a file."""
    return len(path.read_text(encoding="utf-8").splitlines())


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements, near and far; expressions, most of what there is, have no functions with names."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        yield node
        for part in ("handlers", "cases", "finalbody", "orelse", "body"):
            left += reversed(getattr(node, part, ()))


def crowded(path: Path) -> Iterator[tuple[int, str, int]]:
    """The functions of a file with more than `PARAMETERS`: the line, the name, and how many there are."""
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
            count = len(names) - (names[:1] in (["self"], ["cls"]))
            if count > PARAMETERS:
                yield node.lineno, node.name, count


def main(root: Path = ROOT) -> int:
    """Print the counts; 1 if too many functions have many parameters, or too many files many lines."""
    functions, long = [], []
    for room in ROOMS:
        paths = files(root / room)
        counts = {path.relative_to(root): lines(path) for path in paths}
        print(f"{room + ':':10} {sum(counts.values()):7,} lines in {len(paths):5,} files")
        long += [f"{path}: {count} lines" for path, count in counts.items() if count > LINES]
        functions += [
            f"{path.relative_to(root)}:{line}: {name} has {count} parameters"
            for path in paths
            if path.suffix == ".py"
            for line, name, count in crowded(path)
        ]
    print(f"functions with more than {PARAMETERS} parameters: {len(functions)}, at most {FUNCTIONS}")
    print(f"files with more than {LINES} lines: {len(long)}", *long, sep="\n")
    if many := len(functions) > FUNCTIONS:
        print("Too many functions have many parameters; give what belongs together a name:", *functions, sep="\n")
    if long:
        print("These files are too long: give each thing that one is about a file of its own.")
    return int(many or bool(long))


if __name__ == "__main__":
    sys.exit(main())
