"""The metadata is in setup.cfg; here is what compiles the engine (`tools/engine`)."""

import sys
from pathlib import Path

from setuptools import setup

sys.path.insert(0, str(Path(__file__).resolve().parent))

from tools.engine.commands import COMMANDS, OPTIONS, Distribution

if __name__ == "__main__":
    setup(cmdclass=COMMANDS, options=OPTIONS, distclass=Distribution)
