"""Policies from text: every rule and order, users' own files, and errors of one sentence."""

import itertools

import pytest
import simpy

import thinktime as tt
from thinktime.models.policies import ORDERS, from_spec
from thinktime.workloads.names import quoted

RULES = ("none", "no-guarantee", "easy", "conservative", "conservative-dynamic")
NAMES = ("fcfs", "sjf", "ljf", "lxf", "smallest", "largest", "wfp3", "unicef", "f1", "f2", "f3", "f4", "fairshare")

SCRIPT = """
import sys

def everyone(view, now):
    return view.queue

def longest(jobs, now):
    return -jobs.estimate

class Patient:
    def __init__(self, wait=0, name="x"):
        self.wait = wait
        self.name = name
    def select(self, view, now):
        return view.queue
    def __str__(self):
        return f"patient {self.wait!r} {self.name!r}"

class Greedy:
    def __init__(self, how_much):
        self.select = None

class Fragile(Patient):
    def __init__(self):
        raise KeyError("x")

class NoPolicy:
    pass

ready = Patient(7)
number = 5
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    """A file of policies in the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(SCRIPT)
    (tmp_path / "raises.py").write_text("1 / 0")
    (tmp_path / "syntax.py").write_text("def f(:")
    return tmp_path


def starts(policy):
    """A small schedule, to see whether two policies are one."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, policy)

    def user():
        for k in range(30):
            machine.submit(tt.Job(processors=1 + k * 7 % 4, runtime=1 + k * 5 % 11, estimate=2 + k * 3 % 13))
            yield env.timeout(k % 3)

    env.process(user())
    env.run()
    return machine.result()["start"].tolist()


@pytest.mark.parametrize("rule, order", [*itertools.product(RULES, NAMES)])
def test_any_order_with_any_rule(rule, order):
    """Every combination has a text, and the policy of this text says so and schedules every job."""
    policy = from_spec(f"{rule}:order={order}")
    assert str(policy).startswith(f"{rule}:order={order}")
    assert str(from_spec(str(policy))) == str(policy)
    assert len(starts(policy)) == 30


@pytest.mark.parametrize(
    "text",
    [
        "tradeoff-fs:algorithm=dds,limit=1000",
        "tradeoff:goals=wait+slowdown+deviation+stretch",
        "tradeoff:heuristic=fcfs,algorithm=lds,lds_order=top,limit=none,time_limit=0.05s",
        "tradeoff:comparison=relative,weights=2+1,bound=50h,tau=10,prune=yes",
        "tradeoff:goals=slowdown",
        "easy:order=relshare,window=7d",
        "relshare:resort=start",
        "ostrich:within=spt,backfilling=none,threshold=600",
        "ostrich:corrected=yes,held_back=no",
        "ostrich-slurm:within=lpt,threshold=900",
        "faircamp:rho=2",
        "slurm:order=fcfs,whole_nodes=no,bf_max_job_test=50,bf_interval=0,groups=1min",
        "conservative:order=fairshare,half_life=7d,by=group,weights=ada*2+7*0.5,compress=event",
        "easy:order=multifactor,accrual=slurm,ticks=1min,tick_origin=-3s,half_life=36h",
        "creasy:alpha=3,reservations=2",
    ],
)
def test_a_text_is_read_back(text):
    """The text of a policy makes the same policy, and has its options."""
    policy = from_spec(text)
    assert str(from_spec(str(policy))) == str(policy)
    assert all(option in str(policy) for option in text.partition(":")[2].split(","))


@pytest.mark.parametrize("order", NAMES)
def test_an_order_alone_is_strict(order):
    """An order alone is strict under that order."""
    assert str(from_spec(order)) == str(from_spec(f"none:order={order}"))


def test_every_order_is_tried():
    """Every order is tried with any rule here, except two that have tests of their own."""
    assert set(ORDERS) == {*NAMES, "relshare", "multifactor"}, "NAMES in this file should name every order"


@pytest.mark.parametrize(
    "text, policy",
    [
        ("easy:order=lxf,reservations=2", tt.policies.Easy("lxf", 2)),
        ("easy:reservations=3", tt.policies.Easy(reservations=3)),
        ("conservative:compress=event,order=sjf", tt.policies.Conservative("sjf", "event")),
        ("no-guarantee:order=smallest", tt.policies.NoGuarantee("smallest")),
        ("  easy  ", tt.policies.Easy()),
        ("conservative", tt.policies.Conservative(compress="completion")),
    ],
)
def test_a_text_is_the_policy_with_these_options(text, policy):
    """Options in a text are the arguments of the class."""
    assert (str(from_spec(text)), starts(text)) == (str(policy), starts(policy))


@pytest.mark.parametrize(
    "text, message",
    [
        ("esay", "there is no policy 'esay'; did you mean 'easy'"),
        ("conservativ:order=fcfs", "there is no policy 'conservativ'; did you mean 'conservative'"),
        ("zzz", "there is no policy 'zzz'; the policies are none, no-guarantee, easy"),
        ("", "there is no policy ''; the policies are none"),
        ("easy:order=sfj", "there is no order 'sfj'"),
        ("easy:oder=sjf", "there is no option 'oder'; its options are: order, reservations"),
        ("recorded:order=sjf", "there is no option 'order'; its options are: none"),
        ("easy:order=sjf,order=ljf", "the option 'order' is given twice"),
        ("easy:order", "'order' is not an option; options are key=value"),
        ("easy:order=", "'order=' is not an option"),
        ("easy:,", "'' is not an option"),
        ("easy:reservations=0", "reservations must be a whole number of at least 1, not 0"),
        ("easy:reservations=-2", "reservations must be a whole number of at least 1, not -2"),
        ("fcfs:reservations=2", "an order alone takes no options; write none:order=fcfs"),
        ("conservative:compress=maybe", "compress is 'maybe', but must be one of completion, event"),
        ("nofile.py:f", "there is no file nofile.py"),
        ("mine.py", "say which function or class of mine.py: mine.py:NAME"),
        ("mine.py:everyon", "mine.py has no 'everyon'; did you mean 'everyone'?"),
        ("mine.py:Patient:wate=2", "there is no option 'wate'; its options are: wait, name"),
        ("mine.py:everyone:wait=2", "everyone is not a class, so it takes no options"),
        ("mine.py:Greedy", "missing 1 required positional argument: 'how_much'"),
        ("raises.py:f", "raises.py cannot be imported: ZeroDivisionError: division by zero"),
        ("syntax.py:f", "syntax.py cannot be imported: SyntaxError"),
        ("tradeoff:algorithm=ddd", "algorithm is 'ddd'"),
        ("tradeoff:goals=wait+speed", "there is no goal 'speed'"),
        ("tradeoff:goals=wait+wait", "stands twice"),
        ("tradeoff:weights=1", "one number above 0 for each of the 2 goals"),
        ("tradeoff:weights=1+x", "one number above 0"),
        ("tradeoff:limit=0", "limit is 0"),
        ("tradeoff:limit=many", "limit is 'many'"),
        ("tradeoff:bound=soon", "bound: "),
        ("tradeoff:tau=0", "tau is 0"),
        ("tradeoff:window=5h", "divide a day"),
        ("tradeoff:comparison=better", "comparison is 'better'"),
        ("tradeoff:comparison=product+relative", "comparison is ['product', 'relative']"),
        ("tradeoff:goals=7", "there is no goal 7"),
        ("tradeoff-fs:heuristic=lxf+fcfs", "there is no order ['lxf', 'fcfs']"),
        ("tradeoff:heuristic=luck", "there is no order 'luck'"),
        ("tradeoff:prune=maybe", "prune is 'maybe'"),
        ("relshare:window=25h", "divide a day"),
        ("relshare:widow=1d", "there is no option 'widow'"),
        ("easy:order=fairshare,half_life=7d,factor=0.5", "half_life cannot be combined with decay"),
        ("easy:order=fairshare,decay=0", "decay is 0, but must be above 0"),
        ("easy:order=fairshare,decay=tomorrow", "decay: a duration must be a number of seconds"),
        ("easy:order=fairshare,factor=1.5", "factor is 1.5"),
        ("easy:order=fairshare,by=queue", "by is 'queue', but must be one of user, group"),
        ("easy:order=fairshare,weights=ada", "not of the form USER*WEIGHT"),
        ("easy:order=fairshare,measure=luck", "measure is 'luck', but must be one of processors"),
        ("easy:order=fairshare,halflife=7d", "no option 'halflife'; its options are: order, reservations, "),
        ("easy:order=lxf,half_life=7d", "there is no option 'half_life'"),
        ("cplant:barred=all", "barred is 'all', but must be one of none, heavy"),
        ("cplant:quantile=0.9", "needs barred=heavy"),
        ("cplant:barred=heavy,quantile=2", "quantile is 2, but must be between 0 and 1"),
        ("cplant:barred=heavy,order=sjf", "needs an order that keeps an account for each user"),
        ("cplant:starve=soon", "starve: a duration must be"),
        ("easy:runtime_limit=soon", "runtime_limit: a duration must be"),
        ("easy:runtime_limit=0", "must be at least 1 s"),
        ("recorded:runtime_limit=72h", "there is no option 'runtime_limit'"),
        ("cplant25.nomax.all", "there is no policy 'cplant25.nomax.all'"),
        ("slurm:backfill=maybe", "backfill is 'maybe', but must be one of yes, no"),
        ("slurm:bf_max_job_test=-1", "bf_max_job_test"),
        ("slurm:bf_window=-1", "bf_window"),
        ("slurm:bf_widow=1d", "there is no option 'bf_widow'"),
        ("easy:order=age*1000+fairshar*3", "there is no factor 'fairshar'; did you mean 'fairshare'"),
        ("easy:order=age*much", "'age*much' in 'age*much' is not of the form FACTOR*WEIGHT"),
        ("easy:order=age+age*2", "the factor 'age' is there twice"),
        ("easy:order=multifactor,accrual=linear", "accrual is 'linear', but must be one of exact, slurm"),
        ("easy:order=multifactor,accrual=slurm,ticks=0", "accrual=slurm counts use at ticks, so ticks must be above 0"),
        ("easy:order=multifactor,max_age=0", "max_age is 0, but must be above 0"),
        ("easy:order=multifactor,weights=3", "there is no option 'weights'"),
        ("cplant:order=age,barred=heavy", "barred=heavy needs an order that keeps an account for each user"),
        *(
            (f"{name}:{option}", words)
            for name in ("ostrich", "ostrich-slurm", "faircamp")
            for option, words in (
                ("within=longest", "within is 'longest', but must be one of lpt, spt, fcfs, mlpt"),
                ("backfilling=conservative", "backfilling is 'conservative', but must be one of easy, none"),
                ("threshold=-1", "threshold"),
                ("threshold=nan", "threshold"),
                ("speed=2", "there is no option 'speed'; "),
            )
        ),
        ("ostrich:corrected=perhaps", "corrected is 'perhaps', but must be yes or no"),
        ("ostrich:held_back=perhaps", "held_back is 'perhaps', but must be yes or no"),
        ("faircamp:rho=0", "rho is 0, but must be above 0"),
        ("faircamp:rho=-1", "rho is -1, but must be above 0"),
    ],
)
def test_a_wrong_text_is_one_sentence(script, text, message):
    """The error begins with the text, says what is wrong with it, and is one line."""
    with pytest.raises(ValueError) as raised:
        from_spec(text)
    assert str(raised.value).startswith(f"policy {quoted(text)}: ") and message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("number", ["1.5", "1e3", "nan", "two", "1+2"])
def test_reservations_are_a_whole_number(number):
    """Half a reservation is an error that says what is expected, in words that are not Python's."""
    with pytest.raises(ValueError, match="whole number"):
        from_spec(f"easy:reservations={number}")


@pytest.mark.parametrize("name", ["NoPolicy", "number", "Fragile", "sys"])
def test_what_is_no_policy_in_a_file_is_refused(script, name):
    """A class without select, a number or a class that cannot be made is an error of one sentence."""
    with pytest.raises(ValueError, match=f"^policy 'mine.py:{name}': "):
        from_spec(f"mine.py:{name}")


@pytest.mark.parametrize("order", ["mine.py:number", "mine.py:longes", "mine.py", "raises.py:f", "nofile.py:f"])
def test_a_wrong_order_from_a_file_is_one_sentence(script, order):
    """The error says once which policy it is about, and does not offer built-in orders for a file."""
    with pytest.raises(ValueError) as raised:
        from_spec(f"easy:order={order}")
    assert str(raised.value).count("policy 'easy") == 1 and "unicef" not in str(raised.value)


def test_a_file_may_hold_a_dataclass(script):
    """A policy may be a dataclass with annotations that are evaluated later."""
    (script / "data.py").write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n\n\n@dataclass\nclass P:\n"
        "    wait: int = 3\n\n    def select(self, view, now):\n        return view.queue\n"
    )
    assert from_spec("data.py:P:wait=4").wait == 4


def test_a_file_that_exits_does_not_end_the_program(script):
    """A script that was not meant to be imported is an error like any other."""
    (script / "exits.py").write_text("import sys; sys.exit(3)")
    try:
        from_spec("exits.py:f")
    except (ValueError, SystemExit) as error:
        assert isinstance(error, ValueError)


@pytest.mark.parametrize(
    "text, name",
    [
        ("mine.py:everyone", "everyone"),
        ("mine.py:Patient", "patient 0 'x'"),
        ("mine.py:ready", "patient 7 'x'"),
        ("mine.py:Patient:wait=5", "patient 5 'x'"),
        ("mine.py:Patient:wait=0.5,name=a+b", "patient 0.5 ['a', 'b']"),
    ],
)
def test_a_users_file_has_functions_classes_and_objects(script, text, name):
    """Functions, classes and objects in a file are policies, and classes take options."""
    machine = tt.Machine(simpy.Environment(), 4, text)
    assert machine.result().policy == name


def test_an_order_from_a_users_file(script):
    """A key in a file is an order like any other, with any rule."""
    policy = from_spec("easy:order=mine.py:longest,reservations=2")
    assert str(policy) == "easy:order=mine.py:longest,reservations=2"
    assert starts(policy) == starts("easy:order=ljf,reservations=2")


def test_the_catalogue_lists_every_rule_and_order():
    """Every rule and order of the catalogue has a line, a source and a text that is a policy."""
    entries = tt.models.policies.catalogue()
    assert {entry.name for entry in entries} >= {*RULES, "recorded", *NAMES}
    for entry in entries:
        assert entry.line and entry.source and from_spec(entry.name)
