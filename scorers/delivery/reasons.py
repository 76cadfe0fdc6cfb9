"""Why a tool result can't be observed: the one table of reasons, and what to change for each.

The words are a closed vocabulary: metrics have them as a label, documents and terminals explain
them (docs/capture-loss.md is written from this table). A reason may carry more behind `;` or `:`,
such as the sizes that a harness states.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Cause = Literal["instrumentation", "recording", "turn", "measure"]
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason. `cause` says who hides the side: the instrumentation (it cut or hid what there
    was), the recording (nothing was recorded), the turn (how it went), or the measure itself.

    `known_by` is how it is recognised, `change` what to do about it, whatever the library: the
    switches of each are in `collector/inspection`.
    """

    name: str
    cause: Cause
    meaning: str
    known_by: str
    change: str


_NOTHING = "Nothing: this one result can't be followed."
REASONS: tuple[Reason, ...] = (
    Reason(
        "attribute_length_limit",
        "instrumentation",
        "The SDK cut attribute values at one length; no mark is left and nothing is counted.",
        "Different values of one service end at exactly one length and none is longer, or the "
        "JSON around the messages ends in the middle.",
        "Unset OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT, OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT and "
        "OTEL_LOGRECORD_ATTRIBUTE_VALUE_LENGTH_LIMIT (default: no limit).",
    ),
    Reason(
        "attribute_count_limit",
        "instrumentation",
        "The SDK dropped attributes or events beyond a count: the oldest ones (Python) or the "
        "newest ones (JavaScript, Java, Go).",
        "The record's own count of dropped attributes or events, and messages that are not there.",
        "Raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT, OTEL_SPAN_EVENT_COUNT_LIMIT and "
        "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT (default 128), say to 10000.",
    ),
    Reason(
        "content_off",
        "instrumentation",
        "The library records no content: it is switched off, which is many libraries' default.",
        "Spans of calls and tools without the attributes that hold texts.",
        "Switch the content on; `tellback inspect` names your library's setting (OpenTelemetry's "
        "own: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only).",
    ),
    Reason(
        "redacted",
        "instrumentation",
        "The library put a mark in place of the content.",
        "A whole value or one field is `__REDACTED__`, `<REDACTED>`, `[REDACTED]`, `<elided>`, "
        "`<not serializable>`, `redacted-by-litellm`, `****` or `[Scrubbed due to '…']`.",
        "Leave tool results and messages out of the redaction, or redact in Tellback's ledger "
        "(privacy) instead.",
    ),
    Reason(
        "produced_redacted",
        "instrumentation",
        "Only what the tool produced was masked, in whole or in part; the model got it unmasked.",
        "A mark of redaction (as above) that stands in the produced text and not in the delivered.",
        "Leave the result attribute of tool spans out of the redaction, or mask both sides alike.",
    ),
    Reason(
        "delivered_redacted",
        "instrumentation",
        "Only what the model was given was masked, in whole or in part.",
        "A mark of redaction (as above) that stands in the delivered text and not in the produced.",
        "Leave the messages of model calls out of the redaction, or mask both sides alike.",
    ),
    Reason(
        "telemetry_preview",
        "instrumentation",
        "The instrumentation records the beginning of a text and says so.",
        "`[... telemetry preview truncated ...]`, `...[TRUNCATED: original length N]` or "
        "`[TRUNCATED - Content exceeds 60KB limit]` at the end of a value.",
        "Record the whole text, where the library lets you.",
    ),
    Reason(
        "uploaded",
        "instrumentation",
        "The content is stored elsewhere, and the record holds its address.",
        "`gen_ai.input.messages_ref` and the like, `@@@langfuseMedia:…@@@`, "
        "`mlflow-attachment://…`.",
        "Record the content on spans as well (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="
        "span_only): Tellback fetches nothing.",
    ),
    Reason(
        "produced_cut_by_capture",
        "instrumentation",
        "What the tool span holds is the beginning of what the model was given.",
        "The delivered text is longer and goes on where the produced one breaks off.",
        "Lift the limit of the tool span's result: the SDK's, or the library's own.",
    ),
    Reason(
        "delivered_cut_by_capture",
        "instrumentation",
        "What the model call's record holds ends as a trace exporter's shortened value.",
        "`... [truncated, N chars]` and the like at the end, at an exporter's limit.",
        "Lift the exporter's limit, or send OTLP from the process itself.",
    ),
    Reason(
        "produced_empty",
        "recording",
        "The tool span holds nothing (or `{}`), and the model was given a long text.",
        "An empty produced text beside a delivered one of more than 240 characters.",
        "Record what the tool returned on its span (gen_ai.tool.call.result).",
    ),
    Reason(
        "delivered_empty",
        "recording",
        "The tool's message is recorded without its text.",
        "An empty delivered text beside a produced one.",
        "Switch on the content of the messages that the model is given.",
    ),
    Reason(
        "no_tool_span",
        "recording",
        "The model was given a result, and no span shows the tool that produced it.",
        "A tool message for whose call no tool span came: a library that records a provider sees "
        "no tools.",
        "Put a span around each tool (README, “Point your agent at it”), or use the framework's "
        "own instrumentation.",
    ),
    Reason(
        "not_recorded",
        "recording",
        "The tool's span is there without a result.",
        "A tool span without any attribute that holds a result.",
        "Set gen_ai.tool.call.result on it before the harness shortens the result, or at least "
        "its size, tellback.tool.produced_size.",
    ),
    Reason(
        "cut_before_recording",
        "recording",
        "A harness had cut the result before it was recorded: the span holds what was left of it.",
        "The span says so (opencode: metadata.truncated), or it states a greater size than its "
        "text has.",
        "Nothing, where the harness runs the tool; in your own, set gen_ai.tool.call.result before "
        "the result is shortened.",
    ),
    Reason(
        "processed",
        "recording",
        "What the tool returned was made into another text before it was recorded.",
        "Haystack's ToolInvoker with outputs_to_string: its output is the message for the model.",
        "Leave out outputs_to_string where you want to see what it takes away; Haystack's tracer "
        "of version 3 records tools by themselves.",
    ),
    Reason(
        "rebuilt",
        "recording",
        "The messages of the model call were put together by the instrumentation, not taken from "
        "the request.",
        "Logfire's spans of the Claude Agent SDK, whose program sends the requests elsewhere.",
        "Nothing: the requests are made by another program.",
    ),
    Reason(
        "unreadable_content",
        "recording",
        "Content is recorded in a form that Tellback doesn't know.",
        "Attributes of content are there, and nothing in them could be read.",
        "Please report the library and its version; `tellback inspect` names both.",
    ),
    Reason(
        "input_not_recorded",
        "recording",
        "The model calls are there without the messages that they were given.",
        "Model calls without input, though content is recorded otherwise.",
        "Switch on the messages of model calls.",
    ),
    Reason(
        "no_model_call",
        "recording",
        "No model call of the agent was recorded: nobody can see what it was given.",
        "Tool spans in a turn without model calls.",
        "Instrument the model's client beside the framework.",
    ),
    Reason(
        "no_join",
        "recording",
        "Results were delivered, and nothing says which of them is this one.",
        "No call id on one side, and neither arguments nor order decide.",
        "Set gen_ai.tool.call.id on the tool's span.",
    ),
    Reason(
        "trace_incomplete",
        "recording",
        "Spans of the turn are missing: it was too large, or closed before they came.",
        "`turn_too_large`, `closed_at_deadline` or `closed_at_shutdown`.",
        "Raise turns.max_open_bytes or turns.deadline, or send spans sooner.",
    ),
    Reason("tool_failed", "turn", "The tool failed and produced nothing.",
           "A tool span with an error and no result.", "Nothing: there is no result."),
    Reason("handed_over", "turn", "Another agent took over before the result was read.",
           "Only model calls of another agent follow.", _NOTHING),
    Reason("superseded", "turn", "The call was made again, and the later result counts.",
           "Two executions under one request.", _NOTHING),
    Reason(
        "too_large_to_compare",
        "measure",
        "Both sides are there, and comparing them takes more work than one result is worth.",
        "The reason names the budget that ran out.",
        _NOTHING,
    ),
    Reason("measure_failed", "measure", "The comparison broke: a fault of Tellback's.",
           "The measure raised.", "Please report it."),
    Reason(OTHER, "measure", "Something this table doesn't know.", "Anything else.", _NOTHING),
)  # fmt: skip

BY_NAME = {reason.name: reason for reason in REASONS}
NAMES = tuple(BY_NAME)

_ALSO = {
    "preview_only": "telemetry_preview",
    "no_tool_result": "not_recorded",
    "turn_too_large": "trace_incomplete",
    "closed_at_deadline": "trace_incomplete",
    "closed_at_shutdown": "trace_incomplete",
}


def reason_of(told: str | None) -> Reason:
    """Return the reason that a result's words begin with; `other` where the table has none."""
    word = (told or "").partition(";")[0].partition(":")[0].strip()
    return BY_NAME.get(_ALSO.get(word, word), BY_NAME[OTHER])
