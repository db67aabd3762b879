"""`thinktime expectations` and its study on small logs made here."""

import csv
import json
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import thinktime as tt
from tests.analysis.expectations.test_eet import algorithm_1
from thinktime.analysis.expectations.evaluated_site import Site
from thinktime.analysis.papers.expectations.findings import less
from thinktime.analysis.papers.expectations.printed import POLICIES
from thinktime.analysis.papers.expectations.study import LOADS, ExpectationsStudy, sites
from thinktime.workloads import Trace, write_swf
from thinktime.workloads.node_log import read_requests
from thinktime.workloads.nodes import Nodes

GB = 2**30


def small_log(path, jobs=160, seed=2, machine=12):
    """A crowded log with recorded waits."""
    random = np.random.default_rng(seed)
    submit = np.sort(random.integers(0, 4_000, jobs))
    columns = {
        "submit": submit, "wait": random.integers(0, 300, jobs), "runtime": random.integers(1, 400, jobs),
        "allocated": random.integers(1, 7, jobs), "requested_time": random.integers(100, 500, jobs),
        "user": random.integers(1, 6, jobs), "queue": random.integers(0, 2, jobs),
    }  # fmt: skip
    trace = Trace(columns)
    write_swf(trace.with_header(trace.header.set("MaxProcs", machine)), path)
    return path


@pytest.fixture
def log(tmp_path):
    """A log on disk."""
    return small_log(tmp_path / "small.swf")


def test_recorded_schedule_against_the_algorithm(log, run):
    """The JSON object is what the paper's formulas give, slot by slot, with the default capacity."""
    status, out, _ = run("expectations", log, "--recorded", "--json")
    found = json.loads(out)
    trace = tt.read_swf(log)
    end = trace.submit + trace.wait + trace.runtime
    first, last = int(trace.submit.min()), int(end.max())
    active = np.zeros(last - first)
    for user in np.unique(trace.user):
        here = np.zeros(last - first, bool)
        for s, e in zip(trace.submit[trace.user == user], end[trace.user == user], strict=True):
            here[int(s) - first : int(e) - first] = True
        active += here
    capacity = -(-12 * len(active) // int(active.sum()))
    assert status == 0
    assert found["expected_capacity"] == {"processors": capacity, "memory": None}
    recorded = found["policies"]["recorded"]
    total = 0
    assert set(recorded["users"]) == {str(user) for user in np.unique(trace.user).tolist()}
    for user, row in recorded["users"].items():
        mine = np.flatnonzero(trace.user == int(user))
        jobs = [(int(trace.submit[i]), int(trace.processors[i]), int(trace.runtime[i])) for i in mine]
        eet = np.array(algorithm_1(jobs, [capacity] * len(jobs)))
        late = np.maximum(end[mine] - eet, 0)
        total += int((late > 0).sum())
        assert row["jobs"] == len(mine)
        assert row["veet"] == pytest.approx(100 * (late > 0).mean())
        assert row["weighted_tardiness"] == float(trace.processors[mine] @ late)
    assert recorded["violated_jobs"] == total


def test_policies_and_recorded_together(log, run, tmp_path):
    """Schedules have their names, one capacity and files of their own."""
    words = ["expectations", log, "--recorded", "--policy", "fcfs", "--policy", "easy:order=sjf", "--quiet"]
    status, out, _ = run(*words, "--out", tmp_path / "out", "--json")
    found = json.loads(out)
    assert status == 0
    assert list(found["policies"]) == ["recorded", "fcfs", "easy:order=sjf"]
    names = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")}
    assert {"figure-5.png", "figure-6a.png", "figure-6b.png", "figure-7.png", "expectations.json"} <= names
    assert {"recorded/users.csv", "recorded/jobs.csv", "easy-order-sjf/heatmap.png"} <= names
    status, out, _ = run(*words)
    assert status == 0
    assert "A user expects" in out and "users active on average in the log's own schedule" in out
    assert all(len(line) <= 100 for line in out.splitlines() if "expects" not in line)


def test_the_recorded_schedule_is_the_default(log, run):
    """Without a policy, the log's own schedule is evaluated."""
    assert list(json.loads(run("expectations", log, "--json")[1])["policies"]) == ["recorded"]


def test_a_window_measures_the_jobs_submitted_in_it(log, run):
    """Expected ends are those of the whole log, and only jobs submitted in the window are counted."""
    words = ("expectations", log, "--recorded", "--json")
    whole, part, rest = (
        json.loads(run(*words, *more)[1]) for more in ((), ("--measure-to", "1000"), ("--measure-from", "1000"))
    )
    assert (part["measure_from"], part["measure_to"]) == (None, 1000)
    assert part["expected_capacity"] == whole["expected_capacity"]
    counts = [each["policies"]["recorded"]["violated_jobs"] for each in (whole, part, rest)]
    assert counts[0] == counts[1] + counts[2]
    assert min(counts) > 0
    shown = run("expectations", log, "--measure-to", "1000")[1]
    assert "Measured to 1,000 s" in shown


def test_a_shaken_log_has_a_floor(log, run):
    """Each policy's violated and late jobs stand beside those of shaken logs; the log's own schedule is not shaken."""
    words = ("expectations", log, "--recorded", "--policy", "fcfs", "--shake", "3", "--quiet")
    found = json.loads(run(*words, "--json")[1])
    (policy, numbers), *others = found["shaken"]["policies"].items()
    assert (policy, others, found["shaken"]["logs"]) == ("fcfs", [], 3)
    assert numbers["violated_jobs"]["logged"] == found["policies"]["fcfs"]["violated_jobs"]
    late = sum(of["weighted_tardiness"] for of in found["policies"]["fcfs"]["users"].values())
    assert numbers["weighted_tardiness"]["logged"] == pytest.approx(late)
    assert numbers["weighted_tardiness"]["floor"] > 0
    assert "Shaken 3 times" in run(*words)[1]


def test_capacities_filters_and_judgements(log, run):
    """The options for capacities, filters, batches and tolerance do what they say."""

    def violated(*words):
        status, out, err = run("expectations", log, "--json", *words)
        assert status == 0, err
        found = json.loads(out)
        return found["policies"]["recorded"]["violated_jobs"], found["expected_capacity"]["processors"]

    assert violated("--capacity", "5")[1] == 5
    assert violated("--capacity", "users")[1] == 3
    assert violated("--capacity", "1")[0] <= violated("--capacity", "3")[0] <= violated("--capacity", "12")[0]
    assert violated("--capacity", "3", "--tolerance", "500")[0] <= violated("--capacity", "3")[0]
    assert violated("--capacity", "3", "--fairshare")[0] <= violated("--capacity", "3")[0]
    assert violated("--capacity", "3", "--capacity-of", "1=12")[0] >= violated("--capacity", "3")[0]
    assert violated("--capacity", "shares", "--share", "1=5")[1] == 2
    assert violated("--batches")[0] <= violated()[0]
    one = json.loads(run("expectations", log, "--json", "--user", "2", "--queue", "1")[1])
    assert list(one["policies"]["recorded"]["users"]) == ["2"]
    but = json.loads(run("expectations", log, "--json", "--without-user", "2")[1])
    assert "2" not in but["policies"]["recorded"]["users"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--capacity", "odd"], "--capacity must be active, users, shares or N"),
        (["--capacity", "0"], "--capacity must be a whole number of at least 1"),
        (["--capacity-of", "x"], "must be USER=VALUE"),
        (["--share", "1=2"], "--share needs --capacity shares"),
        (["--capacity", "3,lots"], "memory must be bytes"),
        (["--user", "77"], "no job of the selected users"),
        (["--policy", "odd"], "there is no policy 'odd'"),
        (["--machines", "none.machines"], "there is no file none.machines"),
        (["--allocator", "odd"], "--allocator must be"),
        (["--memory-unit", "odd"], "--memory-unit must be"),
        (["--overrun", "odd"], "--overrun cannot be"),
        (["--shake", "3"], "--shake is for simulated schedules"),
        (["--measure-from", "9000"], "no job of the log is submitted"),
    ],
)
def test_errors_are_one_sentence(log, run, words, message):
    """An error is one line on standard error with exit status 2."""
    status, out, err = run("expectations", log, *words)
    assert (status, out) == (2, "")
    assert message in err and err.count("\n") == 1


def nodes_log(folder, jobs=60):
    """A log with requests in its extra columns, and the description of its nodes."""
    random = np.random.default_rng(9)
    lines = []
    for i in range(jobs):
        nodes, ppn = int(random.integers(1, 3)), int(random.integers(1, 5))
        had = ",".join(str(100 + v) for v in range(nodes) for _ in range(ppn))
        memory = int(random.integers(1, 8)) * GB if i else 99 * GB
        lines.append(
            f"{i} {1_356_996_147 + 20 * i} {random.integers(0, 50)} {random.integers(1, 300)} {nodes * ppn} -1 -1 "
            f"{nodes * ppn} 300 {memory} 1 {random.integers(1, 4)} 1 1 -1 1 1 1 {{{had}}} q_{i % 2} "
            f"{nodes}:ppn={ppn}:brno"
        )
    (folder / "nodes.swf").write_text("\n".join(lines) + "\n")
    (folder / "nodes.machines").write_text("0\tfat\t2\t8\t1\t16777216\n1\tthin\t2\t4\t1\t8388608\n")
    return folder / "nodes.swf", folder / "nodes.machines"


def test_with_nodes(tmp_path, run):
    """With nodes, the unit of memory is found, hopeless jobs are counted and both resources count."""
    log, machines = nodes_log(tmp_path)
    words = ["expectations", log, "--machines", machines, "--recorded", "--policy", "easy", "--quiet"]
    status, out, err = run(*words, "--json")
    assert status == 0, err
    found = json.loads(out)
    assert found["expected_capacity"]["memory"] > GB
    assert sum(row["jobs"] for row in found["policies"]["easy"]["users"].values()) == 59
    status, out, _ = run(*words)
    assert "1 job dropped: no node has what it asks for" in out
    assert "Requested memory (field 10) read as bytes per chunk" in out
    assert "taken for granted: brno (60)" in out
    half = json.loads(run(*words, "--json", "--queue", "q_1")[1])
    assert sum(row["jobs"] for row in half["policies"]["recorded"]["users"].values()) == 30


def test_the_study(tmp_path, run):
    """The study compares four schedulers and says which findings are seen."""
    log, machines = nodes_log(tmp_path, jobs=40)
    words = ["study", "expectations", log, "--machines", machines, "--quiet", "--workers", "1", "--sizes", "2+1,1+1"]
    status, out, err = run(*words, "--out", tmp_path / "study")
    assert status == 0, err
    assert out.count("seen") >= 10 and "four times the capacity" in out and "one EET per batch" in out
    assert (tmp_path / "study" / "figure-7.png").exists() and (tmp_path / "study" / "sensitivity.csv").exists()
    assert all(len(line) <= 130 for line in out.splitlines() if "expects" not in line and "granted" not in line)
    assert "Rule: the sides of a comparison differ by more than 5 %" in out.split("What the paper finds")[0]
    assert {"machine-size.png", "verdicts.csv", "study.json"} <= {path.name for path in (tmp_path / "study").iterdir()}
    found = json.loads((tmp_path / "study" / "study.json").read_text())
    assert list(found["policies"]) == [
        "fcfs", "none:order=fairshare", "easy", "easy:order=fairshare", "recorded",
    ]  # fmt: skip
    variants = {each["changed"]: each for each in found["variants"]}
    assert next(iter(variants)) == "nothing" and list(variants)[-2:] == ["2+1 nodes", "1+1 nodes"]
    assert all(len(each["findings"]) == 10 for each in variants.values())
    loads = [variants[name]["load"] for name in ("nothing", "2+1 nodes", "1+1 nodes")]
    assert loads == sorted(loads) and loads[0] < loads[1]
    with (tmp_path / "study" / "verdicts.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 10 * len(variants)
    assert {row["verdict"] for row in rows} <= {"seen", "NOT seen", "undecided"}
    status, _, err = run(*words[:-1], "3")
    assert (status, err.count("\n")) == (2, 1)
    assert "numbers of nodes of fat, thin, joined by +, such as 2+2, not '3'" in err


def test_sizes_of_the_machine(tmp_path):
    """Smaller machines carry the wanted load and are what users' shares are taken of."""
    log, machines = nodes_log(tmp_path)
    nodes = Nodes.read(machines)
    asked = read_requests(tt.read_swf(log, processors=10**6), nodes)
    base = Site(asked.trace, nodes.total(), nodes, asked, dropped=len(asked.left_out))
    assert (base.size, base.dropped) == ("2+2", 1)
    small, single = sites(base, ["1+2", "2+1"])
    assert [small.size, single.size] == ["1+2", "2+1"] and small.processors == 16
    assert small.load == pytest.approx(base.load * 24 / 16, rel=0.1)
    assert len(small.trace) + small.dropped == 60
    assert sites(base, ["2+2"]) == [], "the machine itself is no other size"
    by_load = [each.load for each in sites(replace(base, processors=10**6))]
    assert len(by_load) <= 3
    pool = Site(asked.trace, 100)
    for each, load in zip(sites(pool), LOADS, strict=False):
        assert each.load <= load and each.processors < 100
    study = ExpectationsStudy(site=base, sizes="1+2").run()
    expected = study.sizes[1].expectations["easy"].chosen
    assert expected.said == study.own.expectations["easy"].chosen.said
    assert expected.processors == -(-study.own.expectations["easy"].chosen.processors * 16 // 24)
    assert [each.changed for each in study.sizes] == ["2+2 nodes", "1+2 nodes"]


def test_the_rule_of_verdicts():
    """Two sides that differ by at most 5 % leave a comparison undecided."""
    assert [less(94, 100), less(95, 100), less(106, 100), less(0, 0), less(1, 0), less(1, float("nan"))] == [
        True, None, False, None, False, None,
    ]  # fmt: skip


def test_the_ready_scenario_has_the_papers_schedulers():
    """`docs/scenarios/expectations.toml` runs the four schedulers of the paper's section 4.1."""
    path = Path(__file__).parents[3] / "docs" / "scenarios" / "expectations.toml"
    assert tomllib.loads(path.read_text())["policies"] == list(POLICIES)
