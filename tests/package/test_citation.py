"""CITATION.cff says of the package what setup.cfg says."""

from __future__ import annotations

from configparser import ConfigParser
from pathlib import Path

import pytest


def test_the_citation_has_the_metadata_of_the_package(root: Path, setup_cfg: ConfigParser) -> None:
    """Title, abstract, version and licence are those of setup.cfg, and the authors those of the licence."""
    yaml = pytest.importorskip("yaml", reason="part of the dev extra")
    said = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    package = setup_cfg["metadata"]
    shown = [said["title"], said["abstract"], said["version"], said["license"]]
    assert shown == [package["name"], package["description"], package["version"], package["license"]]
    (author,) = said["authors"]
    assert f", {author['name']}\n" in (root / "LICENSE").read_text(encoding="utf-8")
