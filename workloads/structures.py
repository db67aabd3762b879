"""Structures: what kernels take forty arrays at a time by.

A structure holds arrays under names, so that one argument stands for all of them: to take forty arrays one by one
costs 4 µs a call, a structure 0.8 µs. For functions that are written anew for each kind of structure, see
`thinktime.workloads.kinds`.
"""

from collections.abc import Callable, Sequence
from ctypes import addressof, c_byte
from typing import TYPE_CHECKING, Any

import numba.extending
import numba.np.arrayobj
import numpy as np
from numba import types
from numpy.typing import NDArray

from thinktime.workloads.compiler import COMPILES, Codes, CodeTable, Floats, Ints, IntTable

KINDS: "dict[str, StructureKind]" = {}
"""All kinds, by name."""
LINES: dict[str, list[str]] = {}
"""The names of the kinds of structures, each with those whose functions it takes, in order."""
_numba: Any = numba  # without types


class StructureKind(types.Type):
    """What structures of one kind hold: ``fields`` are names, with the types of their arrays.

    Compiled code has a structure as the address of its table, in which each array has its address and its lengths.
    What is not written for a kind is as for the first of the kinds that it is ``like`` for which it is.
    """

    def __init__(self, name: str, like: "Sequence[StructureKind]" = (), /, **fields: Any) -> None:
        super().__init__(name)
        KINDS[name] = self
        self.fields = {field: ARRAYS[kind] for field, kind in fields.items()}
        LINES[name] = [name, *(each for kind in like for each in LINES[kind.name])]


def fields(*runs: tuple[Any, str]) -> dict[str, Any]:
    """Fields of structures, in order: a type of arrays, and the names of some that have it."""
    return {name: kind for kind, names in runs for name in names.split()}


class Structure:
    """A structure as Python sees it: its arrays as attributes; it can be passed to kernels.

    This object keeps the arrays alive. So kernels need not count references to them, which took more than half of the
    time of an EASY replay.
    """

    kind: str
    _numba_type_: StructureKind
    table: Ints
    address: int
    functions: Ints
    real: "Structure"
    late: "dict[tuple[str, ...], Structure]"

    def replace(self, name: str, array: NDArray[Any]) -> None:
        """Put another array in the place of one, even while a kernel runs, if it is one of `REPLACED`."""
        vars(self)[name] = array
        if not COMPILES:
            return
        place = _WORDS * list(self._numba_type_.fields).index(name)
        self.table[place : place + _WORDS] = place_of(array), len(array), array.shape[-1]

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


ARRAYS = {
    Ints: types.int64[::1],
    Floats: types.float64[::1],
    Codes: types.int8[::1],
    IntTable: types.int64[:, ::1],
    CodeTable: types.int8[:, ::1],
}
ANY = StructureKind("Any")
"""What kernels know of a structure that they are given `late`."""
_WORDS = 3
"""What a structure has for each array: an address, and the lengths of two dimensions."""
REPLACED = ("places", "log")
"""Arrays that kernels have made longer while they run."""


@_numba.extending.unbox(StructureKind)  # type: ignore[untyped-decorator]
def _address(kind: StructureKind, made: Any, context: Any) -> Any:
    """The address of a structure's table."""
    number = context.pyapi.object_getattr_string(made, "address")
    address = context.pyapi.long_as_voidptr(number)
    context.pyapi.decref(number)
    return _numba.extending.NativeValue(address)


@_numba.extending.infer_getattr
class _Fields(_numba.core.typing.templates.AttributeTemplate):  # type: ignore[misc]
    key = StructureKind

    def generic_resolve(self, kind: StructureKind, name: str) -> Any:
        return kind.fields.get(name)


@_numba.extending.lower_getattr_generic(StructureKind)  # type: ignore[untyped-decorator]
def _array(context: Any, builder: Any, kind: StructureKind, table: Any, name: str) -> Any:
    """One of the arrays. Most stay where they are, and no reference to their memory could be counted."""
    word, array = context.get_value_type(types.int64), context.make_array(kind.fields[name])(context, builder)
    place, words = _WORDS * list(kind.fields).index(name), builder.bitcast(table, word.as_pointer())
    loaded = [builder.load(builder.gep(words, [word(place + part)])) for part in range(1 + kind.fields[name].ndim)]
    for each in loaded if name not in REPLACED else ():
        each.set_metadata("invariant.load", builder.module.add_metadata([]))
    address, *shape = loaded
    data, size = builder.inttoptr(address, array.data.type), context.get_abi_sizeof(array.data.type.pointee)
    steps = [*(builder.mul(length, word(size)) for length in shape[1:]), word(size)]
    _numba.np.arrayobj.populate_array(array, data, shape, steps, word(size), None)
    return array._getvalue()


_numba.extending.register_model(StructureKind)(_numba.core.datamodel.models.OpaqueModel)


def maker(kind: StructureKind) -> Callable[..., Structure]:
    """What makes a structure of a kind from its arrays, in order."""
    names, types = list(kind.fields), [np.dtype(str(field.dtype)) for field in kind.fields.values()]

    def make(*arrays: Any) -> Structure:
        if [array.dtype for array in arrays] != types:
            raise TypeError(f"{kind.name} needs arrays of {', '.join(map(str, types))}, for {', '.join(names)}")
        made = Structure()
        vars(made).update(zip(names, arrays, strict=True))
        made.kind, made._numba_type_ = kind.name, kind
        if not COMPILES:  # nobody asks where the arrays are
            return made
        words = [word for array in arrays for word in (place_of(array), len(array), array.shape[-1])]
        made.table = np.array(words, np.int64)
        made.address, made.late = place_of(made.table), {}
        return made

    return make


def place_of(array: Any) -> int:
    """Where a contiguous array is in memory; `ndarray.ctypes` says so, too, but is six times slower."""
    return addressof(c_byte.from_buffer(array)) if array.size else 0
