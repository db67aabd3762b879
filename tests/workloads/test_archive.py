"""The archive: downloads, checksums and the cache, against a server of our own."""

import gzip
import hashlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from thinktime.workloads import archive, fetch
from thinktime.workloads.archive import LOGS, KnownLog

CONTENT = gzip.compress(b"; MaxProcs: 8\n", mtime=0)
NAME = "KTH-SP2-1996-2"


class Server:
    """A web server on this machine: what it serves, and what it was asked for."""

    def __init__(self) -> None:
        self.files = {f"/{log.path}": CONTENT for log in LOGS.values()}
        self.asked: list[str] = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                body = server.files.get(self.path)
                self.send_response(200 if body is not None else 404)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, format: str, *args: object) -> None:
                """Be quiet."""

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/"

    def stop(self) -> None:
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A running server; requests to it pass by any proxy, and no log has a checksum."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(archive, "LOGS", {name: KnownLog(log.path) for name, log in LOGS.items()})
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.stop()
    thread.join()


def know(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    """Give the log the checksum of this content."""
    log = KnownLog(LOGS[NAME].path, hashlib.sha256(content).hexdigest())
    monkeypatch.setattr(archive, "LOGS", {NAME: log})


@pytest.mark.parametrize("name", [NAME, f"{NAME}.swf", f"{NAME}.swf.gz"])
def test_download(server: Server, tmp_path: Path, name: str) -> None:
    """A log is downloaded by name, with or without the ending, from its folder of the archive."""
    path = fetch(name, base_url=server.url, cache=tmp_path / "new")
    assert path == tmp_path / "new" / f"{NAME}.swf.gz"
    assert path.read_bytes() == CONTENT
    assert server.asked == [f"/l_kth_sp2/{NAME}.swf.gz"]


def test_cache(server: Server, tmp_path: Path) -> None:
    """A log that already exists is not asked for again."""
    first = fetch(NAME, base_url=server.url, cache=tmp_path)
    assert fetch(NAME, base_url=server.url.rstrip("/"), cache=str(tmp_path)) == first
    assert len(server.asked) == 1


def test_right_checksum(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log with the checksum that is known is taken, and needs no record of its own."""
    know(monkeypatch, CONTENT)
    path = fetch(NAME, base_url=server.url, cache=tmp_path)
    assert list(tmp_path.iterdir()) == [path]


def test_wrong_checksum(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log with another checksum than the known one is refused, and nothing is left of it."""
    know(monkeypatch, b"something else")
    with pytest.raises(ValueError, match=r"KTH-SP2-1996-2\.swf\.gz has changed.*discarded"):
        fetch(NAME, base_url=server.url, cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_trust_on_first_use(server: Server, tmp_path: Path) -> None:
    """The checksum of a first download is recorded beside it, and a changed file is refused from then on."""
    path = fetch(NAME, base_url=server.url, cache=tmp_path)
    record = path.with_name(f"{path.name}.sha256")
    assert record.read_text().strip() == hashlib.sha256(CONTENT).hexdigest()
    path.unlink()
    server.files[f"/l_kth_sp2/{NAME}.swf.gz"] = CONTENT + b"changed"
    with pytest.raises(ValueError, match="has changed"):
        fetch(NAME, base_url=server.url, cache=tmp_path)
    record.unlink()
    assert fetch(NAME, base_url=server.url, cache=tmp_path).read_bytes() == CONTENT + b"changed"


def test_damaged_cache(server: Server, tmp_path: Path) -> None:
    """A file that was damaged in the cache is downloaded again."""
    path = fetch(NAME, base_url=server.url, cache=tmp_path)
    path.write_bytes(b"broken")
    assert fetch(NAME, base_url=server.url, cache=tmp_path).read_bytes() == CONTENT
    assert len(server.asked) == 2


def test_page_instead_of_log(server: Server, tmp_path: Path) -> None:
    """A page that a server sends in place of a log is not trusted."""
    server.files[f"/l_kth_sp2/{NAME}.swf.gz"] = b"<html>Please log in</html>"
    with pytest.raises(ValueError, match="is not a gzip file; the download was discarded"):
        fetch(NAME, base_url=server.url, cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_unknown_name(tmp_path: Path) -> None:
    """A name that is not known is refused with those that are close to it."""
    with pytest.raises(ValueError, match=r"'kth-sp2-1996' is not a known log .*did you mean 'KTH-SP2-1996-2"):
        fetch("kth-sp2-1996", cache=tmp_path)
    with pytest.raises(ValueError, match=r"the known logs are ANL-Intrepid-2009-1, CEA"):
        fetch("@", cache=tmp_path)


def test_not_found(server: Server, tmp_path: Path) -> None:
    """A server that does not have the log is quoted."""
    server.files.clear()
    with pytest.raises(OSError, match=r"cannot be downloaded from http://.*: the server answered 404"):
        fetch(NAME, base_url=server.url, cache=tmp_path)


def test_server_down(server: Server, tmp_path: Path) -> None:
    """A server that is down makes one clear sentence, and leaves nothing behind."""
    server.http.server_close()
    complaint = r"2\.swf\.gz cannot be downloaded .*: the server did not answer"
    with pytest.raises(OSError, match=complaint) as caught:
        fetch(NAME, base_url=server.url, cache=tmp_path)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_progress(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A progress bar is shown on request only."""
    fetch(NAME, base_url=server.url, cache=tmp_path)
    assert capsys.readouterr() == ("", "")
    fetch("RICC-2010-2", base_url=server.url, cache=tmp_path, progress=True)
    assert "RICC-2010-2.swf.gz" in capsys.readouterr().out


def test_table() -> None:
    """Every known log lies in a folder of its own kind and has a checksum or none."""
    for name, log in LOGS.items():
        assert log.path.startswith("l_")
        assert log.path.endswith(f"/{name}.swf.gz")
        assert log.sha256 is None or len(bytes.fromhex(log.sha256)) == 32
