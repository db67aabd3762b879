"""A Dask scheduler that goes away, or says nothing any more, ends the sweep: no run is blamed, and it goes on later."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.how_many import few_or_many
from thinktime.analysis.experiments import Scenario, Sweep, sweep
from thinktime.cli import main

from .conftest import content
from .waiting import MINUTE, heard, lay_out

pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the test needs named pipes")


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A scheduler and a worker as processes of their own, and the scheduler's address."""
    file = folder / "scheduler.json"
    script = folder / "scheduler.py"
    script.write_text(
        "import asyncio, sys\n"
        "from distributed import Scheduler\n"
        "async def serve():\n"
        "    async with Scheduler(host='127.0.0.1', port=0, dashboard=False, scheduler_file=sys.argv[1]) as here:\n"
        "        await here.finished()\n"
        "asyncio.run(serve())\n"
    )
    scheduler = subprocess.Popen([sys.executable, script, file], stderr=subprocess.DEVNULL)
    late = time.monotonic() + MINUTE
    while not file.exists() and time.monotonic() < late:
        time.sleep(0.05)
    words = ["--scheduler-file", file, "--nworkers", "1", "--nthreads", "1", "--no-dashboard"]
    worker = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_worker", *words, "--death-timeout", "60"],
        cwd=folder,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield scheduler, str(file)
    finally:
        for process in (worker, scheduler):
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()


@pipes
@pytest.mark.parametrize("sent", few_or_many("SIGKILL", "SIGSTOP"))
def test_a_lost_scheduler_ends_the_sweep(
    tmp_path: Path, sent: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scheduler that is killed or mute ends the sweep with one sentence and no failed run."""
    pytest.importorskip("distributed", reason="Dask's distributed is not installed")
    monkeypatch.setattr("thinktime.analysis.experiments.workers.QUIET", 1.0)
    monkeypatch.setattr("thinktime.analysis.experiments.workers.ANSWER", 10.0)
    scenario, told = lay_out(tmp_path)
    with cluster(tmp_path) as (scheduler, address):

        def lose() -> None:
            heard(told)
            scheduler.send_signal(getattr(signal, sent))

        loser = threading.Thread(target=lose)
        loser.start()
        begin = time.monotonic()
        words = ["run", str(scenario), "--dask", address, "--out", str(tmp_path / "out"), "--quiet"]
        assert main(words) == 2
        took = time.monotonic() - begin
        loser.join()
    said = capsys.readouterr().err
    assert said.startswith("thinktime: error: the Dask scheduler at tcp://127.0.0.1:") and said.count("\n") == 1
    assert "finished runs are kept, and the same sweep resumes from there" in said
    assert took < MINUTE
    left = Sweep(tmp_path / "out")
    assert left.failed.empty and 5 not in left.table["seed"].tolist()
    found = sweep(Scenario.read(scenario), tmp_path / "out", processes=1)
    assert len(found) == 12 and found.failed.empty
    sweep(Scenario.read(scenario), tmp_path / "whole", processes=1)
    assert content(tmp_path / "out") == content(tmp_path / "whole")


@pipes
@pytest.mark.thorough
def test_nothing_else_is_said(tmp_path: Path) -> None:
    """The command prints one line and nothing of what Dask logs."""
    pytest.importorskip("distributed", reason="Dask's distributed is not installed")
    scenario, told = lay_out(tmp_path)
    with cluster(tmp_path) as (scheduler, address):
        words = ["run", str(scenario), "--dask", address, "--out", str(tmp_path / "out"), "--quiet"]
        command = [sys.executable, "-m", "thinktime", *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as caller:
            heard(told)
            scheduler.send_signal(signal.SIGKILL)
            out, err = caller.communicate(timeout=MINUTE)
    assert (caller.returncode, out, err.count("\n")) == (2, "", 1), err


class Broken(Executor):
    """An executor whose workers are all gone, after a while."""

    def __init__(self, good: int, submits: bool) -> None:
        self.good = good
        self.submits = submits

    def submit(self, function: Any, /, *values: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.good -= 1
        if self.good >= 0:
            future.set_result(function(*values))
        elif self.submits:
            future.set_exception(BrokenExecutor("everybody has gone"))
        else:
            raise RuntimeError("cannot schedule new futures after shutdown")
        return future


@pytest.mark.parametrize("submits", [True, False])
def test_a_broken_executor_ends_the_sweep(own: Scenario, tmp_path: Path, submits: bool) -> None:
    """Any executor that breaks ends the sweep with one sentence and no failed run."""
    with pytest.raises(ConnectionError, match=r"the executor (is broken|accepts no more runs) .*resumes from there"):
        sweep(own, tmp_path / "out", executor=Broken(4, submits))
    left = Sweep(tmp_path / "out")
    assert left.failed.empty and len(left) == 4
    assert len(sweep(own, tmp_path / "out", processes=1)) == 6
