"""Requests that real libraries sent, and the operations that come out of them.

A case is a folder `tests/golden/dialects/<dialect>/<case>/` of export requests as sent
(`NNN-traces.pb`, `NNN-logs.json`, …, also `.gz`) beside `operations.json`. Most were captured from
a run of the library named, with a scripted model; those whose names start with a number were made
from public reports of what broke other tools.
"""

import dataclasses
import hashlib

import pytest
from golden_cases import CASES, operations, records

from scorers.turn import Capture, Message, Part

LONGEST = 300


def readable(value):
    """Leave out what is absent, and shorten what is long, so that a reviewer can read the file."""
    if isinstance(value, str) and len(value) > LONGEST:
        digest = hashlib.sha256(value.encode()).hexdigest()[:16]
        return f"{value[:100]} … {len(value)} characters, sha256 {digest}"
    if isinstance(value, Message):
        said = " ".join(word for word in (value.role, value.name, value.finish_reason) if word)
        return {said: [readable(part) for part in value.parts]}
    if isinstance(value, Part):
        words = (value.kind, value.id, value.name, "cut by capture" if value.cut_by_capture else "")
        return f"{' '.join(word for word in words if word)}: {readable(value.text)}"
    if isinstance(value, Capture):
        lengths = " ".join(map(str, value.lengths))
        stated = {"lengths": lengths, "broken": value.broken, "hidden": value.hidden}
        return {key: item for key, item in stated.items() if item} | (
            {"dropped": value.dropped} if value.dropped else {}
        )
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        kept = {key: readable(item) for key, item in fields.items()}
        kept = {key: item for key, item in kept.items() if item not in (None, False, {}, [])}
        return {"is": type(value).__name__, **kept}
    if isinstance(value, list | tuple):
        return [readable(item) for item in value]
    return value


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_requests_become_these_operations(case, golden):
    golden(case / "operations.json", [readable(operation) for operation in operations(case)])


def test_every_case_has_requests():
    assert CASES
    assert all(list(records(case)) for case in CASES)
