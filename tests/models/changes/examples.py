"""The twenty-two worked examples of the contract (its section 13), in the notation of its table.

A job is `user queue number: submit, width, work/estimate`; a window is `processors[start,end) @announced for user`,
an outage `indices [start,end)`. Results are the intervals of the runs of each job that the table names. P = 10 and
EASY where nothing else is said; only the queue `urgent` has a rank. Where the table is silent:

* A window without @ is known from time 0, a capacity window too.
* 300 lost in example 4 is 6 processors times 50 s; other losses are given for one processor.
* In example 13 job 2 also starts at 1, and in example 15 job 3 keeps its estimate of 100 s when it runs for 53 s.
* Job 4 of example 9 runs as said in its other variants, too.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Any

from tests.models.changes.case import INF, Case, Job, Options, Outage, Window


@dataclass(frozen=True)
class Example:
    """A worked example, or a variant of one, with what the table says of it."""

    name: str
    case: Case
    runs: dict[int, list[tuple[int, int]]]
    says: dict[str, Any] = field(default_factory=dict)
    """Other fields of the outcome, `lost` in processor-seconds, `how` and `indices` of the runs, all by job."""


def jobs(text: str) -> tuple[Job, ...]:
    return tuple(map(_job, text.split(" · ")))


def _job(text: str) -> Job:
    match = re.fullmatch(r"((?:\w+ )*)(\d+): (\d+),(\d+),(\d+)(?:/(\d+))?", text)
    assert match, text
    words, (number, submit, width, run) = match[1].split(), map(int, match.groups()[1:5])
    queue = "urgent" if "urgent" in words else ""
    user = next((word for word in words if word != "urgent"), "")
    return Job(number, submit, width, run, int(match[6] or run), user, queue)


def window(text: str, **more: Any) -> Window:
    match = re.fullmatch(r"(capacity )?(\d+)\[(\d+),(\d+|∞)\)(?: @(\d+))?(?: for (\w+))?", text)
    assert match, text
    users = frozenset({match[6]} if match[6] else ())
    kind = "capacity" if match[1] else "reservation" if users else "maintenance"
    end = INF if match[4] == "∞" else int(match[4])
    return Window(int(match[3]), end, int(match[2]), announced=int(match[5] or 0), users=users, kind=kind, **more)


def outage(text: str) -> Outage:
    match = re.fullmatch(r"(\d+) \[(\d+),(\d+)\)", text)
    assert match, text
    return Outage(int(match[2]), int(match[3]), frozenset({int(match[1])}))


def intervals(text: str) -> dict[int, list[tuple[int, int]]]:
    """`1 0–50, 80–180, 2 10–110` as {1: [(0, 50), (80, 180)], 2: [(10, 110)]}."""
    found: dict[int, list[tuple[int, int]]] = {}
    for job, start, end in re.findall(r"(?:(\d+) )?(\d+)–(\d+)", text):
        number = int(job) if job else list(found)[-1]
        found.setdefault(number, []).append((int(start), int(end)))
    return found


def example(name: str, given: str, changes: str | tuple[Any, ...], result: str, /, p: int = 10, **more: Any) -> Example:
    """An example: options by their names, other things that the table says of its outcome in `says`."""
    says = more.pop("says", {})
    texts = (changes,) if isinstance(changes, str) else changes
    outages = tuple(c for c in texts if isinstance(c, Outage))
    windows = tuple(window(c) if isinstance(c, str) else c for c in texts if c not in outages)
    if more.get("preempt"):
        more = {"ranks": (("urgent", 1),), **more}
    return Example(name, Case(p, jobs(given), windows, outages, options=Options(**more)), intervals(result), says)


def waiting(text: str, rule: str) -> Window:
    return replace(window(text), rule=rule)


DRAIN = "1: 0,6,80 · 2: 0,6,40 · 3: 0,4,100 · 4: 10,4,20", "10[100,150) @0"
DRAINED = "1 0–80, 3 0–100, 4 80–100, 2 150–190"
CLEARED = "1: 0,6,100 · 2: 10,4,100 · 3: 55,1,5"
RESERVED = "bob 1: 0,10,50 · bob 2: 5,6,30 · ann 3: 10,8,40 · bob 4: 20,2,100", "6[50,100) @0 for ann"
FAILED = "1: 0,2,100 · 2: 0,2,50 · 3: 10,2,30 · 4: 60,1,10", (outage("1 [20,200)"),)
BLOCKED = "1: 0,2,40 · 2: 5,4,20 · 3: 12,1,100", (outage("3 [10,60)"),)
LOST = "1: 0,1,100", (outage("0 [90,120)"),)
URGENT = "1: 0,4,100 · 2: 1,2,100 · 3: 2,4,100 · urgent 4: 50,4,20"
URGENT_5 = URGENT.replace("50,4,20", "50,5,20")
URGENT_53 = URGENT.replace("2,4,100", "2,4,53/100")
BROKEN = "1: 0,4,40 · 2: 1,4,30 · 3: 2,2,5", "4[50,70) @20"
TOUCHED = "1: 0,1,10 · 2: 10,2,5"
OVERRUN = "1: 0,4,70/30 · 2: 5,2,10"
KEPT = {"checkpoint": 30, "cost": 5, "restart": 10}

EXAMPLES = [
    example("1", *DRAIN, DRAINED),
    example("1, EASY(2)", *DRAIN, DRAINED, n=2),
    example("1, no-guarantee", *DRAIN, DRAINED, rule="no-guarantee"),
    example("1, conservative-dynamic", *DRAIN, DRAINED, rule="conservative-dynamic"),
    *(
        example(f"1, conservative, {compress}", *DRAIN, DRAINED, rule="conservative", compress=compress)
        for compress in ("completion", "event", "scheduled", "none")
    ),
    example("2", *DRAIN, "1 0–80, 2 150–190, 3 150–250, 4 190–210", rule="none"),
    example("3", "1: 0,6,200 · 2: 0,4,50 · 3: 0,2,10", "4[50,100) @0", "1 0–200, 2 0–50, 3 100–110"),
    example(
        "4, requeue",
        CLEARED,
        (waiting("6[50,80) @30", "requeue"),),
        "1 0–50, 80–180, 2 10–110, 3 110–115",
        says={"lost": {1: 300, 2: 0}, "how": {1: ["window", "finished"]}},
    ),
    example(
        "4, kill",
        CLEARED,
        (waiting("6[50,80) @30", "kill"),),
        "1 0–50, 3 80–85, 2 10–110",
        says={"states": {1: "killed"}},
    ),
    example("4, wait", CLEARED, (waiting("6[50,80) @30", "wait"),), "1 0–100, 3 100–105, 2 10–110"),
    example("5", *RESERVED, "1 0–50, 3 50–90, 4 50–150, 2 100–130"),
    example("5, none", *RESERVED, "1 0–50, 3 50–90, 2 100–130, 4 100–200", rule="none"),
    example("6", "bob 1: 0,6,100 · ann 2: 0,4,50 · bob 3: 0,4,10", "4[20,40) @0 for ann", "1 0–100, 2 0–50, 3 50–60"),
    example("7", "1: 0,8,10 · 2: 0,6,30 · 3: 0,6,60", "capacity 4[0,60) @0", "2 0–30, 1 60–70, 3 70–130"),
    example(
        "8",
        "1: 0,10,80 · 2: 10,8,30 · 3: 95,8,10 · 4: 95,6,10",
        "capacity 4[100,∞) @50",
        "1 0–80, 4 95–105",
        says={"states": {2: "refused", 3: "refused"}, "over": {2: 80, 3: 95}},
    ),
    example(
        "9",
        *FAILED,
        "1 0–20, 50–150, 2 0–50, 3 150–180, 4 60–70",
        p=4,
        says={"indices": {1: [(0, 1), (0, 2)], 4: [(3,)]}, "lost": {1: 40}, "how": {1: ["failed", "finished"]}},
    ),
    example("9, now", *FAILED, "1 0–20, 80–180, 2 0–50, 3 50–80, 4 60–70", p=4, requeue_at="now"),
    example(
        "9, cancel",
        *FAILED,
        "1 0–20, 2 0–50, 3 50–80, 4 60–70",
        p=4,
        on_failure="cancel",
        says={"states": {1: "killed"}, "over": {1: 20}},
    ),
    example("10, unknown", *BLOCKED, "1 0–40, 3 12–112, 2 112–132", p=4),
    example("10, told", *BLOCKED, "1 0–40, 2 60–80, 3 80–180", p=4, repairs="told"),
    example("11", *LOST, "1 0–90, 120–175", p=1, **KEPT, says={"accounts": {1: [(60, 10, 20), (40, 15, 0)]}}),
    example("11, undisturbed", LOST[0], (), "1 0–115", p=1, **KEPT),
    example("11, no checkpoints", *LOST, "1 0–90, 120–230", p=1, restart=10, says={"lost": {1: 90}}),
    example(
        "12",
        "1: 0,4,100/60 · urgent 2: 20,4,30",
        (),
        "1 0–20, 50–90, 2 20–50",
        p=4,
        preempt="suspend",
        says={"states": {1: "killed"}, "how": {1: ["preempted", "limit"]}, "work": {1: 60}},
    ),
    example("13", URGENT, (), "1 0–100, 2 1–101, 3 2–50, 70–170, 4 50–70", preempt="requeue"),
    example("13, width 5", URGENT_5, (), "1 0–100, 2 1–50, 70–170, 3 2–50, 70–170, 4 50–70", preempt="requeue"),
    example(
        "13, cancel",
        URGENT,
        (),
        "1 0–100, 2 1–101, 3 2–50, 4 50–70",
        preempt="cancel",
        says={"states": {3: "killed"}, "over": {3: 50}},
    ),
    example(
        "14", "1: 0,6,100 · 2: 1,2,100 · 3: 2,2,100 · urgent 4: 50,6,20", (),
        "1 0–50, 70–170, 2 1–101, 3 2–102, 4 50–70", preempt="requeue",
    ),
    example("15", URGENT, (), "1 0–100, 2 1–101, 3 2–60, 80–180, 4 60–80", preempt="requeue", grace=10),
    example(
        "15, ends in its grace",
        URGENT_53,
        (),
        "1 0–100, 2 1–101, 3 2–55, 4 55–75",
        preempt="requeue",
        grace=10,
        says={"states": {3: "finished"}},
    ),
    example(
        "16", "urgent 1: 0,6,100 · 2: 0,4,100 · urgent 3: 10,8,10", (), "1 0–100, 2 0–100, 3 100–110", preempt="requeue"
    ),
    example(
        "17",
        "1: 0,2,40 · 2: 0,2,100 · 3: 1,2,30 · 4: 2,4,10 · 5: 3,2,25",
        (outage("0 [10,80)"),),
        "1 0–10, 80–120, 2 0–100, 3 100–130, 4 130–140, 5 140–165",
        p=4,
        rule="conservative",
        says={"promised": {3: 40, 4: 100, 5: 70}, "broken": 3, "reserved": (10, {1: 100, 3: 140, 4: INF, 5: 170})},
    ),
    example(
        "18",
        *BROKEN,
        "1 0–40, 3 40–45, 2 70–100",
        p=4,
        rule="conservative",
        says={"promised": {2: 40}, "broken": 1, "reserved": (20, {2: 75, 3: 70})},
    ),
    example("18, none", *BROKEN, "1 0–40, 3 70–75, 2 75–105", p=4, rule="conservative", compress="none"),
    example("19", TOUCHED, (outage("0 [10,12)"),), "1 0–10, 2 12–17", p=2, says={"states": {1: "finished"}}),
    example("19, again", TOUCHED, (outage("0 [10,12)"), outage("0 [12,15)")), "1 0–10, 2 15–20", p=2),
    example("20, extend", OVERRUN, "4[50,60) @0", "1 0–50, 60–130, 2 130–140", p=4, overrun="extend"),
    example(
        "20, extend and wait", OVERRUN, (waiting("4[50,60) @0", "wait"),), "1 0–70, 2 70–80", p=4, overrun="extend"
    ),
    example("20, kill", OVERRUN, "4[50,60) @0", "1 0–30, 2 30–40", p=4, says={"states": {1: "killed"}}),
    example("21", "1: 0,4,80 · urgent 2: 40,4,30", "4[100,120) @0", "1 0–40, 120–160, 2 40–70", p=4, preempt="suspend"),
    example(
        "22", "ann 1: 0,4,60 · urgent bob 2: 10,4,20", "4[0,60) @0 for ann", "1 0–60, 2 60–80", p=4, preempt="suspend"
    ),
]  # fmt: skip
