"""Golden cases of dialects: recorded export requests, and the operations in them."""

from pathlib import Path

from collector.dialects import DIALECTS
from collector.otlp import decode

CASES = sorted(
    path
    for path in Path(__file__).parents[2].joinpath("golden", "dialects").glob("*/*")
    if path.is_dir()
)


def records(case):
    for path in sorted(case.glob("[0-9]*")):
        signal = "logs" if "-logs." in path.name else "traces"
        encoding = "json" if path.suffix == ".json" else "protobuf"
        yield from decode(signal, encoding, path.read_bytes()).records


def operations(case):
    for record in records(case):
        dialect = next((one for one in DIALECTS if one.claims(record)), None)
        if dialect is not None:
            yield from dialect.operations(record)
