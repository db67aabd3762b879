"""A snapshot's files become a site and a state, from which a run goes on."""

import json
from pathlib import Path

import pytest
import simpy

import thinktime as tt
from tests.models.snapshot import made_up
from tests.models.snapshot.made_up import NOW, ZERO, at, job
from tests.models.snapshot.same import again, alike
from thinktime.models.machine.machine import Machine
from thinktime.models.snapshot.reading import Snapshot, read_snapshot

DAY = 86_400


@pytest.fixture(scope="module")
def mars(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """The made-up snapshot."""
    return read_snapshot(made_up.write(tmp_path_factory.mktemp("mars")))


def starts(snapshot: Snapshot) -> dict[str, float]:
    """When each waiting job starts, by its label, in seconds since `ZERO`; those that never do are not there."""
    result = tt.run(tt.MachineSpec(begin=snapshot.state))
    found = dict(zip(result["id"].tolist(), result["start"].tolist(), strict=True))
    begun = {label: found[snapshot.numbers[label]] + snapshot.zero - ZERO for label in snapshot.rows}
    return {label: start for label, start in begun.items() if start > NOW}


def machine_of(snapshot: Snapshot) -> Machine:
    """The machine, at the time of the state."""
    return tt.MachineSpec(begin=snapshot.state).open(simpy.Environment(snapshot.state.time))


def test_what_runs_and_what_waits(mars: Snapshot) -> None:
    """Two jobs run where they do; the others wait in the queue, or outside of it, with what they ask for."""
    machine = machine_of(mars)
    assert machine.count == 6
    assert mars.begin == ZERO + NOW and mars.zero == ZERO // DAY * DAY
    running = {mars.rows[label] for label in ("2", "4_2")}
    assert {event.row for event in machine.users} == running
    assert {event.row for event in machine.queue} == {mars.rows[label] for label in ("3", "4_3")}
    assert {event.row for event in machine.aside} == {mars.rows[label] for label in ("4_4", "4_5", "7", "8", "9")}
    jobs = {each.label: each for each in mars.jobs}
    assert jobs["2"].nodes == ("m1",) and jobs["2"].name == "wide one" and jobs["2"].limit == 600
    assert jobs["3"].node_count == 2 and jobs["3"].exclusive
    assert jobs["8"].nice == 50 and jobs["8"].depends.startswith("afterok:2")
    placement = machine.result().nodes
    assert placement is not None
    assert [placement.of(mars.rows[label]) for label in ("2", "4_2")] == [[0], [1]]


def test_the_rest_is_as_the_files_say(mars: Snapshot) -> None:
    """Jobs end at their limits; an array is within its %; who is held, or waits for a time or a job, does."""
    found = starts(mars)
    assert {*found} == {"3", "4_3", "4_4", "4_5", "8", "9"}
    assert found["3"] >= NOW + 540 and found["8"] >= NOW + 300 and found["9"] >= NOW + 900
    running = sorted((found[label], found[label] + 600) for label in ("4_3", "4_4", "4_5"))
    running.insert(0, (NOW - 60, NOW + 540))
    for begin, _ in running:
        assert sum(start <= begin < end for start, end in running) <= 2


def test_reservations_are_windows(mars: Snapshot) -> None:
    """Node m1 is reserved, and no job may use it then."""
    assert mars.spec.changes is not None
    (window,) = mars.spec.changes.windows
    begin = ZERO - mars.zero + NOW + 5_000
    assert (window.start, window.end, window.processors) == (begin, begin + 1_000, ("m1",))


def in_reservation(folder: Path, flags: str) -> dict[str, float]:
    """When two jobs start of which the second asks for a reservation of all nodes for their user."""
    jobs = [job(3, "plain", "ann"), job(5, "asks", "ann", Reservation="course")]
    record = made_up.record(
        ReservationName="course", StartTime=at(NOW + 60), EndTime=at(NOW + 4_000), Nodes="m[1-2]", CoreCnt=8,
        Flags=flags, Users="ann", Accounts="(null)",
    )  # fmt: skip
    files = {"jobs_txt": "".join(f"{line}\n" for line in jobs), "reservations_txt": f"{record}\n"}
    snapshot = read_snapshot(made_up.write(folder, **files, squeue_psv=None, sprio_txt=None))
    alike(snapshot, again(snapshot, folder / "again"))
    assert list(snapshot.report.of("ignored").values()) == [1]
    return starts(snapshot)


def test_a_reservation_is_for_the_jobs_that_ask_for_it(tmp_path: Path) -> None:
    """Others of its users stay outside, unless it is MAGNETIC; who asks waits until it begins."""
    assert in_reservation(tmp_path / "plain", "SPEC_NODES") == {"3": NOW + 4_000, "5": NOW + 60}
    assert in_reservation(tmp_path / "magnetic", "MAGNETIC,SPEC_NODES")["3"] <= NOW + 60


def test_usage_fair_shares_and_ticks(mars: Snapshot) -> None:
    """Accounts have used what they have; priorities and fair shares computed from that are those that were printed."""
    used = {(each.account, each.user): each.amount for each in mars.site.usage}
    assert used["physics", "ann"] == 500.0 and used["root", None] == 900.5
    assert mars.differences == {"fair share": 0.0, "priority": 0.0}
    accounts = machine_of(mars).policy.order.accounts
    assert accounts.raw_usage(mars.state.time)["physics", None, None] == 600.25


def test_printed_fair_shares_go_before(tmp_path: Path) -> None:
    """Whatever is computed here, fair shares until the next tick are those that were printed."""
    shares = made_up.shares().replace("0.750000", "0.900000")
    snapshot = read_snapshot(made_up.write(tmp_path, sshare_psv=shares))
    assert round(snapshot.differences["fair share"], 9) == 0.15
    assert snapshot.differences["priority"] == 1500
    assert snapshot.report.of("read")["priorities that differ from those computed here, at most by 1500"] == 2
    accounts = machine_of(snapshot).policy.order.accounts
    assert accounts.fair_shares(snapshot.state.time)["physics", "bob", None] == 0.9


def test_the_last_tick_is_known_by_ages(mars: Snapshot, tmp_path: Path) -> None:
    """Rounded points leave 40 s, of which the middle is taken; normalized ages have the second."""
    since = ZERO - mars.zero
    assert mars.tick == since + 973
    assert "by the ages of 2 of 2 jobs, known to 40 s" in str(mars.report)
    exact = read_snapshot(made_up.write(tmp_path / "exact", sprio_norm_txt=made_up.NORMAL))
    assert exact.tick == since + made_up.TICK
    assert "known to" not in str(exact.report)


def test_backfill_has_the_clock_of_the_last_pass(mars: Snapshot, tmp_path: Path) -> None:
    """Passes are whole intervals after the last one; where it is not said when that was, this is told."""
    assert "origin=22," in str(mars.spec.policy)
    unknown = read_snapshot(made_up.write(tmp_path, sdiag_txt=None))
    assert "when backfill passes are: at whole multiples of their interval" in unknown.report.of("unknown")


def test_run_times_may_be_given(mars: Snapshot) -> None:
    """With them, jobs end earlier; a job that is not known is refused."""
    found = starts(mars.with_run_times({"2": 310, "4_2": 70, "3": 20}))
    assert found["3"] == NOW + 10
    assert found["4_3"] == found["4_4"] == NOW + 30
    with pytest.raises(ValueError, match="no job 77"):
        mars.with_run_times({"77": 1.0})


def test_the_state_may_be_kept_in_a_file(mars: Snapshot, tmp_path: Path) -> None:
    """The same run goes on from the file."""
    mars.state.save(tmp_path / "mars.state")
    kept = tt.MachineState.read(tmp_path / "mars.state")
    rest = [tt.run(tt.MachineSpec(begin=state)).jobs for state in (mars.state, kept)]
    assert rest[0].equals(rest[1])


def test_the_report_says_what_was_done(mars: Snapshot) -> None:
    """Counts of what was read, and what is not known."""
    assert mars.report.of("read") == {
        "running jobs": 2,
        "waiting jobs": 7,
        "usages of accounts and users": 7,
        "the last change of priorities, by the ages of 2 of 2 jobs, known to 40 s": 1,
        "reservations": 1,
        "the clock of backfill passes": 1,
        "priorities of jobs, as they are computed here": 2,
    }
    assert mars.report.of("repaired") == mars.report.of("ignored") == mars.report.of("unknown") == {}


def test_the_later_answer_counts(tmp_path: Path) -> None:
    """A job that runs in one answer and waits in another is taken from the later one, and counted."""
    rows = [row for row in made_up.QUEUE if row[0] not in ("4_2",)]
    text = made_up.queue([(label, "RUNNING" if label == "4_3" else state) for label, state in rows])
    cells = text.splitlines()
    head = cells[0].split("|")
    place = {name: head.index(name) for name in ("START_TIME", "NODELIST", "JOBID")}
    for k, line in enumerate(cells[1:], 1):
        row = line.split("|")
        if row[place["JOBID"]] == "4_3":
            row[place["START_TIME"]], row[place["NODELIST"]] = at(NOW + 1), "m2"
            cells[k] = "|".join(row)
    snapshot = read_snapshot(made_up.write(tmp_path, squeue_psv="\n".join(cells) + "\n"))
    assert snapshot.report.of("repaired") == {
        "jobs that wait in jobs.txt and run in squeue.psv, which is later: they run": 1,
        "jobs in jobs.txt that squeue.psv, which is later, has no more: they are over": 1,
    }
    assert snapshot.begin == ZERO + NOW + 1
    assert {event.row for event in machine_of(snapshot).users} == {snapshot.rows["2"], snapshot.rows["4_3"]}


def test_what_is_not_modelled_is_named_with_the_number_of_jobs(tmp_path: Path) -> None:
    """Licences, features, heterogeneous jobs, federations, burst buffers, power saving."""
    jobs = [
        *made_up.JOBS,
        job(10, "lic", "ann", Licenses="matlab:1"),
        job(11, "lic", "ann", Licenses="matlab:2", Features="a100"),
        job(12, "het", "bob", HetJobId=12, HetJobOffset=0, BurstBuffer="#DW"),
    ]
    nodes = "\n".join([made_up.node("m1", "ALLOCATED", 4), made_up.node("m2", "MIXED+POWERED_DOWN~", 2)])
    queue = made_up.queue([*made_up.QUEUE, ("10", "PENDING"), ("11", "PENDING"), ("12", "PENDING")])
    text = "\n".join(jobs) + "\n"
    snapshot = read_snapshot(made_up.write(tmp_path, jobs_txt=text, nodes_txt=f"{nodes}\n", squeue_psv=queue))
    assert snapshot.report.of("ignored") == {
        "licences: the job starts without waiting for them": 2,
        "features of nodes (--constraint): any nodes will do": 1,
        "components of heterogeneous jobs, which start one by one here": 1,
        "burst buffers: the job does not wait for them": 1,
        "nodes in power saving: taken as ready": 1,
    }


def test_nodes_that_are_down_take_no_more_jobs(tmp_path: Path) -> None:
    """A drained node keeps its jobs and gets no more, until further notice."""
    nodes = "\n".join([made_up.node("m1", "ALLOCATED", 4), made_up.node("m2", "MIXED+DRAIN", 2)])
    found = starts(read_snapshot(made_up.write(tmp_path, nodes_txt=f"{nodes}\n")))
    assert "3" not in found  # it needs both nodes
    assert found["4_3"] >= NOW + 300


def as_json(numbers: str) -> str:
    """The jobs as `squeue --json` prints them, with numbers that are plain or objects."""

    def number(value: int | None) -> object:
        if numbers == "plain":
            return value
        return {"set": value is not None, "infinite": False, "number": value or 0}

    def entry(label: str, state: str, **given: object) -> dict[str, object]:
        usual: dict[str, object] = {
            "job_id": int(label), "name": "a", "user_name": "ann", "account": "physics", "qos": "normal",
            "partition": "batch", "job_state": state if numbers == "plain" else [state], "cpus": number(2),
            "node_count": number(1), "tasks": number(2), "max_nodes": number(0), "shared": "", "nodes": "",
            "time_limit": number(10), "submit_time": number(ZERO + 500), "eligible_time": number(ZERO + 500),
            "start_time": number(0), "end_time": number(0), "array_job_id": number(0), "array_task_id": number(None),
            "array_task_string": "", "array_max_tasks": number(0), "priority": number(100), "nice": number(0),
            "state_reason": "None", "dependency": "", "tres_req_str": "cpu=2,mem=2G,node=1,billing=2",
        }  # fmt: skip
        return usual | given

    running = {"start_time": number(ZERO + NOW - 300), "nodes": "m1", "cpus": number(4), "tasks": number(4)}
    jobs = [
        entry("2", "RUNNING", **running),
        entry(
            "3", "PENDING", node_count=number(2), max_nodes=number(2), shared="none" if numbers == "plain" else ["none"]
        ),
        entry("4", "PENDING", array_job_id=number(4), array_task_string="3-5%2", array_max_tasks=number(2)),
        entry("7", "PENDING", priority=number(0), state_reason="JobHeldUser", user_name="cem", account="biology"),
        entry("8", "PENDING", dependency="afterok:2(unfulfilled)", nice=number(50)),
    ]
    return json.dumps({"meta": {}, "jobs": jobs})


@pytest.mark.parametrize("numbers", ["plain", "objects"])
def test_json_stands_in_for_text(numbers: str, tmp_path: Path) -> None:
    """Where the text of jobs is missing, they are those of squeue --json, in either shape of numbers."""
    snapshot = read_snapshot(
        made_up.write(tmp_path, jobs_txt=None, squeue_psv=None, squeue_json=as_json(numbers), sprio_txt=None)
    )
    jobs = {each.label: each for each in snapshot.jobs}
    assert list(jobs) == ["2", "3", "4_3", "4_4", "4_5", "7", "8"]
    assert jobs["2"].nodes == ("m1",) and jobs["2"].start == ZERO + NOW - 300 and jobs["2"].limit == 600
    assert jobs["3"].node_count == 2 and jobs["3"].exclusive and not jobs["2"].exclusive
    assert jobs["7"].held and jobs["8"].nice == 50 and jobs["4_3"].at_most == 2
    assert machine_of(snapshot).count == 4


@pytest.mark.parametrize(
    "node",
    [{"nodename": "m{}", "sockets": {"0": {"cores": {"0": "allocated", "1": "allocated"}}}},
     {"name": "m{}", "cpus": {"count": 2, "used": 0}}],
)  # fmt: skip
def test_json_says_how_many_processors_a_job_has_on_each_node(node: dict[str, object], tmp_path: Path) -> None:
    """In the words of 22.05 and of later versions; what it says is later than squeue.psv."""
    dump = json.loads(as_json("plain"))
    both = [json.loads(json.dumps(node).replace("{}", str(k))) for k in (1, 2)]
    told = {"allocated_nodes": both} if "sockets" in node else {"nodes": {"count": 2, "allocation": both}}
    dump["jobs"][0] |= {"nodes": "m[1-2]", "job_resources": told}
    files = {"jobs_txt": None, "sprio_txt": None, "squeue_json": json.dumps(dump)}
    snapshot = read_snapshot(made_up.write(tmp_path, **files, squeue_psv=made_up.queue([("2", "PENDING")])))
    assert snapshot.jobs[0].shares == (2, 2) and "2" in snapshot.rows
    assert machine_of(snapshot).pool.site.free[:, 0].tolist() == [2, 2]


def test_other_settings(mars: Snapshot) -> None:
    """The same jobs at the same moment under a changed site; the reservation and the clock of backfill stay."""
    other = mars.under("backfill.max_job_test=1")
    assert "bf_max_job_test=1" in str(other.spec.policy) and "origin=22" in str(other.spec.policy)
    assert other.spec.changes == mars.spec.changes
    assert other.rows == mars.rows and str(other.state) == str(mars.state)
