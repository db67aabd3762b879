"""The types of pandas in annotations: it is imported only where tables are made, since that takes long."""

from typing import TYPE_CHECKING, NewType

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame
    from pandas import Series as Series
else:
    DataFrame, Series = NewType("DataFrame", object), NewType("Series", object)
