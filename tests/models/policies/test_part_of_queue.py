"""A ready rule that is given a part of the queue: `view.only`, in policies from outside, on processors and on nodes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.crowded import crowded
from thinktime.policies import Conservative, ConservativeDynamic, Easy, NoGuarantee, Strict, Tradeoff, from_spec
from thinktime.workloads.nodes import Nodes

RULES = {
    "none": Strict, "no-guarantee": NoGuarantee, "easy": Easy, "conservative": Conservative,
    "conservative-dynamic": ConservativeDynamic,
}  # fmt: skip
TEXTS = [
    "none", "no-guarantee:order=sjf", "easy", "easy:order=sjf", "easy:order=lxf", "easy:order=fairshare",
    "easy:reservations=3", "conservative", "conservative:order=sjf,compress=event",
    "conservative-dynamic:order=largest",
]  # fmt: skip


def log(seed, jobs=60):
    """Jobs of four users on 16 processors, with estimates that are too long."""
    return crowded(jobs, seed, between=500)


def derived(text, choose):
    """A policy from outside that is derived from a ready rule, and gives it the part that ``choose`` leaves."""
    rule = from_spec(text)
    kind = type(rule)

    class Part(kind):
        rule = "part"

        def __init__(self):
            more = {name: getattr(rule, name) for name in ("reservations", "compress") if hasattr(rule, name)}
            more = {name: value for name, value in more.items() if not callable(value)}
            super().__init__(order=rule.order, **more)

        def select(self, view, now):
            return super().select(view.only(choose(view)), now)

    return Part()


def everybody(view):
    """All that wait."""
    return view.waiting


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("nodes", [None, "4:ppn=4"])
def test_all_of_the_queue_is_the_rule_itself(text, nodes):
    """A policy derived from a rule that gives it all jobs makes the rule's schedule, on processors and on nodes."""
    for seed in (0,):
        jobs = log(seed, 60)
        more = {"processors": 16} if nodes is None else {"nodes": Nodes.uniform(4, 4)}
        ready = tt.replay(jobs, text, **more)
        part = tt.replay(jobs, derived(text, everybody), **more)
        assert part["start"].tolist() == ready["start"].tolist()
        if nodes is not None:
            assert part.nodes is not None


@pytest.mark.parametrize("text", TEXTS)
def test_a_rule_that_a_policy_keeps_sorts_by_its_own_order(text):
    """A rule that a policy keeps sorts by its own order."""

    class Around:
        def __init__(self):
            self.rule = from_spec(text)
            if "fairshare" in text:
                self.order = self.rule.order
            for hook in ("on_end", "on_withdraw", "on_start", "next_clock"):
                if hasattr(self.rule, hook):
                    setattr(self, hook, getattr(self.rule, hook))

        def select(self, view, now):
            return self.rule.select(view.only(view.waiting), now)

    jobs = log(1)
    assert tt.replay(jobs, Around(), processors=16)["start"].tolist() == tt.replay(jobs, text, 16)["start"].tolist()


def test_the_order_of_the_policy_and_that_of_its_rule_may_differ():
    """A policy's order and that of the rule it keeps may differ."""

    class Around:
        def __init__(self):
            self.rule, self.order = Easy("sjf"), from_spec("easy:order=largest").order

        def select(self, view, now):
            return self.rule.select(view, now)

    jobs = log(2)
    assert tt.replay(jobs, Around(), 16)["start"].tolist() == tt.replay(jobs, "easy:order=sjf", 16)["start"].tolist()


def test_accounts_that_no_rule_keeps_are_an_error():
    """Fairshare in a rule whose accounts are not kept is an error."""

    class Around:
        def __init__(self):
            self.rule = from_spec("easy:order=fairshare")

        def select(self, view, now):
            return self.rule.select(view, now)

    with pytest.raises(ValueError, match=r"no rule keeps the accounts .* self\.order = rule\.order"):
        tt.replay(log(1), Around(), 16)


def first_of_each_user(view):
    """One waiting job of each user, the first."""
    seen = {}
    for job in view.queue:
        seen.setdefault(job.user, job)
    return list(seen.values())


def by_hand(jobs, rule, processors):
    """EASY or strict in plain Python, where only the first waiting job of each user is in the queue."""
    future = sorted(jobs, key=lambda job: (job["submit"], job["id"]))
    waiting, running, starts = [], [], {}
    while future or running:
        now = min([job["submit"] for job in future[:1]] + [starts[job["id"]] + job["run"] for job in running])
        running = [job for job in running if starts[job["id"]] + job["run"] > now]
        waiting += [job for job in future if job["submit"] <= now]
        future = [job for job in future if job["submit"] > now]
        free = processors - sum(job["n"] for job in running)
        queue = list({job["user"]: job for job in reversed(waiting)}.values())
        queue.sort(key=lambda job: (job["submit"], job["id"]))
        chosen, head = [], None
        for job in queue:
            if head is None and job["n"] <= free:
                chosen.append(job)
            elif head is None:
                head, room = job, free
                if rule == "none":
                    break
                busy = [(starts[each["id"]] + each["est"], each["n"]) for each in running]
                busy += [(now + each["est"], each["n"]) for each in chosen]
                for end in sorted({end for end, _ in busy}):
                    room += sum(n for at, n in busy if at == end)
                    if room >= head["n"]:
                        shadow, extra = end, room - head["n"]
                        break
                continue
            elif job["n"] <= free and (now + job["est"] <= shadow or job["n"] <= extra):
                extra -= 0 if now + job["est"] <= shadow else job["n"]
                chosen.append(job)
            else:
                continue
            free -= job["n"]
        for job in chosen:
            waiting.remove(job)
            starts[job["id"]] = now
            running.append(job)
    return [starts[i] for i in sorted(starts)]


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 30), st.integers(1, 4), st.integers(1, 20), st.integers(0, 5)),
        min_size=1,
        max_size=14,
    ),
    st.sampled_from(["none", "easy"]),
)
@settings(max_examples=80)
def test_one_job_of_each_user_in_the_queue(given_jobs, rule):
    """A rule takes the part that it is given for the whole queue."""
    given_jobs.sort(key=lambda job: job[1])
    jobs = [
        {"id": i, "user": u, "submit": s, "n": n, "run": r, "est": r + more}
        for i, (u, s, n, r, more) in enumerate(given_jobs, start=1)
    ]
    trace = tt.Trace(
        {
            "id": [j["id"] for j in jobs], "submit": [j["submit"] for j in jobs], "user": [j["user"] for j in jobs],
            "runtime": [j["run"] for j in jobs], "requested_time": [j["est"] for j in jobs],
            "requested_processors": [j["n"] for j in jobs],
        }
    )  # fmt: skip
    found = tt.replay(trace, derived(rule, first_of_each_user), 4)
    assert found["start"].tolist() == by_hand(jobs, rule, 4)


@pytest.mark.parametrize("nodes", [False, True])
def test_who_is_left_out_holds_no_reservation(nodes):
    """Under conservative, a job that is left out gives its reservation back, and gets a new one later."""
    more = {"nodes": Nodes.uniform(1, 4)} if nodes else {"processors": 4}
    table = [(1, 0, 3, 20), (2, 0, 4, 10), (3, 2, 1, 30), (4, 10, 1, 5)]  # user, submit, n, run: Ada, Bob, Cy, Dee

    def run(policy):
        trace = tt.Trace(
            {
                "submit": [s for _, s, _, _ in table], "runtime": [r for *_, r in table],
                "requested_processors": [n for _, _, n, _ in table], "user": [u for u, *_ in table],
            }
        )  # fmt: skip
        return tt.replay(trace, policy, **more)["start"].tolist()

    def chosen(view):
        return [job for job in view.queue if job.user != 2 or view.now < 1 or view.now >= 10]

    assert run("conservative") == [0, 20, 30, 10]  # Bob holds [20, 30): Cy's 30 s do not fit before
    assert run(derived("conservative", chosen)) == [0, 32, 2, 20]  # Cy starts; Bob comes back behind, Dee fits


def test_a_limit_per_user():
    """EASY with two running jobs per user never has more, and serves every job."""

    class AtMost(Easy):
        def __init__(self, most=2, **options):
            super().__init__(**options)
            self.most = most

        def select(self, view, now):
            left = {}
            for job in view.running:
                left[job.user] = left.get(job.user, self.most) - 1
            allowed = []
            for job in view.queue:
                left.setdefault(job.user, self.most)
                left[job.user] -= 1
                if left[job.user] >= 0:
                    allowed.append(job)
            return super().select(view.only(allowed), now)

    result = tt.replay(log(3, 200), AtMost(), 16)
    assert np.isfinite(result["start"]).all()
    for start in result["start"].tolist():
        running = (result["start"] <= start) & (result["end"] > start)
        assert np.bincount(result["user"][running]).max() <= 2


def test_a_search_of_a_part():
    """`tradeoff` searches among those that it is given."""
    jobs = log(4, 60)
    whole = tt.replay(jobs, derived_search(), 16)["start"].tolist()
    assert whole == tt.replay(jobs, "tradeoff:limit=50", 16)["start"].tolist()


def derived_search():
    """Tradeoff with all jobs."""

    class Part(Tradeoff):
        def select(self, view, now):
            return super().select(view.only(view.waiting), now)

    return Part(limit=50)


def test_strangers_are_named():
    """A row that does not wait is an error; so is a conservative rule that hears nothing of ends."""

    class Wrong(Easy):
        def select(self, view, now):
            return super().select(view.only([0]), now)

    with pytest.raises(ValueError, match="row 0, which is not one of the waiting jobs"):
        tt.replay(log(1), Wrong(), 16)

    class Deaf:
        def __init__(self):
            self.rule = Conservative()

        def select(self, view, now):
            return self.rule.select(view, now)

    with pytest.raises(ValueError, match="has to be told what happens"):
        tt.replay(log(1), Deaf(), 16)


def test_a_part_of_a_part():
    """`only` of `only` is the smaller part, and all who are left out give back reservations."""
    seen = []

    class Twice(Conservative):
        def select(self, view, now):
            half = view.only(view.waiting[::2])
            less = half.only(half.waiting[:1])
            seen.append((len(view.waiting), len(less.waiting), len(less.left_out)))
            return super().select(less, now)

    tt.replay(log(5, 30), Twice(), 16)
    assert all(rest == whole - part for whole, part, rest in seen)


def around(text, choose):
    """A policy from outside that keeps a ready one, and tells it all that it hears."""

    class Around:
        def __init__(self):
            self.rule = from_spec(text)
            self.order = getattr(self.rule, "order", None)
            for hook in ("on_end", "on_withdraw", "on_submit", "on_start", "on_clock", "next_clock"):
                setattr(self, hook, getattr(self.rule, hook))

        def select(self, view, now):
            return self.rule.select(view.only(choose(view)), now)

    return Around()


def heir(text, choose):
    """A policy from outside that is derived from the class of a ready one."""
    rule = from_spec(text)

    class Heir(type(rule)):
        def __init__(self):
            vars(self).update(vars(rule))

        def select(self, view, now):
            return super().select(view.only(choose(view)), now)

    return Heir()


@pytest.mark.parametrize("make", [around, heir])
@pytest.mark.parametrize(
    "text", ["cplant:starve=2000", "cplant:starve=2000,barred=heavy", "creasy", "ostrich", "slack:awt=600"]
)
def test_all_of_the_queue_is_the_policy_itself(text, make):
    """A policy that keeps a special one, or is derived from it, makes its schedule if it gives it all jobs."""
    jobs = log(6)
    ready = tt.replay(jobs, text, 16)["start"].tolist()
    assert tt.replay(jobs, make(text, everybody), 16)["start"].tolist() == ready


@pytest.mark.parametrize("make", [around, heir])
def test_a_starvation_queue_of_a_part(make):
    """CPlant starts only those that it is given; who was left out has waited all the same, and starves."""
    columns = {"runtime": [10, 5, 5], "requested_processors": [4, 4, 1], "user": [1, 2, 3]}
    jobs = tt.Trace({"submit": [0, 1, 2], **columns})

    def nobody_of_two_before_10(view):
        return [job for job in view.queue if job.user != 2 or view.now >= 10]

    policy = make("cplant:starve=9,order=smallest", nobody_of_two_before_10)
    assert tt.replay(jobs, policy, 4)["start"].tolist() == [0, 10, 15]
    policy = make("cplant:starve=11,order=smallest", nobody_of_two_before_10)
    assert tt.replay(jobs, policy, 4)["start"].tolist() == [0, 15, 10]


@pytest.mark.parametrize("make", [around, heir])
@pytest.mark.parametrize("text", ["ostrich", "ostrich-slurm", "faircamp", "slack:awt=600", "recorded"])
def test_policies_that_plan_for_the_whole_queue_refuse_a_part(text, make):
    """Campaigns and kept schedules cannot do without some of the jobs: one sentence says so."""
    name = text.partition(":")[0]
    message = f"^policy {name} plans for the whole queue, so it cannot be given a part of it"
    with pytest.raises(ValueError, match=message):
        tt.replay(log(1), make(text, lambda view: view.waiting[1:]), 16)


@pytest.mark.parametrize("text", ["ostrich", "slack:awt=600"])
def test_a_policy_that_is_kept_has_to_be_told(text):
    """Without submissions it would know no job, and start none: it says so instead."""

    class Deaf:
        def __init__(self):
            self.select = from_spec(text).select

    with pytest.raises(ValueError, match="a policy that keeps it has to pass on every hook"):
        tt.replay(log(1), Deaf(), 16)


@pytest.mark.parametrize("make", [around, heir])
def test_on_nodes_too(make):
    """A rule that is kept or derived from is the rule itself on nodes, too."""
    nodes, jobs = Nodes.uniform(4, 4), log(1, 40)
    same = tt.replay(jobs, make("cplant:starve=60", everybody), nodes=nodes)
    assert same["start"].tolist() == tt.replay(jobs, "cplant:starve=60", nodes=nodes)["start"].tolist()
