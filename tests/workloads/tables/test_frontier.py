"""Frontier's logs in SWF with 21 fields."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from thinktime.workloads import read_swf
from thinktime.workloads.read_log import read_log
from thinktime.workloads.tables.reader import read_table
from thinktime.workloads.trace import Trace

START = 1_704_067_200
HEAD = f"; Version: 2.2\n; UnixStartTime: {START}\n"
ROWS = """\
1 420 0 3600 1 -1 -1 1 3600 -1 0 3 1 -1 1 1 -1 -1 8 -1 frontier:excl:1x112
2 840 60 310 224 -1 -1 224 7200 -1 1 4 1 -1 1 1 -1 -1 32 -1 frontier:excl:4x112
3 900 60 310 112 -1 -1 2 -1 -1 1 4 1 -1 1 2 -1 -1 -1 -1 frontier:excl:2x56
4 950 500 0 448 -1 -1 448 14400 -1 5 3 1 -1 1 2 -1 -1 64 -1 frontier:excl:8x112
5 990 5 50 589824 -1 -1 589824 60 -1 1 3 1 -1 1 2 -1 -1 64 -1 elsewhere
"""
Read = Callable[..., Trace]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read texts, each from a file of its own, by the preset."""

    def reading(*texts: str) -> Trace:
        paths = [tmp_path / f"frontier-{2024 + place}.swf" for place in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        return read_table(paths, "frontier-swf")

    return reading


def test_nodes_are_those_of_field_21(read: Read) -> None:
    """Jobs have N whole nodes of 64 cores, whatever fields 5 and 8 say; without N they are dropped, with the count."""
    found = read(HEAD + ROWS)
    assert found.id.tolist() == [1, 2, 3] and (found.processors // 64).tolist() == [1, 4, 2]
    assert found.submit.tolist() == [0, 420, 480] and found.wait.tolist() == [0, 60, 60]
    assert found.runtime.tolist() == [3600, 310, 310] and found.status.tolist() == [0, 1, 1]
    assert found.unix_start == START + 420 and found.machine_size == 9408 * 64
    assert found.report.dropped == {"cancelled without a run": 1, "no processors": 1}
    assert found.report.noted["time limit not given: taken as 7200 s"] == 1
    assert [found.names["user"][number] for number in found.user.tolist()] == ["3", "4", "4"]


def test_numbers_that_repeat_over_files_stay_apart(read: Read) -> None:
    """Each file counts from its own start, and a job is named by its file where numbers repeat."""
    later = HEAD.replace(str(START), str(START + 1000))
    found = read(HEAD + ROWS, later + ROWS)
    assert found.submit.tolist() == [0, 420, 480, 1000, 1420, 1480]
    assert found.names["id"][1].endswith("frontier-2024.swf:1") and found.names["id"][4].endswith("frontier-2025.swf:1")


def test_a_log_is_known_by_its_fields(tmp_path: Path) -> None:
    """Read without a preset, it is taken for what it is; by itself, `read_swf` would believe fields 5 and 8."""
    (tmp_path / "log.swf").write_text(HEAD + ROWS)
    assert read_log(tmp_path / "log.swf").equals(read_log(f"frontier-swf:{tmp_path / 'log.swf'}"))
    assert read_swf(tmp_path / "log.swf").processors.tolist() == [1, 224, 2, 589824]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("; UnixStartTime: 5\n1 0 5 60 2 -1 -1 2 90 -1 1 7 -1 -1 -1 -1 -1 -1\n", "has 18 fields, so it is plain SWF"),
        ("; Version: 2.2\n" + ROWS, "has no UnixStartTime in its header"),
        (HEAD + ROWS + "6 1 2 3\n", "line 8: found 4 fields, expected 21"),
        (HEAD + ROWS.replace("840", "soon"), "line 4: fields 2 to 4 must be whole seconds"),
        ("", "has no UnixStartTime"),
    ],
)
def test_other_logs(read: Read, text: str, complaint: str) -> None:
    """Plain SWF is refused under the preset, as is a log whose times have no beginning."""
    with pytest.raises(ValueError, match=complaint):
        read(text)


SAMPLE = Path(os.environ.get("THINKTIME_TRACES", "")).parent / "data_samples/frontier_swf/frontier_MADE_UP.swf"


@pytest.mark.skipif(not SAMPLE.is_file(), reason="no samples beside THINKTIME_TRACES")
def test_made_up_rows() -> None:
    """Of twenty rows, one never ran; the widest has 600 nodes."""
    found = read_log(f"frontier-swf:{SAMPLE}")
    assert len(found) == 19 and int(found.processors.max()) == 600 * 64
    assert np.isfinite(found.requested_time).all()
