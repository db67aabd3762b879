"""Pictures of tests: small, and drawn once where nobody looks at them."""

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from thinktime.analysis.pictures import style
from thinktime.analysis.reports import page
from thinktime.compiled import how

LOOKED_AT = ("pictures", "trace", "expectations", "reports")
"""Folders of tests that look at pictures."""
TEXTS = ("test_giving_up.py", "test_page.py")
"""Files there that look at texts only, wherever these are."""
AS_THEY_ARE = "test_style.py"
"""Where pictures are as users have them."""


save = style.save
DRAWN: dict[str, bytes] = {}
"""Pictures that this process has drawn, by their names with their formats."""


def save_drawn_once(picture: Figure, path: str | Path) -> Path:
    """As `save`, but a picture whose name was drawn before is that one again: it is another test's of the same kind.

    One that was drawn as PNG is that in other formats, too, whose drawing the tests of pictures look at.
    """
    target = Path(path)
    known = next((name for name in (target.name, f"{target.stem}.png") if name in DRAWN), None)
    if known is None:
        DRAWN[target.name] = save(picture, target).read_bytes()
    else:
        target.write_bytes(DRAWN[known])
    return target


inline = page.inline_svg
INLINE: dict[str, str] = {}
"""Pictures within pages, by their names there."""


def inline_drawn_once(picture: Figure, name: str, title: str, description: str) -> str:
    """As `inline_svg`, but a picture whose name was drawn before is that one again, with its title."""
    if name not in INLINE:
        INLINE[name] = inline(picture, name, title, description)
    return INLINE[name]


def small_pictures(item: pytest.Item, patch: pytest.MonkeyPatch) -> None:
    """Pictures are drawn in a fifth of their size, and PDF files name no part of a font, which would take long.

    Where nobody looks at them, they have no layout either, which takes half of the time, and each is drawn once; as
    plain Python and in thorough tests, each time.
    """
    if item.path.name == AS_THEY_ARE:
        return
    looked_at = item.path.parent.name in LOOKED_AT
    if not looked_at or item.path.name in TEXTS:
        patch.setattr(style, "LAYOUT", None)
    if not looked_at and how() != "plain Python" and not item.get_closest_marker("thorough"):
        patch.setattr(style, "save", save_drawn_once)
        patch.setattr(page, "inline_svg", inline_drawn_once)
    patch.setitem(style.RC, "savefig.dpi", 30)
    patch.setitem(style.RC, "pdf.fonttype", 3)
