"""Take a snapshot: run the commands of a Slurm, and keep what each prints.

A read-only user's rights suffice. What one may not see, or which command is not there, is said and left out; without
the commands that are needed there is no snapshot.
"""

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from thinktime.models.snapshot.folder import BEGUN, COMMANDS, ENDED, TIMES, ZONE, Command, history
from thinktime.workloads.names import shortened
from thinktime.workloads.units import DAY, seconds

LONGEST = 600.0
"""Seconds after which a command is given up."""
ZONES = "zoneinfo/"


@dataclass(frozen=True, slots=True)
class Missing:
    """A file that a snapshot does not have, and why."""

    file: str
    command: str
    why: str

    def __str__(self) -> str:
        return f"{self.command}: {self.why}; there is no {self.file}"


def take(folder: Path, past: str | None, say: Callable[[str], None] = lambda _: None) -> list[Missing]:
    """Run all commands and write their files into a folder; returns those that are missing.

    ``past`` (such as ``90d``) asks for the history of so long as well. Before each command, it is told to ``say``.
    ``ValueError`` if one that is needed cannot be run.
    """
    commands = (*COMMANDS, *([] if past is None else [history(_since(past))]))
    missing, times = [], ["file,begun,ended"]
    (folder / ZONE).write_text(f"{zone()}\n")
    _stamp(folder / BEGUN)
    still = False
    for command in commands:
        if not command.moving and not still:
            _stamp(folder / ENDED)
            still = True
        say(command.text)
        begun = time.time()
        text, why = _printed(command)
        if why and command.needed:
            raise ValueError(f"{command.text}: {why}; without it there is no snapshot")
        if why:
            missing.append(Missing(command.file, command.text, why))
            continue
        (folder / command.file).write_bytes(text)
        times.append(f"{command.file},{begun:.3f},{time.time():.3f}")
    (folder / TIMES).write_text("\n".join([*times, ""]))
    return missing


def _since(past: str) -> str:
    days = seconds(past) / DAY
    if not days >= 1:
        raise ValueError(f"--history must be at least a day, such as 90d, not {shortened(past, 40)}")
    return f"now-{days:.0f}days"


def _stamp(path: Path) -> None:
    path.write_text(f"{time.time():.3f}\n")


def _printed(command: Command) -> tuple[bytes, str]:
    """What a command prints, and why it prints nothing of use; one of both is empty."""
    try:
        done = subprocess.run(command.words, capture_output=True, env=environment(command.words), timeout=LONGEST)
    except FileNotFoundError:
        return b"", f"there is no command {command.words[0]} here"
    except PermissionError:
        return b"", f"{command.words[0]} may not be run"
    except subprocess.TimeoutExpired:
        return b"", f"no answer within {LONGEST:.0f} s"
    said = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode:
        return b"", shortened(said[0] if said else f"it ended with status {done.returncode}", 120)
    if not done.stdout.strip():
        return b"", shortened(said[0], 120) if said else "it prints nothing"
    return done.stdout, ""


def environment(words: Sequence[str], own: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The surroundings of a command: times are Unix times, but for JSON, where they are so anyway."""
    kept = {name: value for name, value in own.items() if not name.startswith(("SQUEUE_", "SACCT_", "SLURM_TIME"))}
    return kept | {"LC_ALL": "C"} | ({} if "--json" in words else {"SLURM_TIME_FORMAT": "%s"})


def zone(localtime: Path = Path("/etc/localtime")) -> str:
    """The name of this machine's time zone (``Europe/Berlin``); where nothing says it, the offset (``+01:00``)."""
    if named := os.environ.get("TZ", "").lstrip(":"):
        return named
    place = os.fspath(localtime.resolve())
    return place.partition(ZONES)[2] or time.strftime("%z")[:3] + ":" + time.strftime("%z")[3:]
