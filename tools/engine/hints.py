"""Where compiled code works on Python objects although it should not: slow there, and errors are lost in ``noexcept``.

Cython says some of it itself (its hints), and marks in its annotation which calls each line makes. We look at the
functions that the declarations name: at every line of a ``noexcept`` one, and at the loops of the others. Lines that
raise are left out, and so is a line with a comment that begins with ``# objects``: it says why it must.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

LINE = re.compile(
    r'<pre class="cython line score-\d+"[^>]*>\+?<span class="">(?P<number>\d+)</span>: [^\n]*\n?'
    r"(?:<pre class='cython code score-\d+[^']*'>(?P<code>.*?)</pre>)?",
    re.DOTALL,
)
CALL = re.compile(r"<span class='(?:py|pyx)_c_api'>(\w+)</span>")
HARMLESS = {"PyErr_Occurred", "PyErr_SetString", "__Pyx_AddTraceback", "__Pyx_MemoryView_Len", "__Pyx_TypeTest"}
"""Calls that ask whether there was an error, or say that there was one, or ask an object for its type or length."""
DECLARED = re.compile(r"^(?P<indent>\s*)c(?:p?)def\s+(?!class\b|enum\b|struct\b)(?P<before>[^(=]*?)(?P<name>\w+)\s*\(")
CLASS = re.compile(r"^cdef\s+(?:\w+\s+)*class\s+(\w+)")
UNTYPED = re.compile(r"^\s+cdef\s+(?:(?:public|readonly)\s+)?(\w+(?:\s*,\s*\w+)*)\s*(?:#.*)?$")


FOR_MYPY = "Annotation ignored since class-level attributes must be Python objects"
"""The types of a class's attributes are in its ``.pxd``; those in the ``.py`` are for mypy."""


def hints(source: str, name: str, declarations: str, annotation: str, said: str) -> list[str]:
    """Every hint on one module, as "file:line: what".

    `annotation` is the page that Cython writes, `said` what it says on its standard error.
    """
    found = [f"{name}:{number}: {what}" for number, what in sorted(_work_on_objects(source, declarations, annotation))]
    found += [
        line.removeprefix("performance hint: ").removeprefix("warning: ")
        for line in said.splitlines()
        if line.startswith(("performance hint: ", "warning: ")) and FOR_MYPY not in line
    ]
    found += [
        f"{Path(name).with_suffix('.pxd')}:{number}: {match[1]} has no type"
        for number, line in enumerate(declarations.splitlines(), 1)
        if (match := UNTYPED.match(line))
    ]
    return found


def _work_on_objects(source: str, declarations: str, annotation: str) -> Iterator[tuple[int, str]]:
    lines = source.splitlines()
    strict, loose = _lines_to_look_at(source, dict(_declared(declarations)))
    for match in LINE.finditer(annotation):
        number, code = int(match["number"]), match["code"]
        if code is None or "# objects" in lines[number - 1]:
            continue
        calls = sorted(set(CALL.findall(unescape(code))) - HARMLESS)
        if calls and (number in strict or number in loose):
            where = "in a function without exceptions" if number in strict else "in a loop"
            yield number, f"works on Python objects {where} ({', '.join(calls[:3])})"


def _declared(declarations: str) -> Iterator[tuple[str, bool]]:
    """The name of each declared function, and whether it is ``noexcept``."""
    joined = re.sub(r"\([^()]*\)", lambda found: found[0].replace("\n", " "), declarations)
    owner = ""
    for line in joined.splitlines():
        if found := CLASS.match(line):
            owner = f"{found[1]}."
        elif found := DECLARED.match(line):
            owner = owner if found["indent"] else ""
            yield owner + found["name"], bool(re.search(r"\)\s*noexcept\b", line))


def _lines_to_look_at(source: str, declared: dict[str, bool]) -> tuple[set[int], set[int]]:
    strict: set[int] = set()
    loose: set[int] = set()
    for name, function in _functions(ast.parse(source)):
        if name not in declared:
            continue
        body = {number for each in function.body for number in _lines(each)}
        if declared[name]:
            strict |= body
        for each in ast.walk(function):
            if isinstance(each, ast.For | ast.While):
                loose |= set(_lines(each))
    raised = {number for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Raise) for number in _lines(each)}
    return strict - raised, loose - raised


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{each.name}", each) for each in node.body if isinstance(each, ast.FunctionDef))


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)
