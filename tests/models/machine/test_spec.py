"""The machine as a value: equality, TOML, and what a spec says alone."""

import dataclasses

import pytest
import simpy

import thinktime as tt
from thinktime.models.policies import Easy
from thinktime.workloads.nodes import Cluster, Nodes


def test_a_spec_is_a_value() -> None:
    """Specs that say the same are equal, have one hash, are changed with replace, and open a machine."""
    nodes = Nodes([Cluster("fat", 2, {"processors": 4, "gpus": 1}, frozenset({"big"}))])
    spec = tt.MachineSpec(policy="easy:order=lxf", overrun="extend", nodes=nodes)
    assert spec == dataclasses.replace(spec) and hash(spec) == hash(dataclasses.replace(spec))
    assert spec.under("fcfs") != spec and "easy:order=lxf" in repr(spec)
    assert spec.open(simpy.Environment()).capacity == 8


@pytest.mark.parametrize(
    "spec",
    [
        tt.MachineSpec(128, "easy:order=lxf", "extend"),
        tt.MachineSpec(64, estimates="factor=2.5"),
        tt.MachineSpec(
            nodes=Nodes([Cluster("fat", 2, {"processors": 4, "memory": 2**30}, frozenset({"big"}))]),
            allocator="best-fit",
        ),
    ],
)
def test_a_spec_is_written_to_toml_and_read_back(spec: tt.MachineSpec) -> None:
    """A spec that is written to TOML reads back as it was."""
    assert tt.MachineSpec.from_toml(spec.to_toml()) == spec


def test_a_policy_object_is_written_as_its_text() -> None:
    """A policy of the package is written by its text, a function of one's own is refused."""
    assert 'policy = "easy:order=fcfs,reservations=2"' in tt.MachineSpec(8, Easy(reservations=2)).to_toml()
    with pytest.raises(ValueError, match=r"policy is .*, which TOML cannot hold; name it as FILE\.py:NAME"):
        tt.MachineSpec(8, lambda view, now: []).to_toml()


def test_a_spec_says_everything() -> None:
    """Words about the machine are refused beside a spec."""
    log = tt.Trace({"submit": [0], "runtime": [1], "allocated": [1]})
    with pytest.raises(TypeError, match="a MachineSpec says everything"):
        tt.replay(log, tt.MachineSpec(8), 8)
    with pytest.raises(ValueError, match="a machine needs processors or nodes"):
        tt.run(tt.MachineSpec(), lambda env, machine: None)
