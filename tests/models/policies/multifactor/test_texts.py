"""Texts of the order `multifactor` and of weighted sums: read back as written, and refused in one sentence."""

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime.models.policies import Easy, composed, from_spec, weighted
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.site import Site


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("easy:order=multifactor", "multifactor"),
        ("easy:order=multifactor,accrual=slurm,ticks=1min,tick_origin=-3s,half_life=36h", "multifactor"),
        ("none:order=age", "age"),
        ("none:order=fairshare*1,ticks=0", "fairshare*1"),
        ("conservative:order=age*1000 + fairshare*1e4+gres/gpu*2.5", "age*1000+fairshare*10000+gres/gpu*2.5"),
        ("easy:order=job_size*-1+nice", "job_size*-1+nice*1"),
    ],
)
def test_texts_read_back(text, order):
    """A policy's text says its order and the options that are no defaults."""
    policy = from_spec(text)
    assert policy.order.name == order
    assert str(from_spec(str(policy))) == str(policy)
    assert all(option in str(policy) for option in text.split(",")[1:])


@pytest.mark.parametrize(
    "site",
    [None, Site(), Site(priority=PriorityRules("multifactor", flags=frozenset(["INCR_ONLY"])))],
    ids=["none", "basic", "flag"],
)
def test_a_site_that_is_missing_or_not_modelled_is_refused(site):
    """Priorities of a site need its weights, and a flag that is not modelled is refused."""
    with pytest.raises(ValueError, match=r"order multifactor.* cannot be combined with a"):
        tt.MachineSpec(4, "easy:order=multifactor", site=site).open(simpy.Environment())


def test_factors_can_be_composed():
    """The key of a factor is its value times -1; sums are the same as composed orders."""
    log = tt.Trace(
        {"submit": range(30), "runtime": [9] * 30, "requested_processors": [1, 3, 2] * 10, "user": [1, 2, 2, 3, 3] * 6}
    )
    key = composed(lambda jobs, now, size, share: 5 * size + 7 * share, "job_size", "fairshare*1", name="mine")
    texts = weighted({"job_size": 5, "fairshare": 7})
    found = [tt.replay(log, Easy(order=order), 4)["start"].tolist() for order in (key, texts)]
    assert found[0] == found[1] != tt.replay(log, "easy", 4)["start"].tolist()


def test_options_of_one_job():
    """A job's nice value, its account, its QOS and its partition are parts of its priority."""
    site = Site.from_toml(
        """
        qos = [{ name = "normal" }, { name = "high", priority = 10 }]
        partitions = [{ name = "main", default = true, job_factor = 1 }, { name = "fast", job_factor = 4, tier = 3 }]
        accounts = [{ account = "a" }, { account = "a", user = "ann", priority = 5 }, { account = "A b" }]

        [priority]
        type = "multifactor"
        association = 10
        partition = 100
        qos = 1000
        """
    )
    machine = tt.Machine(simpy.Environment(), 4, "easy:order=multifactor", site=site)
    asked = [
        {}, {"user": "ann"}, {"user": "ann", "group": "A", "queue": "high"}, {"user": "ann", "nice": 30},
        {"user": "ann", "queue": "fast"}, {"user": "eve", "queue": "fast"}, {"nice": -7}, {"nice": 700},
        {"user": "ann", "queue": "high", "partition": "fast"}, {"user": "ann", "queue": "main", "partition": "fast"},
    ]  # fmt: skip
    rows = [machine.submit(tt.Job(runtime=1, **words)).row for words in asked]
    accounts = machine.policy.order.accounts
    assert accounts.priorities_of(np.array(rows), 0.0).tolist() == [25, 35, 1035, 5, 110, 100, 32, 1, 1110, 110]
    assert np.argsort(accounts.keys(np.array(rows), 0.0), kind="stable").tolist() == [8, 4, 9, 5, 2, 1, 6, 0, 3, 7]
