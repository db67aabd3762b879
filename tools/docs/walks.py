"""Walks through the code: which files a value goes through, and what happens there: ``python -m tools.docs.walks``.

A walk has a `Step` for each file in which something happens to the value: it is read, gets another form, is chosen or
decides. Files that only hand on what it is a part of are named below. `WALKS` are the data, `draw` makes
docs/images/walks.svg of them, and a test holds them against the code: every step is there, and comes in this order.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "images" / "walks.svg"


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to a value in a file."""

    file: str
    name: str
    """The function, or the class, that does it."""
    what: str
    back: bool = False
    """Whether the value goes up a layer here, or is read a second time."""


@dataclass(frozen=True, slots=True)
class Walk:
    """The way of a value, in order."""

    title: str
    learn: str
    """The concepts that a reader has to know."""
    steps: tuple[Step, ...]
    handed_on: tuple[str, ...]
    """Files that the value only passes, as a part of something else."""

    @property
    def files(self) -> list[str]:
        """The files of its steps, each once."""
        return list(dict.fromkeys(step.file for step in self.steps))

    @property
    def ways_back(self) -> int:
        """How often the value goes up a layer, or is read again."""
        return sum(step.back for step in self.steps)


RUN = "users/run.py", "models/machine/spec.py", "models/machine/machine.py", "models/machine/parts.py"
WALKS = (
    Walk(
        "An estimate: field 9 of a log, or --estimates last-two",
        "request and estimate · estimator · expected end",
        (
            Step("api/cli/inputs.py", "checked_estimates", "--estimates: says so if it is none; the text goes on"),
            Step("models/machine/estimators.py", "guess_from", "a name, or an estimator in a script"),
            Step("workloads/swf/read.py", "read_swf", "field 9 of each line is the column requested_time"),
            Step("models/jobs/estimates.py", "Estimates", "each machine reads the text again: a predictor", back=True),
            Step("workloads/trace.py", "Trace.estimate", "the requested time, else the run time; at least 1 s"),
            Step("models/machine/limits/limiter.py", "Partitions.rounded", "whole minutes, where a site keeps them so"),
            Step("models/machine/intake.py", "Intake._columns_of", "what the machine is told of the log's jobs"),
            Step("models/jobs/pool.py", "Pool.append", "twice: requested, which kills, and estimate, to plan with"),
            Step("models/engine/estimates.py", "Predicted.admit", "at submission: estimate is what last-two predicts"),
            Step("models/engine/pool.py", "start_rows", "at the start: the expected end, start + estimate"),
            Step("models/engine/rooms/pool_room.py", "PoolRoom.backfill", "EASY: does the job end before the shadow?"),
            Step("models/machine/records.py", "result_of", "in the result, estimate is the request again"),
        ),
        (
            "api/cli/workload.py", "api/cli/policy_runs.py", *RUN, "users/log_source.py", "models/machine/loading.py",
            "models/machine/scheduler.py",
        ),
    ),
    Walk(
        "A think time of a profile: Profile(think_time=600)",
        "quantity · behaviour · plan or process · campaign",
        (
            Step("users/profiles.py", "Profile", "a number, a distribution, a function or a Reaction; in s"),
            Step("users/campaign_user.py", "population", "who can follow a plan shares one; others are processes"),
            Step("users/drawn_campaigns.py", "DrawnCampaigns.more", "draws think times from the user's own stream"),
            Step("models/machine/plans.py", "Plans._supply", "notes them in a column of the engine: thought"),
            Step("models/engine/sources/plans.py", "think", "the campaign is over: when does the next one come?"),
            Step("users/user_at_work.py", "UserAtWork.thought", "asks the behaviours, if there are any", back=True),
            Step("users/behaviours/thinking.py", "LinearThinking.think", "thinks for so long, by the response time"),
            Step("models/engine/sources/plans.py", "submit_next", "makes rows of the jobs, with their think time"),
        ),
        (
            "users/run.py", "users/source.py", "users/user.py", "users/sampling.py", "models/jobs/chains.py",
            "models/machine/questions.py",
        ),
    ),
    Walk(
        "A think time of a log: replay_with_feedback(log, think=\"clock\")",
        "session · batch · chain · pause",
        (
            Step("users/think_times.py", "rule_of", "the rule behind the name; none for recorded"),
            Step("users/feedback.py", "LogWithFeedback.begin", "makes a chain of what the next two say"),
            Step("workloads/user_models/sessions.py", "delimit", "batches of jobs, and when the last of each ended"),
            Step("workloads/user_models/dependency_graph.py", "dependencies", "who waited for whom, and thought"),
            Step("models/jobs/chains.py", "ChainedBatches.add", "columns of the engine: after, think"),
            Step("models/engine/sources/chains.py", "job_of_batch_over", "a batch is over: release = end + thought"),
            Step("users/think_times.py", "ClockThinking", "what the rule says instead, if there is one", back=True),
            Step("models/engine/sources/chains.py", "_submit", "at the release: submits the next batch"),
        ),
        ("users/run.py", "models/machine/loading.py", "models/machine/scheduler.py", "models/machine/questions.py"),
    ),
    Walk(
        "An order: --policy easy:order=lxf, or easy:order=fairshare",
        "policy · order · key, static or dynamic · accounts",
        (
            Step("api/cli/workload.py", "chosen", "a policy for each --policy, made once"),
            Step("models/policies/spec.py", "from_spec", "the rule, and its options behind the colon"),
            Step("models/orders/named_orders.py", "order_maker", "the order by its name, with options of its own"),
            Step("models/policies/queue_policy.py", "QueuePolicy", "the queue is kept sorted by a static key"),
            Step("models/policies/hooks.py", "Hooks.own_copy", "each machine has a copy, with accounts of its own"),
            Step("models/machine/instants.py", "Instants._as_order", "before a leap: what the engine takes"),
            Step("models/orders/order.py", "Aged.as_structure", "a number for the formula; with accounts, their usage"),
            Step("models/engine/queue_orders.py", "SortedOrder.arranged", "sorts the waiting rows for the pass"),
            Step("models/engine/leap.py", "leap", "gives them to the rule, the first one first"),
        ),
        ("api/cli/policy_runs.py", *RUN, "models/machine/scheduler.py"),
    ),
    Walk(
        "A window: a line of EVENTS.csv, or a table of TOML",
        "window · announcement · slot · timeline",
        (
            Step("api/cli/changing.py", "Changes.given", "--events: the name of the file"),
            Step("workloads/changes/csv_rows.py", "Row", "a line of the file, or a table of TOML, and where it stands"),
            Step("workloads/changes/events_file.py", "event_rows", "what the cells of a line mean"),
            Step("workloads/changes/windows.py", "Window", "the value: times on the grid, processors, whom it admits"),
            Step("models/machine/changing/rules.py", "Changes", "all that changes on a machine, as one value"),
            Step("workloads/changes/window_checks.py", "check_windows", "do they fit the machine, and each other?"),
            Step("models/machine/changing/tables.py", "changes_of", "for a machine of this size, and the log's days"),
            Step("models/machine/changing/machine.py", "ChangingMachine", "has them, and binds what follows"),
            Step("models/machine/changing/window_arrays.py", "window_arrays", "arrays: opens, closes, users, slot"),
            Step("models/machine/changing/timeline.py", "Timeline.add_window", "when it is announced, and opens"),
            Step("models/engine/changes/changes.py", "change_machine", "does these, at their times"),
            Step("models/engine/rooms/changing_room.py", "ChangingRoom.fits_now", "is there room beside or until it?"),
        ),
        (
            "api/cli/workload.py", "api/cli/policy_runs.py", *RUN, "models/machine/opening.py",
            "models/machine/changing/pool.py",
        ),
    ),
    Walk(
        "A limit: MaxJobsPU of a QOS, from sacctmgr (in TOML, from the third file on)",
        "QOS · association · group of jobs · meter",
        (
            Step("models/site/slurm/qualities.py", "of_table", "a line of sacctmgr -P show qos"),
            Step("models/site/slurm/limits.py", "of_cells", "MaxJobsPU is max_jobs; how its text is read"),
            Step("models/site/limits.py", "Limits", "the limits of a QOS, or of an association; keys of TOML"),
            Step("models/site/qos.py", "QOS", "has them beside its priority and flags"),
            Step("models/site/site.py", "Site", "has the QOS by name, and says which is a job's"),
            Step("models/machine/limits/limiter.py", "Limiter", "groups of jobs alike, and a meter for each limit"),
            Step("models/machine/limits/meters.py", "measured", "which limits hold for a group, the first that is set"),
            Step("models/engine/limits/limits.py", "binding", "in a pass: does the meter leave room for the job?"),
        ),
        (
            "models/site/slurm/psv.py", "models/site/slurm/values.py", "models/site/slurm/importing.py",
            "workloads/reading/table.py", *RUN,
        ),
    ),
)  # fmt: skip

LANES = {"api": "#8a5a00", "users": "#1f6f4a", "workloads": "#7a3e9d", "models": "#1d4f91", "engine": "#a61e4d"}
"""The rooms from outside to inside, and their colours; the engine is a part of models."""
TITLE = "Walks: where a value goes, file by file"
RING = "a ring: a way back, up to Python or to be read again"
FONT = 'font-family="Helvetica, Arial, sans-serif" font-size="12"'
STYLE = (
    "text{fill:#1d2733} .t{font-weight:bold;font-size:13.5px} .w{fill:#5b6875;font-size:11px} "
    ".f{font-family:Menlo,Consolas,monospace;font-size:11px} .r{stroke:#9fb0c0;fill:none;stroke-width:1.4}"
)
WIDTH, ROW, HEAD, FIRST_LANE, LANE, FILE, WHAT = 900, 18, 54, 28, 17, 122, 434
"""Pixels: of the picture, a row, the head of a walk; where lanes, files and texts begin."""


def lane(file: str) -> int:
    """The lane of a file: its room, from the left."""
    room = "engine" if file.startswith("models/engine/") else file.partition("/")[0]
    return list(LANES).index(room)


def draw() -> str:
    """The picture, as SVG."""
    body, y = [*_legend()], 62
    for walk in WALKS:
        body += _head(walk, y)
        y += HEAD
        body += _line(walk, y)
        for step in walk.steps:
            body += _step(step, y)
            y += ROW
        passed = escape(", ".join(_short(walk.handed_on)))
        body.append(f'<text class="w" x="{FILE}" y="{y + 2}">handed on by {passed}</text>')
        y += 22
    opened = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" {FONT} role="img" aria-label="{TITLE}">'
    )
    paper = f'<rect width="{WIDTH}" height="{y}" fill="#fff"/>'
    return "\n".join([opened, f"<style>{STYLE}</style>", paper, *body, "</svg>", ""])


def _legend() -> Iterator[str]:
    yield f'<text class="t" x="{FIRST_LANE - 8}" y="26">{TITLE}</text>'
    x = float(FIRST_LANE)
    for name, colour in LANES.items():
        yield f'<circle cx="{x:g}" cy="46" r="4.5" fill="{colour}"/><text x="{x + 9:g}" y="50">{name}</text>'
        x += 30 + 7 * len(name)
    yield f'<text class="w" x="{WIDTH - 20}" y="50" text-anchor="end">{RING}</text>'


def _head(walk: Walk, y: int) -> Iterator[str]:
    back = {0: "no way back", 1: "one way back"}.get(walk.ways_back, f"{walk.ways_back} ways back")
    yield f'<line x1="{FIRST_LANE - 8}" x2="{WIDTH - 20}" y1="{y + 4}" y2="{y + 4}" stroke="#d5dde5"/>'
    yield f'<text class="t" x="{FIRST_LANE - 8}" y="{y + 24}">{escape(walk.title)}</text>'
    yield f'<text x="{WIDTH - 20}" y="{y + 24}" text-anchor="end">{len(walk.files)} files, {back}</text>'
    yield f'<text class="w" x="{FIRST_LANE - 8}" y="{y + 40}">to learn: {escape(walk.learn)}</text>'


def _line(walk: Walk, y: int) -> Iterator[str]:
    """The way of the value from lane to lane."""
    points = " ".join(f"{_x(step.file)},{y + ROW * row}" for row, step in enumerate(walk.steps))
    yield f'<polyline class="r" points="{points}"/>'


def _step(step: Step, y: int) -> Iterator[str]:
    colour, x = [*LANES.values()][lane(step.file)], _x(step.file)
    fill = "#fff" if step.back else colour
    yield f'<circle cx="{x}" cy="{y}" r="4.5" fill="{fill}" stroke="{colour}" stroke-width="2"/>'
    yield f'<text class="f" x="{FILE}" y="{y + 4}" style="fill:{colour}">{escape(step.file)}</text>'
    yield f'<text x="{WHAT}" y="{y + 4}">{escape(step.what)}</text>'


def _x(file: str) -> int:
    return FIRST_LANE + LANE * lane(file)


def _short(files: tuple[str, ...]) -> list[str]:
    """Files without their endings, those of a folder together."""
    folders: dict[str, list[str]] = {}
    for file in files:
        folder, _, name = file.removesuffix(".py").rpartition("/")
        folders.setdefault(folder, []).append(name)
    several = {folder: f"{{{','.join(names)}}}" if len(names) > 1 else names[0] for folder, names in folders.items()}
    return [f"{folder}/{names}" for folder, names in several.items()]


def main() -> None:
    """Write the picture, and print the length of each walk."""
    PICTURE.write_text(draw(), encoding="utf-8")
    for walk in WALKS:
        print(f"{walk.title}: {len(walk.files)} files, {len(walk.handed_on)} that hand it on, {walk.ways_back} back")


if __name__ == "__main__":
    main()
