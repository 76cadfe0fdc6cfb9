"""The advice table, first part: libraries that write the OpenTelemetry GenAI conventions."""

from __future__ import annotations

from collector.inspection.library import Library, Switch

_CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_GENAI_CONTENT = (
    Switch(f"{_CAPTURE}=span_only", "content on spans; a misspelt value means no content"),
    Switch(
        f"{_CAPTURE}=span_and_event",
        "content on spans and as log records (event_only: log records alone, which need a log "
        "exporter: OTEL_LOGS_EXPORTER=otlp)",
    ),
)
_LEGACY_CONTENT = (
    Switch(f"{_CAPTURE}=true", "content as log records; needs OTEL_LOGS_EXPORTER=otlp"),
)
_UPLOAD = (
    Switch(
        f"{_CAPTURE}=span_only",
        "keeps content on spans beside the upload of OTEL_INSTRUMENTATION_GENAI_COMPLETION_HOOK",
    ),
)
_TOOL_SPAN = (
    Switch(
        "a span execute_tool {name} with gen_ai.operation.name=execute_tool, gen_ai.tool.name, "
        "gen_ai.tool.call.id, gen_ai.tool.call.arguments, gen_ai.tool.call.result",
        "around each tool, with the result before your harness shortens it: this library records "
        "model calls only",
    ),
)
_CONVERSATION = (
    Switch(
        "gen_ai.conversation.id or session.id",
        "on any span of the turn, or as a resource attribute: this library has no option for it",
    ),
)
_AGENT = (
    Switch("gen_ai.agent.name", "on a span invoke_agent {name} around the turn"),
)  # fmt: skip

CONVENTIONS: tuple[Library, ...] = (
    Library(
        name="OpenTelemetry GenAI, for a provider",
        dialect="gen_ai",
        about="opentelemetry-instrumentation-genai-openai, -anthropic, -bedrock and others",
        shows="model calls: request, delivered, reply, usage; no tools, no session, no agent",
        scopes=(
            "opentelemetry.instrumentation.genai.*",
            "opentelemetry.util.genai*",
            "opentelemetry.instrumentation.google_genai*",
        ),
        switches={
            "content": _GENAI_CONTENT,
            "upload": _UPLOAD,
            "tools": _TOOL_SPAN,
            "session": _CONVERSATION,
            "agent": _AGENT,
        },
    ),
    Library(
        name="OpenTelemetry GenAI, LangChain and LangGraph",
        dialect="gen_ai",
        about="opentelemetry-instrumentation-genai-langchain",
        shows="model calls, tools, agent; with a thread_id, the session too",
        scopes=("opentelemetry.instrumentation.genai.langchain",),
        switches={
            "content": _GENAI_CONTENT,
            "upload": _UPLOAD,
            "session": (
                Switch(
                    'config={"configurable": {"thread_id": …}} or {"metadata": {"thread_id": …}}',
                    "at invoke(); becomes gen_ai.conversation.id",
                ),
            ),
        },
    ),
    Library(
        name="OpenTelemetry GenAI, OpenAI Agents SDK",
        dialect="gen_ai",
        about="opentelemetry-instrumentation-genai-openai-agents",
        shows="agents and tools with their results; no model calls, so nothing delivered",
        scopes=("opentelemetry.instrumentation.genai.openai_agents",),
        switches={
            "content": _GENAI_CONTENT,
            "upload": _UPLOAD,
            "calls": (
                Switch(
                    "opentelemetry-instrumentation-genai-openai",
                    "installed beside it, instrumented in the same process: it records the model "
                    "calls",
                ),
            ),
            "session": (
                Switch("RunConfig(group_id=…)", "at Runner.run(); becomes gen_ai.conversation.id"),
            ),
        },
    ),
    Library(
        name="OpenTelemetry OpenAI v2",
        dialect="gen_ai_events",
        about="opentelemetry-instrumentation-openai-v2; with the opt-in it writes gen_ai",
        shows="model calls; content as log records, or on spans with the opt-in; no tools",
        scopes=("opentelemetry.instrumentation.openai_v2*",),
        switches={
            "content": (
                *_LEGACY_CONTENT,
                Switch(
                    "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental and "
                    f"{_CAPTURE}=span_only",
                    "content on spans, in the current form (true is then no valid value)",
                ),
            ),
            "upload": _UPLOAD,
            "tools": _TOOL_SPAN,
            "session": _CONVERSATION,
            "agent": _AGENT,
        },
    ),
    Library(
        name="OpenTelemetry Bedrock and Vertex AI",
        dialect="gen_ai_events",
        about="opentelemetry-instrumentation-botocore, -vertexai",
        shows="model calls; content as log records; no tools",
        scopes=(
            "opentelemetry.instrumentation.botocore*",
            "opentelemetry.instrumentation.vertexai",
        ),
        switches={
            "content": _LEGACY_CONTENT,
            "tools": _TOOL_SPAN,
            "session": _CONVERSATION,
            "agent": _AGENT,
        },
    ),
    Library(
        name="Azure AI",
        dialect="gen_ai_events",
        about="azure-ai-inference, azure-ai-projects, azure-ai-agents with their own tracing",
        shows="model calls as span events or log records; content off by default",
        scopes=("azure.*", "Azure.*"),
        switches={
            "content": (
                Switch("AZURE_TRACING_GEN_AI_CONTENT_RECORDING_ENABLED=true", "records messages"),
            ),
            "tools": _TOOL_SPAN,
            "session": _CONVERSATION,
        },
    ),
    Library(
        name="Anthropic SDK, its own spans",
        dialect="gen_ai",
        about="anthropic for Python or TypeScript, which emits spans by itself",
        shows="usage and finish reason of a model call; never content",
        scopes=("com.anthropic.sdk.*",),
        switches={
            "content": (
                Switch(
                    "opentelemetry-instrumentation-genai-anthropic or "
                    "openinference-instrumentation-anthropic",
                    "beside it: the SDK's own spans have no content; both are merged",
                ),
            ),
        },
    ),
    Library(
        name="LiteLLM",
        dialect="litellm",
        about='litellm with callbacks = ["otel"]',
        shows="model calls; no tools, no session",
        scopes=("litellm*",),
        switches={
            "content": (
                Switch("litellm.turn_off_message_logging = False", "shows what it redacts"),
                Switch(f"{_CAPTURE}=span_only", "content on spans"),
            ),
            "tools": _TOOL_SPAN,
            "session": _CONVERSATION,
            "agent": _AGENT,
        },
    ),
    Library(
        name="OpenLIT",
        dialect="openlit",
        about="openlit",
        shows="model calls, tools, agent; with a thread_id, the session too",
        scopes=("openlit*",),
        switches={
            "content": (
                Switch("openlit.init(capture_message_content=True)", "records messages"),
                Switch(f"{_CAPTURE} unset", "OpenLIT obeys it too: false means no content"),
            ),
            "length": (
                Switch("openlit.init(max_content_length=None)", "texts are not shortened to …"),
            ),
            "session": (
                Switch('config={"configurable": {"thread_id": …}}', "at invoke(), with LangGraph"),
            ),
        },
    ),
    Library(
        name="spans by hand, GenAI conventions",
        dialect="gen_ai",
        about="your own spans with gen_ai.* attributes",
        shows="what you write",
        switches={
            "content": (
                Switch(
                    "gen_ai.input.messages, gen_ai.output.messages, gen_ai.tool.call.result",
                    "on each chat and execute_tool span: messages as JSON, results uncut",
                ),
            ),
            "tools": (
                Switch(
                    "gen_ai.tool.call.id, gen_ai.tool.call.result",
                    "on an execute_tool span, with the result before your harness shortens it",
                ),
            ),
            "results": (
                Switch("gen_ai.tool.call.result", "on the execute_tool span, before it is cut"),
            ),
            "session": (Switch("gen_ai.conversation.id", "on the spans of the turn"),),
            "agent": (Switch("gen_ai.agent.name", "on a span invoke_agent around the turn"),),
            "version": (Switch("gen_ai.agent.version", "on a span invoke_agent"),),
        },
    ),
)
