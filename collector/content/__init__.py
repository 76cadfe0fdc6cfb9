"""Values and messages as instrumentation writes them, decoded to text and `Message`s.

The same key holds a plain text, JSON, JSON inside JSON, a Python repr, a framework's constructor
wrapper or an OTLP map, depending on library and version. The dialects share this one decoder, so
that the same text comes out of all of them.
"""

from __future__ import annotations

from collector.content.absence import UNREADABLE, why_missing
from collector.content.blocks import (
    reports_failure,
    salvage_tool_result,
    text,
    unwrap_tool_result,
)
from collector.content.capture import (
    Recorded,
    capture_of,
    cut_marker,
    redacted,
    replaced,
    without_cut_marker,
)
from collector.content.definitions import tool_names
from collector.content.messages import messages
from collector.content.pyrepr import literal
from collector.content.usage import usage_of
from collector.content.values import compact, decode, looks_cut

__all__ = [
    "UNREADABLE",
    "Recorded",
    "capture_of",
    "compact",
    "cut_marker",
    "decode",
    "literal",
    "looks_cut",
    "messages",
    "redacted",
    "replaced",
    "reports_failure",
    "salvage_tool_result",
    "text",
    "tool_names",
    "unwrap_tool_result",
    "usage_of",
    "why_missing",
    "without_cut_marker",
]
