"""`thinktime trace info` and `thinktime trace get`."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Iterator
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import pytest

from .conftest import Outcome

Run = Callable[..., Outcome]
NAME = "SDSC-Par-1995-3.1-cln"  # a log whose checksum the package does not know


def test_info(log: Path, run: Run) -> None:
    """The command prints header, summary and cleaning report, in this order."""
    out = run("trace", "info", log).out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    expected = [
        "header",
        "Computer a made-up machine",
        "jobs",
        "jobs 4",
        "users 2",
        "submitted 2001-09-09 03:46 to 2001-09-09 03:51",
        "time span 5m 0s",
        "processors 4",
        "offered load 59.2% of the machine",
        "run time median 1m 10s, 95th percentile 1m 38s, maximum 1m 40s",
        "overrunning 25.0% of the jobs ran longer than their estimate",
        "tiny.swf: 4 jobs from 5 lines",
        "dropped 1 run time missing or negative, first in line 10",
    ]
    assert [line for line in lines if line in expected] == expected


def test_info_without_header(log: Path, run: Run) -> None:
    """A log without a header is described all the same, in seconds."""
    log.write_text("".join(line for line in log.read_text().splitlines(True) if line[0] != ";"))
    outcome = run("trace", "info", log)
    assert outcome.status == 0
    assert "0 s to 300 s" in outcome.out and "not in the header" in outcome.out


@pytest.fixture
def server(tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An archive on this computer, with the tiny log under a known name."""
    from thinktime.workloads.archive import LOGS

    site = tmp_path / "site" / LOGS[NAME].path
    site.parent.mkdir(parents=True)
    site.write_bytes(gzip.compress(log.read_bytes()))
    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)

    class Quiet(SimpleHTTPRequestHandler):
        def __init__(self, *words: object) -> None:
            super().__init__(*words, directory=str(tmp_path / "site"))  # type: ignore[arg-type]

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_get(run: Run, server: str, tmp_path: Path) -> None:
    """The log is downloaded, its path is all that is printed, and it can be replayed."""
    outcome = run("trace", "get", NAME, "--mirror", server, "--cache", tmp_path / "cache")
    path = tmp_path / "cache" / f"{NAME}.swf.gz"
    assert outcome == (0, f"{path}\n", "")
    assert run("trace", "info", path).status == 0


def test_get_without_a_server(fails: Callable[..., str], server: str, tmp_path: Path) -> None:
    """A failed download says where it was from."""
    sentence = fails("trace", "get", NAME, "--mirror", f"{server}/elsewhere", "--cache", tmp_path / "cache")
    assert sentence.startswith(f"{NAME}.swf.gz cannot be downloaded from {server}/elsewhere/")
