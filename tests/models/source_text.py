"""Records of a case as Python source, so that a case that fails can be built again by hand."""

from collections.abc import Iterator
from dataclasses import fields
from math import inf


def source(record: object) -> str:
    """A record by what differs from the defaults; infinity is ``INF``."""
    return f"{type(record).__name__}({', '.join(_differences(record))})"


def listed(name: str, records: tuple[object, ...]) -> list[str]:
    """The lines of a tuple of records, which is an argument of that name."""
    return [f"  {name}=(", *(f"    {source(record)}," for record in records), "  ),"]


def _differences(record: object) -> Iterator[str]:
    for field in fields(record):  # type: ignore[arg-type]
        value = getattr(record, field.name)
        if value != field.default:
            yield f"{field.name}={_text(value)}"


def _text(value: object) -> str:
    if value == inf:
        return "INF"
    return f"frozenset({sorted(value)})" if isinstance(value, frozenset) else repr(value)
