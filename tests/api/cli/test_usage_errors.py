"""Words of commands: what is wrong with them is said in one sentence, policies are listed, -o means one thing."""

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from thinktime.cli.app import app
from thinktime.models.policies import catalogue

from .conftest import Fails, Run

CASES = {
    "unknown command": (["rply"], "no command 'rply'; did you mean 'replay'?"),
    "far from any command": (["x"], "no command 'x'; the commands are "),
    "unknown subcommand": (["trace", "inf"], "no command 'inf'; did you mean 'info'?"),
    "unknown option": (
        ["replay", "x", "--polcy", "easy"],
        "thinktime replay has no option --polcy; did you mean '--policy'?",
    ),
    "missing argument": (["replay"], "missing argument 'TRACE'; see 'thinktime replay --help'"),
    "missing value": (["replay", "x", "--out"], "option '--out' requires an argument; see 'thinktime --help'"),
    "too many": (["policies", "x"], "got unexpected extra argument(s) (x); see 'thinktime policies --help'"),
}


@pytest.mark.parametrize("case", CASES)
def test_wrong_words(case: str, fails: Fails) -> None:
    """A wrong word is named with a right one."""
    words, sentence = CASES[case]
    said = fails(*words)
    assert said.startswith(sentence) if case.startswith("far") else said == sentence


def test_unknown_option_far_from_any_lists_all(fails: Fails) -> None:
    """An option far from any known one is answered with all of them."""
    sentence = fails("replay", "x", "--zzzzz")
    assert sentence.startswith(
        "thinktime replay has no option --zzzzz; its options are --begin, --budget, --cap, --charge, "
    )


RULES = {"none", "no-guarantee", "easy", "conservative", "conservative-dynamic", "recorded"}
ORDERS = {"fcfs", "sjf", "ljf", "lxf", "smallest", "largest", "wfp3", "unicef", "f1", "f2", "f3", "f4"} | {"fairshare"}


def test_all_are_listed(run: Run) -> None:
    """Each policy and order has a line and a source, within 100 columns."""
    outcome = run("policies")
    names = [line.split()[0] for line in outcome.out.splitlines() if line[:1].islower()]
    assert set(names) >= RULES | ORDERS
    assert outcome.out.count("source: ") == len(catalogue()) + 1  # what holds jobs back around any
    table = outcome.out.partition("A policy is")[0]
    assert max(map(len, table.splitlines())) <= 100


def commands(group: Any, name: str = "thinktime") -> Iterator[tuple[str, Any]]:
    """All commands with their names, those of groups included."""
    context = typer.Context(group)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        if hasattr(command, "list_commands"):
            yield from commands(command, f"{name} {each}")
        else:
            yield f"{name} {each}", command


def test_o_means_out_in_every_command() -> None:
    """Whatever has --out has -o, and -o means nothing else."""
    wrong, right = [], 0
    for name, command in commands(typer.main.get_command(app)):
        for option in command.params:
            if {"--out", "-o"} & set(option.opts):
                right += 1
                if set(option.opts) != {"--out", "-o"}:
                    wrong.append((name, option.opts))
    assert wrong == []
    assert right >= 20
