"""Export requests changed where dialects look: attributes, events, ids, times, the order of spans.

Changing bytes alone seldom gets past the decoder. Here a request stays one, and what it says turns
odd: keys and values of other libraries, numbers where texts belong, spans that are their own
parent. Bytes are changed beside it (see `fuzz`).
"""

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cached_property
from random import Random
from typing import Any

from google.protobuf.message import DecodeError, EncodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from collector.errors import Permanent
from collector.otlp import sniff
from json_mutation import FRAGMENTS, mutated, mutated_text

TIMES = (0, 1, 2**63 - 1, 2**63, 2**64 - 1, 1_796_050_000_000_000_000)
INDEXES = ("0", "1", "7", "-1", "999999999999", "00", "x", "")
MOST_SPANS = 40


class RequestMutation:
    """Changes requests, with attributes, spans and log records of all seeds to put into them."""

    def __init__(self, seeds: Iterable[bytes]) -> None:
        self._seeds = tuple(seeds)

    def __call__(self, body: bytes, random: Random) -> bytes | None:
        """Return a changed request; None where `body` is none."""
        try:
            signal, encoding = sniff(body, "")
            if encoding == "json":
                return _json(body, random)
            message = (
                ExportLogsServiceRequest if signal == "logs" else ExportTraceServiceRequest
            )()
            message.ParseFromString(body)
            for _ in range(random.choice((1, 1, 2, 4))):
                self._change(message, random)
            return bytes(message.SerializeToString())
        except (Permanent, DecodeError, EncodeError, ValueError, RecursionError):
            return None  # also what would nest too deep to be written

    @cached_property
    def _parts(self) -> tuple[Any, ...]:
        """All parts with records of all seeds."""
        found = []
        for body in self._seeds:
            for kind in (ExportTraceServiceRequest, ExportLogsServiceRequest):
                with suppress(DecodeError):
                    found += _parts(kind.FromString(body))
        return tuple(part for part in found if any(r.attributes for r in _records(part)))

    @cached_property
    def _pairs(self) -> tuple[KeyValue, ...]:
        """Attributes of all seeds: of each key one of each size, for a hundred equal ones would
        drown the rest."""
        pairs = [pair for part in self._parts for r in _records(part) for pair in r.attributes]
        return tuple({(pair.key, pair.ByteSize().bit_length()): pair for pair in pairs}.values())

    def _change(self, message: Any, random: Random) -> None:
        parts = [part for part in _parts(message) if _records(part)]
        if not parts:
            message.MergeFrom(type(message).FromString(random.choice(self._seeds[:2])))
            return
        records = _records(random.choice(parts))
        record = random.choice(records)
        changes: tuple[Callable[[], Any], ...] = (
            *(lambda: self._attribute(record.attributes, random),) * 8,
            lambda: self._event(record, random),
            lambda: self._envelope(random.choice(_groups(message)), random),
            lambda: _frame(record, records, random),
            lambda: _identity(record, records, random),
            lambda: self._population(records, random),
        )
        random.choice(changes)()

    def _attribute(self, pairs: Any, random: Random) -> None:
        match random.randrange(6) if pairs else 0:
            case 0:
                pairs.add().CopyFrom(random.choice(self._pairs))
            case 1:
                del pairs[random.randrange(len(pairs))]
            case 2:
                pair = random.choice(pairs)
                pair.key = _valid(self._key(pair.key, random))
            case 3:
                random.choice(pairs).value.CopyFrom(random.choice(self._pairs).value)
            case _:
                _value(random.choice(pairs).value, random)

    def _key(self, key: str, random: Random) -> str:
        pieces = key.split(".")
        numbers = [at for at, piece in enumerate(pieces) if piece.isdigit()]
        if numbers and random.random() < 0.6:
            pieces[random.choice(numbers)] = random.choice(INDEXES)
            return ".".join(pieces)
        return random.choice((random.choice(self._pairs).key, mutated_text(key, random)))

    def _event(self, record: Any, random: Random) -> None:
        if not hasattr(record, "events"):  # a log record, which is one
            _value(record.body, random)
            return
        if record.events and random.random() < 0.8:
            event = random.choice(record.events)
            if random.random() < 0.8:
                self._attribute(event.attributes, random)
            elif random.random() < 0.5:
                event.name = _valid(mutated_text(event.name, random))
            else:
                record.events.remove(event)
            return
        event = record.events.add(name=random.choice(("gen_ai.choice", "gen_ai.user.message", "x")))
        self._attribute(event.attributes, random)

    def _envelope(self, group: Any, random: Random) -> None:
        """Change who says that he sent it."""
        parts = _parts_of(group)
        if not parts or random.random() < 0.5:
            self._attribute(group.resource.attributes, random)
            return
        other = random.choice(self._parts).scope.name
        scope = random.choice(parts).scope
        scope.name = random.choice((other, _valid(mutated_text(scope.name, random))))

    def _population(self, records: Any, random: Random) -> None:
        """Add a record from elsewhere, copy one, take one away, or change the order."""
        name = "spans" if hasattr(records[0], "links") else "log_records"
        match random.randrange(4):
            case 0 if len(records) > 1:
                del records[random.randrange(len(records))]
            case 1:
                order = list(records)
                random.shuffle(order)
                del records[:]
                records.extend(order)
            case _ if len(records) < MOST_SPANS:
                kin = [_records(part) for part in self._parts if hasattr(part, name)]
                new = records.add()
                new.CopyFrom(random.choice(random.choice((records, random.choice(kin)))))
                if random.random() < 0.7:
                    new.trace_id = records[0].trace_id
            case _:
                pass


def _json(body: bytes, random: Random) -> bytes:
    value = json.loads(body.decode("utf-8-sig", "replace"))
    for _ in range(random.randint(1, 4)):
        value = mutated(value, random)
    return json.dumps(value, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")


def _groups(message: Any) -> list[Any]:
    return list(_either(message, "resource_spans", "resource_logs"))


def _parts_of(group: Any) -> list[Any]:
    return list(_either(group, "scope_spans", "scope_logs"))


def _parts(message: Any) -> list[Any]:
    return [part for group in _groups(message) for part in _parts_of(group)]


def _records(part: Any) -> Any:
    return _either(part, "spans", "log_records")


def _either(message: Any, *names: str) -> Any:
    """Return the field that a message of this signal has."""
    return next(getattr(message, name) for name in names if hasattr(message, name))


def _valid(text: str) -> str:
    """Return what protobuf takes as a string."""
    return text.encode("utf-8", "replace").decode()


def _value(value: AnyValue, random: Random) -> None:
    """Change an attribute's value."""
    if value.HasField("string_value") and random.random() < 0.7:
        value.string_value = _valid(mutated_text(value.string_value, random))
        return
    match random.randrange(8):
        case 0:
            value.int_value = random.choice((0, -1, 1, 2**63 - 1, -(2**63), 4096))
        case 1:
            value.double_value = random.choice((0.5, -0.0, float("nan"), float("inf"), 1e308))
        case 2:
            value.bool_value = random.random() < 0.5
        case 3:
            value.bytes_value = random.randbytes(random.choice((0, 3, 40)))
        case 4:
            value.ClearField(value.WhichOneof("value") or "string_value")
        case 5:
            inner = AnyValue.FromString(value.SerializeToString())
            value.array_value.values.extend([inner] * random.choice((1, 2, 50)))
        case 6:
            inner = AnyValue.FromString(value.SerializeToString())
            for _ in range(random.choice((1, 5, 40))):
                outer = AnyValue()
                outer.kvlist_value.values.add(key="content").value.CopyFrom(inner)
                inner = outer
            value.CopyFrom(inner)
        case _:
            value.string_value = _valid(random.choice(FRAGMENTS))


def _frame(record: Any, records: Any, random: Random) -> None:
    """Change when it was, what kind it was, how it ended."""
    if not hasattr(record, "kind"):
        record.time_unix_nano = random.choice((*TIMES, records[0].time_unix_nano))
        record.event_name = _valid(mutated_text(record.event_name, random))
        return
    match random.randrange(5):
        case 0:
            record.start_time_unix_nano = random.choice((*TIMES, records[0].end_time_unix_nano))
        case 1:
            record.end_time_unix_nano = random.choice((*TIMES, records[0].start_time_unix_nano))
        case 2:
            record.kind = random.choice((0, 1, 2, 3, 5, 6, 1000))
        case 3:
            record.status.code = random.choice((0, 1, 2, 17))
            record.dropped_attributes_count = random.choice((0, 1, 2**32 - 1))
        case _:
            record.name = _valid(
                random.choice((mutated_text(record.name, random), "chat", "POST /"))
            )


def _identity(record: Any, records: Any, random: Random) -> None:
    """Change what belongs to what."""
    other = random.choice(records)
    match random.randrange(5):
        case 0:
            record.trace_id = random.choice((other.trace_id, b"", bytes(16), random.randbytes(16)))
        case 1:
            record.span_id = random.choice((other.span_id, b"", bytes(8), random.randbytes(8)))
        case 2 if hasattr(record, "links"):
            record.links.add(trace_id=other.trace_id, span_id=other.span_id)
        case _ if hasattr(record, "parent_span_id"):
            record.parent_span_id = random.choice((other.span_id, record.span_id, b"", b"short"))
        case _:
            pass
