"""`thinktime trace info`, `get`, `convert` and `plot`."""

import gzip
import stat
import threading
from collections.abc import Iterator
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.commands import refusal_of
from tests.workloads.sacct.samples import SITE
from thinktime.cli.app import app

from .conftest import Fails, Run

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


def test_get_without_a_server(fails: Fails, server: str, tmp_path: Path) -> None:
    """A failed download says where it was from."""
    sentence = fails("trace", "get", NAME, "--mirror", f"{server}/elsewhere", "--cache", tmp_path / "cache")
    assert sentence.startswith(f"{NAME}.swf.gz cannot be downloaded from {server}/elsewhere/")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the sample in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site.txt").write_text(SITE)
    return tmp_path


def test_a_log_and_its_side_file(site: Path) -> None:
    """The command writes the log and its side files, which a replay can use."""
    found = CliRunner().invoke(
        app, ["trace", "convert", "site.txt", "--out", "logs/site.swf.gz", "--zone", "Europe/Berlin"]
    )
    assert found.exit_code == 0, found.output
    assert "12 jobs from 17 lines" in found.output and "10 jobs from 12 lines" in found.output
    files = ["logs/site.swf.gz", "logs/site.names.csv", "logs/site.conditions.csv"]  # one job became eligible later
    assert found.output.splitlines()[-3:] == files
    names = site / "logs" / "site.names.csv"
    assert "user,1,ann" in names.read_text() and stat.S_IMODE(names.stat().st_mode) == 0o600
    replay = CliRunner().invoke(app, ["replay", "logs/site.swf.gz", "--policy", "easy", "--dependencies", "--quiet"])
    assert replay.exit_code == 0 and "10 jobs" in replay.output
    assert sorted(path.name for path in (site / "logs").iterdir()) == sorted(Path(file).name for file in files)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere.txt"], "there is no file nowhere.txt"),
        (["site.txt", "--out", "log.txt"], "the name of a log must end with .swf or .swf.gz"),
        (["site.txt", "--zone", "Mars"], "no time zone 'Mars'"),
        (["site.txt", "--time-limit", "soon"], "--time-limit must be such as '7 d', or in Slurm's format"),
        (["site.txt", "--processors", "0"], "--processors must be a whole number"),
        (["site.txt", "--delimiter", ""], "--delimiter cannot be empty"),
        (["site.txt", "--delimiter", ";"], "no column JobID"),
    ],
)
def test_errors_are_one_sentence_and_write_nothing(site: Path, words: list[str], complaint: str) -> None:
    """An error is one sentence with status 2, and no file is written."""
    assert complaint in refusal_of("trace", "convert", *words)
    assert [path.name for path in site.iterdir()] == ["site.txt"]


PANELS = ("arrivals", "inter-arrival", "load", "overview", "run-times", "sizes", "users")


def test_one_sheet_in_the_current_folder(log: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --out there is one picture, named after the log, and its name is printed."""
    folder = log.parent / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert run("trace", "plot", log) == (0, "tiny-overview.png\n", "")
    assert [path.name for path in folder.iterdir()] == ["tiny-overview.png"]
    assert Path("tiny-overview.png").read_bytes().startswith(b"\x89PNG")


def test_every_panel_in_a_folder(log: Path, run: Run, tmp_path: Path) -> None:
    """With --out each panel is a file too, and their names are printed; --processors stands in for the header."""
    log.write_text(log.read_text().replace("; MaxProcs: 4\n", ""))
    out = tmp_path / "made" / "pictures"
    outcome = run("trace", "plot", log, "--out", out, "--processors", 4)
    assert outcome.status == 0
    assert outcome.out.splitlines() == [str(out / f"tiny-{panel}.png") for panel in PANELS]
    assert sorted(path.name for path in out.iterdir()) == [f"tiny-{panel}.png" for panel in PANELS]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("no.swf",), "there is no file"),
        (("tiny.swf", "--processors", "0"), "--processors must be a whole number of at least 1"),
        (("tiny.swf", "--processors", "0.5"), "--processors must be a whole number of at least 1"),
        (("tiny.swf", "--out", "tiny.swf"), "a file is in the way"),
        (("tiny.swf", "--output", "x"), "has no option --output; did you mean '--out'"),
        (("none.swf",), "has no jobs"),
    ],
)
def test_what_cannot_be_drawn(
    log: Path, fails: Fails, words: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be drawn is refused in one sentence, and no file is left."""
    monkeypatch.chdir(log.parent)
    Path("none.swf").write_text("; Version: 2.2\n")
    assert says in fails("trace", "plot", *words)
    assert sorted(path.name for path in log.parent.iterdir()) == ["none.swf", "tiny.swf"]
