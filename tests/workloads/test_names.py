"""What is wrongly called is answered with the name that it has here; lists of hosts are names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thinktime as tt
from thinktime.workloads.host_lists import compress, expand
from thinktime.workloads.names import quoted

LOG = {"submit": [0], "runtime": [60], "allocated": [1]}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tt.Job(runtime=60, cores=4), "Job has no argument 'cores'; it is called 'processors' here"),
        (lambda: tt.Job(runtime=60, walltime=90), "Job has no argument 'walltime'; it is called 'estimate' here"),
        (lambda: tt.Job(runtime=60, procesors=4), "Job has no argument 'procesors'; did you mean 'processors'?"),
        (lambda: tt.Machine(None, capacity=4), "Machine has no argument 'capacity'; it is called 'processors' here"),
        (lambda: tt.MachineSpec(cores=4), "MachineSpec has no argument 'cores'; it is called 'processors' here"),
        (lambda: tt.replay(tt.Trace(LOG), "easy", capacity=4), "it is called 'processors' here"),
        (lambda: tt.Window(0, 60, cores=4), "Window has no argument 'cores'; it is called 'processors' here"),
        (
            lambda: tt.Profile(jobs=1, run_time=3, think_time=3),
            "Profile has no argument 'run_time'; it is called 'runtime'",
        ),
        (lambda: tt.Job(), "missing 1 required keyword-only argument: 'runtime'"),
    ],
)
def test_an_argument_of_other_tools_is_named(call, message):
    """The error says what the argument is called here, or a similar one; other errors stay as they are."""
    with pytest.raises(TypeError, match=message.replace("?", "[?]")):
        call()


def test_a_module_that_is_elsewhere_is_found():
    """A package that has no such part says where in thinktime it is."""
    with pytest.raises(
        AttributeError, match=r"thinktime.models has no 'measures'; it is thinktime.models.results.measures"
    ):
        tt.models.measures  # noqa: B018
    with pytest.raises(AttributeError, match="did you mean 'fairness'"):
        tt.analysis.fairnes  # noqa: B018


@given(
    st.text(max_size=80)
    | st.text("ab\n'\\", min_size=30, max_size=200)
    | st.lists(st.integers())
    | st.integers(0, 10**200)
)
def test_inputs_are_shown_in_one_short_line(value):
    """What is short is shown as it is; of what is long, 18 characters from its beginning and 21 from its end."""
    shown, plain = quoted(value), " ".join(repr(value).split())
    if isinstance(value, str):
        assert shown[0] == shown[-1]
        shown, plain = shown[1:-1], repr(value)[1:-1]
    assert shown == (plain if len(plain) <= 40 else f"{plain[:18]}…{plain[-21:]}")


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
