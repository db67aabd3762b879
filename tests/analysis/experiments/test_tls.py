"""A scheduler that talks TLS alone: who has the certificate sweeps on it, who has not is kept out."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from thinktime.analysis.experiments import Scenario, sweep
from thinktime.cli import main

from .conftest import content
from .waiting import MINUTE

SERVER = """
import asyncio, sys
from distributed import Scheduler, Worker
from distributed.security import Security
names = ("tls_ca_file", "tls_scheduler_cert", "tls_worker_cert", "tls_client_cert")
keys = ("tls_scheduler_key", "tls_worker_key", "tls_client_key")
folder = sys.argv[1]
security = Security(
    require_encryption=True, **dict.fromkeys(names, folder + "/cert.pem"), **dict.fromkeys(keys, folder + "/key.pem")
)
async def serve():
    async with Scheduler(protocol="tls", host="127.0.0.1", port=0, dashboard=False, security=security) as here:
        async with Worker(here.address, security=security, nthreads=1):
            with open(folder + "/address.new", "w") as file:
                file.write(here.address)
            import os
            os.replace(folder + "/address.new", folder + "/address")
            await here.finished()
asyncio.run(serve())
"""


def test_a_scheduler_with_tls(own: Scenario, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the certificate of the how-to a sweep gives the same bytes, and without it nobody gets through."""
    distributed = pytest.importorskip("distributed", reason="Dask's distributed is not installed")
    request = "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj /CN=me"
    try:
        subprocess.run(request.split(), cwd=tmp_path, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    security = distributed.Security(
        require_encryption=True,
        tls_ca_file=str(tmp_path / "cert.pem"),
        tls_client_cert=str(tmp_path / "cert.pem"),
        tls_client_key=str(tmp_path / "key.pem"),
    )
    with subprocess.Popen([sys.executable, "-c", SERVER, str(tmp_path)], stderr=subprocess.DEVNULL) as server:
        late = time.monotonic() + MINUTE
        while not (tmp_path / "address").exists() and time.monotonic() < late:
            time.sleep(0.05)
        address = (tmp_path / "address").read_text()
        try:
            with distributed.Client(address, security=security) as client:
                sweep(own, tmp_path / "there", executor=client.get_executor())
            with pytest.raises((OSError, TypeError, ValueError)):
                distributed.Client(address, timeout="2s")
            assert main(["run", str(own.folder / "own.toml"), "--dask", address, "--out", str(tmp_path / "no")]) == 2
            assert f"--dask {address}: no Dask scheduler answers there" in capsys.readouterr().err
        finally:
            server.kill()
    sweep(own, tmp_path / "here", processes=1)
    assert content(tmp_path / "there") == content(tmp_path / "here")
