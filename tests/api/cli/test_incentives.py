"""Power, signals and charges on the command line and in scenarios are those of a machine."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import thinktime as tt
from tests.commands import refusal_of, stdout_of
from thinktime.models.site.charge import Term
from thinktime.workloads.signals import Signal

POLICIES = ("easy", "carbon:rule=lowest-window,wait=2h")
OPTIONS = ("--power", "idle=10,job=5,cap=1kW", "--charge", "processor-hour=1,kWh=0.5")
CHARGE = 'unit = "EUR"\n\n[[terms]]\nrate = 2.0\nhours = [8, 20]\n'
BAD = {
    "gap.csv": [f"{3600 * hour},100" for hour in range(30) if hour != 12],
    "back.csv": ["3600,1", "0,2"],
    "zone.csv": ["2024-01-01T00:00Z,1"],
    "negative.csv": ["0,-1", "3600,2"],
    "grams.csv": ["0,300000"],
}
SCENARIO = """
policies = ["easy", "carbon:rule=lowest-window,wait=2h"]
trace.file = "log.swf"

[machine]
processors = 8
power = { idle = 10, job = 5, cap = "1kW" }
signals.carbon = { file = "carbon.csv" }
charge = { terms = [{ rate = 1.0 }, { rate = 0.5, per = "kWh" }] }
"""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tt.Trace:
    """A log in the folder that is worked in, and a signal beside it."""
    jobs = 12
    made = tt.Trace(
        {
            "submit": [600 * k for k in range(jobs)], "runtime": [300 + 100 * (k % 5) for k in range(jobs)],
            "allocated": [1 + k % 4 for k in range(jobs)], "wait": [0] * jobs, "user": [1 + k % 3 for k in range(jobs)],
        }
    )  # fmt: skip
    monkeypatch.chdir(tmp_path)
    tt.write_swf(made, "log.swf")
    Path("carbon.csv").write_text("start,value\n0,400\n3600,100\n")
    return made


def machine(policy: str) -> tt.MachineSpec:
    """The machine that the options describe."""
    charge = tt.Charge([Term(1.0), Term(0.5, "kWh")])
    carbon = Signal([0, 3600], [400, 100], "carbon", "g/kWh")
    power = tt.Power(idle=10, job=5, cap=1000)
    return tt.MachineSpec(8, policy, power=power, signals={"carbon": carbon}, charge=charge)


def test_a_replay_has_them(log: tt.Trace) -> None:
    """The table and the JSON object of a replay, and its files, have energy, carbon and charges, as Python has."""
    words = ["replay", "log.swf", "--processors", 8, *(w for p in POLICIES for w in ("--policy", p)), *OPTIONS]
    words += ["--signal", "carbon=carbon.csv", "--quiet"]
    assert "energy" in stdout_of(*words, "--out", "out")
    told = json.loads(stdout_of(*words, "--json"))["policies"]
    for policy, each in zip(POLICIES, told, strict=True):
        summary = tt.run(machine(policy), tt.sources.log(log)).summary()
        for name in ("total_energy", "total_carbon", "total_charge"):
            assert each[name] == summary[name] > 0
        assert each["mean_wait"] == summary["mean_wait"]
    assert told[1]["total_carbon"] < told[0]["total_carbon"]
    header = next(Path("out").glob("easy*/jobs.csv")).read_text().partition("\n")[0].split(",")
    assert {"power", "energy", "carbon", "charge"} <= {*header}
    assert next(Path("out").glob("easy*/power.png")).stat().st_size > 0


def test_a_scenario_has_them(log: tt.Trace) -> None:
    """A scenario with the same tables has the same numbers, by default among its metrics."""
    Path("energy.toml").write_text(SCENARIO)
    table = tt.sweep(tt.Scenario.read("energy.toml"), "results", processes=1).means()
    for policy in POLICIES:
        summary = tt.run(machine(policy), tt.sources.log(log)).summary()
        for name in ("total_energy", "peak_power", "total_carbon", "total_charge"):
            assert table.loc[policy, name] == summary[name]


def test_a_budget(log: tt.Trace) -> None:
    """With a budget of four jobs of each user, charged one each, all jobs run; with three, a quarter does not."""
    words = ["replay", "log.swf", "--processors", 8, "--policy", "easy", "--charge", "job=1", "--json", "--budget"]
    for budget, refused in ((4, 0), ("3,spent=refuse", 3), ("1,period=30min", 0)):
        told = json.loads(stdout_of(*words, budget))["policies"][0]
        assert told["total_charge"] == 12 - refused
    Path("energy.toml").write_text(SCENARIO + 'budget = { amount = 0, spent = "refuse" }\n')
    found = tt.sweep(tt.Scenario.read("energy.toml"), "results", processes=1).means()
    assert found["total_charge"].tolist() == [0, 0]


def test_a_price_may_be_negative(log: tt.Trace) -> None:
    """Whoever computes then is paid for it."""
    Path("price.csv").write_text("start,value\n0,-1\n")
    words = ["replay", "log.swf", "--processors", 8, "--policy", "easy", "--power", "idle=10,job=5", "--json"]
    assert json.loads(stdout_of(*words, "--signal", "price=price.csv"))["policies"][0]["total_cost"] < 0


def test_watts_that_may_be_kilowatts_are_doubted(log: tt.Trace) -> None:
    """A processor that draws a tenth of a watt is one for which somebody gave kW."""
    words = ["replay", "log.swf", "--processors", 8, "--policy", "easy", "--quiet"]
    told = " ".join(stdout_of(*words, "--power", "idle=0.1,job=60").split())
    assert (
        "power: idle is 0.1 W for a processor or node, which is little; is it in kW?" in told and "job is" not in told
    )


def test_a_budget_of_an_unknown_user_is_refused(log: tt.Trace) -> None:
    """Who has a budget and no job in the log is misspelt; without a log nobody can tell."""
    for owner, named in (("user", "4"), ("account", "physics")):
        spec = tt.MachineSpec(8, charge=tt.Charge(), budget=tt.Budget(9, owner, amounts={named: 1}))
        with pytest.raises(ValueError, match=f"the {owner} '{named}', which the log does not have"):
            tt.run(spec, tt.sources.log(log))
    tt.run(replace(spec, budget=tt.Budget(9, amounts={"3": 1})), tt.sources.log(log))


def test_a_charge_in_a_file(log: tt.Trace) -> None:
    """A charge may be a table in a file."""
    Path("charge.toml").write_text(CHARGE)
    told = stdout_of("replay", "log.swf", "--processors", 8, "--policy", "easy", "--charge", "charge.toml", "--json")
    assert json.loads(told)["policies"][0]["total_charge"] == 0  # from midnight to two


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--power", "idel=10"), "--power has no key 'idel'; did you mean 'idle'"),
        (("--power", "10"), "--power must be such as idle=100,job=60"),
        (("--power", "cap=much"), "cap must be watts"),
        (("--cap", "much"), "cap must be watts"),
        (("--power", "cap=1kW", "--cap", "1kW"), "the cap is given twice"),
        (("--signal", "carbon"), "a signal must be such as carbon=carbon.csv"),
        (("--signal", "carbon=no.csv"), "there is no file no.csv"),
        (("--signal", "carbon=carbon.csv,unit=EUR/kWh,aftr=hold"), "the signal 'carbon' has no key 'aftr'"),
        (("--charge", "kwh=1"), "--charge: a charge is not per 'kwh'; did you mean 'kWh'"),
        (("--charge", "kWh=1"), "the charge is per kWh, but the power of the machine is not known"),
        (("--budget", "10"), "a budget needs a charge"),
        (("--charge", "job=1", "--budget", "10,spent=later"), "spent cannot be 'later'; the choices are hold"),
        (("--charge", "job=1", "--budget", "10,amounts=x"), "--budget has one amount; amounts of some are a table"),
        (("--policy", "carbon:wait=1h"), "needs a signal"),
        (("--power", "idle=10,cap=50"), "the cap of 50 W is below the 80 W that 8 idle processors draw"),
        (("--power", "idle=101kW"), "and more than 100,000 W cannot be meant: give watts"),
        (("--signal", "carbon=gap.csv"), "gap.csv, line 13: the next step begins 2h 0m later"),
        (("--signal", "price=back.csv"), "back.csv, line 3: start is '0', not after that of back.csv, line 2"),
        (("--signal", "price=zone.csv"), "zone.csv, line 2: start: the date '2024-01-01T00:00Z' cannot be placed"),
        (("--signal", "carbon=negative.csv"), "negative.csv: step 1 of a signal has -1 g/kWh; carbon cannot be"),
        (("--signal", "carbon=grams.csv"), "300000 g/kWh, more than any electricity (5,000 g/kWh); is its unit"),
    ],
)
def test_what_is_wrong_is_one_sentence(log: tt.Trace, words: tuple[str, ...], said: str) -> None:
    """Bad input ends with status 2 and a sentence."""
    for name, lines in BAD.items():
        Path(name).write_text("start,value\n" + "".join(f"{line}\n" for line in lines))
    policy = () if "--policy" in words else ("--policy", "easy")
    assert said in refusal_of("replay", "log.swf", "--processors", 8, "--quiet", *policy, *words)
