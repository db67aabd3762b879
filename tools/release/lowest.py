"""The lowest versions that setup.cfg allows, as a file of constraints for pip: `python -m tools.release.lowest`."""

import re
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

SETUP = Path(__file__).parents[2] / "setup.cfg"
BOUND = re.compile(r"(?P<name>[\w.-]+)>=(?P<version>[\d.]+)")


def requirements(text: str) -> Iterator[str]:
    """Every requirement of setup.cfg's text, those of the extras included."""
    config = ConfigParser(interpolation=None)
    config.read_string(text)
    lists = [config["options"]["install_requires"], *config["options.extras_require"].values()]
    for each in lists:
        yield from each.split()


def constraints(text: str) -> list[str]:
    """One line "name==version" for each requirement with a lower bound, sorted; two bounds of one name are an error."""
    found: dict[str, str] = {}
    for requirement in requirements(text):
        bound = BOUND.fullmatch(requirement)
        if bound is None:
            continue
        name, version = bound["name"], bound["version"]
        if found.setdefault(name, version) != version:
            raise ValueError(f"setup.cfg: {name} has two lower bounds, {found[name]} and {version}: make them one")
    return [f"{name}=={version}" for name, version in sorted(found.items())]


if __name__ == "__main__":
    sys.stdout.write("\n".join(constraints(SETUP.read_text(encoding="utf-8"))) + "\n")
