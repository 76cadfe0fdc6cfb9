"""What the two sides of a tool result are worth: which of them the instrumentation cut or hid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from collector.assembly.capture import COUNT, LENGTH, CaptureLimits, lost_end
from collector.content import redacted, without_cut_marker
from scorers.delivery.masks import is_mark
from scorers.delivery.result import CUT_BEFORE
from scorers.delivery.sizes import SHORT
from scorers.turn import Inference, Part, ToolExecution

PREVIEW = "telemetry_preview"


@dataclass(frozen=True, slots=True)
class Sides:
    """The produced text, and the reasons of `ToolResult`; `dialect` is the one that tells."""

    produced: str | None
    produced_missing: str | None
    produced_cut: str | None
    capture_cut: str | None
    dialect: str


def sides(
    tool: ToolExecution, call: Inference | None, parts: Sequence[Part], limits: CaptureLimits
) -> Sides:
    """Look at a tool's execution and at the call that was given its result (None: no call)."""
    produced, missing, produced_cut, cut = _produced(tool, limits)
    hides = missing or produced_cut or cut
    if cut is None and call is not None:
        cut = cut_on_the_way(call, parts, limits)
        if cut is None and _is_at_edge(call, parts) and produced != text_of(parts):
            cut = COUNT
    dialect = tool.dialect if hides or call is None else call.dialect
    return Sides(produced, missing, produced_cut, cut, dialect)


def cut_on_the_way(call: Inference, parts: Sequence[Part], limits: CaptureLimits) -> str | None:
    """Say why what a call was given is not seen whole; None where it is.

    Marks of redaction are left to the comparison of the texts: they may be the tool's own.
    """
    for part in parts:
        if not part.cut_by_capture:
            continue
        if without_cut_marker(part.text) != part.text:
            return PREVIEW
        if call.capture.broken or not redacted(part.text):
            return _hidden(call) or LENGTH
    return LENGTH if limits.is_at_limit(call, parts) else None


def text_of(parts: Sequence[Part]) -> str:
    """Return the text of a result that was delivered in several parts."""
    return "\n".join(part.text for part in parts)


def _is_at_edge(call: Inference, parts: Sequence[Part]) -> bool:
    """Say whether a result stands where an SDK over its count limit took the rest of the list: of
    its own message, some pieces may be gone too."""
    if not call.capture.dropped or not call.input:
        return False
    edges = [*call.input[0].parts, *(call.input[-1].parts if lost_end(call) else ())]
    return any(part is edge for part in parts for edge in edges)


def why_not_given(call: Inference) -> str:
    """Say why a call was recorded without the messages that it was given."""
    if call.capture.hidden:
        return call.capture.hidden
    if call.capture.dropped:
        return COUNT
    return LENGTH if call.capture.broken else "input_not_recorded"


def why_not_produced(tool: ToolExecution) -> str:
    """Say why a tool's execution holds no result."""
    capture = tool.capture
    if capture.hidden:
        return capture.hidden
    if capture.dropped:
        return COUNT
    if tool.failed:
        return "tool_failed"
    return LENGTH if capture.broken else "not_recorded"


def _produced(
    tool: ToolExecution, limits: CaptureLimits
) -> tuple[str | None, str | None, str | None, str | None]:
    """Return the produced text, why it is missing, why it is but a beginning, and why it is no
    evidence at all."""
    text = tool.result
    if text is None:
        return None, why_not_produced(tool), None, None
    if is_mark(text):
        return None, tool.capture.hidden or "redacted", None, None
    if _is_less(tool, text):
        return None, CUT_BEFORE, None, None
    if tool.capture.hidden and tool.capture.hidden != "redacted":
        return text, None, None, tool.capture.hidden
    whole = without_cut_marker(text)
    return whole, None, PREVIEW if whole != text else limits.cut_reason(tool), None


def _is_less(tool: ToolExecution, text: str) -> bool:
    """Say whether a result is known to be what a harness had left of what the tool produced."""
    stated = tool.produced_size
    if stated is None or tool.size_unit == "tokens" or without_cut_marker(text) != text:
        return False
    return len(text) < SHORT * stated


def _hidden(call: Inference) -> str | None:
    return None if call.capture.hidden == "redacted" else call.capture.hidden
