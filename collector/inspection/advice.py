"""What to switch on to see what is missing: one table of libraries, and how it is looked up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from collector.inspection.conventions import CONVENTIONS
from collector.inspection.frameworks import FRAMEWORKS
from collector.inspection.instrumentations import INSTRUMENTATIONS
from collector.inspection.library import Library, Switch, Topic

LIBRARIES: tuple[Library, ...] = (*CONVENTIONS, *INSTRUMENTATIONS, *FRAMEWORKS)

# What stands where a library has no switch of its own.
OF_ALL: Mapping[Topic, tuple[Switch, ...]] = {
    "session": (
        Switch(
            "gen_ai.conversation.id or session.id",
            "on any span of the turn, or as a resource attribute; turns.conversation_attributes "
            "names one of your own (docs/attributes.md)",
        ),
    ),
    "version": (
        Switch(
            "OTEL_RESOURCE_ATTRIBUTES=service.version=1.4.2",
            "the version of your agent, on everything the process sends",
        ),
    ),
    "agent": (
        Switch("gen_ai.agent.name", "on any span of the turn, or as a resource attribute"),
        Switch("OTEL_SERVICE_NAME=…", "stands for the agent's name until then"),
    ),
    "tools": (
        Switch(
            "a span execute_tool {name} with gen_ai.tool.call.id, gen_ai.tool.call.result",
            "around each tool, in the trace of the model call that asked for it",
        ),
    ),
    "calls": (
        Switch(
            "an instrumentation of your model's client",
            "imported and switched on before the client is: no model call is recorded here",
        ),
    ),
    "usage": (
        Switch(
            'stream_options={"include_usage": true}',
            "with OpenAI's streaming, which else states no tokens",
        ),
    ),
    "ids": (
        Switch("gen_ai.tool.call.id on the tool's span", "joins it to what the model was given"),
    ),
    "length": (
        Switch(
            "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT, OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT, "
            "OTEL_LOGRECORD_ATTRIBUTE_VALUE_LENGTH_LIMIT unset",
            "the SDK cuts each text at them, without a mark",
        ),
    ),
    "count": (
        Switch(
            "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT=4096, OTEL_SPAN_EVENT_COUNT_LIMIT=4096",
            "the SDK drops what is beyond 128 (OTEL_ATTRIBUTE_COUNT_LIMIT, "
            "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT likewise)",
        ),
    ),
}

# What is set around a process, whatever program it is.
_OUTSIDE = ("length", "count")
ANY = "any library"

# The topic that helps where something is missing for a reason, whatever is missing.
_BY_REASON: Mapping[str, Topic] = {
    "content_off": "content",
    "redacted": "content",
    "produced_redacted": "content",
    "delivered_redacted": "content",
    "delivered_empty": "content",
    "uploaded": "upload",
    "no_tool_span": "tools",
    "no_model_call": "calls",
    "input_not_recorded": "content",
    "output_not_recorded": "content",
    "attribute_length_limit": "length",
    "attribute_count_limit": "count",
    "not_recorded": "results",
    "no_join": "ids",
    "no_turn": "nothing",
}
# The topic where nothing but that it is missing is known, by what is missing.
_BY_FACET: Mapping[str, Topic] = {
    "session": "session",
    "agent": "agent",
    "agent_version": "version",
    "usage": "usage",
    "produced": "results",
}


# Reasons that no switch of a library helps with: how the turn went, a library's own ways, ours.
WITHOUT_SWITCH = frozenset(
    {
        "telemetry_preview", "cut_before_recording", "produced_cut_by_capture",
        "delivered_cut_by_capture", "produced_empty", "processed", "rebuilt",
        "unreadable_content", "trace_incomplete", "tool_failed", "handed_over", "superseded",
        "too_large_to_compare", "measure_failed", "other",
    }
)  # fmt: skip


# Libraries whose switches for content also take a mask away; in others somebody else put it there.
_MASKING = frozenset(
    {
        "claude_code", "codex", "google_adk", "langfuse", "litellm", "logfire", "openinference",
        "pydantic_ai", "strands",
    }
)  # fmt: skip
_MASKED = frozenset({"redacted", "produced_redacted", "delivered_redacted"})
# Codex never records what the model is given, nor what it answers.
_NEVER = {"codex": frozenset({"input_not_recorded", "output_not_recorded", "delivered_empty"})}


def change_in(dialect: str, reason: str) -> str | None:
    """Say what to switch on in the library that writes a dialect, for what is not shown for a
    reason. None where no switch is known, or where libraries that write it have different ones."""
    topic = _BY_REASON.get(reason)
    if topic is None or reason in _NEVER.get(dialect, ()):
        return None
    if reason in _MASKED and dialect not in _MASKING:
        return None
    libraries = [one for one in LIBRARIES if one.dialect == dialect and not one.is_by_hand]
    known = {one.switches[topic] for one in libraries if topic in one.switches}
    if len(known) != 1:
        return None
    return "; ".join(f"{one.setting} ({one.effect})" for one in known.pop())


def topic_of(facet: str, reason: str) -> Topic | None:
    """Return the topic of what is missing, None where no switch would help."""
    if facet in ("session", "agent", "agent_version"):
        return _BY_FACET[facet]
    if reason == "not_recorded":
        return _BY_FACET.get(facet)
    return _BY_REASON.get(reason)


def libraries_of(scopes: Iterable[str], service: str | None) -> list[Library]:
    """Return the libraries that scopes belong to, each once; a program that is known by its
    service name stands for all of its scopes."""
    for library in LIBRARIES:
        if service is not None and service in library.services:
            return [library]
    found: dict[str, Library] = {}
    for scope in scopes:
        known = library_of(scope)
        if known is not None:
            found[known.name] = known
    return list(found.values())


@lru_cache(maxsize=2048)
def library_of(scope: str) -> Library | None:
    """Return the library whose scopes describe this one most closely, None where none does."""
    best = max(LIBRARIES, key=lambda library: library.length_of_match(scope))
    return best if best.has(scope) else None


def by_hand(dialect: str) -> Library | None:
    """Return the advice for spans of a dialect that a known library did not write."""
    return next((each for each in LIBRARIES if each.dialect == dialect and each.is_by_hand), None)


def switches_for(libraries: Iterable[Library], topic: Topic) -> list[tuple[str, Switch]]:
    """Return the switches of some libraries for a topic, each with its library's name; where
    none has any, those for spans by hand, and else the general ones."""
    libraries = tuple(libraries)
    switches = [
        (library, switch) for library in libraries for switch in library.switches.get(topic, ())
    ]
    # Who has a switch in a library need not write spans for it.
    known = [(library.name, switch) for library, switch in switches if not library.is_by_hand]
    own = known or [(library.name, switch) for library, switch in switches]
    if own or topic in ("results", "nothing"):
        return own or switches_for(libraries, "content")
    # Nobody adds a span to a program that is not theirs.
    closed = any(library.services for library in libraries) and topic not in _OUTSIDE
    return [] if closed else [(ANY, switch) for switch in OF_ALL.get(topic, ())]
