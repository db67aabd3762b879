"""What becomes of each of Slurm's settings that an import knows, and who says so."""

from pathlib import Path

import pytest

import thinktime as tt
from thinktime.models.machine.configured import Site, configured
from thinktime.models.policies import from_spec
from thinktime.models.site.changed import changed, settings_of
from thinktime.models.site.checks import remarks
from thinktime.models.site.slurm import scheduler_parameters
from thinktime.models.site.slurm.importing import Imported, SlurmFiles, import_site
from thinktime.models.site.slurm.settings_table import MODELLED, NO_EFFECT, NOT_MODELLED, Known, known

CONF = """ClusterName=c
AccountingStorageType=accounting_storage/slurmdbd
SelectType=select/cons_tres
PriorityType=priority/multifactor
NodeName=n[1-4] CPUs=8 {node}
PartitionName=main Nodes=ALL Default=YES {partition}
{more}
"""
TREE = "Account|User|Share|{heading}\n root||1|\n physics||1|\n  physics|ann|1|{cell}\n".replace(" root", "root")
QOS = "Name|Priority|Flags|{heading}\nnormal|0|{flags}|{cell}\n"
VALUES = {
    "accountingstorageenforce": "limits", "accountingstoragetype": "none", "authinfo": "cred_expire=7",
    "clustername": "other", "dependencyparameters": "kill_invalid_depend", "enforcepartlimits": "ALL",
    "fairsharedampeningfactor": "3", "jobrequeue": "0", "killwait": "5", "maxarraysize": "7", "overtimelimit": "2",
    "preemptexempttime": "00:01:00", "preemptmode": "REQUEUE", "preemptparameters": "youngest_first",
    "preempttype": "preempt/qos", "prioritycalcperiod": "7", "prioritydecayhalflife": "3", "priorityfavorsmall": "YES",
    "priorityflags": "MAX_TRES", "prioritymaxage": "3", "prioritytype": "priority/basic",
    "priorityusageresetperiod": "DAILY", "priorityweighttres": "CPU=3", "schedulerparameters": "bf_max_job_user=3",
    "schedulertype": "sched/builtin", "selecttype": "select/linear", "selecttypeparameters": "CR_Core",
}  # fmt: skip
"""Values that are no defaults; of all others it is 3."""


def made(tmp_path: Path, more: str = "", node: str = "", partition: str = "", **files: str) -> Imported:
    """The site of these files."""
    (tmp_path / "slurm.conf").write_text(CONF.format(more=more, node=node, partition=partition))
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return import_site(SlurmFiles([tmp_path / "slurm.conf"], **{name: tmp_path / name for name in files}))


def of(part: str, effect: str) -> list[Known]:
    """The settings of a part that have such an effect."""
    return [each for each in known() if (each.part, each.effect) == (part, effect)]


def test_every_setting_is_of_one_kind() -> None:
    """No setting stands twice, and each that is not modelled has its reason."""
    names = [(each.part, each.name.lower()) for each in known()]
    assert len(names) == len(set(names))
    assert all(bool(each.why) == (each.effect == NOT_MODELLED) for each in known())
    assert {each.effect for each in known()} == {MODELLED, NOT_MODELLED, NO_EFFECT}


def test_settings_that_are_modelled_make_another_machine(tmp_path: Path) -> None:
    """Each setting of slurm.conf makes another site."""
    usual = made(tmp_path).site
    for each in of("slurm.conf", MODELLED):
        other = made(tmp_path, f"{each.name}={VALUES.get(each.name, 3)}")
        assert other.site != usual and not other.site.not_modelled, each


def test_options_of_backfill_reach_the_policy(tmp_path: Path) -> None:
    """Each option that is modelled is one of the policy; those of preemption and placing, the site keeps."""
    accounts = {"associations": TREE.format(heading="MaxJobs", cell="")}
    usual = made(tmp_path, **accounts).site
    for each in of("SchedulerParameters", MODELLED):
        site = made(tmp_path, f"SchedulerParameters={each.name}=7", **accounts).site
        if each.name in scheduler_parameters.BACKFILL:
            said = str(configured(site, "site").machine.policy)
            assert f"{each.name}=" in said and from_spec(said).options() != from_spec("slurm").options(), each
        else:
            assert site.preemption != usual.preemption or site.serial_at_end, each


PLACES = {
    "slurm.conf": lambda name: {"more": f"{name}=odd"},
    "SchedulerParameters": lambda name: {"more": f"SchedulerParameters={name}=9"},
    "PreemptParameters": lambda name: {"more": f"PreemptParameters={name}=9"},
    "PriorityFlags": lambda name: {"more": f"PriorityFlags={name}"},
    "PartitionName": lambda name: {"partition": f"{name}={'NO' if name == 'Exclusive' else 'odd'}"},
    "NodeName": lambda name: {"node": f"{name}=7"},
    "associations and QOS": lambda name: {"qos": QOS.format(heading=name, flags="", cell="7")},
    "flags of QOS": lambda name: {"qos": QOS.format(heading="MaxWall", flags=name, cell="")},
}
"""How a setting of each part is given a value that is no default."""


@pytest.mark.parametrize("part", PLACES)
def test_settings_that_are_not_modelled_are_said(part: str, tmp_path: Path) -> None:
    """By the import with the reason, by checks of the site's file, and by results."""
    for each in of(part, NOT_MODELLED):
        found = made(tmp_path, **PLACES[part](each.name))
        said = [text for text in found.site.not_modelled if each.name.lower() in text.lower()]
        assert len(said) == 1 and said[0].endswith(f": {each.why}"), each
        assert any(note.what == said[0] for note in found.notes)
        again = Site.from_toml(found.site.to_toml())
        assert ("not modelled", said[0]) in remarks(again)
    result = tt.run(again.machine(), lambda env, machine: iter(()))
    assert any(note.startswith("settings of the site that are not modelled") for note in result.notes)
    assert not made(tmp_path).site.not_modelled


def test_settings_without_effect_are_not_said(tmp_path: Path) -> None:
    """They are read over; those of slurm.conf are named."""
    for part in ("slurm.conf", "SchedulerParameters", "PartitionName", "NodeName"):
        for each in of(part, NO_EFFECT):
            found = made(tmp_path, **PLACES[part](each.name))
            assert not found.notes and not found.site.not_modelled, each
            assert found.passed_over == ((each.name,) if part == "slurm.conf" else ())


def test_a_setting_that_is_misspelt_is_said(tmp_path: Path) -> None:
    """It is like one that is modelled."""
    found = made(tmp_path, "PriorityWeigthAge=7")
    assert found.passed_over == ("PriorityWeigthAge",)
    assert found.notes[0].what == "PriorityWeigthAge=7: this setting is not known; did you mean 'priorityweightage'?"


@pytest.mark.parametrize("key", ["bf_busy_nodes", "busy_nodes", "assoc_limit_stop"])
def test_changes_of_what_is_not_modelled_are_refused(key: str) -> None:
    """Instead of a difference of 0."""
    option = "assoc_limit_stop" if key[0] == "a" else "bf_busy_nodes"
    with pytest.raises(ValueError, match=f"^backfill: {option} is not modelled: "):
        changed(Site(), settings_of(f"backfill.{key}=true"))
    with pytest.raises(ValueError, match=f"^backfill: {option} is not modelled: "):
        Site.from_toml(f"[backfill]\n{key.removeprefix('bf_')} = true\n")
