"""How long it takes to read a made-up data set: ``python benchmarks/data_sets.py 10_000_000``.

It writes a parquet file, the same month again and again, with the columns of F-DATA, texts for times and names,
into a folder for temporary files, reads it by its preset, and prints CPU seconds, seconds, and the most memory that the
process had.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import thinktime as tt

PIECE = 1_000_000


def month(jobs: int, rng: np.random.Generator) -> pa.Table:
    """So many jobs in the columns of F-DATA, but for their numbers."""
    submit = 1_680_000_000 + np.sort(rng.integers(0, jobs // 2, jobs))
    start = submit + rng.exponential(600, jobs).astype(np.int64)
    end = start + rng.lognormal(6, 2, jobs).astype(np.int64)
    nodes = np.minimum(2 ** rng.integers(0, 10, jobs), 158_976)

    def clock(seconds: np.ndarray) -> pa.Array:
        local = pa.array(seconds + 9 * 3600, pa.timestamp("s"))
        return pc.binary_join_element_wise(pc.strftime(local, "%Y-%m-%d %H:%M:%S"), pa.scalar("+09:00"), "")

    columns = {
        "usr": pc.binary_join_element_wise("usr_", pa.array(rng.integers(0, 1200, jobs)).cast(pa.string()), ""),
        "jnam": pc.binary_join_element_wise("jnam_", pa.array(rng.integers(0, 50_000, jobs)).cast(pa.string()), ""),
        "adt": clock(submit), "qdt": clock(submit + 1), "sdt": clock(start), "edt": clock(end),
        "elpl": (end - start) * 2.0 + 60, "nnumr": nodes, "nnuma": nodes, "cnumr": nodes * 48, "cnumat": nodes * 48,
        "mszl": np.full(jobs, 3e10), "econ": rng.random(jobs), "avgpcon": rng.random(jobs),
        "exit state": np.where(rng.random(jobs) < 0.9, "completed", "failed"),
        "opint": rng.random(jobs), "flops": rng.random(jobs),
    }  # fmt: skip
    return pa.table(columns)


def write(path: Path, jobs: int) -> None:
    """A file of made-up jobs."""
    usual, writer = month(PIECE, np.random.default_rng(1)), None
    for first in range(0, jobs, PIECE):
        last = min(first + PIECE, jobs)
        numbers = pa.array(np.arange(first, last)).cast(pa.string())
        names = pc.binary_join_element_wise("job_", numbers, "")
        table = usual.slice(0, last - first).append_column("jid", names)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def main(jobs: int, path: Path | None) -> None:
    """Write the file in a process of its own, since memory is that of the reader; then read and print."""
    if path is None:
        import subprocess

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "made-up.parquet")
            write(file, jobs)
            print(f"{jobs:,} jobs, {file.stat().st_size / 2**20:,.0f} MiB")
            subprocess.run([sys.executable, __file__, str(jobs), str(file)], check=True)
        return
    cpu, began = time.process_time(), time.perf_counter()
    trace = tt.read_table(path, "f-data")
    cpu, took = time.process_time() - cpu, time.perf_counter() - began
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{len(trace):,} jobs read in {cpu:.1f} CPU-s, {took:.1f} s, with at most {most:.2f} GiB")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
