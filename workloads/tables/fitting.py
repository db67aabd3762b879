"""Which mappings fit a table: how many of the columns that they need it has."""

from collections.abc import Collection, Sequence

from thinktime.workloads.names import SHOWN, shortened
from thinktime.workloads.tables.mapping import Mapping, mapping, presets
from thinktime.workloads.tables.rows import NEEDED

MOST_PRESETS = 2
MOST_COLUMNS = 8
"""How many columns a message names."""


def lacking(how: Mapping, has: Collection[str]) -> list[str]:
    """The columns that a mapping needs and a table has not."""
    return [
        rule.names[0]
        for role, rule in how.columns.items()
        if role in NEEDED and not any(name in has for name in rule.names)
    ]


def fitting(has: Collection[str]) -> list[str]:
    """The presets all of whose needed columns a table has, those with most columns in it first."""
    fit: list[tuple[float, int, str]] = []
    for name in presets():
        how = mapping(name)
        if how.layout == "table" and not how.names and not lacking(how, has):
            there = sum(any(each in has for each in rule.names) for rule in how.columns.values())
            fit.append((-there / len(how.columns), -there, name))
    return [name for _, _, name in sorted(fit)]


def in_words(has: Collection[str], but: str = "") -> str:
    """The presets that fit best, such as "pm100 or adastra-mi250"; nothing if none does."""
    fit = [each for each in fitting(has) if each != but]
    return " or ".join(fit[:MOST_PRESETS])


def misfit(file: str, name: str, missing: Sequence[str], has: Sequence[str]) -> str:
    """The sentence for a table that lacks columns."""
    named = ", ".join(shortened(each, SHOWN) for each in missing[:MOST_COLUMNS])
    rest = f" and {len(missing) - MOST_COLUMNS} more" if len(missing) > MOST_COLUMNS else ""
    fit = in_words(set(has), name)
    first = ", ".join(shortened(each, SHOWN) for each in has[:MOST_COLUMNS])
    advice = f"the preset {fit} would fit" if fit else (
        f"no preset would fit its columns ({first}{', …' if len(has) > MOST_COLUMNS else ''}); "
        "`thinktime trace guess FILE` drafts a mapping"
    )  # fmt: skip
    plural = "s" if len(missing) > 1 else ""
    return f"{shortened(file)} lacks the column{plural} {named}{rest} of {name}; {advice}"
