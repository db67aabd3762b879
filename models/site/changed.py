"""A site with other settings, such as ``qos.short.priority=50``.

A change is a dotted path into the site's file and a value in TOML (or a bare word). Several are separated by commas.

    backfill.job_part_count_reserve=1             a key of a table
    qos.short.max_tres_per_user.cpu=64            a key of the QOS short
    partitions.debug=none                         no such partition
    priority.half_life=none                       the default of the key
    qos.express={ priority = 90, max_wall = "1h" }    another QOS
    accounts.physics.shares=50, accounts.physics/ann.max_jobs=4    an account, and a user in it

Slurm's names of backfill options (``backfill.bf_window``) and weights (``priority.weights.age``) are known as well, and
a number of a resource is one of processors. What goes by something that is no longer there loses it.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from thinktime.models.site.limits import Limits
from thinktime.models.site.site import Site
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.reading.table import Fault, Form, Rows, called, form_of, sentence
from thinktime.workloads.reading.texts import value_in

Setting = tuple[str, Any]
"""The path of a key, and its value."""

NONE = "none"
"""The value that takes something away."""
NAMED = ("nodes", "partitions", "qos", "accounts")
"""Lists whose parts have names."""
FORMER = {"backfill": "bf_", "priority": "weights."}
"""What may stand before a key of a table."""
OF_TRES = {name for name in Limits.__slots__ if "tres" in name}
_COMMA = re.compile(r",(?=\s*[^\s,={}\[\]\"']+\s*=)")


def settings_of(text: str) -> list[Setting]:
    """The settings of a change; ``ValueError`` if it is no list of PATH=VALUE."""
    found = []
    for part in _parts(text):
        path, equals, value = part.strip().partition("=")
        if not equals or not all(path.strip().split(".")) or not value.strip():
            raise ValueError(f"a change must be PATH=VALUE, such as priority.age=1000, not {quoted(part.strip())}")
        found.append((path.strip(), value_in(value.strip())))
    return found


def changed(site: Site, settings: Iterable[Setting]) -> Site:
    """The site with these settings; ``ValueError`` names what is unknown or wrong, and what would be right."""
    draft = _Draft(site)
    try:
        for path, value in settings:
            draft.put(path, value)
        return draft.made()
    except Fault as fault:
        raise ValueError(sentence(fault, "a site")) from None


def _parts(text: str) -> list[str]:
    """The settings one by one: a comma inside brackets or quotes is part of a value."""
    parts, begin = [], 0
    for comma in _COMMA.finditer(text):
        before = text[begin : comma.start()]
        if (
            before.count("{") == before.count("}")
            and before.count("[") == before.count("]")
            and not before.count('"') % 2
        ):
            parts.append(before)
            begin = comma.end()
    return [*parts, text[begin:]]


Values = dict[str, Any]
"""The values of the keys of an object that differ from their defaults."""


class _Draft:
    """The values of a site's keys while some are changed; its parts are made again when all are."""

    def __init__(self, site: Site) -> None:
        self.form = form_of(type(site))
        self.values = self.form.fields(site)
        self.parts: dict[str, Values] = {}
        """The values of tables of which a key was changed."""
        self.lists = {key: self._parts_of(key, getattr(site, key)) for key in NAMED}

    def put(self, path: str, value: Any) -> None:
        """Change what stands at a path."""
        key, _, rest = path.partition(".")
        self.form.check(key)
        if key in NAMED and rest:
            self._put_in_list(key, rest, value)
        elif rest and (kind := self.form.keys[key].of) is not None and not isinstance(kind, Rows):
            own = self.parts.setdefault(key, form_of(kind).fields(self.values.get(key, self.form.default(key))))
            _put(form_of(kind), own, rest.removeprefix(FORMER.get(key, "")).split("."), value, key)
        else:
            self.parts.pop(key, None)
            _put(self.form, self.values, path.split("."), value)
            if key in NAMED:
                self.lists[key] = self._parts_of(key, self.values.get(key, self.form.default(key)))

    def made(self) -> Site:
        """The site with all changes."""
        for key, own in self.parts.items():
            self.values[key] = _made(form_of(self.form.keys[key].of), own, key)
        for key, rows in self.lists.items():
            of = self._rows(key)
            parts = [_made(form_of(of.kind), row, called(of.what, place, row)) for place, row in enumerate(rows, 1)]
            try:
                self.values[key] = of.make(parts)
            except ValueError as error:
                raise Fault(str(error)).within("") from None
        site: Site = self.form.made(self.values)
        return site

    def _rows(self, key: str) -> Rows:
        of: Rows = self.form.keys[key].of
        return of

    def _parts_of(self, key: str, value: Any) -> list[Values]:
        of = self._rows(key)
        return [form_of(of.kind).fields(each) for each in of.parts(value)]

    def _put_in_list(self, key: str, path: str, value: Any) -> None:
        """Change, add or take away one part of a list."""
        rows, of = self.lists[key], self._rows(key)
        names = [_name(key, row) for row in rows]
        found = max((name for name in names if path == name or path.startswith(f"{name}.")), key=len, default=None)
        what = of.what if found is None else f"{of.what} {found}"
        inside = "" if found is None else path.removeprefix(found).removeprefix(".")
        if found is None and (not isinstance(value, Mapping) or "." in path):
            word = path.split(".")[0]
            known = key_of(word, sorted(names), f"the {'QOS' if key == 'qos' else of.what + 's'}")
            raise Fault(f"there is no {of.what} {quoted(word)}; {known}").within("")
        if inside:
            row = rows[names.index(path[: -1 - len(inside)])]
            _put(form_of(of.kind), row, inside.split(".", 1), value, called(of.what, 0, row))
        elif value == NONE:
            del rows[names.index(path)]
            self._forget(key, path)
        elif not isinstance(value, Mapping):
            raise Fault(f"must be a table of keys, or none, not {quoted(value)}").within(what)
        else:
            table = _new(key, path) | dict(value)
            try:
                row = form_of(of.kind).values(table)
            except Fault as fault:
                raise fault.within(called(of.what, len(rows) + 1, table)) from None
            place = len(rows) if found is None else names.index(found)
            rows[place : place + 1] = [row]

    def _forget(self, key: str, name: str) -> None:
        """Take a partition or a QOS out of what goes by it."""
        if key == "partitions":
            self.lists["accounts"] = [row for row in self.lists["accounts"] if row.get("partition") != name]
        for row in (row for rows in self.lists.values() for row in rows if key == "qos"):
            for field in ("qos", "default_qos", "allow_qos", "deny_qos", "preempts"):
                if row.get(field) == name:
                    del row[field]
                elif isinstance(row.get(field), tuple):
                    row[field] = tuple(each for each in row[field] if each != name)


def _name(key: str, row: Values) -> str:
    """What a part of a list is called in paths."""
    if key != "accounts":
        return str(row["name"])
    return f"{row['account']}/{row['user']}" if "user" in row else str(row["account"])


def _new(key: str, name: str) -> dict[str, Any]:
    """The table of a part with nothing but its name."""
    if key != "accounts":
        return {"name": name}
    account, slash, user = name.partition("/")
    return {"account": account} | ({"user": user} if slash else {})


def _put(form: Form, values: Values, path: list[str], given: Any, what: str = "") -> None:
    """Change the value of a key, or one inside it, or take it away."""
    key, *rest = path
    try:
        form.check(key)
        if not rest and given == NONE:
            values.pop(key, None)
            return
        for word in rest[:1]:
            inside = values.get(key, form.default(key))
            if not isinstance(inside, Mapping):
                raise Fault(f"{key} is {quoted(inside)}, which has no keys such as {quoted(word)}")
            given = {name: each for name, each in {**inside, ".".join(rest): given}.items() if each != NONE}
        whole = isinstance(given, int) and not isinstance(given, bool)
        values[key] = form.value(key, {"cpu": given} if whole and key in OF_TRES else given)
    except Fault as fault:
        raise (fault.within(what) if what else fault) from None


def _made(form: Form, values: Values, what: str) -> Any:
    try:
        return form.made(values)
    except Fault as fault:
        raise fault.within(what) from None
