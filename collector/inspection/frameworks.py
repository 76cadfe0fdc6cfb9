"""The advice table, third part: agent frameworks with telemetry of their own, and coding agents."""

from __future__ import annotations

from collector.inspection.library import Library, Switch

_CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_NO_SWITCH_FOR_TOOLS = (
    Switch(
        "a span execute_tool {name} with gen_ai.tool.call.id, gen_ai.tool.call.result",
        "around each tool's function: this library records no result as it was produced",
    ),
)

FRAMEWORKS: tuple[Library, ...] = (
    Library(
        name="Vercel AI SDK 4 to 6",
        dialect="vercel_ai",
        about="ai with experimental_telemetry; ai 7 with LegacyOpenTelemetry",
        shows="model calls, tools; the session from metadata",
        scopes=("ai",),
        switches={
            "content": (
                Switch(
                    "experimental_telemetry: { isEnabled: true, recordInputs: true, "
                    "recordOutputs: true }",
                    "at each generateText or streamText; both are on by default",
                ),
            ),
            "session": (
                Switch("experimental_telemetry: { metadata: { sessionId } }", "at each call"),
            ),
            "agent": (Switch("experimental_telemetry: { functionId: … }", "at each call"),),
            "version": (
                Switch("experimental_telemetry: { metadata: { agentVersion } }", "at each call"),
            ),
        },
    ),
    Library(
        name="Vercel AI SDK 7",
        dialect="gen_ai",
        about="ai 7 with registerTelemetry(new OpenTelemetry()) of @ai-sdk/otel",
        shows="model calls, tools, agent; no session by default",
        scopes=("gen_ai",),
        switches={
            "content": (
                Switch("telemetry: { recordInputs: true, recordOutputs: true }", "the default"),
            ),
            "session": (
                Switch(
                    "new OpenTelemetry({ enrichSpan: ({ runtimeContext }) => "
                    '({ "gen_ai.conversation.id": runtimeContext?.sessionId }) })',
                    "with runtimeContext: { sessionId } at each call; it is not recorded by itself",
                ),
            ),
            "agent": (Switch("telemetry: { functionId: … }", "becomes gen_ai.agent.name"),),
        },
    ),
    Library(
        name="Pydantic AI",
        dialect="pydantic_ai",
        about="pydantic-ai with Agent.instrument_all() or logfire.instrument_pydantic_ai()",
        shows="model calls, tools, agent; from 2.x a conversation id",
        scopes=("pydantic-ai", "pydantic_ai*"),
        switches={
            "content": (
                Switch("InstrumentationSettings(include_content=True)", "the default"),
                Switch("logfire.configure(scrubbing=False)", "where Logfire scrubs tool results"),
            ),
            "session": (
                Switch("agent.run(…, conversation_id=…)", "from 2.x; before, no option"),
            ),
            "agent": (Switch('Agent(…, name="…")', "the name on its spans"),),
        },
    ),
    Library(
        name="Logfire, OpenAI Agents SDK",
        dialect="logfire",
        about="logfire.instrument_openai_agents(), instrument_openai(), instrument_anthropic()",
        shows="model calls, tools, agent; the session from group_id",
        scopes=("logfire*",),
        switches={
            "content": (
                Switch(
                    "logfire.configure(scrubbing=False)",
                    "or ScrubbingOptions(callback=…) that keeps tool results: by default words "
                    "such as session or secret scrub the produced side alone",
                ),
                Switch("RunConfig(trace_include_sensitive_data=True)", "the default"),
            ),
            "session": (Switch("RunConfig(group_id=…)", "at Runner.run()"),),
        },
    ),
    Library(
        name="Strands Agents",
        dialect="strands",
        about="strands-agents; with OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental it "
        "writes gen_ai",
        shows="model calls, tools, agent; the session from trace_attributes",
        scopes=("strands.telemetry.tracer", "strands-agents"),
        switches={
            "content": (
                Switch(
                    "gen_ai_unredacted_attributes removed from OTEL_SEMCONV_STABILITY_OPT_IN",
                    "it redacts all attributes that it does not list; content is on by default",
                ),
            ),
            "session": (
                Switch('Agent(…, trace_attributes={"session.id": …})', "on all of its spans"),
            ),
            "version": (
                Switch('Agent(…, trace_attributes={"gen_ai.agent.version": …})', "the version"),
            ),
            "count": (Switch("OTEL_SPAN_EVENT_COUNT_LIMIT=1000", "it writes an event a message"),),
        },
    ),
    Library(
        name="Google ADK 1, and 2 with schema 1",
        dialect="google_adk",
        about="google-adk; ADK_TELEMETRY_SCHEMA_VERSION_OPT_IN=1 in version 2",
        shows="model calls, tools, agent, session",
        scopes=("gcp.vertex.agent",),
        switches={
            "content": (
                Switch("ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true", "schema 1, the default there"),
                Switch(
                    f"{_CAPTURE}=span_only",
                    "schema 2, the default of version 2 (true means event_only: log records)",
                ),
            ),
        },
    ),
    Library(
        name="Microsoft Agent Framework",
        dialect="agent_framework",
        about="agent-framework",
        shows="model calls, tools, agent; no session",
        scopes=("agent_framework*",),
        switches={
            "content": (
                Switch(
                    "ENABLE_SENSITIVE_DATA=true",
                    "or enable_instrumentation(enable_sensitive_data=True)",
                ),
            ),
            "session": (
                Switch("gen_ai.conversation.id", "on a span around the run: it has no option"),
            ),
        },
    ),
    Library(
        name="Semantic Kernel",
        dialect="semantic_kernel",
        about="semantic-kernel for Python",
        shows="model calls as log records, tools with results; no session",
        scopes=("semantic_kernel*",),
        switches={
            "content": (
                Switch(
                    "SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true",
                    "content goes through logging: attach OpenTelemetry's LoggingHandler and "
                    "export logs",
                ),
            ),
            "calls": (
                Switch(
                    "SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS=true",
                    "spans of model calls",
                ),
            ),
            "session": (
                Switch("gen_ai.conversation.id", "on a span around the run: it has no option"),
            ),
        },
    ),
    Library(
        name="AutoGen",
        dialect="gen_ai",
        about="autogen-core, autogen-agentchat",
        shows="agents and tools without content; model calls with a provider's library",
        scopes=("autogen*",),
        switches={
            "content": (
                Switch(
                    "openinference-instrumentation-autogen-agentchat and -openai",
                    "its own spans hold no content",
                ),
            ),
            "calls": (
                Switch("openinference-instrumentation-openai", "its own spans are no model calls"),
            ),
        },
    ),
    Library(
        name="Haystack",
        dialect="haystack",
        about="haystack-ai with OpenTelemetryTracer",
        shows="model calls; the tools' results as the model gets them, so nothing produced",
        scopes=("haystack*",),
        switches={
            "content": (Switch("HAYSTACK_CONTENT_TRACING_ENABLED=true", "before the import"),),
            "tools": _NO_SWITCH_FOR_TOOLS,
            "results": _NO_SWITCH_FOR_TOOLS,
            "session": (
                Switch("gen_ai.conversation.id", "on a span around the run: it has no option"),
            ),
        },
    ),
    Library(
        name="Claude Code",
        dialect="claude_code",
        about="claude with CLAUDE_CODE_ENABLE_TELEMETRY=1",
        shows="by default sessions, costs and tool names, no content",
        scopes=("com.anthropic.claude_code*",),
        services=("claude-code",),
        switches={
            "content": (
                Switch("OTEL_LOG_USER_PROMPTS=1", "requests"),
                Switch("OTEL_LOG_TOOL_DETAILS=1", "arguments of tools"),
                Switch(
                    "OTEL_LOG_TOOL_CONTENT=1 with CLAUDE_CODE_ENHANCED_TELEMETRY_BETA=1 and "
                    "OTEL_TRACES_EXPORTER=otlp",
                    "results of tools, up to 60 KB, as events of tool spans",
                ),
                Switch("OTEL_LOG_RAW_API_BODIES=1", "what the model was sent, up to 60 KB"),
            ),
            "nothing": (
                Switch("OTEL_LOGS_EXPORTER=otlp", "its events are log records"),
                Switch("OTEL_LOG_USER_PROMPTS=1, OTEL_LOG_RAW_API_BODIES=1", "the content"),
            ),
            "calls": (Switch("OTEL_LOG_RAW_API_BODIES=1", "requests to the model"),),
        },
    ),
    Library(
        name="Codex",
        dialect="codex",
        about="codex with [otel] in config.toml",
        shows="requests and tools with a preview of 2 KB; never what was delivered",
        scopes=("codex*",),
        services=("codex_exec", "codex_cli_rs", "codex-cli"),
        switches={
            "content": (
                Switch("[otel] log_user_prompt = true", "requests, in config.toml"),
            ),
            "nothing": (
                Switch(
                    '[otel] exporter = { otlp-http = { endpoint = "…/v1/logs", '
                    'protocol = "binary" } }',
                    "its conversation is in log records; spans alone hold none of it",
                ),
            ),
        },
    ),
    Library(
        name="Gemini CLI",
        dialect="gemini_cli",
        about='gemini with "telemetry": { "enabled": true } in settings.json',
        shows="requests, model calls, tools up to 10,000 characters, reply, session",
        scopes=("gemini-cli", "gemini_cli*"),
        services=("gemini-cli",),
        switches={
            "content": (
                Switch('"telemetry": { "logPrompts": true }', "or GEMINI_TELEMETRY_LOG_PROMPTS"),
            ),
            "tools": (
                Switch(
                    '"telemetry": { "traces": true }',
                    "or GEMINI_TELEMETRY_TRACES_ENABLED=true: results are on spans",
                ),
            ),
        },
    ),
    Library(
        name="opencode",
        dialect="vercel_ai",
        about='opencode with "experimental": { "openTelemetry": true } in opencode.json',
        shows="model calls, tools (their output already shortened), session",
        scopes=("opencode*",),
        services=("opencode",),
        switches={
            "nothing": (
                Switch(
                    '"experimental": { "openTelemetry": true }',
                    "in opencode.json, beside OTEL_EXPORTER_OTLP_ENDPOINT",
                ),
            ),
        },
    ),
)  # fmt: skip
