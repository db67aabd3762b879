"""`python -m tools.slurm`: see `command`."""

import sys

if __name__ == "__main__":
    from tools.slurm.command import main

    sys.exit(main())
