"""The project's own part of the site's build, as an extension of Sphinx.

Pages are Markdown that people read as it is, too, so what is special to the site is written into their text as it is
read: the catalogues of ``{catalogue} NAME`` blocks, README.md and CHANGES.md where a page includes them, and links to
files outside docs/. Pages of the reference say ``.. public:: PACKAGE`` for what a package has.

In docstrings a name in single backticks is a link where it names something public, else it is code.
"""

import functools
import inspect
import operator
import posixpath
import re
from functools import cache
from pathlib import Path
from types import GenericAlias, UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin

import numpy.typing as npt
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import inspect as of_sphinx
from sphinx.util.typing import stringify_annotation

from tools.docs import reference
from tools.docs.catalogues import CATALOGUES
from tools.docs.notebooks import notebooks
from tools.docs.public import pages

DOCS = Path(__file__).parents[2] / "docs"
SHOWN_AS = {
    "README.md": "docs/index.md",
    "CHANGES.md": "docs/changes.md",
    "CONTRIBUTING.md": "docs/contributing.md",
    "SECURITY.md": "docs/security.md",
    "benchmarks/README.md": "docs/benchmarks.md",
    "docs/scenarios": "docs/scenarios/index.md",
}
"""Files and folders of the tree that the site shows under another name."""

_CATALOGUE = re.compile(r"^```\{catalogue\} (.+)\n```$", re.MULTILINE)
_INCLUDE = re.compile(r"^```\{include\} \.\./([\w/]+\.md)\n((?::[\w-]+: .*\n)*)```$", re.MULTILINE)
_TITLE = re.compile(r"^# .+\n", re.MULTILINE)
_PUBLIC = re.compile(r"^\.\. public:: (\S+)(?: (\w+))?$", re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:)([^)\s#]+)(?=[)#])")

_ARRAY_LIKE = [stringify_annotation(npt.ArrayLike, mode) for mode in ("smart", "fully-qualified-except-typing")]


def on_source(app: Sphinx, name: str, source: list[str]) -> None:
    """Write into the text of a page what the site makes of the code."""
    text = _INCLUDE.sub(_included, source[0])
    text = _CATALOGUE.sub(lambda found: CATALOGUES[found[1]](), text)
    text = _PUBLIC.sub(lambda found: reference.text(found[1], found[2]), text)
    if DOCS / f"{name}.md" in notebooks():
        file = f"{posixpath.basename(name)}.ipynb"
        text = _TITLE.sub(
            lambda title: f"{title[0]}\nFor Jupyter, with what it shows: {{nb-download}}`{file}`\n", text, count=1
        )
    source[0] = _LINK.sub(lambda found: in_the_site(found[1], f"docs/{name}"), text)


def _included(found: re.Match[str]) -> str:
    """A file beside docs/, or a part of it, with its links as those of a page in docs/."""
    text = (DOCS.parent / found[1]).read_text(encoding="utf-8")
    marks = dict(re.findall(r":([\w-]+): (.*)", found[2]))
    if "start-at" in marks:
        text = text[text.index(marks["start-at"]) :]
    if "end-before" in marks:
        text = text[: text.index(marks["end-before"])]
    folder = posixpath.dirname(found[1])
    return _LINK.sub(lambda link: posixpath.relpath(posixpath.join(folder, link[1]), "docs"), text)


def in_the_site(link: str, page: str) -> str:
    """A link of a page (a path in the tree, without suffix) as the site has it."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
    shown = SHOWN_AS.get(target)
    return link if shown is None else posixpath.relpath(shown, posixpath.dirname(page))


def said(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = ()
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The role of single backticks: a name to look up."""
    env: BuildEnvironment = inliner.document.settings.env
    target = text.removesuffix("()").lstrip(".")
    wanted = pending_xref(
        rawtext, nodes.literal(text, text), refdomain="py", reftype="obj", reftarget=target, said=True
    )
    wanted["refdoc"] = env.docname
    for key in ("py:module", "py:class"):
        wanted[key] = env.ref_context.get(key)
    return [wanted], []


def on_missing(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Node) -> nodes.Node | None:
    """What Python's domain does not find: a public thing under its last name, else plain code."""
    domain = env.domains.python_domain
    full = _short_names().get(str(node["reftarget"]).rpartition("thinktime.")[2])
    if full is not None and full in domain.objects:
        wanted = pending_xref("", reftype="obj", reftarget=full)
        return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", full, wanted, content)
    return content if node.get("said") else None


@cache
def _short_names() -> dict[str, str]:
    """Public classes, and their members, by the name that docstrings call them."""
    found: dict[str, str] = {}
    for public in (each for page in pages().values() for each in page if each.is_class):
        short = public.name.rpartition(".")[2]
        found.setdefault(short, public.name)
        for member in vars(public.thing):
            found.setdefault(f"{short}.{member}", f"{public.name}.{member}")
    return found


def on_signature(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, given: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """A class shows a default only where it is a plain value; whatever NumPy takes for an array is ``ArrayLike``."""
    if what == "class" and given and inspect.isfunction(getattr(thing, "__init__", None)):
        signature = of_sphinx.signature(thing.__init__, bound_method=True)
        shown = [
            each.replace(default=_short(each.default), annotation=_bare(each.annotation))
            for each in signature.parameters.values()
        ]
        signature = signature.replace(parameters=shown, return_annotation=inspect.Signature.empty)
        given = of_sphinx.stringify_signature(signature, unqualified_typehints=True)
    for long in _ARRAY_LIKE:
        given, returned = (text and text.replace(long, "ArrayLike") for text in (given, returned))
    return given, returned


def _bare(annotation: Any) -> Any:
    """A type without what readers of tables know of it."""
    if get_origin(annotation) is Annotated:
        return _bare(annotation.__origin__)
    parts = tuple(map(_bare, get_args(annotation)))
    if get_origin(annotation) in (Union, UnionType):
        return functools.reduce(operator.or_, parts)
    return (
        GenericAlias(cast(type, annotation.__origin__), parts) if isinstance(annotation, GenericAlias) else annotation
    )


class _Computed:
    def __repr__(self) -> str:
        return "..."


def _short(default: Any) -> Any:
    as_written = type(default).__name__ == "DefaultValue"  # out of the source, by autodoc
    plain = as_written or default is None or default == () or isinstance(default, str | int | float)
    return default if plain or default is inspect.Parameter.empty else _Computed()


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Every public name has its place in the reference."""
    there = env.domains.python_domain.objects
    missing = [public.name for page in pages().values() for public in page if public.name not in there]
    if missing:
        raise ExtensionError(f"no page of docs/reference/api documents {', '.join(missing)}")


def on_page(app: Sphinx, name: str, template: str, context: dict[str, Any], tree: nodes.document | None) -> None:
    """Pages of source code link back to one name of what they have; ours may be documented under another."""
    if name.startswith("_modules/") and "body" in context:
        context["body"] = re.sub(r'<a class="viewcode-back".*?</a>', "", context["body"], flags=re.DOTALL)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register roles and listeners; Sphinx calls this."""
    app.add_role("said", said)
    app.connect("source-read", on_source)
    app.connect("missing-reference", on_missing)
    app.connect("autodoc-process-signature", on_signature)
    app.connect("env-check-consistency", check)
    app.connect("html-page-context", on_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
