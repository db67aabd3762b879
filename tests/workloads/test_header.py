"""SWF headers: labels, their spellings, and lossless keeping."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.workloads.header import LABELS, Header

CURIE = Header(
    [
        ";   --- SWF file converted from SACCT ---",
        "; Version: 2.2",
        ";",
        "; Information: http://www-hpc.cea.fr/en/complexe/tgcc-curie.htm",
        ";              http://www.example.org/",
        "; Note: Curie is composed of 3 types of nodes,",
        ";\tsee: http://www-hpc.cea.fr/",
        "; MaxNodes: 338 (batch partition; 512 total)",
        "; Note: second",
        "; Queue:  1  ",
        ";MaxProcs:2,048",
        ";MaxRuntime: N/A",
        "; TimeZone: -18000",
        "; odd: words",
        "; Copyright: someone",
    ]
)


def test_first_value() -> None:
    """Indexing gives a label's first value as text, without the blanks around it."""
    assert (CURIE["Version"], CURIE["Queue"], CURIE["MaxProcs"]) == ("2.2", "1", "2,048")


def test_repeated_labels() -> None:
    """All values of a label come in order, lines that continue a value joined to it."""
    assert CURIE.all("Note") == ("Curie is composed of 3 types of nodes,\nsee: http://www-hpc.cea.fr/", "second")
    assert CURIE.all("Information")[0].split("\n")[1] == "http://www.example.org/"


def test_missing_label() -> None:
    """A label that is not there is a KeyError in brackets, a default with get, nothing with all."""
    with pytest.raises(KeyError, match="Computer"):
        CURIE["Computer"]
    assert (CURIE.get("Computer"), CURIE.get("Computer", "?"), CURIE.all("Computer")) == (None, "?", ())
    assert "Computer" not in CURIE
    assert "version" in CURIE


def test_unknown_labels() -> None:
    """A label that SWF does not define is kept; a free comment is no label."""
    assert CURIE["Copyright"] == "someone"
    assert "odd" not in CURIE


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("form", ["; {}: 5", ";{}:5", ";   {} : 5  ", "; {}:\t5"])
def test_spellings(label: str, form: str) -> None:
    """Every label of SWF 2.2 is found however blanks are set, and whatever the case."""
    assert Header([form.format(label)])[label] == "5"
    assert Header([form.format(label.lower())])[label] == "5"


def test_typed_values() -> None:
    """Typed properties read the number that a value begins with, and know 'N/A' as nothing."""
    assert (CURIE.max_nodes, CURIE.max_procs, CURIE.time_zone) == (338, 2048, -18000)


@pytest.mark.parametrize("text", ["-1", "0", "N/A", "", "unknown"])
def test_no_machine_size(text: str) -> None:
    """A size that is not a positive number is no size."""
    assert Header([f"; MaxProcs: {text}"]).max_procs is None


def test_version_with_text() -> None:
    """'Version: SWF v2' is a version like another."""
    assert Header([";Version: SWF v2"])["Version"] == "SWF v2"


def test_build() -> None:
    """A built header holds the labels in the order given, a list as repeated lines."""
    header = Header.build(Version=2.2, Note=["one", "two\nlines"], MaxProcs=4)
    assert header.lines[:3] == ("; Version: 2.2", "; Note: one", "; Note: two")
    assert header.all("Note") == ("one", "two\nlines")
    assert header.labels == ("Version", "Note", "MaxProcs")


def test_set_replaces_in_place() -> None:
    """Setting a label replaces all its lines, where the first of them stood; the old header stays."""
    changed = CURIE.set("Note", "only")
    assert changed.all("Note") == ("only",)
    assert changed.labels == CURIE.labels
    assert len(CURIE.all("Note")) == 2


def test_set_appends() -> None:
    """Setting a label that is not there adds a line at the end, in SWF's spelling."""
    assert Header(["; free"]).set("maxprocs", 8).lines == ("; free", "; MaxProcs: 8")


def test_label_must_be_a_word() -> None:
    """A label that could not be read again is refused."""
    with pytest.raises(ValueError, match=re.escape("not 'Max procs'")):
        Header().set("Max procs", 1)


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]))))
def test_lossless(texts: list[str]) -> None:
    """Comment lines are kept letter by letter, in order."""
    lines = [f";{text}" for text in texts]
    assert list(Header(lines).lines) == lines
    assert Header(lines) == Header(Header(lines).lines)


@given(st.sampled_from(list(LABELS)), st.integers(0, 10**12))
def test_set_then_get(label: str, value: int) -> None:
    """What was set is what is found."""
    assert CURIE.set(label, value).number(label) == value
