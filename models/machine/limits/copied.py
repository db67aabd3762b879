"""The limits of a machine's site, and budgets, in a forecast."""

from typing import Any

from numpy.typing import NDArray

from thinktime.models.machine.limits.spending import Spending


class CopiedLimits:
    """The limits of a forecast: the same groups, and meters and marks of its own."""

    def __init__(self, arrays: dict[str, NDArray[Any]], size: int, spending: Spending | None) -> None:
        if len(arrays["entry"]):  # those who start through an entry count as it does
            arrays |= {name: arrays[name].copy() for name in ("limit_group", "partition", "limit_amounts")}
        own = {name: arrays[name][:size].copy() for name in ("limit_note", "limit_rows", "limit_bar")}
        meters = {name: arrays[name].copy() for name in ("limit_meters", "limit_since")}
        self.spending = None if spending is None else spending.copied()
        self._arrays = arrays | {"limit_group": arrays["limit_group"][:size]} | own | meters

    def learn(self) -> None:
        """No user or job becomes known in a forecast."""

    def arrays(self, capacity: int) -> dict[str, NDArray[Any]]:
        """What the engine takes."""
        return self._arrays | ({} if self.spending is None else self.spending.arrays())
