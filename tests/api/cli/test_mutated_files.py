"""Files that are damaged, cut, in other encodings or with absurd numbers: one sentence, or they are read."""

import random
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thinktime as tt
from tests.how_many import few_or_many
from tests.models.site import pluto
from thinktime.analysis.study.answer_data import dumped, loaded
from thinktime.analysis.view.page import content
from thinktime.cli.errors import sentence
from thinktime.models.policies.slack.priorities import read_table
from thinktime.models.results.result import Result
from thinktime.workloads.changes.events_file import read_events
from thinktime.workloads.changes.outage_logs import read_outages
from thinktime.workloads.conditions import LogConditions
from thinktime.workloads.generators.recipe_text import read_file
from thinktime.workloads.host_lists import expand
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.sacct import ConversionOptions, convert
from thinktime.workloads.sacct.name_file import read_names

EVENTS = """kind,start,end,processors,announced,users,jobs,rule
window,0,100,2,,ann 7,3 4,wait
capacity,50,inf,1,,,,
outage,5,17.5,0-3 7,,,,
"""
MACHINES = "0\tthin\t4\t16\t1.0\t67108864\tinfini,ssd\n1\tfat\t1\t64\t1.0\t1073741824\t-\t4\n"
SACCT = """JobID|User|Account|Partition|Submit|Start|End|State|AllocCPUS|ReqCPUS|Timelimit|ExitCode
1|ann|a|main|2024-05-31T08:30:00|2024-05-31T08:40:00|2024-05-31T09:30:00|COMPLETED|4|4|02:00:00|0:0
2_1|bob|b|main|2024-05-31T08:31:00|2024-05-31T08:41:00|2024-05-31T09:31:00|FAILED|8|8|1-00:00:00|1:0
"""
SCENARIO = """name = "two"
policies = ["fcfs", "easy:reservations=2"]
horizon = "9 h"
metrics = ["mean_wait"]
[machine]
processors = 8
[machine.changes]
failures = "mtbf=30d,mttr=4h"
[[machine.changes.windows]]
start = 10
end = 20
processors = 2
[users.u]
count = 2
runtime = {distribution = "expon", scale = "10 min"}
jobs = 4
think_time = "1 h"
hours = {start = 9, end = 17, days = [0, 1, 2]}
"""
RECIPE = """load = 0.7
cycle = "daily"
[model.arrivals]
kind = "b-model"
bias = 0.8
[model.runtimes]
distribution = "lognorm"
s = 1.5
scale = 600
"""
CONDITIONS = "job,depends,begin,held,array,task,at_most\n3,afterok:1:2,3600,0.5,,,\n4,,,,4,1,2\n"
NAMES = "kind,number,name\nuser,1,ann\naccount,2,b\njob,7,7_1\n"
TABLE = "user,user_priority\nann,0.5\n"
SWF = """; MaxProcs: 4
; UnixStartTime: 0
1 0 5 60 2 -1 -1 2 90 -1 1 7 1 -1 1 1 -1 -1
2 9 5 60 1 -1 -1 1 90 -1 1 8 1 -1 1 1 1 3
"""
TEXTS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "log.swf": (SWF, tt.read_swf),
    "events.csv": (EVENTS, lambda path: read_events(path, 8)),
    "outages.csv": ("start,end,processors\n0,3600,2\n5,inf,0-1 3\n", read_outages),
    "a.machines": (MACHINES, lambda path: Nodes.read(path).capacity),
    "site.toml": (pluto.SITE, lambda path: tt.Site.read(path).machine()),
    "s.toml": (SCENARIO, tt.Scenario.read),
    "recipe.toml": (RECIPE, read_file),
    "log.conditions.csv": (CONDITIONS, LogConditions.read),
    "log.names.csv": (NAMES, read_names),
    "table.csv": (TABLE, lambda path: read_table(path, ["user", "user_priority"])),
    "dump.txt": (SACCT, lambda path: convert([path], ConversionOptions())),
    "hosts": ("n[1-4,7],gpu[01-03]", lambda path: expand(path.read_text(errors="replace"))),
}
HUGE = [b"9" * 300, b"-1", b"1e308", b"99999999999", b"nan", b"inf", b"0", b"1e-320", b"-0.0", b"9223372036854775808"]
MANY = pytest.mark.parametrize("cases", few_or_many(40, 1500), ids=["some", "many"])


def mutated(data: bytes, luck: random.Random) -> bytes:
    """The bytes with a few bits flipped, cut, in another encoding, or with an absurd number or text in them."""
    kind, place = luck.randrange(7), luck.randrange(len(data))
    if kind == 0:
        flipped = bytearray(data)
        for _ in range(luck.randint(1, 4)):
            flipped[luck.randrange(len(data))] ^= 1 << luck.randrange(8)
        return bytes(flipped)
    if kind == 1:
        return data[:place]
    if kind == 2:
        return data.decode("latin-1").encode(luck.choice(["utf-16", "utf-16-le", "utf-32", "cp500"]))
    numbers = list(re.finditer(rb"\d+(\.\d+)?", data))
    if kind in (3, 4) and numbers:
        found = luck.choice(numbers)
        return data[: found.start()] + luck.choice(HUGE) + data[found.end() :]
    if kind == 5:
        words = list(re.finditer(rb"[a-z_]+", data)) or [re.match(rb"", data)]
        found = luck.choice(words)  # type: ignore[arg-type]
        return (
            data[: found.start()]
            + luck.choice([b"", b"x" * 500, "é".encode(), b"\0", b'"', b"\n"])
            + data[found.end() :]
        )
    other = luck.randrange(len(data))
    return data[:place] + data[min(place, other) : max(place, other)] * luck.randint(0, 3) + data[place:]


def one_sentence_or_read(read: Callable[[], Any], what: str) -> None:
    """Reading succeeds, or its error is one of the expected kinds."""
    try:
        read()
    except Exception as error:
        said = sentence(error)
        assert said is not None, f"{what}: {type(error).__name__}: {error}"
        assert "\n" not in said and len(said) < 700, what


@MANY
@pytest.mark.parametrize("name", TEXTS)
def test_texts(name: str, cases: int, tmp_path: Path) -> None:
    """Every text that is read."""
    text, read = TEXTS[name]
    path = tmp_path / name
    path.write_text(text)
    read(path)
    for seed in range(cases):
        luck = random.Random(f"{name} {seed}")
        path.write_bytes(mutated(text.encode(), luck))
        one_sentence_or_read(lambda: read(path), f"{name}, {seed}")


def seen(path: Path) -> None:
    """What a page shows of a result."""
    content({"easy": Result.load(path)})


@MANY
def test_results(cases: int, tmp_path: Path) -> None:
    """result.npz in bytes, and with single arrays that cannot be."""
    log = tt.Trace({"submit": [0, 1, 2], "runtime": [10, 20, 5], "allocated": [2, 1, 2], "user": [3, 4, 3]})
    changes = tt.Changes(windows=[tt.Window(3, 6, 2)], outages=tt.Outages.of([(4, 8, "0-1")]))
    result = tt.run(tt.MachineSpec(4, "easy", changes=changes), tt.sources.log(log))
    path = result.save(tmp_path / "result.npz")
    data = path.read_bytes()
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    for seed in range(cases):
        luck = random.Random(seed)
        if seed % 2:
            path.write_bytes(mutated(data, luck))
        else:
            name = luck.choice(list(arrays))
            wrong = arrays[name].copy()
            if wrong.size:
                wrong.flat[luck.randrange(wrong.size)] = luck.choice([0, 1, 7, 99])
            if luck.random() < 0.3:
                wrong = wrong[:-1]
            np.savez(path, **{**arrays, name: wrong})
        one_sentence_or_read(lambda: seen(path), f"result.npz, {seed}")


@MANY
def test_answers_and_databases(cases: int, tmp_path: Path) -> None:
    """Kept answers, and the database of a sweep."""
    kind = list[tuple[float, str]]
    data = dumped([(1.0, "a"), (float("nan"), "b")], kind)
    for seed in range(cases):
        wrong = mutated(data, random.Random(seed))
        one_sentence_or_read(lambda: loaded(wrong, kind), f"answer, {seed}")  # noqa: B023
    folder = tmp_path / "sweep"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "results.sqlite")) as file:
        file.execute("CREATE TABLE meta (name TEXT, value TEXT)")
        file.execute("INSERT INTO meta VALUES ('scenario', '{}')")
        file.commit()
    database = (folder / "results.sqlite").read_bytes()
    for seed in range(cases):
        (folder / "results.sqlite").write_bytes(mutated(database, random.Random(seed)))
        one_sentence_or_read(lambda: tt.Sweep(folder).scenario, f"sweep, {seed}")
