"""Recorded data that is kept beside the project, not in it."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / "shared"


def shared(*parts: str) -> Path:
    """Return a folder of data that is kept outside the project; skip where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not beside this checkout")
    return path
