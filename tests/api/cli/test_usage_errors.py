"""What is wrong with the words themselves is said in one sentence, with what would be right."""

from __future__ import annotations

from collections.abc import Callable

import pytest

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
def test_wrong_words(case: str, fails: Callable[..., str]) -> None:
    """A wrong word is named with a right one."""
    words, sentence = CASES[case]
    said = fails(*words)
    assert said.startswith(sentence) if case.startswith("far") else said == sentence


def test_unknown_option_far_from_any_lists_all(fails: Callable[..., str]) -> None:
    """An option far from any known one is answered with all of them."""
    sentence = fails("replay", "x", "--zzzzz")
    assert sentence.startswith(
        "thinktime replay has no option --zzzzz; its options are --checkpoint, --dependencies, --estimates"
    )
