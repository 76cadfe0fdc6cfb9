"""The advice table: every name in it is looked up, and no two libraries claim a scope alike."""

import re
from collections import Counter
from pathlib import Path

import pytest

from collector.dialect import Dialects
from collector.dialects import DIALECTS
from collector.inspection import advice
from collector.inspection.advice import (
    LIBRARIES,
    OF_ALL,
    WITHOUT_SWITCH,
    change_in,
    libraries_of,
    library_of,
    topic_of,
)
from collector.receivers import file
from scorers.delivery.reasons import REASONS

GOLDEN = Path(__file__).parents[2] / "golden" / "dialects"
# Environment variables by library, as their sources read them.
VARIABLES = {
    "AZURE_TRACING_GEN_AI_CONTENT_RECORDING_ENABLED",
    "ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS", "ADK_TELEMETRY_SCHEMA_VERSION_OPT_IN",
    "CLAUDE_CODE_ENABLE_TELEMETRY", "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA",
    "ENABLE_SENSITIVE_DATA",
    "GEMINI_TELEMETRY_LOG_PROMPTS", "GEMINI_TELEMETRY_TRACES_ENABLED",
    "HAYSTACK_CONTENT_TRACING_ENABLED",
    "LANGFUSE_OBSERVE_DECORATOR_IO_CAPTURE_ENABLED", "LANGFUSE_RELEASE",
    "LANGSMITH_HIDE_INPUTS", "LANGSMITH_HIDE_OUTPUTS", "LANGSMITH_OTEL_ENABLED",
    "LANGSMITH_PROJECT", "LANGSMITH_TRACING",
    "OPENINFERENCE_HIDE_INPUTS", "OPENINFERENCE_HIDE_OUTPUTS", "OPENINFERENCE_HIDE_INPUT_MESSAGES",
    "OPENINFERENCE_HIDE_OUTPUT_MESSAGES", "OPENINFERENCE_HIDE_INPUT_TEXT",
    "OPENINFERENCE_HIDE_OUTPUT_TEXT",
    "OTEL_ATTRIBUTE_COUNT_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT",
    "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
    "OTEL_INSTRUMENTATION_GENAI_COMPLETION_HOOK",
    "OTEL_LOGRECORD_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_LOGS_EXPORTER", "OTEL_LOG_RAW_API_BODIES",
    "OTEL_LOG_TOOL_CONTENT", "OTEL_LOG_TOOL_DETAILS", "OTEL_LOG_USER_PROMPTS",
    "OTEL_RESOURCE_ATTRIBUTES", "OTEL_SEMCONV_STABILITY_OPT_IN", "OTEL_SERVICE_NAME",
    "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT",
    "OTEL_SPAN_EVENT_COUNT_LIMIT", "OTEL_TRACES_EXPORTER",
    "SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS",
    "SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE",
    "TRACELOOP_TRACE_CONTENT",
}  # fmt: skip
# Scopes of the recordings that are the application's own, and none of an agent's library.
OWN = {"billing.agent", "billing-agent", "billing.app", "", "gen_ai"}


def texts():
    for library in LIBRARIES:
        yield library.about
        for switches in library.switches.values():
            for switch in switches:
                yield f"{switch.setting} {switch.effect}"
    for switches in OF_ALL.values():
        for switch in switches:
            yield f"{switch.setting} {switch.effect}"


def test_every_variable_is_one_that_a_library_reads():
    named = {
        name for text in texts() for name in re.findall(r"\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b", text)
    }
    assert named == VARIABLES


def test_names_and_scopes_are_there_once():
    assert max(Counter(library.name for library in LIBRARIES).values()) == 1
    scopes = Counter(scope for library in LIBRARIES for scope in library.scopes)
    assert [scope for scope, count in scopes.items() if count > 1] == []
    services = Counter(name for library in LIBRARIES for name in library.services)
    assert [name for name, count in services.items() if count > 1] == []


def test_every_scope_that_a_dialect_reads_in_a_recorded_run_is_known():
    dialects = Dialects(DIALECTS)
    scopes = {
        record.scope.name
        for folder in GOLDEN.glob("*/*")
        if folder.is_dir() and not folder.name[:2].isdigit()
        for batch in file.read(folder)
        for record in batch.records
        if any(dialect.claims(record) for dialect in dialects.fitting(record))
    }
    assert {scope for scope in scopes - OWN if library_of(scope) is None} == set()


@pytest.mark.parametrize(
    ("scope", "name"),
    [
        ("opentelemetry.instrumentation.openai_v2", "OpenTelemetry OpenAI v2"),
        ("opentelemetry.instrumentation.openai.v1", "OpenLLMetry, for a provider"),
        ("opentelemetry.instrumentation.openai_agents", "OpenLLMetry, for a framework"),
        ("opentelemetry.instrumentation.genai.openai", "OpenTelemetry GenAI, for a provider"),
        ("opentelemetry.instrumentation.genai.openai_agents",
         "OpenTelemetry GenAI, OpenAI Agents SDK"),
        ("openinference.instrumentation.openai", "OpenInference, for a provider"),
        ("openinference.instrumentation.openai_agents", "OpenInference, for a framework"),
        ("gen_ai", "Vercel AI SDK 7"),
        ("ai", "Vercel AI SDK 4 to 6"),
    ],
)  # fmt: skip
def test_the_closest_library_is_found(scope, name):
    assert library_of(scope).name == name


def test_a_scope_that_is_nobodys():
    assert library_of("airline.booking") is None
    assert library_of("") is None
    assert library_of("ai.mine") is None


def test_a_program_stands_for_all_of_its_scopes():
    assert [one.name for one in libraries_of(["ai", "tracer"], "opencode")] == ["opencode"]
    assert [one.name for one in libraries_of(["ai"], "shop")] == ["Vercel AI SDK 4 to 6"]


def test_what_no_switch_helps_has_none():
    assert topic_of("produced", "tool_failed") is None
    assert topic_of("reply", "unfinished") is None
    assert topic_of("produced", "not_recorded") == "results"
    assert topic_of("session", "not_recorded") == "session"


def test_a_dialects_own_switch_goes_before_the_general_word():
    assert "OPENINFERENCE_HIDE" in change_in("openinference", "content_off")
    assert "ScrubbingOptions" in change_in("logfire", "produced_redacted")
    # Many libraries write the conventions, and each has its own.
    assert change_in("gen_ai", "content_off") is None
    assert change_in("never_heard_of", "content_off") is None
    assert change_in("codex", "superseded") is None


def test_every_reason_has_a_switch_or_is_known_to_have_none():
    helped = {reason.name for reason in REASONS} & set(advice._BY_REASON)
    assert helped | WITHOUT_SWITCH == {reason.name for reason in REASONS}
    assert not helped & WITHOUT_SWITCH


def test_every_dialect_has_a_library_that_writes_it():
    assert {dialect.name for dialect in DIALECTS} <= {one.dialect for one in LIBRARIES}
