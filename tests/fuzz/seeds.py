"""Where fuzzing begins: the requests of the golden cases, the small ones."""

from functools import cache
from pathlib import Path

from exports import logs, traces

GOLDEN = Path(__file__).parents[1] / "golden"
LARGEST = 24_000  # bytes: what is larger is slower, and says nothing new


@cache
def requests() -> tuple[bytes, ...]:
    """Return request bodies in protobuf and JSON, good and bad, always in the same order."""
    made = (traces(3, text="ünïcode ✓").SerializeToString(), logs(3).SerializeToString())
    recorded = sorted(
        path
        for path in GOLDEN.rglob("[0-9][0-9][0-9]-*")
        if path.suffix in (".pb", ".json") and "wire" not in path.parts
    )
    return made + tuple(path.read_bytes() for path in recorded if path.stat().st_size <= LARGEST)
