"""The advice table, second part: OpenInference, OpenLLMetry, and platforms with their own SDK."""

from __future__ import annotations

from collector.inspection.library import Library, Switch, Topic

_OI_SHOWN = (
    Switch(
        "OPENINFERENCE_HIDE_INPUTS, OPENINFERENCE_HIDE_OUTPUTS, OPENINFERENCE_HIDE_INPUT_MESSAGES, "
        "OPENINFERENCE_HIDE_OUTPUT_MESSAGES, OPENINFERENCE_HIDE_INPUT_TEXT, "
        "OPENINFERENCE_HIDE_OUTPUT_TEXT unset",
        "content is on by default; TraceConfig(hide_inputs=…) and its kind hide it too",
    ),
)
_OI_SESSION = (
    Switch(
        "using_session(session_id=…) of openinference.instrumentation",
        "around the turn; becomes session.id",
    ),
)
_OI_TOOL = (
    Switch(
        "a span with openinference.span.kind=TOOL, tool.name, tool_call.id, input.value, "
        "output.value",
        "around each tool (OITracer's @tracer.tool), with the result before your harness "
        "shortens it: this library records model calls only",
    ),
)
_OI: dict[Topic, tuple[Switch, ...]] = {
    "content": _OI_SHOWN,
    "session": _OI_SESSION,
    "version": (
        Switch('using_metadata({"agent_version": …})', "or the resource's service.version"),
    ),
}
_OI_AGENT = (Switch("a span with openinference.span.kind=AGENT, agent.name", "around the turn"),)

_TL: dict[Topic, tuple[Switch, ...]] = {
    "content": (
        Switch("TRACELOOP_TRACE_CONTENT unset, or true", "content is on by default"),
    ),
    "session": (
        Switch(
            'Traceloop.set_association_properties({"session_id": …})',
            "of traceloop-sdk, at the start of the turn",
        ),
    ),
    "tools": (
        Switch(
            '@tool(name="…") of traceloop.sdk.decorators',
            "around each tool, inside @workflow or @agent: this library records model calls only",
        ),
    ),
    "agent": (Switch('@agent(name="…") of traceloop.sdk.decorators', "around the turn"),),
    "length": (
        Switch(
            "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT unset",
            "the decorators themselves cut their JSON at it",
        ),
    ),
}  # fmt: skip
_TL_FRAMEWORK: dict[Topic, tuple[Switch, ...]] = {
    topic: switches for topic, switches in _TL.items() if topic != "tools"
}

INSTRUMENTATIONS: tuple[Library, ...] = (
    Library(
        name="OpenInference, for a provider",
        dialect="openinference",
        about="openinference-instrumentation-openai, -anthropic, -litellm, -bedrock, -groq, …",
        shows="model calls: request, delivered, reply, usage; no tools, no agent",
        scopes=("openinference.instrumentation.*",),
        switches=_OI | {"tools": _OI_TOOL, "agent": _OI_AGENT},
    ),
    Library(
        name="OpenInference, for a framework",
        dialect="openinference",
        about="openinference-instrumentation-langchain, -llama-index, -openai-agents, -agno, "
        "-smolagents, -dspy, -google-adk, -autogen-agentchat",
        shows="model calls, tools, agent; LangChain: the session with a thread_id",
        scopes=(
            "openinference.instrumentation.langchain",
            "openinference.instrumentation.llama_index",
            "openinference.instrumentation.openai_agents",
            "openinference.instrumentation.agno",
            "openinference.instrumentation.smolagents",
            "openinference.instrumentation.dspy",
            "openinference.instrumentation.google_adk",
            "openinference.instrumentation.autogen*",
            "openinference.instrumentation.beeai",
        ),
        switches=_OI
        | {
            "session": (
                *_OI_SESSION,
                Switch('config={"configurable": {"thread_id": …}}', "at invoke(), LangGraph only"),
            ),
        },
    ),
    Library(
        name="OpenInference, CrewAI",
        dialect="openinference",
        about="openinference-instrumentation-crewai",
        shows="agents and tools; model calls only with a provider's library beside it",
        scopes=("openinference.instrumentation.crewai",),
        switches=_OI
        | {
            "calls": (
                Switch(
                    "openinference-instrumentation-openai, or -litellm",
                    "installed beside it: it records the model calls",
                ),
            ),
        },
    ),
    Library(
        name="OpenInference, Haystack",
        dialect="openinference",
        about="openinference-instrumentation-haystack",
        shows="model calls; an Agent's tools have no span",
        scopes=("openinference.instrumentation.haystack",),
        switches=_OI | {"tools": _OI_TOOL, "agent": _OI_AGENT},
    ),
    Library(
        name="spans by hand, OpenInference",
        dialect="openinference",
        about="your own spans with openinference.span.kind",
        shows="what you write",
        switches=_OI
        | {
            "tools": _OI_TOOL,
            "results": (Switch("output.value", "on the TOOL span, before the result is cut"),),
            "agent": _OI_AGENT,
        },
    ),
    Library(
        name="OpenLLMetry, for a provider",
        dialect="openllmetry",
        about="opentelemetry-instrumentation-openai, -anthropic, -bedrock, … of Traceloop",
        shows="model calls: request, delivered, reply, usage; no tools, no session, no agent",
        scopes=(
            "opentelemetry.instrumentation.openai*",
            "opentelemetry.instrumentation.anthropic*",
            "opentelemetry.instrumentation.bedrock*",
            "opentelemetry.instrumentation.cohere*",
            "opentelemetry.instrumentation.groq*",
            "opentelemetry.instrumentation.mistralai*",
            "opentelemetry.instrumentation.ollama*",
            "opentelemetry.instrumentation.together*",
            "opentelemetry.instrumentation.watsonx*",
        ),
        switches=_TL,
    ),
    Library(
        name="OpenLLMetry, for a framework",
        dialect="openllmetry",
        about="opentelemetry-instrumentation-langchain, -llamaindex, -openai-agents, -crewai, "
        "-haystack, -agno of Traceloop; the decorators of traceloop-sdk",
        shows="model calls, tools, agent; CrewAI and Agno without model calls",
        scopes=(
            "opentelemetry.instrumentation.langchain*",
            "opentelemetry.instrumentation.llamaindex*",
            "opentelemetry.instrumentation.openai_agents*",
            "opentelemetry.instrumentation.crewai*",
            "opentelemetry.instrumentation.haystack*",
            "opentelemetry.instrumentation.agno*",
            "opentelemetry.instrumentation.mcp*",
            "traceloop.tracer",
        ),
        switches=_TL_FRAMEWORK
        | {
            "tools": (Switch('@tool(name="…") of traceloop.sdk.decorators', "around each tool"),),
            "calls": (
                Switch(
                    "opentelemetry-instrumentation-openai (or that of your provider)",
                    "instrumented beside it, where the framework's own library records no calls",
                ),
            ),
        },
    ),
    Library(
        name="Langfuse",
        dialect="langfuse",
        about="langfuse 3 and later (@observe, its LangChain callback, its OpenAI wrapper)",
        shows="model calls, tools, agent; the session where it is propagated",
        scopes=("langfuse-sdk",),
        switches={
            "content": (
                Switch(
                    "LANGFUSE_OBSERVE_DECORATOR_IO_CAPTURE_ENABLED=true",
                    "the default; also @observe(capture_input=True, capture_output=True), and no "
                    "Langfuse(mask=…)",
                ),
            ),
            "tools": (
                Switch('@observe(as_type="tool")', "on each tool's function, before it is cut"),
            ),
            "session": (
                Switch(
                    "propagate_attributes(session_id=…) of langfuse",
                    "around the turn, before its first span; becomes session.id",
                ),
            ),
            "agent": (Switch('@observe(as_type="agent")', "on the turn's function"),),
            "version": (
                Switch("propagate_attributes(version=…) or LANGFUSE_RELEASE", "the version"),
            ),
        },
    ),
    Library(
        name="LangSmith",
        dialect="langsmith",
        about="langsmith with LANGSMITH_TRACING=true and LANGSMITH_OTEL_ENABLED=true",
        shows="model calls, tools, chains; the session where metadata has it",
        scopes=("langsmith*",),
        switches={
            "content": (
                Switch("LANGSMITH_HIDE_INPUTS, LANGSMITH_HIDE_OUTPUTS unset", "shown by default"),
            ),
            "session": (
                Switch(
                    'config={"metadata": {"session_id": …}} or {"thread_id": …}',
                    "at invoke(); the project (LANGSMITH_PROJECT) is no session",
                ),
            ),
        },
    ),
    Library(
        name="MLflow",
        dialect="mlflow",
        about="mlflow or mlflow-tracing with OTEL_EXPORTER_OTLP_ENDPOINT",
        shows="model calls, tools, agent; sessions stay in MLflow unless a span holds them",
        scopes=("mlflow*",),
        switches={
            "session": (
                Switch(
                    'span.set_attribute("session.id", …), or LangGraph\'s thread_id',
                    "update_current_trace(session_id=…) goes into trace metadata, which OTLP does "
                    "not carry",
                ),
            ),
            "tools": (Switch("@mlflow.trace(span_type=SpanType.TOOL)", "on each tool's function"),),
            "agent": (Switch("@mlflow.trace(span_type=SpanType.AGENT)", "on the turn's function"),),
        },
    ),
)
