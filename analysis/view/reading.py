"""What `thinktime view` opens: results by name, out of folders and files that thinktime has written.

* a folder of ``thinktime replay --out`` or ``thinktime feedback --out``, or one policy of it (result.npz);
* a folder of ``thinktime run``, whose runs are made again (`thinktime.analysis.experiments.remade`);
* a file that `Result.save` has written (.npz);
* a log in SWF (.swf, .swf.gz), as its site ran it, with the names of users in a file beside it.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from thinktime.analysis.expectations.evaluated_site import recorded_result
from thinktime.analysis.experiments.remade import remade
from thinktime.analysis.experiments.store import RESULTS
from thinktime.analysis.experiments.sweep_results import Sweep
from thinktime.models.results.kept import NAME
from thinktime.models.results.result import Result
from thinktime.workloads.read_log import is_slurm, log_name, read_log
from thinktime.workloads.sacct.name_file import with_names

LOGS = (".swf", ".swf.gz", ".parquet")
DEPTH = 2
"""How far below a folder results are looked for: MODE/POLICY."""


def opened(
    paths: Sequence[str | Path],
    run: str | None = None,
    *,
    trust: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Result]:
    """The results at some paths by name; ``run`` is the key of a run of a sweep, whose point and seed are shown.

    Python files that a sweep names are imported only with ``trust``; ``say`` is told what is left out without it.
    """
    found: dict[str, Result] = {}
    for path in map(Path, paths):
        made = remade(Sweep(path), run, trust=trust, say=say) if is_sweep(path) else _at(path, run)
        for name, result in made.items():
            found[_free(name, path, found)] = result
    return found


def is_sweep(path: Path) -> bool:
    """Whether a folder is one of ``thinktime run``."""
    return (path / RESULTS).is_file()


def _at(path: Path, run: str | None) -> dict[str, Result]:
    if run is not None:
        raise ValueError(f"--run names a run of a sweep, but {path} is not a folder of `thinktime run`")
    if log_name(path).preset is not None:
        return {_stem(path): _recorded(path)}
    if not path.exists():
        raise ValueError(f"there is no {path}; `thinktime replay LOG --out DIR` writes a folder to look into")
    if path.name.endswith(LOGS) or (path.is_file() and is_slurm(path)):
        return {_stem(path): _recorded(path)}
    if path.is_file():
        return {_stem(path): Result.load(path)}
    below = [file for depth in range(DEPTH + 1) for file in sorted(path.glob(f"{'*/' * depth}{NAME}"))]
    if not below:
        raise ValueError(
            f"{path} has no {NAME}, neither itself nor in a folder of a policy; "
            "`thinktime replay LOG --out DIR` writes one for each policy"
        )
    here = path.absolute()
    return {_name(file.absolute().parent, here): Result.load(file) for file in _in_order(below)}


def _in_order(files: Iterable[Path]) -> list[Path]:
    """By time of writing, so that policies have the order of the command, then by name."""
    return sorted(files, key=lambda file: (file.parent.parent, file.stat().st_mtime_ns, file))


def _name(folder: Path, top: Path) -> str:
    return folder.name if folder == top else folder.relative_to(top).as_posix()


def _recorded(path: Path) -> Result:
    trace = with_names(read_log(path), path)
    if trace.machine_size is None:
        raise ValueError(f"{path} does not say how many processors the machine had (MaxProcs)")
    return recorded_result(trace, trace.machine_size)


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name


def _free(name: str, path: Path, taken: Iterable[str]) -> str:
    """A name that no other result has: with the folder before it, else with a number."""
    if name not in (known := set(taken)):
        return name
    longer = f"{path.absolute().parent.name}/{name}"
    numbered = (f"{longer} ({number})" for number in range(2, len(known) + 2))
    return longer if longer not in known else next(each for each in numbered if each not in known)
