"""Options of the policy: its text, errors, priorities and quotas, average waits."""

from math import inf
from pathlib import Path

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime.models.policies import from_spec
from thinktime.models.policies.slack import PriorityTable, Slack


def small_trace(count: int = 30, users: int = 3) -> tt.Trace:
    """A loaded machine of four processors."""
    generator = np.random.default_rng(5)
    estimate = generator.integers(5, 60, count).astype(float)
    return tt.Trace(
        {
            "submit": np.sort(generator.integers(0, 300, count)).astype(float),
            "runtime": np.floor(estimate * generator.uniform(0.2, 1, count)),
            "requested_time": estimate,
            "allocated": generator.integers(1, 5, count),
            "user": np.arange(count) % users + 1,
            "group": np.ones(count, np.int64),
            "queue": np.arange(count) % 2,
        }
    )


class Noted(Slack):
    """Keeps the priorities of all jobs where a test can see them."""

    seen: dict[int, tuple[float, float]] = {}  # noqa: RUF012

    def on_submit(self, view, rows, now):
        """As the policy does, and note what came out."""
        super().on_submit(view, rows, now)
        for row in rows.tolist():
            pair = self._jobs["user_priority"].item(row), self._jobs["political_priority"].item(row)
            self.seen[view.requests.id.item(row)] = pair


def priorities_of(trace: tt.Trace, **options: object) -> dict[int, tuple[float, float]]:
    """UP and PP of each job by its number."""
    policy = Noted(awt=30, **options)  # type: ignore[arg-type]
    Noted.seen = {}  # of the class: the machine works with a copy of the policy
    tt.replay(trace, policy, 4)
    return Noted.seen


def test_its_text_says_what_it_is() -> None:
    """The text of a policy makes the same policy."""
    text = "slack:heuristic=dp,slack_factor=9,awt=120+900,alpha_u=0.2,classes=60,every=5,gap=1,permutations=4,tick=yes"
    assert str(from_spec(text)) == text
    text = "slack:heuristic=du,slack_factor=3,awt=120,tick=half,delayed=removed"
    assert str(from_spec(text)) == text
    assert "tick" not in str(Slack(tick=False)) and str(Slack(tick=True)).endswith("tick=yes")
    assert str(from_spec("slack")) == "slack:heuristic=ast,slack_factor=3,awt=auto"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("heuristic=fcfs", "heuristic is 'fcfs', but must be one of ast, aat, du, dc, dp"),
        ("slack_factor=-1", "slack_factor is -1, but must be a number from 0"),
        ("alpha_t=2", "alpha_t is 2, but must be a number from 0 to 1"),
        ("awt=soon", "awt is 'soon', but must be a number of seconds or auto"),
        ("awt=-3", "awt is -3, but must be a number of seconds of at least 0, or auto"),
        ("awt=1+2", "awt has 2 values for 1 classes of estimates"),
        ("classes=60+30", "must be estimates in s, ascending"),
        ("every=0", "every is 0, but must be a whole number of at least 1"),
        ("heuristic=ast+aat", "heuristic is ['ast', 'aat'], but must be one of ast"),
        ("gap=1", "gap is 1, but there is no every=K"),
        ("every=5,gap=3", "gap is 3, but must be a number from 0 to 2"),
        ("permutations=8", "permutations is 8, but must be a number from 0 to 7"),
        ("tick=maybe", "tick is 'maybe', but must be one of no, yes, half"),
        ("delayed=dropped", "delayed is 'dropped', but must be one of shifted, removed"),
        ("priorities=nowhere.csv", "there is no file nowhere.csv"),
    ],
)
def test_a_wrong_option_is_named(text: str, what: str) -> None:
    """A wrong option is named in one sentence with what it may be."""
    with pytest.raises(ValueError, match="policy 'slack:") as caught:
        from_spec(f"slack:{text}")
    assert what in str(caught.value)


def test_awt_auto_is_the_mean_wait_of_a_conservative_run() -> None:
    """`awt=auto` is the mean wait of a conservative run on the same input, noted in the result."""
    trace = small_trace()
    baseline = tt.replay(trace, "conservative:compress=scheduled", 4)
    mean = float((baseline["start"] - baseline["submit"]).mean())
    auto = tt.replay(trace, "slack:awt=auto", 4)
    given = tt.replay(trace, Slack(awt=mean), 4)
    assert (auto["start"] == given["start"]).all()
    assert auto.policy == f"slack:heuristic=ast,slack_factor=3,awt={mean:.6g}"
    assert "the mean wait of conservative:order=fcfs,compress=scheduled on the same input" in auto.notes[0]


def test_awt_auto_measures_each_class() -> None:
    """`awt=auto` has a mean wait per class of estimates, and the overall one for an empty class."""
    trace = small_trace()
    baseline = tt.replay(trace, "conservative:compress=scheduled", 4)
    waits, short = baseline["start"] - baseline["submit"], baseline["estimate"] <= 30
    means = [waits[short].mean(), waits[~short].mean(), waits.mean()]
    result = tt.replay(trace, "slack:classes=30+1000", 4)
    assert result.policy.endswith("awt=" + "+".join(f"{mean:.6g}" for mean in means) + ",classes=30+1000")


def test_classes_give_each_size_its_own_slack() -> None:
    """Jobs up to 60 s have 3 * 10 s of slack, and longer ones 3 * 100 s."""
    trace = tt.Trace({"submit": [0.0, 0.0], "runtime": [1.0, 1.0], "requested_time": [60.0, 61.0], "allocated": [1, 1]})
    result = tt.replay(trace, "slack:awt=10+100,classes=60", 4)
    assert result["latest_start"].tolist() == [30.0, 300.0]


def test_a_model_must_say_its_average_wait() -> None:
    """`awt=auto` is refused in a model, where there is nothing to rehearse."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "slack")
    machine.submit(tt.Job(runtime=1))
    with pytest.raises(ValueError, match="awt=auto needs a replay"):
        env.run()


def test_a_table_of_priorities() -> None:
    """The first line of the table that fits and names a value gives a job's priority, else it is 0."""
    lines = [
        {"user": 2, "queue": 0, "user_priority": 1},
        {"user": 2, "user_priority": 0.5, "political_priority": 0.25},
        {"job": 3, "political_priority": -inf},
        {"group": 1, "political_priority": 0.75},
    ]
    found = priorities_of(small_trace(6), priorities=lines)
    assert found == {1: (0, 0.75), 2: (0.5, 0.25), 3: (0, -inf), 4: (0, 0.75), 5: (1, 0.25), 6: (0, 0.75)}


def test_a_file_of_priorities(tmp_path: Path) -> None:
    """A CSV file gives the priorities of the table, and an empty cell fits all."""
    path = tmp_path / "who.csv"
    path.write_text("user,queue,user_priority,political_priority\n2,0,1,\n2,,0.5,0.25\n3,,,-inf\n")
    found = priorities_of(small_trace(6), priorities=str(path))
    assert found == {1: (0, 0), 2: (0.5, 0.25), 3: (0, -inf), 4: (0, 0), 5: (1, 0.25), 6: (0, -inf)}
    assert f"priorities={path}" in str(Slack(priorities=str(path)))


def test_a_function_of_priorities_in_a_script(tmp_path: Path) -> None:
    """`priorities=FILE.py:NAME` takes priorities from a function."""
    path = tmp_path / "mine.py"
    path.write_text("def mine(job):\n    return (1.0, 0.0) if job.user == 1 else (0.0, 0.5)\n")
    policy = from_spec(f"slack:awt=30,priorities={path}:mine")
    assert isinstance(policy, Slack) and policy.priorities is not None
    assert priorities_of(small_trace(3), priorities=policy.priorities) == {1: (1, 0), 2: (0, 0.5), 3: (0, 0.5)}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("user,priority\n", "the first line names the column 'priority'; the columns are job, user"),
        ("user,user\n", "does not name each column once"),
        ("user,user_priority\n1,2\n", "line 2: user_priority is '2', but must be a number from 0 to 1"),
        ("user,political_priority\n1,x\n", "line 2: political_priority is 'x'"),
        ("user,user_priority\n1,1,1\n", "line 2: 3 cells under 2 columns"),
    ],
)
def test_a_wrong_file_is_told_where(tmp_path: Path, text: str, what: str) -> None:
    """An error in a file is named with line and column."""
    path = tmp_path / "who.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"who\.csv") as caught:
        PriorityTable.read(path)
    assert what in str(caught.value)


@pytest.mark.parametrize(("pair", "what"), [((2, 0), "user priority is 2"), ((0, -1), "political"), (1, "gave 1")])
def test_a_wrong_function_names_the_job(pair: object, what: str) -> None:
    """A wrong value of a user's function is refused with the job's name."""
    with pytest.raises(ValueError, match="job 1: ") as caught:
        tt.replay(small_trace(3), Slack(awt=30, priorities=lambda job: pair), 4)
    assert what in str(caught.value)


def test_every_kth_job() -> None:
    """Every fifth job gets UP = PP = 1, or what ``gap`` says."""
    found = priorities_of(small_trace(10), every=5)
    assert [job for job, pair in found.items() if pair == (1, 1)] == [5, 10]
    assert priorities_of(small_trace(10), every=10, gap=0.5)[10] == (0.25, 0.25)


def test_a_quota_counts_what_has_run() -> None:
    """A quota counts what has run so far, running jobs included."""
    trace = tt.Trace(
        {
            "submit": [0.0, 4.0, 6.0, 20.0, 20.0], "runtime": [9.0, 1.0, 1.0, 1.0, 1.0],
            "requested_time": [9.0, 1.0, 1.0, 1.0, 1.0], "allocated": [2, 1, 1, 1, 1], "user": [1, 1, 1, 1, 2],
        }
    )  # fmt: skip
    quotas = [{"user": 1, "processor_hours": 10 / 3600}]
    found = priorities_of(trace, quotas=quotas)
    assert [pair[1] for pair in found.values()] == [0, 0, -inf, -inf, 0]
    assert tt.replay(trace, Slack(awt=30, quotas=quotas), 4).notes == ["slack: 2 jobs were submitted over quota"]


def test_a_quota_is_exceeded_not_reached() -> None:
    """A user who has used exactly the quota is not over it."""
    trace = tt.Trace({"submit": [0.0, 5.0, 6.0], "runtime": [9.0, 1.0, 1.0], "allocated": [2, 1, 1], "user": [1, 1, 1]})
    found = priorities_of(trace, quotas=[{"user": 1, "processor_hours": 10 / 3600}])
    assert [pair[1] for pair in found.values()] == [0, 0, -inf]


def starts(*jobs: tuple[float, float, float, float], awt: float = 1.0) -> list[float]:
    """The starts of jobs (submit, estimate, run time, PP) on one processor."""
    submit, estimate, runtime, pp = zip(*jobs, strict=True)
    trace = tt.Trace({"submit": submit, "requested_time": estimate, "runtime": runtime, "allocated": [1] * len(jobs)})
    policy = Slack(awt=awt, priorities=lambda job: (0.0, pp[job.id - 1]))
    return tt.replay(trace, policy, 1)["start"].tolist()


def test_who_is_over_quota_moves_forward_alone() -> None:
    """A job over quota moves forward when a job ends early, since it is in no other's way."""
    assert starts((0, 100, 10, 0), (1, 5, 5, -inf)) == [0, 10]


def test_who_is_over_quota_may_delay_another_who_is() -> None:
    """A job over quota may delay another one if that is cheaper."""
    assert starts((0, 10, 10, 0), (1, 1000, 1000, -inf), (2, 5, 5, -inf)) == [0, 15, 10]


def test_who_is_over_quota_never_delays_a_legitimate_job() -> None:
    """A job over quota never delays one within quota, and may be delayed without bound."""
    assert starts((0, 10, 10, 0), (1, 1000, 1000, 0), (2, 5, 5, -inf), awt=1e5) == [0, 10, 1010]
    assert starts((0, 10, 10, 0), (1, 5, 5, -inf), (2, 1000, 1000, 0)) == [0, 1010, 10]


class Undisturbed(Slack):
    """Checks that a newcomer who is over quota moves no legitimate reservation back."""

    checked = 0

    def select(self, view, now):
        """Compare the reservations before and after."""
        self.as_rule(view.requests.capacity, view.jobs)
        due, pp = self._jobs["due"].copy(), self._jobs["political_priority"]
        new = view.waiting[np.isnan(due[view.waiting])]
        proposal = super().select(view, now)
        if len(new) and (pp[new] == -inf).all() and (due > now).any():
            legitimate = pp > -inf
            assert not (self._jobs["due"] > due)[legitimate].any()
            Undisturbed.checked += 1
        return proposal


def test_a_quota_is_charged_by_what_was_used_not_by_when_it_is_heard() -> None:
    """A quota is charged by use, even for ends that the policy hears of late."""
    trace = tt.Trace(
        {"submit": [0.0, 0.0, 1000.0], "runtime": [2.0, 500.0, 1.0], "allocated": [1, 1, 1], "user": [1, 2, 1]}
    )
    found = priorities_of(trace, quotas=[{"user": 1, "processor_hours": 10 / 3600}])
    assert [pair[1] for pair in found.values()] == [0, 0, 0]


def test_a_job_over_quota_disturbs_no_other() -> None:
    """Jobs over quota delay no other job, and have no bound on their start."""
    trace = small_trace(60)
    lines = [{"user": 1, "political_priority": -inf}]
    result = tt.replay(trace, Undisturbed(awt=30, priorities=lines), 4)
    assert Undisturbed.checked > 5
    assert (np.isinf(result["latest_start"]) == (trace.user == 1)).all()


def test_a_file_of_quotas(tmp_path: Path) -> None:
    """A file gives quotas in processor-hours by user, group or queue, and errors name the line."""
    path = tmp_path / "quota.csv"
    path.write_text("user,group,processor_hours\n1,,0\n,7,100\n")
    found = priorities_of(small_trace(6), quotas=str(path))
    assert found == {1: (0, 0), 2: (0, 0), 3: (0, 0), 4: (0, -inf), 5: (0, 0), 6: (0, 0)}
    path.write_text("user,group,processor_hours\n1,7,0\n")
    with pytest.raises(ValueError, match="line 2: a quota names one of user, group, queue"):
        Slack(quotas=str(path))
