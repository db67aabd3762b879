"""A snapshot in which numbers stand for the names of people and projects: users, accounts, jobs, groups, the cluster.

Nodes, partitions and QOS keep their names. What may say anything (commands, folders, comments, reasons, addresses) is
left out, and so are settings that have nothing to do with schedules. A name has the same number in all files, and the
user and account ``root`` stay what they are.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from thinktime.models.site import effects
from thinktime.models.site.slurm.settings import known_settings
from thinktime.workloads.files import csv_text
from thinktime.workloads.text_files import text_of

FIRST_NUMBER = 100_000
"""Users' own numbers (UID) are replaced by this and what follows it."""
_SAID = re.compile(r"(?:(?<=\s)|^)([A-Za-z][\w/:.\[\]-]*)=")
_WITH_NUMBER = re.compile(r"([^()]*)\((\d+)\)")
_KEPT_OPTIONS = ("--dependency", "-d", "--begin", "-b", "--array", "-a", "--hold", "-H")
_LIMITS = re.compile(r"(\S+)=\{")
SAME = frozenset({"", "(null)", "n/a", "none", "all", "any", "root", "unknown", "nobody"})
"""What is no name, or everybody's."""


class Names:
    """The names that were found, and what stands for each."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, str]] = {}

    def of(self, kind: str, name: str) -> str:
        """What stands for a name of a kind."""
        if name.strip().lower() in SAME:
            return name
        known = self._known.setdefault(kind, {})
        if name not in known:
            known[name] = str(FIRST_NUMBER + len(known)) if kind == "uid" else f"{kind}{1 + len(known)}"
        return known[name]

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """The key: kind, what stands for it, name."""
        for kind, names in sorted(self._known.items()):
            yield from ((kind, stand, name) for name, stand in names.items())


def anonymize(folder: Path) -> Names:
    """Rewrite the files of a folder; returns the key."""
    names = Names()
    for path in sorted(folder.iterdir()):
        if (rewrite := FILES.get(path.name)) is not None:
            path.write_text(rewrite(text_of(path), names), encoding="utf-8")
    return names


def write_key(names: Names, path: Path) -> None:
    """Write the key into a new file that only its owner can read."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(csv_text(chain([("kind", "number", "name")], names.rows())))


# -- values -----------------------------------------------------------------------------------------------------------


def _one(kind: str) -> Callable[[str, Names], str]:
    return lambda value, names: names.of(kind, value)


def _numbered(kind: str) -> Callable[[str, Names], str]:
    """A name with its number: ``ann(1004)``."""

    def replaced(value: str, names: Names) -> str:
        match = _WITH_NUMBER.fullmatch(value)
        if not match:
            return names.of(kind, value)
        number = match[2] if match[2] == "0" or kind == "account" else names.of("uid", match[2])
        return f"{names.of(kind, match[1])}({number})"

    return replaced


def _listed(kind: str) -> Callable[[str, Names], str]:
    """Names with commas, each perhaps behind a minus."""

    def replaced(value: str, names: Names) -> str:
        words = (word.strip() for word in value.split(","))
        return ",".join(f"-{names.of(kind, word[1:])}" if word[:1] == "-" else names.of(kind, word) for word in words)

    return replaced


def _nothing(value: str, names: Names) -> str:
    return "(null)"


def _empty(value: str, names: Names) -> str:
    return ""


def _lineage(value: str, names: Names) -> str:
    """``/physics/theory/`` or ``/physics/0-ann/``."""
    words = value.strip().strip("/").split("/")
    found = [f"0-{names.of('user', word[2:])}" if word[:2] == "0-" else names.of("account", word) for word in words]
    return f"/{'/'.join(found)}/" if words != [""] else value


def _submit_line(value: str, names: Names) -> str:
    """The options by which a job waits, without what it runs."""
    words = value.split()
    kept = [word for word in words[1:] if word.partition("=")[0] in _KEPT_OPTIONS]
    return " ".join([words[0].rsplit("/", 1)[-1], *kept]) if words else ""


Replaced = Callable[[str, Names], str]
RECORDS: dict[str, Replaced] = {
    "jobname": _one("job"), "userid": _numbered("user"), "groupid": _numbered("group"), "account": _one("account"),
    "wckey": _one("wckey"), "reservation": _one("reservation"), "reservationname": _one("reservation"),
    "users": _listed("user"), "accounts": _listed("account"), "groups": _listed("group"),
    "allowaccounts": _listed("account"), "denyaccounts": _listed("account"), "allowgroups": _listed("group"),
    "denygroups": _listed("group"), "username": _numbered("user"), "defaccount": _one("account"),
    "defwckey": _one("wckey"), "parentaccount": _numbered("account"), "clustername": _one("cluster"),
    "coordinators": _listed("user"), "owner": _numbered("user"),
    **dict.fromkeys(
        ("command", "workdir", "stderr", "stdin", "stdout", "comment", "admincomment", "systemcomment", "extra",
         "mailuser", "mailtype", "allocnode:sid", "submitline", "container", "os", "nodeaddr", "nodehostname",
         "network", "resumeafter", "instanceid", "instancetype"),
        _nothing,
    ),
}  # fmt: skip
"""What is done with the values of `scontrol -o show`, by their keys in lower case."""
CELLS: dict[str, Replaced] = {
    "user": _one("user"), "account": _one("account"), "name": _one("job"), "jobname": _one("job"),
    "parname": _one("account"), "parentname": _one("account"), "lineage": _lineage, "reservation": _one("reservation"),
    "submitline": _submit_line, "cluster": _one("cluster"), "wckey": _one("wckey"), "group": _one("group"),
    "comment": _empty, "coordinators": _listed("user"),
}  # fmt: skip
"""What is done with the cells of tables, by their columns."""
VALUES: dict[str, Replaced] = {
    "user_name": _one("user"), "account": _one("account"), "name": _one("job"), "group_name": _one("group"),
    "wckey": _one("wckey"), "resv_name": _one("reservation"), "cluster": _one("cluster"),
    **dict.fromkeys(
        ("command", "comment", "admin_comment", "system_comment", "current_working_directory", "standard_error",
         "standard_input", "standard_output", "container", "submit_line", "extra", "mail_user", "allocating_node",
         "network", "batch_host", "licenses_allocated", "stdin_expanded", "stdout_expanded", "stderr_expanded"),
        _empty,
    ),
}  # fmt: skip
"""What is done with the values of JSON."""


# -- files ------------------------------------------------------------------------------------------------------------


def _records(text: str, names: Names) -> str:
    return "".join(f"{_record(line, names)}\n" for line in text.splitlines())


def _record(line: str, names: Names) -> str:
    """One record; a job's name may be anything, so it ends where the next key is known."""
    if match := re.match(r"(JobId=.*?JobName=)(.*)( UserId=.*)", line):
        return _pairs(match[1], names).rstrip() + names.of("job", match[2]) + _pairs(match[3], names)
    return _pairs(line, names)


def _pairs(line: str, names: Names) -> str:
    places = [(match.start(), match.end(), match[1].lower()) for match in _SAID.finditer(line)]
    found, at = "", 0
    for (_start, end, key), after in zip(places, [*(place[0] for place in places[1:]), len(line)], strict=False):
        value, blanks = line[end:after].rstrip(), line[end:after][len(line[end:after].rstrip()) :]
        found += line[at:end] + (RECORDS[key](value, names) if key in RECORDS else value) + blanks
        at = after
    return found + line[at:]


def _nodes(text: str, names: Names) -> str:
    """A node's reason is a text of its own, with whoever wrote it."""
    return "".join(re.sub(r" Reason=.*", " Reason=(null)", line) + "\n" for line in _records(text, names).splitlines())


def _associations(text: str, names: Names) -> str:
    """Limits of QOS are told for each account (by name) and user (by number)."""
    found = []
    for line in _records(text, names).splitlines():
        of_qos, accounts, rest = line.partition("Account Limits=")
        per_account, users, per_user = rest.partition("User Limits=")
        per_account = _LIMITS.sub(lambda match: f"{names.of('account', match[1])}={{", per_account)
        per_user = _LIMITS.sub(lambda match: f"{names.of('uid', match[1])}={{", per_user)
        found.append(of_qos + accounts + per_account + users + per_user)
    return "".join(f"{line}\n" for line in found)


def _table(text: str, names: Names) -> str:
    """A table with ``|``; the names of accounts keep the blanks that say how deep they lie."""
    lines = text.splitlines()
    keys = [name.strip().lower().replace(" ", "") for name in lines[0].split("|")] if lines else []
    found = lines[:1]
    for line in lines[1:]:
        cells = line.split("|")
        for k, (key, cell) in enumerate(zip(keys, cells, strict=False)):
            if key in CELLS:
                plain = cell.lstrip(" ")
                cells[k] = cell[: len(cell) - len(plain)] + CELLS[key](plain, names)
        found.append("|".join(cells))
    return "".join(f"{line}\n" for line in found)


def _columns(text: str, names: Names) -> str:
    """Columns of blanks, such as those of sprio, where names may be cut: they are left out."""
    lines = [line.split() for line in text.splitlines()]
    keys = [name.lower() for name in lines[0]] if lines else []
    for cells in lines[1:]:
        for k, key in enumerate(keys[: len(cells)]):
            if key in ("user", "account"):
                cells[k] = "-"
    return "".join(f"{' '.join(cells)}\n" for cells in lines)


def _queue(text: str, names: Names) -> str:
    return json.dumps(_value(json.loads(text), names), indent=1) + "\n"


def _value(value: Any, names: Names) -> Any:
    if isinstance(value, list):
        return [_value(each, names) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: _told(key, each, names) for key, each in value.items() if key not in ("meta", "client", "command")}


def _told(key: str, value: Any, names: Names) -> Any:
    if key in ("user_id", "group_id") and isinstance(value, int):
        return int(names.of("uid", str(value))) if value else 0
    if key in VALUES and isinstance(value, str):
        return VALUES[key](value, names)
    return _value(value, names)


def _config(text: str, names: Names) -> str:
    """The settings that schedules depend on."""
    kept = []
    known = {*known_settings(), *(name.lower() for name in effects.CONFIGURATION), "slurm_version", "boot_time"}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if key.strip().lower() == "clustername":
            kept.append(f"{key}{equals} {names.of('cluster', value.strip())}")
        elif key.strip().lower() in known or line.startswith("Configuration data as of"):
            kept.append(re.sub(r"=/\S*|socket=\S*", "", line))
    return "".join(f"{line}\n" for line in kept)


def _statistics(text: str, names: Names) -> str:
    """What sdiag says, without the part about users."""
    return re.sub(r"(?s)Remote Procedure Call statistics by user.*", "", text)


FILES: dict[str, Callable[[str, Names], str]] = {
    "jobs.txt": _records, "nodes.txt": _nodes, "partitions.txt": _records, "reservations.txt": _records,
    "assoc_mgr.txt": _associations, "squeue.psv": _table, "squeue_start.psv": _table, "sshare.psv": _table,
    "assoc.psv": _table, "sacct.psv": _table, "sprio.txt": _columns, "sprio_norm.txt": _columns, "squeue.json": _queue,
    "config.txt": _config, "sdiag.txt": _statistics,
}  # fmt: skip
