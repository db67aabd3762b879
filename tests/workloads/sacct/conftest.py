"""Texts of sacct that are converted."""

from pathlib import Path

import pytest

from thinktime.workloads.sacct import ConversionOptions, Converted, convert

from .samples import Make


@pytest.fixture
def made(tmp_path: Path) -> Make:
    """Give a function that converts texts, each from a file of its own."""

    def make(*texts: str, **options: object) -> Converted:
        paths = [tmp_path / f"part{place}" for place in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        return convert(paths, ConversionOptions(**options))

    return make
