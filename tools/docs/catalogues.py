"""Catalogues as Markdown, made from the code: what it names is here, with what it says of it.

Metrics say themselves what they are. Columns and keys get their meaning from docs/glossary.md, which a test holds
against the code.
"""

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import groupby
from typing import Any

import thinktime as tt
from thinktime.analysis.experiments import metrics
from thinktime.analysis.experiments.reactions import CLASSES
from thinktime.analysis.experiments.reactions import KINDS as REACTIONS
from thinktime.analysis.experiments.users_view import PAPERS
from thinktime.analysis.modes.user_measures import MODES
from thinktime.analysis.studies.logs.study import LogsStudy
from thinktime.models.machine import combinations as refused
from thinktime.models.policies import ORDERS, SCHEDULERS, catalogue
from thinktime.models.policies.base import Policy
from thinktime.models.policies.entry import Entry
from thinktime.models.policies.spec import ALIASES, RULES
from thinktime.models.results.metric import Known as AnyMetric
from thinktime.models.results.schedule import ON_REQUEST
from thinktime.models.site.slurm.settings_table import Known, known
from thinktime.workloads.generators import preset, recipe_text
from thinktime.workloads.generators.tables import KINDS as PARTS
from thinktime.workloads.sacct.fields import FIELDS
from thinktime.workloads.tables.mapping import FURTHER, ROLES, Mapping, mapping, presets
from tools.docs import commands, gallery, glossary, json_keys

Row = Iterable[str]


def table(head: Row, rows: Iterable[Row]) -> str:
    """A table in Markdown."""
    names = [*head]
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    lines = [_line(names), "|" + "---|" * len(names), *map(_line, cells)]
    return "\n".join(lines) + "\n"


def _line(cells: Row) -> str:
    return f"| {' | '.join(cells)} |"


def first_sentences(thing: Any) -> str:
    """The first paragraph of a docstring, as Markdown."""
    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split()).replace("``", "`")


def policies() -> str:
    """The rules, with the class of each."""
    rows = (
        [*_cells(entry), _link("policies", RULES[entry.name].__name__)] for entry in catalogue() if entry.name in RULES
    )
    return table(("rule", "options", "what it does", "source", "class"), rows)


def named_policies() -> str:
    """Names that stand for a rule with options."""
    named = {entry.name: entry.line for entry in catalogue() if entry.name in SCHEDULERS} | ALIASES
    return table(("name", "policy"), ((f"`{name}`", f"`{text}`") for name, text in named.items()))


def orders() -> str:
    """The orders of the queue."""
    rows = (_cells(entry) for entry in catalogue() if entry.name in ORDERS)
    return table(("order", "options", "next is", "source"), rows)


def _cells(entry: Entry) -> list[str]:
    return [f"`{entry.name}`", f"`{entry.options}`" if entry.options else "", _literal(entry.line), entry.source]


def _link(module: str, name: str) -> str:
    return f"{{py:obj}}`{name} <thinktime.{module}.{name}>`" if name in getattr(tt, module).__all__ else f"`{name}`"


def _literal(text: str) -> str:
    return text.replace("*", "\\*").replace("_", "\\_")


def metrics_of_a_run() -> str:
    """Numbers of the whole run."""
    return _of_metrics("metric", (each for of in metrics.CATALOGUES[:-1] for each in of.metrics.values()))


def measures_of_jobs() -> str:
    """What statistics are taken of."""
    return _of_metrics("measure", (each for of in metrics.CATALOGUES for each in of.measures.values()))


def metrics_of_papers() -> str:
    """The measures of the papers."""
    return _of_metrics("metric", PAPERS)


def metrics_of_modes() -> str:
    """What only comparisons of modes have."""
    return _of_metrics("metric", MODES)


def terms_of_metrics() -> str:
    """All of them, as rows of the glossary."""
    rows = ((each.term, ", ".join(f"`{name}`" for name in each.names), *_rest(each)) for each in glossary.metrics())
    return table(("term", "names", "meaning and formula", "unit", "source"), rows)


def _rest(term: glossary.Term) -> tuple[str, str, str]:
    return term.meaning, term.unit, term.source


def _of_metrics(head: str, chosen: Iterable[AnyMetric]) -> str:
    terms = map(glossary.of_metric, chosen)
    return table((head, "meaning and formula", "unit", "source"), (_row(term.names[0], term) for term in terms))


def how_metrics_are_named() -> str:
    """The grammar of metrics, out of their module."""
    return (inspect.getdoc(metrics) or "").partition("\n\n")[2]


def _of_glossary(head: str, names: Iterable[str]) -> str:
    return table((head, "meaning and formula", "unit", "source"), map(_said, names))


def _said(name: str) -> list[str]:
    return _row(name, glossary.term_of(name))


def _row(name: str, term: glossary.Term | None) -> list[str]:
    return [f"`{name}`", *((term.said, term.unit, term.source) if term else ("", "", ""))]


@cache
def _small_run() -> tuple[tt.Trace, tt.Result]:
    log = tt.generate(preset("short-long"), jobs=60, users=3, processors=16, seed=1)
    return log, tt.replay(log, "easy", 16)


def column_tables() -> dict[str, list[str]]:
    """The columns of logs and of every table of a result, by the name of the table."""
    log, result = _small_run()
    tables = {"jobs": result.jobs, "users": result.users, "campaigns": result.campaigns}
    return {
        "trace": [*log.columns],
        "result": [*dict.fromkeys([*result.columns, *ON_REQUEST])],
        **{f"result.{name}": [*table.columns] for name, table in tables.items()},
        "result.summary()": [*result.summary()],
    }


def columns() -> str:
    """A section for each table, with its columns."""
    return "\n".join(f"## `{name}`\n\n{_of_glossary('column', found)}" for name, found in column_tables().items())


def hooks() -> str:
    """Every hook and attribute of a policy, as its class documents it; attributes come after the hooks."""
    rows = sorted(_documented(Policy), key=lambda row: "(" not in row[0])
    return table(("hook, or attribute", "when it is called, and what it says"), ([f"`{a}`", b] for a, b in rows))


def _documented(kind: type) -> Iterator[tuple[str, str]]:
    """What is in a class, in its order: a name with its arguments or its value, and what is said of it."""
    body = ast.parse(inspect.getsource(kind)).body[0].body  # type: ignore[attr-defined]
    for item, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(item, ast.FunctionDef):
            arguments = ", ".join(each.arg for each in item.args.args[1:])
            yield f"{item.name}({arguments})", _plain(ast.get_docstring(item) or "")
        elif isinstance(item, ast.Assign | ast.AnnAssign):
            assert isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            target = item.target if isinstance(item, ast.AnnAssign) else item.targets[0]
            yield f"{ast.unparse(target)} = {ast.unparse(item.value or target)}", _plain(str(following.value.value))


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("``", "`")


MOMENTS = [name for name, what in vars(tt.Behaviour).items() if inspect.isfunction(what)]
"""When a behaviour is asked: the methods of `Behaviour`."""


def moments() -> str:
    """When behaviours are asked, as the base class says it."""
    rows = ((f"`{name}`", first_sentences(getattr(tt.Behaviour, name))) for name in MOMENTS)
    return table(("moment", "what a behaviour says"), rows)


def behaviours_of_users() -> str:
    """The behaviours, with the moments at which each is asked and its name in scenario files."""
    words: dict[Callable[..., Any], str] = {kind: word for word, kind in REACTIONS.items()}
    rows = (_behaviour(each, words) for each in CLASSES)
    return table(("behaviour", "in scenarios", "what it does", "asked at"), rows)


def _behaviour(kind: type, words: dict[Callable[..., Any], str]) -> list[str]:
    asked = ", ".join(f"`{name}`" for name in MOMENTS if getattr(kind, name) is not getattr(tt.Behaviour, name))
    word = f"`{words[kind]}`" if kind in words else "in scripts only"
    return [_link("behaviours", kind.__name__), word, first_sentences(kind), asked]


def recipes() -> str:
    """The recipes that have a name."""
    return table(("recipe", "in TOML"), ((f"`{name}`", f"`{_in_toml(name)}`") for name in recipe_text.PRESETS))


def _in_toml(name: str) -> str:
    return "; ".join(f"{key} = {value!r}".replace("'", '"') for key, value in recipe_text.PRESETS[name].items())


def parts_of_recipes() -> str:
    """What each part of a recipe may be, with its parameters."""
    rows = (
        (f"`{place}`", f"`{word}`", *_part(maker)) for place, kinds in PARTS.items() for word, maker in kinds.items()
    )
    return table(("part", "kind", "parameters", "what it is"), rows)


def _part(maker: Callable[..., Any]) -> tuple[str, str]:
    made = maker() if getattr(maker, "__name__", "") == "<lambda>" else None
    if made is not None:
        return "", f"`{made}`"
    given = inspect.signature(maker).parameters.values()
    shown = ", ".join(each.name if each.default is each.empty else _with_default(each) for each in given)
    return f"`{shown}`" if shown else "", first_sentences(maker)


def _with_default(parameter: inspect.Parameter) -> str:
    plain = isinstance(parameter.default, str | int | float | bool)
    return f"{parameter.name}={parameter.default}" if plain else f"{parameter.name}=…"


def combinations() -> str:
    """What cannot be combined, with the reason of each."""
    return table(("this", "with", "why not"), (map(_literal, row) for row in refused.rows()))


def options() -> str:
    """Every option, with the commands that take it."""
    taken = [*commands.options()]
    studies = {path for _, path in taken if path.startswith("study ")}
    found = {name: [path for option, path in taken if option == name] for name in sorted({name for name, _ in taken})}
    return table(("option", "commands"), ((f"`{name}`", _takers(paths, studies)) for name, paths in found.items()))


def _takers(paths: list[str], studies: set[str]) -> str:
    """Commands by their words; one line stands for all studies, and for the program itself."""
    everywhere = studies.issubset(paths)
    few = (f"`{path}`" if path else "all" for path in paths if not (everywhere and path in studies))
    return ", ".join([*few, *["all studies"] * everywhere])


def data_sets() -> str:
    """The data sets that can be read, as their presets say."""
    head = ("preset", "data set", "size", "licence", "limits", "users", "GPUs", "further", "machine", "where")
    return table(head, (_data_set(name, mapping(name)) for name in presets()))


def _data_set(name: str, how: Mapping) -> list[str]:
    further = ", ".join(role for role in FURTHER if role in how.columns)
    gpus = "yes" if "gpus" in how.columns else "per node" if any(each.gpus for each in how.machine) else "no"
    flags = [_yes(how.has_limits), _yes(how.has_users), gpus, further or "–"]
    return [f"`{name}`", how.title, how.size, how.licence, *flags, _machine(how), _literal(how.where)]


def _yes(holds: bool) -> str:
    return "yes" if holds else "**no**"


def _machine(how: Mapping) -> str:
    kinds = [f"{each.nodes:,} × {each.cores}" + (f" + {each.gpus} GPUs" if each.gpus else "") for each in how.machine]
    return ", ".join(kinds) or "–"


def mapping_columns() -> str:
    """What a mapping may say of a column."""
    return table(("column", "what it says"), ([f"`{role}`", what] for role, what in ROLES.items()))


def slurm_settings() -> str:
    """A section for each part of a site's configuration, with what becomes of its settings."""
    parts = [(part, [*rows]) for part, rows in groupby(known(), key=lambda each: each.part)]
    return "\n".join(
        f"## {part}\n\n" + table(("setting", "what becomes of it", "why"), map(_setting, rows)) for part, rows in parts
    )


def _setting(each: Known) -> list[str]:
    return [f"`{each.name}`", each.effect, _literal(each.why)]


def sacct_fields() -> str:
    """What becomes of the values of Slurm's accounting."""
    return table(("sacct -P", "JSON", "here"), FIELDS)


def _of_table(heading: str) -> str:
    """A heading of a table on the screen, on one line."""
    return " ".join(heading.replace("-\n", "").split())


def logs_over_the_years() -> str:
    """The tables of `thinktime study logs --kept`."""
    study = LogsStudy(kept=True)
    parts = [each for each in study.report(study.run()).page() if each != ""]
    tables = (
        f"## {each.title}\n\n" + table([_of_table(column.heading) for column in each.columns], each.rows)
        for each in parts
        if not isinstance(each, str)
    )
    return "\n".join([*tables, " ".join(map(str, (each for each in parts if isinstance(each, str))))]) + "\n"


CATALOGUES: dict[str, Callable[[], str]] = {
    "policies": policies,
    "named policies": named_policies,
    "orders": orders,
    "metrics": metrics_of_a_run,
    "measures": measures_of_jobs,
    "metrics of papers": metrics_of_papers,
    "metrics of modes": metrics_of_modes,
    "terms of metrics": terms_of_metrics,
    "names of metrics": how_metrics_are_named,
    "columns": columns,
    "combinations": combinations,
    "options": options,
    "data_sets": data_sets,
    "mapping_columns": mapping_columns,
    "hooks": hooks,
    "moments": moments,
    "behaviours": behaviours_of_users,
    "recipes": recipes,
    "parts of recipes": parts_of_recipes,
    "slurm settings": slurm_settings,
    "sacct fields": sacct_fields,
    "logs over the years": logs_over_the_years,
    "commands": commands.markdown,
    "json keys": json_keys.markdown,
    "gallery": gallery.markdown,
}
"""The catalogues by the name that pages ask for."""
