"""The benchmarks are programs beside the packages; their modules are found here."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "bench"))
