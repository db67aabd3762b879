"""Random failures: every processor (on a machine of nodes: every node) alternates between up and down.

Processor i is up from t = 0 on, for a first up time; then it is down for a repair time, up again, and so on by the
clock, whatever runs on it. Up times have mean `mtbf` (mean time between failures, here from a repair to the next
failure), repair times mean `mttr` (mean time to repair). Both are exponential, or Weibull with a `shape`: below 1,
failures come in bursts, as Schroeder and Gibson found in the logs of LANL (shape 0.7 to 0.8; DSN 2006). Any frozen
distribution of SciPy may take their place.

Numbers are drawn by inverse transform, one uniform number each, from `stream(seed, i, "failures")` and
`stream(seed, i, "repairs")`, and rounded up to the grid. So the outages depend on the seed alone, not on the policy,
the number of processors, or the steps in which a run asks for them.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from thinktime.workloads import checks
from thinktime.workloads.changes.drawing import Drawing
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.interval_sets import LARGEST
from thinktime.workloads.names import quoted
from thinktime.workloads.reading.table import AS_GIVEN, Codec, Fault, Table, form_of
from thinktime.workloads.reading.texts import pairs_in
from thinktime.workloads.units import Duration, as_seconds, as_text, plain, seconds

OPTIONS = ("mtbf", "mttr", "shape", "repair_shape", "seed")
SMALLEST_SHAPE = 0.01
"""With a smaller shape, the scale that gives a Weibull distribution its mean is too small for a float."""


def _number(kind: Callable[[Any], Any], such_as: str) -> Codec:
    def read(value: Any) -> Any:
        try:
            return kind(value)
        except (TypeError, ValueError):
            raise ValueError(f"must be {such_as}, not {quoted(value)}") from None

    return Codec(read)


SHAPE, SEED = _number(float, "a number, such as 0.7"), _number(int, "a whole number, such as 3")


@dataclass(frozen=True, slots=True)
class Failures(Table):
    """Distributions of the up times and repair times of each processor.

    `mtbf` and `mttr` are the means (s, or such as "30 d"), with any `shape` and `repair_shape`. `up` and `down` are
    distributions to use instead (frozen ones of `scipy.stats`, or anything with their `ppf`).

    ``ValueError`` for times that are not above 0, and for a distribution together with the mean that it replaces.

    >>> round(Failures.parse("mtbf=30d,mttr=4h").availability, 6)
    0.994475
    """

    mtbf: Annotated[float | None, AS_GIVEN] = None
    mttr: Annotated[float | None, AS_GIVEN] = None
    shape: Annotated[float, SHAPE] = 1.0
    repair_shape: Annotated[float, SHAPE] = 1.0
    up: Any = None
    down: Any = None
    seed: Annotated[int, SEED] = 1

    if TYPE_CHECKING:  # times may be given as texts, but are read as numbers

        def __init__(
            self,
            mtbf: Duration | None = None,
            mttr: Duration | None = None,
            shape: float = 1.0,
            repair_shape: float = 1.0,
            up: Any = None,
            down: Any = None,
            seed: int = 1,
        ) -> None: ...

    def __post_init__(self) -> None:
        for mean, shape, own in (("mtbf", "shape", "up"), ("mttr", "repair_shape", "down")):
            checks.fields(self, checks.number, shape, wanted="a number of at least 0.01", least=SMALLEST_SHAPE)
            given, distribution = getattr(self, mean), getattr(self, own)
            if distribution is None:
                checks.put(self, mean, _mean(mean, own, given))
            elif given is not None or getattr(self, shape) != 1:
                raise ValueError(f"{own} is a distribution of its own, so leave out {mean} and {shape}")
            elif not callable(getattr(distribution, "ppf", None)):
                raise ValueError(f"{own} must be a frozen distribution of scipy.stats, not {quoted(distribution)}")
        checks.fields(self, checks.whole, "seed", least=0)

    @classmethod
    def parse(cls, text: str, seed: int = 1) -> "Failures":
        """Failures from a text such as ``mtbf=30d,mttr=4h,shape=0.7``, with or without a ``seed``."""
        values: dict[str, Any] = {}
        for key, value in pairs_in(text, "failures are such as mtbf=30d,mttr=4h,shape=0.7"):
            if key in values:
                raise ValueError(f"failures have {quoted(key)} twice in {quoted(text)}")
            values[key] = value
        return cls.of(values, seed)

    @classmethod
    def of(cls, table: Mapping[str, Any], seed: int = 1) -> "Failures":
        """Failures from a table of the same keys, whose values may be texts."""
        try:
            found: Failures = form_of(cls).made({"seed": seed} | form_of(cls).values(table))
            return found
        except Fault as fault:
            said = fault.what.replace("has no key", "failures have no")
            raise ValueError(f"{fault.key} {said}".strip()) from None

    def with_seed(self, seed: int) -> "Failures":
        """The same distributions with other random numbers."""
        return dataclasses.replace(self, seed=seed)

    @property
    def availability(self) -> float:
        """The share of time that a processor is up in the long run: mtbf / (mtbf + mttr)."""
        down = float(self.down.mean()) if self.mttr is None else self.mttr
        return self.mean_up / (self.mean_up + down)

    @property
    def mean_up(self) -> float:
        """The mean time from a repair to the next failure, s."""
        return float(self.up.mean()) if self.mtbf is None else self.mtbf

    def drawing(self, processors: int) -> Drawing:
        """The outages of so many processors, to be drawn step by step."""
        if checks.whole("processors", processors) >= LARGEST:
            raise ValueError(f"failures are drawn for fewer than {LARGEST:,} processors, not {processors:,}")
        up = _distribution(self.up, self.mtbf, self.shape)
        return Drawing(up, _distribution(self.down, self.mttr, self.repair_shape), self.seed, int(processors))

    def outages(self, processors: int, until: Duration) -> Outages:
        """The outages of so many processors that begin up to ``until`` (s)."""
        until = as_seconds("until", until)
        return self.drawing(processors).until(until)

    def __str__(self) -> str:
        """The text that `parse` reads; a distribution of its own is named only."""
        parts = [_part("mtbf", self.mtbf, self.up), _part("mttr", self.mttr, self.down)]
        parts += [f"{name}={plain(getattr(self, name))}" for name in OPTIONS[2:] if getattr(self, name) != 1]
        return ",".join(parts)


def _distribution(given: Any, mean: float | None, shape: float) -> Any:
    """The given distribution, else the Weibull one with this mean (s) and shape; with shape 1 it is exponential."""
    from scipy import stats  # SciPy is slow to import

    if mean is None:
        return given
    if shape == 1:
        return stats.expon(scale=mean)
    return stats.weibull_min(shape, scale=mean / math.gamma(1 + 1 / shape))


def _mean(name: str, distribution: str, value: object) -> float:
    if value is None:
        raise ValueError(
            f"failures need {name}, such as mtbf=30d,mttr=4h, or a distribution of their own for {distribution}"
        )
    try:
        return checks.positive(name, seconds(value))
    except ValueError:
        raise ValueError(f"{name} must be a duration above 0, such as 30d or 4h, not {quoted(value)}") from None


def _part(name: str, mean: float | None, distribution: Any) -> str:
    if mean is not None:
        return f"{name}={as_text(mean)}"
    family = getattr(getattr(distribution, "dist", distribution), "name", type(distribution).__name__)
    return f"{name} of {family}"
