"""Programs that go on until they are stopped, each by its own id: munged, MariaDB, and those of Slurm."""

import os
import secrets
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tools.slurm.conf import HOST

PATIENCE = 60.0
"""How long a program may take to be there (s)."""


class Daemons:
    """Programs that were started with a niceness, and are ended in the opposite order."""

    def __init__(self, folder: Path, nice: int = 0) -> None:
        self.folder, self.nice = folder, nice
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, command: Sequence[str], environment: Mapping[str, str] | None = None, name: str = "") -> None:
        """Start a program that stays in the foreground; what it prints goes to a file."""
        with (self.folder / f"{name or Path(command[0]).name}.out").open("wb") as out:
            whole = ["nice", "-n", str(self.nice), *command] if self.nice else command
            self._running.append(
                subprocess.Popen(whole, env=environment, stdout=out, stderr=out, start_new_session=True)
            )

    def stop(self) -> None:
        """End all of them, the last first; what does not end within 15 s is killed."""
        for each in reversed(self._running):
            each.terminate()
            try:
                each.wait(15)
            except subprocess.TimeoutExpired:
                each.kill()
                each.wait()
        self._running.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def told(command: Sequence[str], environment: Mapping[str, str] | None = None, check: bool = False) -> str:
    """What a command prints; its errors too, if it fails."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout + (done.stderr if done.returncode else "")


def until(what: str, true: Callable[[], bool]) -> None:
    """Wait for something; ``TimeoutError`` if it does not come."""
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} is not there after {PATIENCE:g} s")
        time.sleep(0.1)


def listens(port: int) -> bool:
    """Whether a process listens on a port of this machine."""
    with socket.socket() as probe:
        probe.settimeout(0.3)
        return probe.connect_ex((HOST, port)) == 0


def free_ports(count: int, first: int = 17_000) -> int:
    """The first of so many ports in a row that no process listens on."""
    while any(listens(port) for port in range(first, first + count)):
        first += count
    return first


class Services(Daemons):
    """What several clusters share: munged and MariaDB, each with its own data in a folder."""

    def __init__(self, folder: Path, nice: int = 0) -> None:
        super().__init__(folder, nice)
        self.munge, self.database = folder / "munge.socket", free_ports(1, 13_306)
        self.password = secrets.token_hex(16)

    def __enter__(self) -> Self:
        try:
            self._start_munge()
            self._start_database()
        except BaseException:
            self.stop()
            raise
        return self

    def _start_munge(self) -> None:
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(128))
        files = {"socket": self.munge, "key-file": key} | {
            f"{kind}-file": self.folder / f"munge.{kind}" for kind in ("pid", "log", "seed")
        }
        # A folder below /tmp is open to others, which munged would refuse.
        self.start(["munged", "--foreground", "--force", *(f"--{key}={path}" for key, path in files.items())])
        until("munged", self.munge.exists)

    def _start_database(self) -> None:
        data, here = self.folder / "mariadb", self.folder / "mariadb.socket"
        told(
            ["mariadb-install-db", "--no-defaults", "--user=root", f"--datadir={data}", "--skip-test-db",
             "--auth-root-authentication-method=socket"], check=True,
        )  # fmt: skip
        self.start(
            ["mariadbd", "--no-defaults", "--user=root", f"--datadir={data}", f"--socket={here}",
             f"--bind-address={HOST}", f"--port={self.database}", f"--pid-file={self.folder / 'mariadb.pid'}",
             "--innodb-lock-wait-timeout=900", "--innodb-flush-log-at-trx-commit=0", "--skip-log-bin"]
        )  # fmt: skip
        until("MariaDB", lambda: listens(self.database))
        for host in (HOST, "localhost"):
            who = f"'slurm'@'{host}'"
            statements = f"create user {who} identified by '{self.password}'; grant all on *.* to {who};"
            told(["mariadb", "--no-defaults", f"--socket={here}", "--user=root", "-e", statements], check=True)


def environment(slurm_conf: Path) -> dict[str, str]:
    """The environment of all programs of one cluster: its configuration, and times as Unix time."""
    return os.environ | {"SLURM_CONF": str(slurm_conf), "SLURM_TIME_FORMAT": "%s"}
