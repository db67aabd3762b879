"""A part of a long array as a table. In compiled code this is a macro, without objects of Python."""

from thinktime.workloads.arrays import Ints, IntTable


def table_in(values: Ints, begin: int, like: IntTable) -> IntTable:
    """The numbers from a place on, as a table of the shape of another one; valid as long as ``values`` is."""
    rows, columns = like.shape
    return values[begin : begin + rows * columns].reshape(rows, columns)
