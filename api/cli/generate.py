"""`thinktime generate`: a synthetic workload as an SWF file, or the outages of a machine as CSV.

The recipe has a name, is in a TOML file, or is fitted to a log (`--like`) and written beside the new one. With
`--like` and `--policy`, users are fitted to the log instead, and live its time again on a machine
(`thinktime.users.other_luck`). `outages` is the recipe of random failures (`generate_outages`).
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from thinktime.cli import errors, inputs
from thinktime.cli.generate_outages import OUTAGES, generate_outages
from thinktime.cli.layout import counted, duration, percentage
from thinktime.cli.options import MaxSize, argument, option, output, spread
from thinktime.workloads import Trace
from thinktime.workloads.extents import DEFAULT_EXTENT
from thinktime.workloads.names import quoted, shortened

NAMES = ("short-long", "lublin", "poisson", "mmpp", "weibull", "b-model")
REQUESTED = ("exact", "factor=F", "tsafrir")
CYCLES = ("daily", "weekly", "none")

Tables = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Like:
    """The log that a recipe is fitted to."""

    like: Annotated[
        str | None,
        option("LOG", "Fit a recipe to this log, write it to FILE.toml, and generate a log from it.", shown=False),
    ] = None
    policy: Annotated[
        str | None,
        option(
            "POLICY",
            "With --like: fit users to the log instead, and let them submit its jobs with other luck under this policy,"
            " so that the new log has waits, and reactions to them.",
            shown=False,
        ),
    ] = None
    max_size: MaxSize = None


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How much is generated, where it is not as the recipe says."""

    jobs: Annotated[
        str | None, option("N", "Number of jobs.", shown=f"the recipe's, else {DEFAULT_EXTENT['jobs']}")
    ] = None
    users: Annotated[
        str | None, option("U", "Number of users.", shown=f"the recipe's, else {DEFAULT_EXTENT['users']}")
    ] = None
    processors: Annotated[
        str | None, option("P", "Size of the machine.", shown=f"the recipe's, else {DEFAULT_EXTENT['processors']}")
    ] = None

    @property
    def size(self) -> int | None:
        """The processors of the machine."""
        return None if self.processors is None else inputs.machine_size(self.processors)

    @property
    def numbers(self) -> dict[str, int]:
        """What is given, by name."""
        given = {"jobs": self.jobs, "users": self.users}
        extent = {name: inputs.whole(f"--{name}", text) for name, text in given.items() if text is not None}
        return extent if self.size is None else extent | {"processors": self.size}


@dataclass(frozen=True, kw_only=True)
class Changed:
    """What else is not as the recipe says."""

    load: Annotated[str | None, option("L", "Scale to this offered load.", shown="as generated")] = None
    requested: Annotated[
        str | None, option("|".join(REQUESTED), "Model of requested times.", shown="as in the recipe")
    ] = None
    cycle: Annotated[str | None, option("|".join(CYCLES), "Cycle of arrivals.", shown="as in the recipe")] = None
    shapes: Annotated[
        str | None,
        option(
            "KEY=VALUE,…|FILE.csv",
            "Jobs that may have several sizes, as in replay; also written, to LOG.shapes.csv.",
            shown="all are rigid",
        ),
    ] = None
    settings: Annotated[
        list[str] | None, option("KEY=VALUE", "Set a key of the recipe, such as bias=0.8; repeat it.", "--set")
    ] = None

    def applied(self, tables: Tables) -> Tables:
        """The recipe with what is changed."""
        from thinktime.workloads.generators import recipe_text

        for setting in self.settings or ():
            tables = recipe_text.changed(tables, *inputs.setting(setting, "bias=0.8"))
        if self.load is not None:
            tables["load"] = _number("--load", self.load)
        if self.requested is not None:
            tables["requested"] = _requested(self.requested)
        if self.cycle is not None:
            tables["cycle"] = errors.choice("--cycle", self.cycle, CYCLES)
        if self.cycle == "none":
            tables.pop("cycle")
        return tables


@dataclass(frozen=True, kw_only=True)
class Outages:
    """What outages are generated, instead of a log."""

    failures: Annotated[
        str | None,
        option("TEXT", "With outages: failures of each processor, such as mtbf=30d,mttr=4h,shape=0.7.", shown=False),
    ] = None
    until: Annotated[str | None, option("DURATION", "With outages: those that begin up to this time.", shown=False)] = (
        None
    )


@spread
def generate(
    out: Annotated[Path, output("FILE", "The log to write, .swf or .swf.gz; of outages .csv or .csv.gz.")],
    recipe: Annotated[
        str | None,
        argument("RECIPE", f"{', '.join(NAMES)}, or FILE.toml; not with --like. Or: {OUTAGES}.", shown=False),
    ] = None,
    *,
    fitted: Like,
    extent: Extent,
    seed: Annotated[str, option("S", "The same seed gives the same file.")] = "1",
    changed: Changed,
    outages: Outages,
) -> None:
    """Generate a synthetic workload and write it as a log, or the outages of a machine; the same seed, the same file.

    The header of a log has the recipe and the seed.
    """
    of_logs = {
        "--like": fitted.like, "--policy": fitted.policy, "--max-size": fitted.max_size, "--jobs": extent.jobs,
        "--users": extent.users, "--load": changed.load, "--requested": changed.requested, "--cycle": changed.cycle,
        "--set": changed.settings, "--shapes": changed.shapes,
    }  # fmt: skip
    of_outages = {"--failures": outages.failures, "--until": outages.until}
    for name, value in (of_logs if recipe == OUTAGES else of_outages).items():
        if value is not None:
            raise ValueError(f"{name} is for {'logs' if recipe == OUTAGES else 'outages'}, not for {recipe or 'a log'}")
    if recipe == OUTAGES:
        size = DEFAULT_EXTENT["processors"] if extent.size is None else extent.size
        return generate_outages(out, outages.failures, outages.until, size, _seed(seed))
    inputs.check_target(out, "a file FILE.swf or FILE.swf.gz", (".swf", ".swf.gz"))
    from thinktime.workloads.generators import recipe_text

    given, number, text = extent.numbers, _seed(seed), None
    if (like := fitted.like) is not None:
        if recipe is not None:
            raise ValueError(
                f"--like fits a recipe to {shortened(like)}, so no recipe can be named, not even {quoted(recipe)}"
            )
        if fitted.policy is not None:
            for name in ("--jobs", "--users", "--load", "--requested", "--cycle", "--set"):
                if of_logs[name] is not None:
                    raise ValueError(f"--policy lets users submit the jobs of {shortened(like)}; leave out {name}")
            return _live_again(like, fitted, extent.size, changed.shapes, number, out)
        text = _fitted(like, extent.size, fitted.max_size)
        tables, where = recipe_text.table(text, "the fitted recipe"), "the fitted recipe"
    elif fitted.policy is not None:
        raise ValueError("--policy is for users who are fitted to a log, so --like LOG is needed")
    elif recipe is None:
        raise ValueError(f"a recipe is needed: {', '.join(NAMES)}, FILE.toml, or --like LOG")
    else:
        tables, where = _tables(recipe)
    _write(changed.applied(tables), where, given, number, changed.shapes, out, text)


def _fitted(path: str, processors: int | None, max_size: str | None) -> str:
    from thinktime.workloads.generators import like

    trace, _ = inputs.read(path, processors, max_size)
    try:
        return like(trace, Path(path).name, processors).text
    except ValueError as error:
        raise ValueError(f"--like {shortened(path)}: {error}") from None


def _live_again(path: str, fitted: Like, processors: int | None, shapes: str | None, seed: int, out: Path) -> None:
    """Write the log of users who are fitted to this one."""
    from thinktime.cli.progress import StatusOutput
    from thinktime.cli.workload import chosen
    from thinktime.models.machine.spec import MachineSpec
    from thinktime.models.results.site_log import site_log, write_site_log
    from thinktime.users.other_luck import with_other_luck
    from thinktime.workloads.calibration.calibrate import calibrate

    assert fitted.policy is not None
    trace, _ = inputs.read(path, processors, fitted.max_size)
    machine = MachineSpec(processors, chosen([fitted.policy])[0][1]).sized(trace)
    trace = _with_sizes(trace, shapes, machine.processors)
    try:
        with StatusOutput(False).counting("fits") as progress:
            users = calibrate(trace, score=False, progress=progress)
        result = with_other_luck(trace, machine, seed, users)
    except ValueError as error:
        raise ValueError(f"--like {shortened(path)}: {error}") from None
    said = f"users fitted to {Path(path).name}, with luck from seed {seed}, under {fitted.policy}"
    write_site_log(result, out, [said, *result.notes])
    _write_sizes(trace, out)
    for note in result.notes:
        typer.echo(note)
    typer.echo(_summary(site_log(result), out))


def _with_sizes(trace: Trace, shapes: str | None, processors: int | None) -> Trace:
    """The same jobs with the sizes that ``--shapes`` says."""
    from thinktime.workloads.shapes.shaping import for_machine

    return trace if shapes is None else for_machine(trace, inputs.sizes_in(shapes), processors, None)


def _write_sizes(trace: Trace, out: Path) -> None:
    """Write the sizes of jobs beside their log, if they may have several."""
    from thinktime.workloads.shapes.of_logs import beside, write_shapes

    if (path := write_shapes(trace, beside(out))) is not None:
        typer.echo(f"{path}: the sizes that jobs may have, for --shapes")


def _write(
    tables: Tables, where: str, given: dict[str, int], seed: int, shapes: str | None, out: Path, fitted: str | None
) -> None:
    from thinktime.workloads import write_swf
    from thinktime.workloads.files import whole_or_nothing
    from thinktime.workloads.generators import generate as make
    from thinktime.workloads.generators.recipe_text import from_table

    recipe = from_table(tables, where)
    extent = given if recipe.extent is not None else {**DEFAULT_EXTENT, **given}
    trace = _with_sizes(make(recipe, seed=seed, **extent), shapes, extent.get("processors"))
    write_swf(trace, out)
    _write_sizes(trace, out)
    if fitted is not None:
        path = out.with_name(out.name.removesuffix(".gz").removesuffix(".swf") + ".toml")
        with whole_or_nothing(path) as temporary:
            temporary.write_text(fitted, encoding="utf-8")
        typer.echo(f"{path}: the fitted recipe; `thinktime trace compare` shows what it keeps")
    typer.echo(_summary(trace, out))


def _summary(trace: Trace, out: Path) -> str:
    from thinktime.workloads.generators import offered_load

    users = len(set(trace.user.tolist()))
    span = duration(float(trace.submit[-1] - trace.submit[0]))
    load = offered_load(trace)
    share = f"; offered load {percentage(load)} of the machine" if math.isfinite(load) else ""
    return f"{out}: {counted(len(trace), 'job')} of {counted(users, 'user')}, submitted over {span}{share}"


def _tables(recipe: str) -> tuple[Tables, str]:
    from thinktime.workloads.generators import PRESETS, recipe_text
    from thinktime.workloads.text_files import text_of

    if not recipe.endswith(".toml"):
        name = errors.choice("the recipe", recipe, (*PRESETS, "FILE.toml"))
        return dict(PRESETS[name]), f"the recipe {name}"
    if not Path(recipe).is_file():
        raise ValueError(f"there is no file {shortened(recipe)}; without .toml, the recipes are {', '.join(NAMES)}")
    return recipe_text.table(text_of(Path(recipe)), recipe), recipe


def _requested(text: str) -> Tables:
    kind, equals, factor = text.partition("=")
    if kind == "factor" and equals:
        return {"kind": kind, "factor": _number("--requested factor=F", factor)}
    if text not in ("exact", "tsafrir"):
        errors.choice("--requested", text, REQUESTED)
    return {"kind": text}


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{option} must be a number, not {quoted(text)}") from None


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"--seed must be a whole number of at least 0, not {quoted(text)}")
    return int(text)
