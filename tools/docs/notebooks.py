"""The notebooks of docs/tutorials: what their cells are, and ``python -m tools.docs.notebooks FOLDER``.

They are Markdown with cells of code (MyST), so that changes can be read, and the site runs them. The command runs each
in a kernel of its own and writes it, with what it showed, as a notebook that Jupyter opens.
"""

import re
import sys
from pathlib import Path
from typing import Any

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"
_FRONT = re.compile(r"\A---\n.*?^---\n", re.MULTILINE | re.DOTALL)
_CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def notebooks() -> list[Path]:
    """The pages that are notebooks."""
    return sorted(path for path in TUTORIALS.glob("*.md") if _CELL.search(path.read_text(encoding="utf-8")))


def cells(page: Path) -> tuple[list[str], list[str]]:
    """The texts between a page's cells of code, one more than cells, and the cells."""
    parts = _CELL.split(_FRONT.sub("", page.read_text(encoding="utf-8")))
    return parts[::2], parts[1::2]


def main(folder: Path) -> None:
    """Run every notebook, and write it to a folder."""
    import nbformat
    from nbclient import NotebookClient

    new: Any = nbformat.v4  # without types
    folder.mkdir(parents=True, exist_ok=True)
    for page in notebooks():
        texts, codes = cells(page)
        made = new.new_notebook()
        for text, code in zip(texts, [*codes, ""], strict=True):
            made.cells += [new.new_markdown_cell(text.strip())] * bool(text.strip())
            made.cells += [new.new_code_cell(code.rstrip("\n"))] * bool(code)
        NotebookClient(made, timeout=600, kernel_name="python3").execute()
        target = folder / f"{page.stem}.ipynb"
        target.write_text(new.writes(made), encoding="utf-8")
        print(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
