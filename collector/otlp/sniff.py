"""Which signal and encoding a file holds: by its content, and by its name where that is silent."""

from __future__ import annotations

import re
from typing import Literal

from google.protobuf.message import DecodeError

from collector.errors import Permanent
from collector.otlp import json_request, messages
from collector.otlp.batch import Encoding
from collector.otlp.identifier import SPAN_BYTES, TRACE_BYTES

AnySignal = Literal["traces", "logs", "metrics"]
_NAMED = re.compile(r"(trace|span|log|metric)s?(?![a-z])", re.IGNORECASE)
# How OTLP/JSON nearly always begins; a cut one is known by it too.
_BEGINS = re.compile(rb'\s*\{\s*"resource_?(span|log|metric)s"', re.IGNORECASE)
_SIGNALS: dict[str, AnySignal] = {
    "trace": "traces",
    "span": "traces",
    "log": "logs",
    "metric": "metrics",
}


def sniff(body: bytes, name: str) -> tuple[AnySignal, Encoding]:
    """Say what a request body read from a file called `name` is.

    Traces where neither the content nor the name tells. Raises `Permanent` (reason `not_otlp`)
    for JSON that is something else.
    """
    if not _is_json(body, name):
        held = _protobuf_signal(body)
        return _choose([held] if held else [], name), "protobuf"
    begins = _BEGINS.match(body)
    if begins:
        return _SIGNALS[begins[1].decode().lower()], "json"
    try:
        found = json_request.signals(body)
    except Permanent as error:
        raise Permanent(str(error), reason="not_otlp") from None
    if not found:
        raise Permanent("the JSON holds no resourceSpans and no resourceLogs", reason="not_otlp")
    return _choose(found, name), "json"


def _choose(held: list[str], name: str) -> AnySignal:
    found = _NAMED.search(name)
    named = _SIGNALS[found[1].lower()] if found else None
    if named is not None and (not held or named in held):
        return named
    for signal in _SIGNALS.values():
        if signal in held:
            return signal
    return "traces"


def _is_json(body: bytes, name: str) -> bool:
    plain = name.removesuffix(".gz").lower()
    if plain.endswith((".json", ".jsonl")):
        return True
    if plain.endswith((".pb", ".bin")):
        return False
    # A protobuf request starts with 0x0A, which as text is a line break: so only the very first
    # byte tells.
    return body[:1] in {b"{", b"["} or body[:3] == b"\xef\xbb\xbf"


def _protobuf_signal(body: bytes) -> AnySignal | None:
    """Tell by the first records. The three requests are alike down to them."""
    try:
        request = messages.TracesRequestApart.FromString(body)
    except DecodeError:
        return None
    for group in request.resource_spans:
        for part in group.scope_spans:
            for raw in part.spans:
                signal = _record_signal(raw)
                if signal is not None:
                    return signal
    return None


def _record_signal(raw: bytes) -> AnySignal | None:
    try:
        span = messages.Span.FromString(raw)
        if len(span.trace_id) == TRACE_BYTES and len(span.span_id) == SPAN_BYTES:
            return "traces"
    except DecodeError:
        pass
    try:
        metric = messages.Metric.FromString(raw)
        if metric.name and metric.WhichOneof("data"):
            return "metrics"
    except DecodeError:
        pass
    try:
        record = messages.LogRecord.FromString(raw)
    except DecodeError:
        return None
    timed = record.time_unix_nano or record.observed_time_unix_nano
    return "logs" if timed or record.HasField("body") else None
