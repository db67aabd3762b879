"""Folders of results: `OUT/POLICY/`, written in a staging folder and moved into place when complete.

The folder of a policy is its text with `-` for `:`, `,`, `=` and `/`. Other files that are already in a folder are
left alone.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from thinktime.workloads.names import shortened

UNFINISHED = ".unfinished-"
"""The prefix of folders that are being written."""

Files = Iterator[Path | None]

SEPARATORS = str.maketrans(dict.fromkeys(":,=/" + os.sep, "-"))


def folder_name(policy: str) -> str:
    """The name of a policy's folder.

    >>> folder_name("easy:order=lxf,reservations=2")
    'easy-order-lxf-reservations-2'
    """
    return policy.translate(SEPARATORS)


def names(policies: Sequence[str]) -> list[str]:
    """The name of each policy's folder; ``ValueError`` if two policies would share one."""
    owner: dict[str, str] = {}
    for policy in policies:
        name = folder_name(policy)
        if name in owner:
            both = f"{owner[name]!r} and {policy!r}"
            raise ValueError(f"--out: the policies {both} would share the folder {name}; give one of them")
        owner[name] = policy
    return list(owner)


@contextmanager
def staging(out: Path, inside: Sequence[str] = ()) -> Iterator[Path]:
    """A staging folder, from which `deliver` moves complete files to `out` with its subfolders `inside`.

    It is in `out`, because a move between file systems is not atomic. Leftovers of a killed command are removed from
    `out` first. If nothing was delivered, an `out` that was created here is removed again.
    """
    made = [folder for folder in (out, *out.parents) if not folder.exists()]  # innermost first
    try:
        out.mkdir(parents=True, exist_ok=True)
        _refuse_files(out, inside)
        _clear(out)
        aside = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=out))
        lock = _locked(aside)
    except (FileExistsError, NotADirectoryError):
        raise ValueError(f"--out {shortened(out)}: a file is in the way where a folder is needed") from None
    except OSError as error:
        reason = (error.strerror or "refused").lower()
        raise ValueError(f"--out {shortened(out)}: cannot write there ({reason}); give another folder") from None
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        if lock is not None:
            os.close(lock)
        for folder in made:
            if not any(folder.iterdir()):
                folder.rmdir()


@contextmanager
def filled(out: Path | None, say: Callable[[str], None], what: str = "files", inside: Sequence[str] = ()) -> Files:
    """A staging folder as above, whose files are delivered at the end; None without ``out``, for no files at all."""
    if out is None:
        yield None
        return
    with staging(out, inside) as aside:
        yield aside
        deliver(aside, out)
    say(f"the {what} are in {out}")


def _clear(out: Path) -> None:
    """Remove the leftovers of killed commands: staging folders that no process has locked."""
    for aside in out.glob(f"{UNFINISHED}*"):
        if aside.is_dir() and not aside.is_symlink() and (lock := _locked(aside)) is not None:
            shutil.rmtree(aside, ignore_errors=True)
            os.close(lock)


def _locked(folder: Path) -> int | None:
    """Lock a folder until the returned descriptor is closed; None if it is locked already or cannot be."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def deliver(aside: Path, out: Path) -> list[Path]:
    """Move everything from the staging folder into place, and return the new paths."""
    moved = []
    for path in sorted(aside.iterdir()):
        target = out / path.name
        if path.is_dir() and target.is_dir():
            moved += deliver(path, target)
        else:
            moved.append(path.replace(target))
    return moved


def _refuse_files(out: Path, inside: Sequence[str]) -> None:
    for name in inside:
        if (out / name).exists() and not (out / name).is_dir():
            raise ValueError(f"--out {shortened(out)}: {shortened(out / name)} is a file where a folder is needed")
