"""The command behind `make slurm`."""

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.slurm import snapshots
from tools.slurm.comparison import compare
from tools.slurm.container import ANYWHERE, refusal
from tools.slurm.experiments import NAMES, experiment
from tools.slurm.recording import Recording
from tools.slurm.report import into_page, markdown, of_page, table
from tools.slurm.running import run


def main(words: Sequence[str] | None = None) -> int:
    """Run experiments on a real Slurm, or take those of a folder, and print how the model compares; the exit status."""
    given = _parser().parse_args(words)
    try:
        print(_compared(given))
    except (ValueError, OSError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; nothing is left running", file=sys.stderr)
        return 130
    return 0


def _compared(given: argparse.Namespace) -> str:
    """The table; errors say what was wrong in one sentence."""
    if given.snapshots:
        return snapshots.table({given.snapshots: snapshots.forecasts(given.snapshots)})
    chosen = [experiment(name) for name in given.experiments or NAMES]
    if given.page:
        of_page(given.page)
    if not given.recorded:
        if why := refusal(given.anywhere):
            raise RuntimeError(f"no Slurm is started: {why}")
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that no daemon is left behind
        run(chosen, given.out, given.at_once, given.nice)
    there = [each for each in chosen if (given.out / each.name).is_dir()]
    if not there:
        raise FileNotFoundError(f"there is no recorded experiment in {given.out}; run one without --recorded")
    found = {each: compare(Recording(given.out / each.name), each.drawn) for each in there if not each.snapshots}
    forecast = {given.out / each.name: snapshots.forecasts(given.out / each.name) for each in there if each.snapshots}
    if found and not given.recorded:
        (given.out / "table.md").write_text(markdown(found), encoding="utf-8")
    if found and given.page:
        into_page(given.page, markdown(found))
    parts = [table(found)] if found else []
    return "\n\n".join([*parts, *([snapshots.table(forecast)] if forecast else [])])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.slurm", description=main.__doc__)
    which = f"files (*.toml), or which of {', '.join(NAMES)} (default: all of these)"
    parser.add_argument("experiments", nargs="*", help=which, metavar="EXPERIMENT")
    parser.add_argument("--out", type=Path, default=Path("build/slurm"), help="the folder of what is recorded")
    parser.add_argument("--recorded", action="store_true", help="start nothing: compare what is in that folder")
    parser.add_argument("--snapshots", type=Path, help="forecasts from snapshots in this folder of a recording")
    parser.add_argument("--page", type=Path, help="a page whose table is to be written anew")
    parser.add_argument("--at-once", type=int, default=4, help="how many at a time (default: 4)")
    parser.add_argument("--nice", type=int, default=0, help="the niceness of the daemons, -10 on a busy machine")
    parser.add_argument(ANYWHERE, action="store_true", dest="anywhere", help="run here, though users are added")
    return parser
