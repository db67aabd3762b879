"""Tables of plain values, as they stand in TOML, become the objects that they describe, and are made of them again.

A table is the dataclass of its keys. The type of a field says what may stand there:

* ``int``, ``float``, ``str`` and ``bool``, of exactly this type (a whole number is a number, too); with ``| None`` they
  may be left out
* what has a `Codec`, such as a duration (`thinktime.workloads.reading.values`)
* another `Table`, and with `Rows` a list of them
* with `FLAT` in its metadata, a table whose keys stand among those of the one around it

A field of any other type is no key: only Python can fill it. A class may change what is given before it is read
(``completed``), and answer an unknown key with a sentence of its own (``refused``).

Pydantic checks each table. What is wrong is a `Fault`, which the tables around it tell where it is.
"""

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeVar

from thinktime.workloads.names import key_of, quoted, shortened
from thinktime.workloads.reading.faults import VERBS, what_is_wrong

T = TypeVar("T")
FLAT = "flat"


class Table:
    """A dataclass whose fields are the keys of a table."""

    __slots__ = ()

    short: ClassVar[bool] = False
    """Whether it has so few keys that a sentence can name them all."""

    @classmethod
    def completed(cls, table: Mapping[str, Any]) -> Mapping[str, Any]:
        """The table to be read instead of the one given, such as with values that follow from others."""
        return table

    @classmethod
    def refused(cls, key: str) -> str:
        """A sentence about a key that is known not to be there; empty for all others."""
        return ""


class Codec(NamedTuple):
    """How a value is read and written: ``Annotated[float, Codec(seconds, as_text)]``.

    ``read`` raises ``ValueError`` with what is wrong, best such as ``must be a number, not 'x'``; with ``with_base``,
    it is given the base of the table as well (`Form.values`). It may also be the name of one of Pydantic's types.
    ``of`` is the class of the table, or the `Rows`, that the value is.
    """

    read: Callable[..., Any] | str
    write: Callable[[Any], Any] = lambda value: value
    of: Any = None
    with_base: bool = False

    def __repr__(self) -> str:
        return "Codec(...)"  # no addresses of functions, in the documentation

    def schema(self) -> Any:
        """The schema by which pydantic reads such a value."""
        from pydantic_core import core_schema

        if isinstance(self.read, str):
            return {"type": self.read, "strict": True}
        if not self.with_base:
            return core_schema.no_info_plain_validator_function(self.read)
        read = self.read
        return core_schema.with_info_plain_validator_function(lambda value, info: read(value, info.context))


AS_GIVEN = Codec(lambda value: value)
"""A value that its class checks itself."""


class Fault(ValueError):
    """What is wrong with a table or with one of its keys, and the names of the tables that it is in."""

    def __init__(self, what: str, key: str = "") -> None:
        super().__init__(what)
        self.what, self.key = what, key
        self.place: tuple[str, ...] = ()

    def within(self, name: str) -> "Fault":
        """The same fault, seen from the table around."""
        self.place = (name, *self.place)
        return self


class OfTable(Fault):
    """A fault in the value of a key whose sentence is about the table."""


def sentence(fault: Fault, whole: str = "") -> str:
    """What is wrong, with the innermost table and the key: ``QOS short: priority must be a whole number, not 'x'``.

    ``whole`` is what all tables together are called.
    """
    table, what = fault.place[-1] if fault.place else "", fault.what
    verb = what.startswith(VERBS)
    if fault.key:
        what = f"{fault.key} {what}" if verb else f"{fault.key} is wrong: {what}"
    elif verb and (table or (whole and not fault.place)):
        return f"{table or whole} {what}"
    return what if not table or what.startswith((table, "cluster '")) else f"{table}: {what}"


def read(kind: type[T], table: Any, whole: str = "") -> T:
    """What a table describes; ``ValueError`` says what is wrong in a sentence, which calls the table ``whole``."""
    try:
        return typing.cast(T, form_of(kind).read(table))
    except Fault as fault:
        raise ValueError(sentence(fault, whole)) from None


def read_value(of: "Rows", value: Any) -> Any:
    """What a value alone describes; ``ValueError`` says what is wrong in a sentence."""
    try:
        return of.read(value)
    except Fault as fault:
        raise ValueError(sentence(fault)) from None


def table_of(value: Any) -> dict[str, Any]:
    """An object as a table of plain values, without the keys that have their defaults."""
    return form_of(type(value)).table(value)


@dataclasses.dataclass(frozen=True)
class Rows:
    """A list of tables of one class: ``Annotated[Nodes, Rows(Cluster, Nodes, "cluster")]``.

    ``make`` makes the value of the parts, ``what`` is what one of them is called, and ``parts`` are those of a value.
    """

    kind: type[Any]
    make: Callable[[Sequence[Any]], Any]
    what: str
    parts: Callable[[Any], Iterable[Any]] = tuple

    def read(self, tables: Any) -> Any:
        """The value of which these are the parts."""
        if not isinstance(tables, Sequence) or isinstance(tables, str):
            raise Fault(f"must be a list of tables, not {quoted(tables)}").within(f"{self.what}:")
        parts, form = [], form_of(self.kind)
        for number, each in enumerate(tables, start=1):
            try:
                parts.append(form.read(each))
            except Fault as fault:
                raise fault.within(called(self.what, number, each)) from None
        try:
            return self.make(parts)
        except ValueError as error:
            raise Fault(str(error)).within("") from None

    def write(self, value: Any) -> list[dict[str, Any]]:
        """Its parts as tables."""
        return [table_of(each) for each in self.parts(value)]


def called(what: str, number: int, table: Any) -> str:
    """What one of several tables is called: by its name, else by its place."""
    named = isinstance(table, Mapping) and (table.get("name") or table.get("account"))
    user = f"user {table['user']} of " if named and "user" in table else ""
    return f"{user}{what} {shortened(named, 40)}" if isinstance(named, str) else f"{what} number {number}"


class Form:
    """The keys of a class: how each is read and written."""

    listed = "its keys"
    """What the keys are called in sentences."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        hints = typing.get_type_hints(kind, include_extras=True)
        fields = [each for each in dataclasses.fields(kind) if each.init]
        self.flat = {each.name: form_of(hints[each.name]) for each in fields if each.metadata.get(FLAT)}
        """Fields that are tables whose keys stand among the others."""
        own = {each.name: self.reader(each, hints[each.name]) for each in fields if each.name not in self.flat}
        self.own = {name: codec for name, codec in own.items() if codec is not None}
        arguments = inspect.signature(kind).parameters
        self.defaults = {each.name: _default(each, arguments[each.name]) for each in fields}
        self.keys: dict[str, Codec] = {}
        """All keys of a table, with how their values are read and written."""
        for each in fields:
            self.keys |= self.flat[each.name].keys if each.name in self.flat else {}
            self.keys |= {each.name: self.own[each.name]} if each.name in self.own else {}

    def reader(self, field: "dataclasses.Field[Any]", hint: Any) -> "Codec | None":
        """How a field of a type is read and written; None if it is no key."""
        return _codec(hint)

    @property
    def complete(self) -> bool:
        """Whether its keys are enough for an object: no field without a default is left to Python."""
        needed = {name for name, default in self.defaults.items() if default is dataclasses.MISSING}
        return bool(self.keys) and needed <= {*self.own, *self.flat}

    def needed(self) -> list[str]:
        """The keys without which there is no such object."""
        own = [name for name in self.own if self.defaults[name] is dataclasses.MISSING]
        return [name for form in self.flat.values() for name in form.needed()] + own

    @cached_property
    def _validator(self) -> Any:
        from pydantic_core import SchemaValidator, core_schema

        needed, codecs = self.needed(), self.keys.items()
        fields = {key: core_schema.typed_dict_field(of.schema(), required=key in needed) for key, of in codecs}
        return SchemaValidator(core_schema.typed_dict_schema(fields))

    def values(self, table: Any, base: Any = None) -> dict[str, Any]:
        """The values of the keys that a table gives; ``base`` is told to the readers of fields that ask for it."""
        from pydantic_core import ValidationError

        if not isinstance(table, Mapping):
            keys = f" of {', '.join(self.keys)}" if getattr(self.kind, "short", False) else ""
            raise Fault(f"must be a table{keys}, not {quoted(table)}")
        for key in table:
            self.check(key)
        try:
            found: dict[str, Any] = self._validator.validate_python(dict(self._completed(table)), context=base)
        except ValidationError as error:
            raise _first_fault(error, list(table)) from None
        return found

    def value(self, key: str, given: Any) -> Any:
        """The value of one key, whatever others are needed."""
        from pydantic_core import SchemaValidator, ValidationError

        self.check(key)
        try:
            return SchemaValidator(self.keys[key].schema()).validate_python(given)
        except ValidationError as error:
            raise _of(error.errors(include_url=False)[0], key) from None

    def default(self, key: str) -> Any:
        """The value of a key that is not given."""
        if key in self.own:
            return self.defaults[key]
        return next(form.default(key) for form in self.flat.values() if key in form.keys)

    def check(self, key: str) -> None:
        """Raise a `Fault` if there is no such key."""
        if key not in self.keys:
            said = self.kind.refused(key) if issubclass(self.kind, Table) else ""
            raise Fault(said or f"has no key {quoted(key)}; {key_of(str(key), self.keys, self.listed)}")

    def read(self, table: Any) -> Any:
        """What a table describes; raises a `Fault`."""
        return self.made(self.values(table))

    def made(self, values: Mapping[str, Any]) -> Any:
        """The object with these values of its keys, and the defaults of all others."""
        own = {name: value for name, value in values.items() if name in self.own}
        try:
            for name, form in self.flat.items():
                if given := {key: value for key, value in values.items() if key in form.keys}:
                    own[name] = form.kind(**given)
            return self.kind(**own)
        except ValueError as error:
            raise error if isinstance(error, Fault) else Fault(str(error)) from None

    def fields(self, value: Any) -> dict[str, Any]:
        """The values of an object's keys that differ from their defaults."""
        found: dict[str, Any] = {}
        for name, default in self.defaults.items():
            own = getattr(value, name)
            if name in self.flat:
                found |= self.flat[name].fields(own)
            elif name in self.own and own != default:
                found[name] = own
        return found

    def table(self, value: Any, always: Sequence[str] = ()) -> dict[str, Any]:
        """An object as a table of plain values, without defaults but for the keys that are ``always`` given."""
        found = {key: getattr(value, key) for key in always} | self.fields(value)
        return {key: self.keys[key].write(found[key]) for key in self.keys if key in found}

    def _completed(self, table: Mapping[str, Any]) -> Mapping[str, Any]:
        if not issubclass(self.kind, Table):
            return table
        try:
            completed: Mapping[str, Any] = self.kind.completed(table)
            return completed
        except ValueError as error:
            raise Fault(str(error)) from None


_FORMS: dict[tuple[Any, Any], Form] = {}
"""What was found out about classes: a site may have ten thousands of associations."""


def form_of(kind: Any, how: type[Form] = Form) -> Form:
    """The form of a class, which is made once."""
    if (kind, how) not in _FORMS:
        _FORMS[kind, how] = how(kind)
    return _FORMS[kind, how]


def short(value: float) -> float:
    """A number, without a fraction if it is whole and not too large for that."""
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else value


SCALARS = {int: Codec("int"), float: Codec("float", short), str: Codec("str"), bool: Codec("bool")}


def _codec(hint: Any) -> Codec | None:
    """How a field of a type is read and written; None if it is no key."""
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        parts = [each for each in typing.get_args(hint) if each is not types.NoneType]
        return _codec(parts[0]) if len(parts) == 1 else None
    for each in getattr(hint, "__metadata__", ()):
        if isinstance(each, Codec | Rows):
            return each if isinstance(each, Codec) else Codec(each.read, each.write, each)
    if isinstance(hint, type) and issubclass(hint, Table):
        return Codec(lambda table: form_of(hint).read(table), table_of, hint)
    return SCALARS.get(hint)


def _default(field: "dataclasses.Field[Any]", argument: inspect.Parameter) -> Any:
    """The default of a field; if it has none, that of the argument of its class, or `dataclasses.MISSING`."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    unset = field.default is dataclasses.MISSING and argument.default is not argument.empty
    return argument.default if unset else field.default


def _first_fault(error: Any, order: list[str]) -> Fault:
    """The first thing that is wrong, in the order of the table; what is missing comes last, all together."""
    found = error.errors(include_url=False)
    missing = [str(each["loc"][-1]) for each in found if each["type"] == "missing"]
    wrong = [each for each in found if each["type"] != "missing"]
    if not wrong:
        return Fault(f"needs {' and '.join(missing)}")
    first = min(wrong, key=lambda each: order.index(each["loc"][0]) if each["loc"][0] in order else len(order))
    return _of(first, str(first["loc"][0]))


def _of(wrong: Mapping[str, Any], key: str) -> Fault:
    """The fault behind an error of pydantic's in the value of a key."""
    error = wrong.get("ctx", {}).get("error")
    if isinstance(error, Fault):
        return error if isinstance(error, OfTable) else error.within(key)
    return Fault(what_is_wrong(wrong), key)
