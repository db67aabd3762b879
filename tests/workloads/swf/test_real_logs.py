"""The logs of real machines, as they are known in the literature; skipped where they are not at hand."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from thinktime.workloads import DAY, Trace, read_swf, write_swf
from thinktime.workloads.archive import LOGS

pytestmark = pytest.mark.compiled

RealLog = Callable[[str], Path]
ReadReal = Callable[[str], Trace]

CANCELLED = "cancelled without a run"
NO_RUN = "run time missing or negative"
NO_PROCESSORS = "no processors"
NO_ESTIMATE = "estimate missing, run time used instead"
OVERRUN = "run time above the estimate"
ZERO = "run time of 0 s"

COUNTS = {
    "CEA-Curie-2011-2.1-cln": (312_826, {CANCELLED: 14_730, NO_PROCESSORS: 4}, {ZERO: 2_552, OVERRUN: 5_416}),
    "CTC-SP2-1996-3.1-cln": (77_222, {}, {ZERO: 17, NO_ESTIMATE: 6, OVERRUN: 7_174}),
    "KTH-SP2-1996-2": (28_489, {}, {ZERO: 8, OVERRUN: 475}),
    "KTH-SP2-1996-2.1-cln": (28_476, {NO_PROCESSORS: 1}, {ZERO: 8, OVERRUN: 475}),
    "LANL-CM5-1994-4.1-cln": (122_060, {NO_PROCESSORS: 3}, {ZERO: 2, NO_ESTIMATE: 11_287, OVERRUN: 40_180}),
    "MetaCentrum-wagap-2013": (17_900, {NO_RUN: 2}, {OVERRUN: 702}),
    "SDSC-SP2-1998-4.2-cln": (59_715, {CANCELLED: 5_681}, {NO_ESTIMATE: 35, OVERRUN: 4_134}),
    "Sandia-Ross-2001-1.1-cln": (
        57_882,
        {CANCELLED: 1, NO_PROCESSORS: 15},
        {"unknown status": 3_553, ZERO: 2_271, NO_ESTIMATE: 338, OVERRUN: 3_686},
    ),
    "lublin_256": (10_000, {}, {NO_ESTIMATE: 10_000}),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts(read_real: ReadReal, name: str) -> None:
    """Every line of a log is accounted for: kept, or dropped for a reason that was counted by other means."""
    records, dropped, noted = COUNTS[name]
    trace = read_real(name)
    assert (trace.report.records, trace.report.dropped, trace.report.noted, trace.report.repaired) == (
        records,
        dropped,
        noted,
        {},
    )
    assert len(trace) == trace.report.jobs == records - sum(dropped.values())
    assert (np.diff(trace.submit) >= 0).all()
    assert (trace.processors >= 1).all()
    assert (trace.estimate >= 1).all()
    assert (trace.runtime >= 0).all()


@pytest.mark.parametrize("name", ["KTH-SP2-1996-2", "CTC-SP2-1996-3.1-cln", "MetaCentrum-wagap-2013"])
def test_round_trip(read_real: ReadReal, tmp_path: Path, name: str) -> None:
    """A real log that is written and read again is the same, header and extra columns included."""
    trace = read_real(name)
    write_swf(trace, tmp_path / "log.swf")
    assert read_swf(tmp_path / "log.swf").equals(trace)


def test_window_of_cplant(read_real: ReadReal) -> None:
    """The window 1 December 2002 to 14 July 2003 has 12,749 lines, one of them without processors."""
    trace = read_real("Sandia-Ross-2001-1.1-cln")
    assert len(trace.between("2002-12-01", "2003-07-15")) == 12_748


def test_header_of_curie(read_real: ReadReal) -> None:
    """A long header with continued notes and odd partitions is read as it is meant."""
    header = read_real("CEA-Curie-2011-2.1-cln").header
    assert (header.max_procs, header.max_nodes, header.unix_start_time) == (93_312, 5_544, 1_296_571_124)
    assert len(header.all("Partition")) == 33
    assert header.all("Note")[0].endswith("\nsee: http://www-hpc.cea.fr/en/complexe/tgcc-curie.htm")


def test_start_of_kth(read_real: ReadReal) -> None:
    """The log of KTH begins at 14:00:31 local time on 23 September 1996, as its header says in words."""
    trace = read_real("KTH-SP2-1996-2")
    assert trace.seconds("1996-09-23T14:00:31") == 0
    assert trace.seconds("1997-08-29T10:55:01") == pytest.approx(trace.submit[-1], abs=DAY)
    assert (trace.machine_size, str(trace.zone)) == (100, "Europe/Stockholm")


def test_extra_of_wagap(read_real: ReadReal) -> None:
    """The columns behind field 18 are kept: nodes used, queue, and the request."""
    trace = read_real("MetaCentrum-wagap-2013")
    assert trace.extra is not None
    assert trace.extra[0] is not None
    assert trace.extra[0].split()[1:] == ["q_1d", "1:ppn=64:x86_64:cl_zewura#excl"]
    assert trace.requested_memory[0] == 68_719_476_736
    with pytest.raises(ValueError, match="UnixStartTime"):
        trace.between("2013-01-01")
    dated = trace.with_header(trace.header.set("UnixStartTime", 0))
    assert len(dated.between("2013-01-01", "2013-04-01")) == len(trace) - 2


@pytest.mark.parametrize("name", sorted(name for name, log in LOGS.items() if log.sha256))
def test_checksums(log_file: RealLog, name: str) -> None:
    """The checksums that `fetch` insists on are those of the logs at hand."""
    assert hashlib.sha256(log_file(name).read_bytes()).hexdigest() == LOGS[name].sha256
