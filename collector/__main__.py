"""`python -m collector` is `tellback`."""

import sys

from collector.cli import main

if __name__ == "__main__":
    sys.exit(main())
