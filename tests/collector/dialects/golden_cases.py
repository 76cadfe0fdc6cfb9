"""Golden cases of dialects: recorded export requests, and the operations in them."""

import gzip
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
        name, body = path.name.removesuffix(".gz"), path.read_bytes()
        signal = "logs" if "-logs." in name else "traces"
        encoding = "json" if name.endswith(".json") else "protobuf"
        body = gzip.decompress(body) if name != path.name else body
        yield from decode(signal, encoding, body).records


def operations(case):
    for record in records(case):
        dialect = next((one for one in DIALECTS if one.claims(record)), None)
        if dialect is not None:
            yield from dialect.operations(record)
