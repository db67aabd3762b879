"""Where a Slurm may be started: as root in a container, since users are added, and with Debian's packages."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PACKAGES = {
    "slurmctld": "slurm-wlm", "slurmd": "slurm-wlm", "slurmdbd": "slurmdbd", "munged": "munge",
    "mariadbd": "mariadb-server",
}  # fmt: skip
"""The package that each program is in."""
MARKS = Path("/.dockerenv"), Path("/run/.containerenv"), Path("/run/systemd/container")
"""Files that Docker, Podman and systemd-nspawn leave in a container."""
ANYWHERE = "--outside-a-container"


def in_a_container() -> bool:
    """Whether this is a container; of other kinds than those in `MARKS`, the first process knows."""
    if any(mark.exists() for mark in MARKS):
        return True
    try:
        return any(word.startswith(b"container=") for word in Path("/proc/1/environ").read_bytes().split(b"\0"))
    except OSError:
        return False


def refusal(anywhere: bool = False) -> str | None:
    """Why no Slurm is started here, in one sentence; None if it may be."""
    if os.geteuid() != 0:
        return "a Slurm is started by root only, since it needs several users; run make slurm as root in a container"
    if not anywhere and not in_a_container():
        return (
            f"users are added to this machine, which is no container; run it in one, or give {ANYWHERE} if you mean it"
        )
    if missing := sorted({package for program, package in PACKAGES.items() if shutil.which(program) is None}):
        return f"{', '.join(missing)} must be installed first: apt-get install {' '.join(missing)}"
    return None


@contextmanager
def users(names: Sequence[str]) -> Iterator[None]:
    """Users of these names, as long as it lasts; those that were not there before are removed."""
    added = [name for name in names if not _exists(name)]
    for name in added:
        subprocess.run(["useradd", "--no-create-home", "--no-log-init", name], check=True, capture_output=True)
    try:
        yield
    finally:
        for name in added:
            subprocess.run(["userdel", name], check=False, capture_output=True)


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
