"""The documentation is counted against its limits."""

from pathlib import Path

import pytest

from tools.docs.words import LIMITS, main, words


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "how-to").mkdir(parents=True)
    (tmp_path / "README.md").write_text("# A title\n\nthree-part word,\t`a b`\n", encoding="utf-8")
    (tmp_path / "docs" / "design.md").write_text("one two\n", encoding="utf-8")
    (tmp_path / "docs" / "how-to" / "run.md").write_text("three\u00a0words – here\n", encoding="utf-8")
    (tmp_path / "docs" / "made.txt").write_text("no page\n", encoding="utf-8")
    return tmp_path


def test_words_are_what_is_between_blanks(tree: Path) -> None:
    """Marks and code count, as for `wc -w`; a folder has the words of all pages below it."""
    assert [words(tree / name) for name in ("README.md", "docs/design.md", "docs")] == [7, 2, 6]


def test_each_part_is_printed_beside_its_limit(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Within the limits, the status is 0."""
    assert main(tree) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "README.md: 7 words, at most 1,200",
        "docs/design.md: 2 words, at most 6,000",
    ]


@pytest.mark.parametrize("name", LIMITS)
def test_a_word_beyond_a_limit_is_an_error(
    name: str, tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What has exactly its limit passes, and one word more does not."""
    monkeypatch.setitem(LIMITS, name, words(tree / name))
    assert main(tree) == 0
    page = tree / name if name.endswith(".md") else tree / name / "more.md"
    with page.open("a", encoding="utf-8") as file:
        file.write(" word")
    assert main(tree) == 1
    assert f"{name}: " in capsys.readouterr().out.partition(": too many")[0]
