"""The ostrich study: instances, numbers, what is seen of the paper, and its independence of the workers."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.how_many import few_or_many
from thinktime.analysis.papers.ostrich import study
from thinktime.analysis.papers.ostrich.findings import findings
from thinktime.analysis.papers.ostrich.idle_areas import IdleAreas
from thinktime.analysis.papers.ostrich.runs import Outcome, SetUp, instance, simulate, variations
from thinktime.analysis.papers.ostrich.study import Evidence, OstrichStudy, numbers_of
from thinktime.models.results.result import Result

pytestmark = pytest.mark.compiled


SMALL = SetUp(jobs=400, users=6)


@pytest.fixture(scope="module", params=few_or_many(2, 4))
def some(request: pytest.FixtureRequest) -> Evidence:
    """Some full instances."""
    return OstrichStudy(instances=request.param, object_only=True).run()


def test_an_instance_is_what_the_paper_describes() -> None:
    """An instance has 10,000 jobs in about 200 campaigns of 26 users, 17 of them short."""
    plans = instance(SetUp(), seed=1, number=0)
    jobs = [(plan.profile, runtime) for plan in plans for each in plan.runtimes for runtime in each]
    assert len(jobs) == 10_000
    assert 150 < sum(len(plan.runtimes) for plan in plans) < 250
    assert [plan.profile for plan in plans].count("short") == 17 and len(plans) == 26
    for profile, low, high in (("short", 1, 3_600), ("long", 3_600, 36_000)):
        runtimes = [runtime for name, runtime in jobs if name == profile]
        assert low <= min(runtimes) < 1.1 * low + 100 and 0.98 * high < max(runtimes) <= high


def test_an_instance_depends_on_seed_and_number_alone() -> None:
    """An instance drawn again is the same, and another number or seed gives another."""
    first = instance(SMALL, 1, 3)
    assert instance(SMALL, 1, 3) == first
    assert instance(SMALL, 1, 4) != first and instance(SMALL, 2, 3) != first


def test_both_policies_get_the_same_campaigns() -> None:
    """Users submit the same jobs in the same order under both policies."""

    def campaigns(result: Result) -> list[tuple[int, float]]:
        order = np.lexsort((result["campaign"], result["user"]))
        return list(zip(result["user"][order].tolist(), result["runtime"][order].tolist(), strict=True))

    plans = instance(SMALL, 1, 0)
    fcfs, own = (simulate(SMALL, plans, policy) for policy in study.POLICIES)
    assert campaigns(fcfs) == campaigns(own)
    assert fcfs["start"].tolist() != own["start"].tolist()


def test_fcfs_takes_campaigns_in_order() -> None:
    """Under FCFS jobs start in order of submission, so no campaign passes an earlier one."""
    result = simulate(SMALL, instance(SMALL, 1, 1), "fcfs")
    order = np.lexsort((result["id"], result["submit"]))
    assert (np.diff(result["start"][order]) >= 0).all()


def test_what_the_paper_finds_is_seen(some: Evidence) -> None:
    """A few instances show the shape of every finding."""
    assert [finding.says for finding in findings(some) if not finding.seen] == []


def test_nothing_breaks_the_bounds(some: Evidence) -> None:
    """OStrich keeps its bounds for every campaign, and FCFS breaks them for many."""
    own, fcfs = some.numbers["ostrich"], some.numbers["fcfs"]
    assert (own.late, own.stretched) == (0, 0)
    assert fcfs.late > 0


def test_lemma_1_is_evaluated_in_every_instance(some: Evidence) -> None:
    """Both policies keep Lemma 1 in every instance, with something to spare."""
    for policy, numbers in some.numbers.items():
        assert len(numbers.idle_shares) == some.instances and numbers.behind == 0, policy
        assert all(0 < share < 63 / 64 for share in numbers.idle_shares), policy
    (finding,) = [each for each in findings(some) if "Lemma 1" in each.says]
    assert finding.seen and finding.ours.startswith(f"0 of {some.instances}")


def outcome(stretch: list[float], user: list[int], short: list[bool]) -> Outcome:
    idle = IdleAreas(30.0, 10.0, 4.0 * len(stretch), 8.0)
    return Outcome(np.array(stretch), np.array(user), np.array(short), 1, 2, 0.5, idle)


def test_numbers_by_hand() -> None:
    """Shares are over all campaigns and maxima over all users, as worked out by hand."""
    first = outcome([1.0, 30.0, 3.0], [0, 0, 1], [True, True, False])
    second = outcome([1.5], [0], [True])
    found = numbers_of([first, second])
    assert (found.campaigns, found.above_20.mean, found.below_2.mean) == (4, 0.25, 0.5)
    assert (found.short.mean, found.long.mean, found.short_median) == (15.75, 3.0, 15.75)
    assert (found.late, found.stretched, found.utilization) == (2, 4, 0.5)
    assert (found.behind, found.idle_shares) == (1, (1.5, 0.5))


def test_the_sensitivity_table_changes_one_thing_at_a_time() -> None:
    """Every row of the sensitivity table differs in one number or in the policy."""
    setup = SetUp()
    for row in variations(setup):
        names = ("jobs", "processors", "users", "share_short", "think_time")
        changed = [name for name in names if getattr(row.setup, name) != getattr(setup, name)]
        assert len(changed) + (row.policies != study.POLICIES) == 1, row.differs


def test_the_first_row_of_the_sensitivity_table_is_the_study_itself() -> None:
    """The first row has the study's instances, which are not simulated twice."""
    found = OstrichStudy(jobs=100, users=6, instances=1).run()
    assert found.sensitivity[0].numbers == found.numbers


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SetUp(users=0), "users must be a whole number of at least 1, not 0"),
        (lambda: SetUp(share_short=1.5), "share_short must be a number from 0 to 1, not 1.5"),
        (lambda: SetUp(think_time=-1), "think_time must be a number of at least 0 s, not -1"),
    ],
)
def test_impossible_set_ups_are_refused(make: Callable[[], SetUp], message: str) -> None:
    """An impossible number is named with what it must be."""
    with pytest.raises(ValueError, match=message):
        make()
