"""`python -m thinktime` does what the command `thinktime` does."""

import sys

from thinktime.cli import main

if __name__ == "__main__":
    sys.exit(main())
