"""Whoever is killed, a worker of a cluster or the sweep itself: nothing is lost or done twice; a cluster with TLS."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.commands import refusal_of
from thinktime.analysis.experiments import Scenario, Sweep, sweep
from thinktime.cli import main

from .conftest import content
from .waiting import MINUTE, heard, lay_out

SCRIPT = """
import sys
import thinktime as tt

def tell(standing):
    print(standing.done, flush=True)

tt.sweep(tt.Scenario.read(sys.argv[1]), sys.argv[2], processes=2, progress=tell)
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the test needs named pipes, which this system does not have")
def test_a_sweep_that_is_killed_goes_on(tmp_path: Path) -> None:
    """A sweep killed by SIGKILL ends its workers, keeps what was finished, and later reaches the same bytes."""
    scenario, told = lay_out(tmp_path)
    (tmp_path / "script.py").write_text(SCRIPT)  # without a guard: workers do not run it again
    words = [sys.executable, str(tmp_path / "script.py"), str(scenario), str(tmp_path / "out")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as caller:
        assert heard(told).strip().isdigit()
        assert caller.stdout
        finished = next(int(line) for line in caller.stdout if int(line) >= 6)
        caller.send_signal(signal.SIGKILL)
    assert heard(told) == ""  # the run that waits ends with the sweep that it belongs to
    left = Sweep(tmp_path / "out")
    assert finished <= len(left) < 12 and 5 not in left.table["seed"].tolist()
    assert left.sessions["ended"].isna().tolist() == [True]

    seen = []
    found = sweep(Scenario.read(scenario), tmp_path / "out", processes=1, progress=seen.append)
    assert 12 > seen[0].resumed == seen[0].done >= finished
    assert len(found) == 12 and found.failed.empty
    sweep(Scenario.read(scenario), tmp_path / "whole", processes=1)
    assert content(tmp_path / "out") == content(tmp_path / "whole")


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the test needs named pipes, which this system does not have")
def test_a_cluster_loses_a_worker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A Dask cluster that loses one of two workers in the middle of a run loses no result."""
    distributed = pytest.importorskip("distributed", reason="Dask's distributed is not installed")
    scenario, told = lay_out(tmp_path)
    killed = []

    def kill() -> None:
        killed.append(int(heard(told)))
        os.kill(killed[0], signal.SIGKILL)

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=":0"
    ) as cluster:
        killer = threading.Thread(target=kill)
        killer.start()
        words = ["--dask", cluster.scheduler_address, "--out", str(tmp_path / "out"), "--quiet"]
        assert main(["run", str(scenario), *words]) == 0
        killer.join()
    found = Sweep(tmp_path / "out")
    assert len(found) == 12 and found.failed.empty
    made = found.manifest.set_index("key")["pid"]
    assert os.getpid() not in made.tolist(), "runs were made here, not on the cluster"
    assert made["policy=fcfs seed=00005"] != killed[0]
    assert found.sessions["executor"].tolist() == ["ClientExecutor"]
    assert "mean" not in capsys.readouterr().err
    sweep(Scenario.read(scenario), tmp_path / "here", processes=1)
    assert content(tmp_path / "out") == content(tmp_path / "here")


def test_no_scheduler_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address without a scheduler is refused in one sentence, and nothing is written."""
    pytest.importorskip("distributed", reason="Dask's distributed is not installed")
    monkeypatch.setattr("thinktime.cli.cluster.PATIENCE", "1s")
    scenario, _ = lay_out(tmp_path)
    out = tmp_path / "out"
    assert "--dask tcp://127.0.0.1:9: no Dask scheduler answers there" in refusal_of(
        "run", str(scenario), "--dask", "tcp://127.0.0.1:9", "--out", str(out)
    )
    assert not out.exists()


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


def test_a_scheduler_with_tls(own: Scenario, tmp_path: Path) -> None:
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
            assert f"--dask {address}: no Dask scheduler answers there" in refusal_of(
                "run", str(own.folder / "own.toml"), "--dask", address, "--out", str(tmp_path / "no")
            )
        finally:
            server.kill()
    sweep(own, tmp_path / "here", processes=1)
    assert content(tmp_path / "there") == content(tmp_path / "here")
