"""The file of a state: a zip archive of two members, which any tool can unpack.

* ``state.json``: ``format`` ("thinktime state"), ``version``, ``thinktime`` (the version that wrote it), ``layouts``
  (for each class, digits that depend on its arrays, numbers and fields), ``nodes``, ``root`` (the value,
  `thinktime.models.machine.saved.graph`) and ``arrays``: the type and the shape of each, ``constant`` if one element is
  written that stands for all, ``fixed`` if it cannot be written to.
* ``arrays``: the elements of all arrays in this order, little-endian, each from a multiple of 64 bytes on.

The same value gives the same bytes. Each member has a checksum. Nothing in the file is a program: reading it makes
objects of known classes (`thinktime.models.machine.saved.classes`), and looks at every index before compiled code does
(`thinktime.models.machine.saved.ranges`).
"""

import importlib.metadata
import json
import math
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.machine.saved.classes import class_of, layout
from thinktime.models.machine.saved.graph import Read, Written
from thinktime.models.machine.saved.ranges import OutOfRangeError, check
from thinktime.workloads.files import whole_or_nothing

FORMAT, VERSION = "thinktime state", 1
TEXT, ARRAYS = "state.json", "arrays"
ALIGNED = 64
LEVEL = 1
"""Of compression: the others take several times as long, and most of a state is the same again and again."""
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The date of both members: that of a zip archive without one."""
BEGINS = b"PK\x03\x04"
KINDS = frozenset("iufbU")


def write(path: Path, written: Written) -> None:
    """Write a value to a file, all of it or nothing."""
    told = {
        "format": FORMAT, "version": VERSION, "thinktime": importlib.metadata.version("thinktime"),
        "layouts": {name: layout(name) for name in sorted(written.classes)},
        "arrays": [_described(array) for array in written.arrays], "root": written.root, "nodes": written.nodes,
    }  # fmt: skip
    text = json.dumps(told, separators=(",", ":"), allow_nan=False).encode()
    with whole_or_nothing(path) as aside, zipfile.ZipFile(aside, "w") as archive:
        for name, content in ((TEXT, text), (ARRAYS, b"".join(map(_bytes, written.arrays)))):
            member = zipfile.ZipInfo(name, EARLIEST)
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            archive.writestr(member, content, compresslevel=LEVEL)


def read(path: Path) -> Any:
    """The value in a file; ``ValueError`` says in one sentence why there is none."""
    text, data = _members(path)
    try:
        told = json.loads(text)
        named, version, wrote = told["format"], told["version"], told["thinktime"]
    except Exception:
        raise ValueError(f"{path} is no state of a machine: its {TEXT} is not what thinktime writes") from None
    if named != FORMAT:
        raise ValueError(f"{path} is no state of a machine: it says that it is {str(named)[:40]!r}")
    if version != VERSION:
        raise ValueError(
            f"{path} is a state in version {str(version)[:20]} of the format, written by thinktime {str(wrote)[:20]}, "
            f"and this one reads version {VERSION}: run again what came before it"
        )
    try:
        _check_layouts(told["layouts"])
        graph = Read(told["nodes"], _arrays(told["arrays"], data))
        value = graph.value(told["root"])
        check(graph.objects)
        return value
    except OutOfRangeError as error:
        raise ValueError(f"{path} is damaged: an element of {error} is out of range") from None
    except UnknownError as error:
        raise ValueError(f"{path} {error}") from None
    except Exception as error:  # damage shows as almost anything
        raise ValueError(f"{path} is damaged: what it describes cannot be made ({type(error).__name__})") from None


class UnknownError(Exception):
    """A class that is not known, or not as it is now."""


def _members(path: Path) -> tuple[bytes, bytes]:
    """The text and the elements of the arrays."""
    with path.open("rb") as file:
        begin = file.read(len(BEGINS) + 64)
        try:
            with zipfile.ZipFile(file) as archive:
                if set(archive.namelist()) != {TEXT, ARRAYS}:
                    raise ValueError(f"{path} is no state of a machine: it is another archive")
                return archive.read(TEXT), archive.read(ARRAYS)
        except zipfile.BadZipFile as error:
            if "CRC" in str(error):
                raise ValueError(f"{path} is damaged: a checksum is wrong") from None
            if begin.startswith(BEGINS) and TEXT.encode() in begin:
                raise ValueError(f"{path} is cut off: its end is missing") from None
            raise ValueError(f"{path} is no state of a machine, such as state.save('june.state') writes") from None
        except (zlib.error, EOFError, NotImplementedError, RuntimeError):
            raise ValueError(f"{path} is damaged: it cannot be decompressed") from None


def _check_layouts(layouts: dict[str, str]) -> None:
    for name, digits in layouts.items():
        try:
            known = layout(name)
        except KeyError:
            raise UnknownError(f"has a {str(name)[:80]!r}, which states of this version of thinktime lack") from None
        if known != digits:
            raise UnknownError(
                f"has a {class_of(name).__name__} of another layout than that of this version of thinktime: run again "
                "what came before it"
            )


def _described(array: NDArray[Any]) -> list[Any]:
    constant = bool(array.size) and not any(array.strides) and not array.flags.writeable
    marks = ["constant"] * constant + ["fixed"] * (not array.flags.writeable and not constant)
    return [array.dtype.newbyteorder("<").str, list(array.shape), *marks]


def _bytes(array: NDArray[Any]) -> bytes:
    one = array.ravel()[:1] if "constant" in _described(array) else array
    content = np.ascontiguousarray(one, array.dtype.newbyteorder("<")).tobytes()
    return content + bytes(-len(content) % ALIGNED)


def _arrays(described: list[list[Any]], data: bytes) -> list[NDArray[Any]]:
    """The arrays, of which those that can be written to share one piece of memory."""
    memory, place, found = np.frombuffer(bytearray(data), np.uint8), 0, []
    for dtype, shape, *marks in described:
        kind = np.dtype(dtype).newbyteorder("=")
        if kind.kind not in KINDS or not all(isinstance(n, int) and n >= 0 for n in shape):
            raise ValueError("arrays")
        size = kind.itemsize * (1 if "constant" in marks else math.prod(shape))
        array = memory[place : place + size].view(dtype).astype(kind, copy=False)
        array = np.broadcast_to(array[0], shape) if "constant" in marks else array.reshape(shape)
        if "fixed" in marks:
            array.flags.writeable = False
        found.append(array)
        place += size + -size % ALIGNED
    if place != len(memory):
        raise ValueError("arrays")
    return found
