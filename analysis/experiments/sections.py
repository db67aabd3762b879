"""The tables of a scenario file, as pydantic models.

Durations are numbers of seconds or strings ("7 d", "1 h 30 min"). Random numbers come from streams that depend on
the seed alone, so all policies get the same ones.
"""

import datetime
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationInfo

from thinktime.analysis.experiments import reactions
from thinktime.users.local_hours import WorkingHours
from thinktime.users.profiles import PROFILES, Profile
from thinktime.workloads import compressed
from thinktime.workloads.generators import quantity_texts
from thinktime.workloads.generators.recipe import Recipe
from thinktime.workloads.generators.recipe_text import PRESETS, from_table
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.node_requests import NodeRequest
from thinktime.workloads.shaking import SHARE
from thinktime.workloads.units import seconds

MOST_SEEDS = 100_000
"""More replications of a point than this are taken for a typing error."""


def _moment(value: Any) -> Any:
    if isinstance(value, datetime.date):
        return value.isoformat()
    try:
        return seconds(value)
    except ValueError:
        pass
    try:
        datetime.datetime.fromisoformat(str(value))
    except ValueError:
        times = "a time since the log's start (s, or a text such as '30 d') or a date such as 1996-10-01"
        raise ValueError(f"must be {times}, not {quoted(value)}") from None
    return value


Seconds = Annotated[float, BeforeValidator(seconds)]
"""A duration: a number of seconds, or a string such as "7 d"."""
Moment = Annotated[float | str, BeforeValidator(_moment)]
"""A time since the log's start, or a date in the log's time zone."""
Count = Annotated[int, Field(ge=1)]
Seeds = Annotated[int, Field(ge=1, le=MOST_SEEDS)]


class Section(BaseModel):
    """A table of a scenario: immutable, and unknown keys are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, allow_inf_nan=False)


class TraceSection(Section):
    """`[trace]`: the jobs of a log.

    `file` is searched for beside the scenario, in the current folder, in $THINKTIME_TRACES, and among the logs
    downloaded by `thinktime trace get`.
    """

    file: str
    since: Moment | None = Field(default=None, alias="from")
    until: Moment | None = Field(default=None, alias="to")
    load: Annotated[float, Field(gt=0)] | None = None
    """The offered load to scale to, a fraction of the machine."""
    scaling: Literal["users", "times"] = "users"
    """How the load is scaled: `users` leaves out or copies weeks and days of users, which keeps the weekly cycle
    (`thinktime.workloads.user_models.scale_users`); `times` multiplies the times between submissions."""
    requested: Any = None
    """Replaces the log's requested times: exact, tsafrir, { kind = "factor", factor = 2 }."""
    mode: Literal[
        "open", "dependencies", "feedback", "clock", "reacting", "partly-open", "calibrated", "generative"
    ] = "open"  # fmt: skip
    """When jobs are submitted. `open`: at the recorded times; `dependencies`: after the jobs named in fields 17 and
    18, and as LOG.conditions.csv says (`thinktime.workloads.conditions`); `feedback`: users wait for what they waited
    for in the log, and think as long; `clock`, `reacting`, `partly-open`: they think by a rule
    (`thinktime.users.think_times`); `calibrated`: they submit with hazards that were fitted to the log
    (`thinktime.calibrate`); `generative`: by users drawn from the log, who wait for results more
    than its own."""
    delimitation: Literal["arrival", "last", "max"] = "arrival"
    """What ends a session in the log (with feedback, and generative)."""
    threshold: Seconds | None = None
    """The gap that ends a session (s)."""
    population: Annotated[float, Field(gt=0)] = 1.0
    """Users per user of the log (generative or resampled)."""
    draw: Literal["samples", "fitted"] = "samples"
    """What generative users are drawn from: each user's samples, or distributions fitted to them."""
    memory_unit: Literal["auto", "kb-per-processor", "kb-per-chunk", "bytes-per-processor", "bytes-per-chunk"] = "auto"
    """The unit of requested memory (field 10), on a machine of nodes (`thinktime.workloads.node_log`)."""
    withdrawn: Literal["drop", "queue"] = "drop"
    """What becomes of jobs that were cancelled before they ran: they are left out, or wait for as long as recorded and
    then leave (`queue`); those that start earlier run (`thinktime.workloads.withdrawn`)."""
    max_size: int | str | None = None
    """The limit for a decompressed log: bytes, or a string such as "4 gb" (`thinktime.workloads.compressed`)."""
    names: str | None = None
    """The file with the names behind the log's numbers (`thinktime.workloads.sacct.name_file`), on the machine of a
    site; by default the one beside the log, if there is one."""
    behaviours: dict[str, Any] = Field(default={})
    """How users of the log respond as their jobs are due, with a table for each behaviour
    (`thinktime.analysis.experiments.reactions`), such as `delay`, `degrade`, `renounce` or `logit`."""
    respondents: Annotated[float, Field(ge=0, le=1)] = 1.0
    """The share of its users who do."""
    resample: bool = False
    """Whether each seed gets its own log, of users drawn with replacement from this one's."""

    def model_post_init(self, context: Any, /) -> None:
        """Check the requested times, the behaviours and the size."""
        reactions.made(self.behaviours)
        if self.requested is not None:
            quantity_texts.requested(self.requested)
        if self.max_size is not None:
            try:
                compressed.size(self.max_size)
            except ValueError as error:
                raise ValueError(f"max_size: {error}") from None

    @property
    def random(self) -> bool:
        """Whether results depend on the seed."""
        return self.made_up or self.mode == "generative" or bool(self.behaviours)

    @property
    def made_up(self) -> bool:
        """Whether the jobs depend on the seed."""
        return self.resample or self.requested not in (None, "exact")


class ShakeSection(Section):
    """`[shake]`: each seed has the log with its times moved a little (`thinktime.workloads.shaking`)."""

    share: Annotated[float, Field(ge=0, lt=1)] = SHARE
    """How much times are moved at most, as a share of themselves."""
    runtimes: bool = True
    submissions: bool = True
    """Whether the times between submissions are moved."""


class WorkloadSection(Section):
    """`[workload]`: synthetic jobs, generated anew for each seed by a recipe of `thinktime generate`."""

    recipe: str | dict[str, Any] = "lublin"
    """A name (short-long, lublin, poisson, mmpp, weibull, b-model), or a recipe as tables. `jobs`, `users` and the
    machine replace the extent in the recipe."""
    jobs: Count = 10_000
    users: Count = 26
    load: Annotated[float, Field(gt=0)] | None = None
    requested: Any = None
    mode: Literal["open", "closed"] = "open"
    """`open`: at their nominal times; `closed`: users in the loop, who submit campaigns and wait for them. A recipe
    of jobs becomes one of campaigns, which begin when its jobs would arrive (`Recipe.closed`)."""

    def model_post_init(self, context: Any, /) -> None:
        """Check the recipe, which a closed workload must be able to play with users."""
        made = self.made
        if self.mode == "closed":
            made.closed()

    @property
    def made(self) -> Recipe:
        """The recipe that the table names or has, with its load and requested times."""
        if isinstance(self.recipe, str) and self.recipe not in PRESETS:
            meant = key_of(self.recipe, PRESETS, "the recipes")
            raise ValueError(f"there is no recipe {quoted(self.recipe)}; {meant}")
        table: dict[str, Any] = dict(PRESETS[self.recipe] if isinstance(self.recipe, str) else self.recipe)
        given = {"load": self.load, "requested": self.requested}
        return from_table(table | {name: each for name, each in given.items() if each is not None}, "recipe")


class HoursSection(Section):
    """`hours` of users: from `start` to `end` (hours of the day) on `days` (0 is Monday)."""

    start: float = 9.0
    end: float = 17.0
    days: tuple[int, ...] = (0, 1, 2, 3, 4)

    def made(self) -> WorkingHours:
        """The working hours that this table describes."""
        return WorkingHours(self.start, self.end, self.days)

    def model_post_init(self, context: Any, /) -> None:
        """Check that these hours can be."""
        self.made()


class Parsed(NamedTuple):
    """A value of the file with what it means, so that it is parsed once and written as it was given."""

    given: Any
    value: Any


def _parsed(parse: Callable[[Any], Any], given: Any, info: ValidationInfo) -> Parsed | None:
    """What a value means; ``ValueError`` for infinity and nan, which the store of a sweep cannot hold."""
    if (strange := _not_finite(given)) is not None:
        counted = info.field_name if info.field_name in ("jobs", "processors") else None
        no_count = f": {strange} is no whole number of {counted}" if counted else f", not {strange}"
        raise ValueError(f"must be finite{no_count}")
    return None if given is None else Parsed(given, parse(given))


def _not_finite(given: Any) -> float | None:
    """The first number in a value of a file that is not finite."""
    if isinstance(given, Mapping):
        given = list(given.values())
    if isinstance(given, list | tuple):
        return next((found for each in given if (found := _not_finite(each)) is not None), None)
    return given if isinstance(given, float) and not math.isfinite(given) else None


AS_GIVEN = PlainSerializer(lambda parsed: None if parsed is None else parsed.given)
Number = Annotated[Any, BeforeValidator(partial(_parsed, quantity_texts.quantity)), AS_GIVEN]
Time = Annotated[Any, BeforeValidator(partial(_parsed, partial(quantity_texts.quantity, time=True))), AS_GIVEN]
ThinkTime = Annotated[Any, BeforeValidator(partial(_parsed, reactions.think_time)), AS_GIVEN]


def _request(text: str) -> str:
    NodeRequest.parse(text)
    return text


class UserSection(Section):
    """`[users.NAME]`: users of one kind, who submit campaigns, wait for them, and think.

    They are called `NAME 1`, `NAME 2`, …. With a `profile` (`short` or `long`, as in the ostrich paper) the other
    keys replace parts of it; without one, `runtime`, `jobs` and `think_time` are required.
    """

    count: Count = 1
    profile: Literal["short", "long"] | None = None
    runtime: Time = None
    jobs: Number = None
    think_time: ThinkTime = None
    processors: Number = None
    nodes: Annotated[str, AfterValidator(_request)] | None = None
    """Each job's request on a machine of nodes, such as "2:ppn=8:mem=4gb", instead of processors."""
    group: str | int | None = None
    """The group of their jobs: the account on the machine of a site, where `queue` is a QOS."""
    queue: str | int | None = None
    partition: str | int | None = None
    overestimate: Number = None
    first: Time = None
    hours: HoursSection | None = None
    behaviours: dict[str, Any] = Field(default={})
    """How users react, with a table for each behaviour (see `thinktime.analysis.experiments.reactions`)."""

    def model_post_init(self, context: Any, /) -> None:
        """Check that nothing is missing and that the keys can be combined."""
        reactions.made(self.behaviours)
        missing = [name for name in ("runtime", "jobs", "think_time") if getattr(self, name) is None]
        if self.profile is None and missing:
            raise ValueError(f'needs {" and ".join(missing)}, or profile = "short" or "long"')
        if self.nodes is not None and self.processors is not None:
            raise ValueError("has both processors and nodes; give one of them")

    def made(self) -> Profile:
        """The profile of these users."""
        names = ("runtime", "jobs", "think_time", "processors", "overestimate", "first")
        values = {name: parsed.value for name in names if (parsed := getattr(self, name)) is not None}
        hours = None if self.hours is None else self.hours.made()
        plain = {name: getattr(self, name) for name in ("nodes", "group", "queue", "partition")} | {"hours": hours}
        values |= {name: each for name, each in plain.items() if each is not None}
        given: dict[str, Any] = {**values, "behaviours": reactions.made(self.behaviours)}
        return replace(PROFILES[self.profile], **given) if self.profile else Profile(**given)


class ModelSection(Section):
    """`[model]`: your own model, ``function(policy, seed, **options)``, which returns a `Result` or a dictionary.

    `function` is FILE.py:NAME, with the file beside the scenario. All other keys of the table are passed to it as
    options and may be swept. The keys of a dictionary are the names of metrics.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    function: Annotated[str, Field(pattern=r".+\.py:\w+$")]


class SweepSection(Section):
    """`[sweep]`: the keys that vary, and their values.

    `grid` has a list of values for each key, and every combination is run. `points` are tables of keys and values,
    each of which is run, combined with the grid if there is one. Keys are paths, such as "trace.load" or
    "users.short.count".
    """

    grid: dict[str, Annotated[tuple[Any, ...], Field(min_length=1)]] = Field(default={})
    points: tuple[dict[str, Any], ...] = ()

    @property
    def parameters(self) -> list[str]:
        """The names of the swept parameters: those of `points`, then those of `grid`."""
        return list(dict.fromkeys([*(key for point in self.points for key in point), *self.grid]))


class PrecisionSection(Section):
    """`[precision]`: at each point, run as many seeds as the mean of a metric needs under every policy.

    The half width of its interval must not exceed `relative` (a fraction of the mean) or `absolute` (in its unit).
    At most `most` seeds are run. The rule is Law's (`thinktime.analysis.statistics.precision`).
    """

    metric: str
    relative: Annotated[float, Field(gt=0)] | None = None
    absolute: Annotated[float, Field(gt=0)] | None = None
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95
    most: Annotated[int, Field(ge=2, le=MOST_SEEDS)] = 100

    def model_post_init(self, context: Any, /) -> None:
        """Check that exactly one precision is given."""
        if (self.relative is None) == (self.absolute is None):
            raise ValueError("needs relative = FRACTION or absolute = HALF_WIDTH, but not both")


class OutputsSection(Section):
    """`[outputs]`: what is stored for each run besides its metrics."""

    jobs: bool = False
    """The table of jobs, as Parquet."""
    series: bool = True
    """Small curves for pictures: quantiles of wait and slowdown; utilization and queue over time."""
