"""Orders that are composed of others, with accounts; and orders that a script's factory makes of options."""

import numpy as np
import pytest

import thinktime as tt
from tests.crowded import crowded
from thinktime.policies import ORDERS, Easy, composed, fairshare, from_spec, relshare, vector

LOG = crowded(150, seed=1, between=400)


def starts(policy):
    """The starts of a log under a policy."""
    return tt.replay(LOG, policy, 16)["start"].tolist()


@pytest.mark.parametrize("rule", ["none", "easy", "conservative", "conservative-dynamic"])
def test_a_composed_key_of_fairshare_alone_is_fairshare(rule):
    """The part's accounts are told of starts and ends, so its key is what the order itself sorts by."""
    policy = from_spec(rule)
    own = type(policy)(order=composed(lambda jobs, now, used: used, fairshare(half_life="6h")))
    assert starts(own) == starts(f"{rule}:order=fairshare,half_life=6h")


def test_fairshare_against_waiting():
    """A key of usage minus waiting is that recounted by hand."""
    seen = []

    def key(jobs, now, used):
        seen.append((now, dict(zip(jobs.id.tolist(), used.tolist(), strict=True))))
        return used / 3600 - (now - jobs.submit) / 3600

    result = tt.replay(LOG, Easy(order=composed(key, fairshare(factor=1.0))), 16)
    assert any(len(set(usage.values())) > 1 for _, usage in seen)
    owner = dict(zip(result["id"].tolist(), result["user"].tolist(), strict=True))
    for now, usage in seen[:: len(seen) // 10]:
        ran = np.clip(np.minimum(result["end"], now) - result["start"], 0, None) * result["processors"]
        for job, used in usage.items():
            assert used == pytest.approx(ran[result["user"] == owner[job]].sum())


def test_two_orders_with_accounts():
    """The accounts of both parts of an order are told of starts and ends."""
    both = composed(lambda jobs, now, day, ever: day + ever, relshare("12h"), fairshare(factor=1.0))
    one = composed(lambda jobs, now, day: 2 * day, relshare("12h"))
    other = composed(lambda jobs, now, ever: 2 * ever, fairshare(factor=1.0))
    found = starts(Easy(order=both))
    assert found != starts(Easy(order=one)) and found != starts(Easy(order=other))
    swapped = composed(lambda jobs, now, ever, day: day + ever, fairshare(factor=1.0), relshare("12h"))
    assert found == starts(Easy(order=swapped))


def test_orders_without_accounts_and_arrival():
    """The key of ``fcfs`` is the submission, and parts without accounts need none."""
    order = composed(lambda jobs, now, arrival, size: arrival * 0 + size, "fcfs", "smallest")
    assert starts(Easy(order=order)) == starts("easy:order=smallest")
    assert tt.models.policies.accounts_of(Easy(order=order)) is None


def test_one_policy_serves_many_machines():
    """Accounts of a composed order belong to the machine: a second run of the same object is the first one again."""
    policy = Easy(order=composed(lambda jobs, now, used: used, "fairshare", name="mine"))
    assert starts(policy) == starts(policy)
    assert str(policy) == "easy:order=mine,reservations=1"


def test_a_key_that_asks_accounts_that_no_rule_keeps():
    """A key that asks accounts which no rule keeps is an error."""
    for ask in (ORDERS["fairshare"].keys, ORDERS["fairshare"].key, ORDERS["relshare"].key):
        with pytest.raises(ValueError, match=r"no rule keeps the accounts of the order '(fair|rel)share'"):
            starts(Easy(order=vector(lambda jobs, now, ask=ask: ask(jobs, now) + jobs.estimate)))
    with pytest.raises(ValueError, match="at least one order"):
        composed(lambda jobs, now: jobs.estimate)


SCRIPT = '''
import numpy as np
from thinktime.policies import composed, fairshare, vector


def patient(hours=24.0, slow=1):
    """Who has waited so long goes first."""
    return lambda jobs, now: np.where(now - jobs.submit < hours * 3600, slow * jobs.estimate, 0.0)


def mixed(half_life="7d", weight=1.0):
    def key(jobs, now, used):
        return used / 3600 - weight * (now - jobs.submit)

    return composed(key, fairshare(half_life=half_life))


def lately(half_life="7d"):
    return fairshare(half_life=half_life)


class Sized:
    def __init__(self, power=1.0):
        self.power = power

    def __call__(self, jobs, now):
        return jobs.processors ** float(self.power)


def wrong(hours=1):
    return hours


def needs(hours):
    return vector(lambda jobs, now: jobs.estimate)


def area(jobs, now):
    return jobs.estimate * jobs.processors
'''


@pytest.fixture
def script(tmp_path, monkeypatch):
    """A user's script in the current folder."""
    (tmp_path / "orders.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "easy:order=orders.py:patient,hours=2,slow=3",
        "easy:order=orders.py:mixed,half_life=6h,weight=2",
        "conservative:order=orders.py:Sized,power=-1",
        "easy:order=orders.py:area",
        "tradeoff:heuristic=orders.py:patient,hours=2,limit=20",
    ],
)
def test_a_policy_with_a_factorys_options_reads_back(script, text):
    """A policy with the options of a factory reads back from its text."""
    policy = from_spec(text)
    assert str(from_spec(str(policy))) == str(policy)
    assert all(option in str(policy) for option in text.partition(":")[2].split(","))
    assert starts(text) == starts(str(policy))


def test_what_a_factory_makes(script):
    """A factory may make ready orders, be a class, or give a key."""
    assert (
        str(from_spec("easy:order=orders.py:lately,half_life=2d"))
        == "easy:order=fairshare,half_life=48h,reservations=1"
    )
    assert starts("easy:order=orders.py:Sized,power=-1") == starts("easy:order=largest")
    assert starts("easy:order=orders.py:patient,hours=1") != starts("easy:order=orders.py:patient,hours=9")
    assert starts("easy:order=orders.py:patient") == starts("easy:order=orders.py:patient,hours=24,slow=1")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("easy:order=orders.py:patient,days=2", "there is no option 'days'; its options are: .*hours, slow"),
        ("easy:order=orders.py:area,hours=2", "there is no option 'hours'"),
        ("easy:order=orders.py:wrong", "made 1, but must make an order, or a key"),
        ("easy:order=orders.py:needs", "missing 1 required"),
    ],
)
def test_wrong_options_of_a_factory(script, text, says):
    """A wrong option of a factory is refused in one sentence."""
    with pytest.raises(ValueError, match=says):
        from_spec(text)
