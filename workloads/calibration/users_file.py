"""Fitted users in files: ``users.npz`` has the arrays, ``users.json`` everything else. Nothing in them is code."""

import json
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from thinktime.workloads.calibration.beyond import Beyond
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.effects import BLIND, REACTING
from thinktime.workloads.calibration.posterior import UserClass
from thinktime.workloads.calibration.tables import AGES, CELLS
from thinktime.workloads.calibration.users import Score, Users
from thinktime.workloads.calibration.withdrawals import Withdrawals
from thinktime.workloads.files import whole_or_nothing

VERSION = 1
ARRAYS, REST = "users.npz", "users.json"
STRUCTURES = {each.name: each for each in (BLIND, REACTING)}
DAMAGES = (
    KeyError, TypeError, IndexError, AttributeError, ValueError, RuntimeError, EOFError, NotADirectoryError,
    IsADirectoryError, zipfile.BadZipFile, zlib.error, SyntaxError, tokenize.TokenError,
)  # fmt: skip
"""What files that are no users may raise."""
OF_CLASS = (
    "values", "covariance", "levels", "level_precision", "across", "moved", "levels_moved", "level_prior", "zero",
    "expected", "prior",
)  # fmt: skip


def write_users(users: Users, folder: str | Path) -> Path:
    """Write users into a folder, which is made; returns it.

    >>> import tempfile, thinktime as tt
    >>> columns = {"submit": [3600.0 * hour for hour in range(20)], "runtime": [60] * 20, "wait": [0] * 20}
    >>> users = tt.calibrate(tt.Trace(columns | {"allocated": [1] * 20, "user": [1] * 20}), score=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tt.read_users(tt.write_users(users, folder)).gaps
    19
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, Any] = {
        "names": users.names,
        "class_of": users.class_of,
        "waits": users.waits,
        "clockwork": users.clockwork,
        "residuals": users.residuals,
        "cells": users.calendar.cells,
    }
    for number, each in enumerate(users.classes):
        arrays |= {f"{name}_{number}": getattr(each, name) for name in OF_CLASS}
    if users.withdrawals is not None:
        arrays |= {"waited": users.withdrawals.waited, "impatience": users.withdrawals.level}
    rest: dict[str, Any] = {
        "version": VERSION,
        "jobs": users.jobs,
        "gaps": users.gaps,
        "first_hour": users.calendar.first,
        "withdrawn": None if users.withdrawals is None else users.withdrawals.withdrawn,
        "classes": [
            {"structure": each.structure.name, "effects": each.effects, "sizes": each.sizes} for each in users.classes
        ],
        "evidence": dict(users.evidence),
        "scores": {name: each._asdict() for name, each in users.scores.items()},
        "rescaled": None if np.isnan(users.rescaled[0]) else list(users.rescaled),
        "beyond": {name: each._asdict() for name, each in users.beyond.items()},
    }
    with whole_or_nothing(folder / ARRAYS) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **arrays)
    with whole_or_nothing(folder / REST) as temporary:
        temporary.write_text(json.dumps(rest, indent=1) + "\n", encoding="utf-8")
    return folder


def read_users(folder: str | Path) -> Users:
    """Read users from a folder; ``ValueError`` for files that `write_users` did not write, or a newer version did.

    >>> import thinktime as tt
    >>> try:
    ...     tt.read_users("no-such-folder")
    ... except ValueError as error:
    ...     print(error)
    no-such-folder has no users.json: fitted users are a folder with users.npz and users.json
    """
    folder = Path(folder)
    try:
        rest = json.loads((folder / REST).read_text(encoding="utf-8"))
        if (version := rest["version"]) == VERSION:
            with np.load(folder / ARRAYS, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            users = _users(rest, arrays)
            _check(users)
            return users
    except FileNotFoundError as error:
        raise ValueError(
            f"{folder} has no {Path(error.filename).name}: fitted users are a folder with {ARRAYS} and {REST}"
        ) from None
    except DAMAGES:
        raise ValueError(f"{folder} does not hold users as `thinktime calibrate --out` writes them") from None
    raise ValueError(f"{folder / REST} is of version {version}, and this thinktime reads {VERSION}")


def _check(users: Users) -> None:
    """``ValueError`` for arrays that do not belong together."""
    count, gone = len(users.names), users.withdrawals
    held: list[Any] = [
        users.names.dtype.kind == "i",
        users.waits.shape == (count, 2),
        users.clockwork.shape == (count,),
    ]
    held += [users.class_of.shape == (count,), np.isin(users.class_of, np.arange(len(users.classes))).all()]
    held += [len(users.classes) > 0, np.isin(users.calendar.cells, np.arange(CELLS)).all()]
    held += [gone is None or (gone.waited.shape == AGES.shape and len(gone.level) >= count)]
    for each in users.classes:
        size, levels = 1 + sum(each.sizes), each.levels.shape
        held += [each.covariance.shape == (size, size), each.across.shape == (size, each.levels.size)]
        held += [each.moved.shape == (size,), each.level_prior.shape == levels[1:]]
        held += [
            levels == each.level_precision.shape == each.levels_moved.shape,
            levels[0] >= count,
            levels[1:] == (each.structure.kinds,),
        ]
        held += [each.zero.shape == each.expected.shape == (size - 1,), each.prior.shape == (len(each.effects),)]
        each.tables()  # which values do not fit
    if not all(held):
        raise ValueError("these arrays do not belong together")


def _users(rest: dict[str, Any], arrays: dict[str, Any]) -> Users:
    classes = tuple(
        UserClass(
            structure=STRUCTURES[each["structure"]],
            effects=tuple(each["effects"]),
            sizes=tuple(each["sizes"]),
            **{name: arrays[f"{name}_{number}"] for name in OF_CLASS},
        )
        for number, each in enumerate(rest["classes"])
    )
    withdrawals = None
    if rest["withdrawn"] is not None:
        withdrawals = Withdrawals(arrays["waited"], arrays["impatience"], rest["withdrawn"])
    return Users(
        names=arrays["names"],
        class_of=arrays["class_of"],
        classes=classes,
        waits=arrays["waits"],
        clockwork=arrays["clockwork"],
        residuals=arrays["residuals"],
        calendar=Calendar(arrays["cells"], rest["first_hour"]),
        withdrawals=withdrawals,
        jobs=rest["jobs"],
        gaps=rest["gaps"],
        evidence=rest["evidence"],
        scores={name: Score(**of) for name, of in rest["scores"].items()},
        rescaled=(float("nan"), float("nan")) if rest["rescaled"] is None else tuple(rest["rescaled"]),
        beyond={name: Beyond(**of) for name, of in rest.get("beyond", {}).items()},
    )
