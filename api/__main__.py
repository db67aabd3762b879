"""`python -m thinktime` is the same as the command `thinktime`."""

import sys

from thinktime.cli import main

if __name__ == "__main__":
    sys.exit(main())
