"""`python -m tools.slurm`: see `command`. Experiments have a few jobs each, so that compiling would take longer."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
    from tools.slurm.command import main

    sys.exit(main())
