"""Host lists: short and long form say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.workloads.host_lists import compress, expand

PIECES = st.tuples(st.sampled_from(["n", "gpu-", "r1n", ""]), st.sampled_from(["1", "2", "09", "10", "", "99", "100"]))
NAMES = st.lists(PIECES.map("".join).filter(bool), min_size=1)


@given(NAMES)
def test_names_come_back_in_their_order(names: list[str]) -> None:
    """Zeros in front included."""
    assert expand(compress(names)) == tuple(names)


def test_forms_that_slurm_writes() -> None:
    """Ranges, lists of ranges, zeros, several brackets, and plain names between them."""
    assert expand("n[1-4,7]") == ("n1", "n2", "n3", "n4", "n7")
    assert expand("n[098-101]") == ("n098", "n099", "n100", "n101")
    assert expand("r[1-2]n[08-09],login") == ("r1n08", "r1n09", "r2n08", "r2n09", "login")
    assert expand("rack[1,3]-node5") == ("rack1-node5", "rack3-node5")
    assert compress([f"n{k}" for k in (*range(1, 129), 130)]) == "n[1-128,130]"


@pytest.mark.parametrize(
    "text", ["n[1-", "n]", "n[a-b]", "n[4-1]", "a b", "a,,b", "n[]", "n[1-2000000]", "a[1-9999]b[1-999]"]
)
def test_what_is_no_host_list_is_refused(text: str) -> None:
    """It names what it found."""
    with pytest.raises(ValueError, match=r"no list of nodes|neither a number|must go up|more than 1,000,000 nodes"):
        expand(text)
