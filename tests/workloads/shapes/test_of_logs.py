"""Files say which sizes the jobs of a log may have, and logs keep them in files."""

import re
from pathlib import Path

import numpy as np
import pytest

import thinktime as tt
from thinktime.workloads.shapes.of_logs import read_shapes, shapes_of, write_shapes
from thinktime.workloads.tables.own import read_own, write_own
from thinktime.workloads.trace import Trace


def log() -> Trace:
    """Three jobs of 4, 8 and 2 processors."""
    return tt.Trace({"submit": [0, 1, 2], "runtime": [100, 100, 100], "allocated": [4, 8, 2], "id": [1, 2, 3]})


def shaped(text: str, folder: Path, processors: int | None = None) -> Trace:
    """The log with a file of shapes."""
    file = folder / "shapes.csv"
    file.write_text(text)
    return read_shapes(log(), file, processors)


def texts(trace: Trace) -> list[str]:
    """The shape of each job, as a text."""
    found = shapes_of(trace)
    assert found is not None
    return [str(found.shapes[code]) if code >= 0 else "" for code in found.codes.tolist()]


def test_a_file_says_the_sizes(tmp_path: Path) -> None:
    """Least, largest and speed-up, or a whole text; jobs without a row are rigid, rows of other jobs are left out."""
    text = "job,min_processors,max_processors,speedup,shape\n1,2,16,amdahl(0.1),\n3,,,,1-4*2 kind=moldable\n9,1,2,,\n"
    found = shapes_of(shaped(text, tmp_path, 16))
    assert found is not None and found.codes.tolist() == [0, -1, 1]
    assert [str(each) for each in found.shapes] == [
        "2-16 preferred=4 speedup=amdahl(0.1) kind=malleable", "1-4*2 preferred=2 speedup=linear kind=moldable",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("job,min_processors\nx,1\n", "line 2: job must be the number of a job, not 'x'"),
        ("job,min_processors,max_processors\n1,8,16\n", "job 1: of the sizes 8, 4, 16, the least comes first"),
        ("job,min_processors,max_processors\n1,4,2\n", "job 1: of the sizes 4, 4, 2, the least comes first"),
        ("job,min_processors\n1,a\n", "job 1: min_processors must be a number of processors of at least 1, not 'a'"),
        ("jobs,shape\n1,3\n", "has no column 'jobs'; did you mean 'job'?"),
        ("\n", "needs a first line with the columns job and min_processors"),
        ("job,shape\n1,1-8 preferred=2\n", "job 1: the job has 4 processors, but its shape prefers 2"),
        ("job,shape\n1,1-8\n1,1-8\n", "line 3: job 1 has a shape already"),
        ("job,shape\n2,1-8\n1,1-3\n", "job 1: the preferred size must be one of the sizes 1-3, not 4"),
        ("job,max_processors\n2,99\n", "job 2: its sizes go up to 99, but there are 16 processors"),
        ("job,min_processors,shape\n1,2,1-8\n", "job 1: a shape says the sizes and the speed-up of a job; leave"),
        ("job,min_processors,speedup\n1,1,table(1:1 2:2)\n", "has no value for the reference size 4"),
    ],
)
def test_a_wrong_file_is_refused(text: str, sentence: str, tmp_path: Path) -> None:
    """Each fault has a sentence with the file and the job or the line."""
    with pytest.raises(ValueError, match=re.escape(sentence)) as fault:
        shaped(text, tmp_path, 16)
    assert "shapes.csv" in str(fault.value)


def test_machines_refuse_what_they_cannot_hold(tmp_path: Path) -> None:
    """A size above the machine is refused with the job's number before anything runs, where sizes are chosen."""
    wide = shaped("job,max_processors\n2,99\n", tmp_path)
    assert len(tt.replay(wide, "easy", 16)) == 3
    with pytest.raises(ValueError, match="job 2 may have up to 99 processors, but the machine has 16"):
        tt.replay(wide, "shapes", 16)


def test_shapes_come_back_from_files(tmp_path: Path) -> None:
    """From a file of shapes, from parquet, and with a result that is saved."""
    given = tt.Shaping(speedup="amdahl(0.25)", cost=2, least=0.5).of(log(), 16)
    path = write_shapes(given, tmp_path / "log.shapes.csv")
    assert path is not None and texts(read_shapes(log(), path)) == texts(given)
    write_own(given, tmp_path / "log.parquet")
    assert read_own(tmp_path / "log.parquet").equals(given)
    assert write_shapes(log(), tmp_path / "none.csv") is None
    result = tt.replay(given, "shapes:expand=oldest,shrink=latest", 16)
    result.save(tmp_path / "result.npz")
    again = tt.Result.load(tmp_path / "result.npz")
    assert again.labels("shape").tolist() == result.labels("shape").tolist()
    assert again.summary().to_dict() == result.summary().to_dict()


def test_tables_say_the_sizes(tmp_path: Path) -> None:
    """A data set may have columns of sizes and speed-ups, which its mapping names."""
    (tmp_path / "own.toml").write_text(
        'columns = { submit = "sent", start = "began", end = "over", cores = "cpus", min_processors = "low", '
        'max_processors = "high", speedup = "speed" }'
    )
    (tmp_path / "jobs.csv").write_text(
        "sent,began,over,cpus,low,high,speed\n0,5,65,4,2,8,amdahl(0.1)\n1,5,65,2,,,\n2,5,65,4,,16,\n"
    )
    found = shapes_of(tt.read_table(tmp_path / "jobs.csv", str(tmp_path / "own.toml")))
    assert found is not None and found.codes.tolist() == [0, -1, 1]
    assert [(each.every[0], each.preferred, each.every[-1], each.speedup) for each in found.shapes] == [
        (2, 4, 8, "amdahl(0.1)"), (4, 4, 16, "linear"),
    ]  # fmt: skip


def test_jobs_csv_says_what_became_of_sizes(tmp_path: Path) -> None:
    """In each row of a job stand its shape, resizes, mean size and efficiency; other policies have no such columns."""
    given = tt.Shaping(speedup="amdahl(0.25)").of(log(), 16)
    result = tt.replay(given, "shapes:expand=oldest,shrink=latest", 16)
    lines = result.to_csv(tmp_path / "jobs.csv").read_text().splitlines()
    assert lines[0].endswith("metadata,shape,resizes,mean_processors,efficiency")
    assert len(lines) > 4 and len({line.rpartition(",")[0].split(",")[-2] for line in lines[1:]}) > 1
    rows = result.runs
    held = ((rows.end - rows.start) * rows.processors).groupby(rows.job).sum()
    np.testing.assert_allclose(held / (rows.end - rows.start).groupby(rows.job).sum(), result.jobs.mean_processors)
    assert "shape" not in tt.replay(given, "easy", 16).to_csv(tmp_path / "other.csv").read_text().splitlines()[0]
