"""Run experiments, several at a time, each on a Slurm of its own in a folder that is removed afterwards."""

import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tools.slurm.cluster import Cluster
from tools.slurm.conf import PORTS, Layout
from tools.slurm.container import users
from tools.slurm.daemons import Services, free_ports
from tools.slurm.experiments import USERS, Experiment
from tools.slurm.recording import Watch, record, snapshot_name


def run(experiments: Sequence[Experiment], out: Path, width: int = 4, nice: int = 0) -> None:
    """Run all of them, ``width`` at a time, the longest first; each is recorded in a folder of ``out`` by its name.

    ``nice`` is the niceness of the daemons.
    """
    first, stop = free_ports(PORTS * len(experiments)), threading.Event()
    with (
        tempfile.TemporaryDirectory(prefix="thinktime-slurm-") as folder,
        users(USERS),
        Services(Path(folder), nice) as services,
        ThreadPoolExecutor(width) as pool,
    ):
        Path(folder).chmod(0o755)  # jobs are run from here, by their users
        jobs = {
            pool.submit(_run, each, services, first + PORTS * k, out / each.name, stop): each.name
            for k, each in enumerate(sorted(experiments, key=lambda each: each.last, reverse=True))
        }
        try:
            for done in as_completed(jobs):
                done.result()
                print(f"{jobs[done]} is over", flush=True)
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _run(experiment: Experiment, services: Services, port: int, out: Path, stop: threading.Event) -> None:
    folder = services.folder / experiment.name
    folder.mkdir()
    layout = Layout(
        experiment.name, folder, port, services.munge, services.database,
        cpus=experiment.cpus, settings=experiment.settings, partitions=experiment.partitions,
    )  # fmt: skip
    watch = Watch()
    with Cluster(layout, services.password, stop, services.nice) as cluster:
        cluster.start(experiment.accounts)
        snapshots = {second: out / snapshot_name(second) for second in experiment.snapshots}
        cluster.play(experiment.rows, experiment.last, watch, snapshots)
        record(cluster, experiment.rows, watch, out)
