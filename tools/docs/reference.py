"""A page of the API reference as text: what autodoc is to document, under which name."""

import ast
import importlib
import inspect
from pathlib import Path

from sphinx.pycode import ModuleAnalyzer

import thinktime as tt
from thinktime.models.machine.loading import Loading
from thinktime.models.policies.entry import ReadyPolicy
from tools.docs.public import SAME, Public, elsewhere, pages, room


def text(package: str, of_room: str | None = None) -> str:
    """What a package has (of the front door: what lies in a room), in reStructuredText."""
    here = sorted((each for each in pages()[package] if of_room is None or room(each) == of_room), key=_place)
    others = [] if of_room else [f"`{name}`" for name in elsewhere(package)]
    also = f"Here as well, documented under a shorter name: {', '.join(others)}.\n\n" if others else ""
    return f".. py:currentmodule:: {package}\n\n{also}" + "\n".join(map(_documented, here))


def _place(public: Public) -> int:
    """Names of the front door come in the order in which it presents them; others keep theirs."""
    package, _, name = public.name.rpartition(".")
    at = (tt.__doc__ or "").find(f"`{name}`") if package == "thinktime" else 0
    return at if at >= 0 else len(tt.__doc__ or "")


def _documented(public: Public) -> str:
    package, _, name = public.name.rpartition(".")
    if public.is_class and public.thing.__name__ != name:
        said = inspect.getdoc(public.thing) or ""
        return f".. py:function:: {name}{_signature(public.thing)}\n\n{_indented(said)}\n"
    if public.is_class:
        wanted = "" if issubclass(public.thing, BaseException) or _has_hooks_only(public.thing) else ":members:\n"
        if Loading in public.thing.__bases__:  # a part of the machine
            wanted += ":inherited-members:\n"
        return f".. autoclass:: {public.name}\n" + _indented(wanted)
    if public.is_function:
        return f".. autofunction:: {public.name}\n"
    value = f":value: {public.thing!r}\n" if isinstance(public.thing, int | float | str) else ""
    return f".. py:data:: {name}\n{_indented(value)}\n{_indented(_said_of(package, name))}\n"


def _has_hooks_only(kind: type) -> bool:
    """Whether a class only does its part in what its base class says: a ready policy, a behaviour."""
    return any(issubclass(kind, base) and kind is not base for base in (ReadyPolicy, tt.Behaviour))


def _signature(kind: type) -> str:
    """The parameters of a class, without their types."""
    given = inspect.signature(kind)
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in given.parameters.values()]
    return str(given.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def _indented(lines: str) -> str:
    return "".join(f"   {line}\n" if line else "\n" for line in lines.splitlines())


def _said_of(package: str, name: str) -> str:
    """The text below a value, in the module that it was written in."""
    while True:
        module = importlib.import_module(package)
        found = ModuleAnalyzer.for_module(package).find_attr_docs().get(("", name))
        if found is not None:
            return "\n".join(found)
        package = _imported_from(Path(str(module.__file__)), package, name)


def _imported_from(file: Path, package: str, name: str) -> str:
    """The module from which another one has a name."""
    stub = file.with_suffix(".pyi")
    for node in ast.parse((stub if stub.exists() else file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [each.asname or each.name for each in node.names]
            if name in (vars(importlib.import_module(node.module)).get("__all__", ()) if names == ["*"] else names):
                return node.module
    long = next((long for long, short in SAME.items() if short == package), None)
    if long is None:
        raise ValueError(f"{package}.{name} has no text below it that says what it is")
    return long
