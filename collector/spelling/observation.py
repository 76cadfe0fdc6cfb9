"""Tool calls and their results that an agent sends as prose, found among its messages.

smolagents, and ReAct agents in general, give a tool's result to the model as a user's text
("Observation: …"). Nobody but the agent wrote it, so it must not stand among the words of the
requester.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from collector.content import decode, literal
from collector.content.parts import call_part
from scorers.turn import Message, Part

_FINAL = "final_answer"
_CALLING = "Calling tools:"
_ANSWERS = ("Observation:", "Error:")
# smolagents' code agents answer in code, and the interpreter's output repeats the answer.
_INTERPRETER = "python_interpreter"
_LAST_OUTPUT = "Last output from code snippet:\n"
_CONCLUDES = re.compile(r"(?:\A|\n)[ \t]*+final_answer\([^\n]*+\s*+\Z")
_ANSWER = re.compile(r"\A\s*+Thought:(.*?)\n[ \t]*(?:Final )?Answer:\s*", re.DOTALL)
# What a ReAct agent's own step looks like ("Action: search").
_STEP = re.compile(r"^[ \t]*+(?:Action(?: Input)?|Tool):", re.MULTILINE)


def observed(said: Iterable[Message]) -> tuple[Message, ...]:
    """Return the messages with prose calls as tool calls and prose results as tool results.

    One text answers all calls of the step before it: each call's result is that text, under the
    call's id. Where the calls are not known, it carries none.
    """
    found: list[Message] = []
    for message in said:
        found.append(_read(message, found[-1] if found else None))
    answered: list[Message] = []
    for message in found:
        if message.parts and all(_is_echo(part) for part in message.parts):
            continue  # the tool `final_answer` returns what it was given
        if answered and (answer := _coded(answered[-1], message)):
            answered[-1] = answer
            continue
        answered.append(_answered(message))
    return tuple(answered)


def concluded(message: Message) -> Message:
    """Return a ReAct agent's last answer ("Thought: … Answer: …") as thought and answer."""
    text = message.text
    found = _ANSWER.match(text) if text[:64].lstrip().startswith("Thought:") else None
    if found is None or _STEP.search(found[1]) or message.of_kind("tool_call"):
        return message
    parts = (Part("reasoning", found[1].strip()), Part("text", text[found.end() :]))
    return replace(message, parts=parts)


def _coded(asked: Message, result: Message) -> Message | None:
    """Return the answer that a code agent's last step gave, out of what its code put out."""
    calls, results = asked.of_kind("tool_call"), result.of_kind("tool_result")
    if len(calls) != 1 or len(results) != 1 or calls[0].name != _INTERPRETER:
        return None
    if not _CONCLUDES.search(calls[0].text):
        return None
    answer = results[0].text.rpartition(_LAST_OUTPUT)[2]
    if not answer.strip() or answer is results[0].text:
        return None
    return Message("assistant", (Part("text", answer, None, None, results[0].cut_by_capture),))


def _is_echo(part: Part) -> bool:
    return part.kind == "tool_result" and part.name == _FINAL


def _answered(message: Message) -> Message:
    """Return a call of the tool `final_answer` as what it is: the reply to the requester."""
    calls = message.of_kind("tool_call")
    if message.role != "assistant" or len(calls) != 1 or calls[0].name != _FINAL:
        return message
    given = decode(calls[0].text)
    answer = given.get("answer") if isinstance(given, dict) else None
    if not isinstance(answer, str) or not answer.strip():
        return message
    return Message("assistant", (Part("text", answer),), message.name)


def _read(message: Message, before: Message | None) -> Message:
    if message.role in ("tool-call", "tool_call"):
        return Message("assistant", _calls(message.text) or _as("tool_call", message))
    if message.role in ("tool-response", "tool_response"):
        return Message("tool", _results(message, before))
    text = message.text
    if message.role == "assistant" and text.startswith(_CALLING):
        return Message("assistant", _calls(text) or message.parts, message.name)
    if message.role == "user" and text.startswith(_ANSWERS) and before and _is_step(before):
        return Message("tool", _results(message, before), message.name)
    return message


def _is_step(message: Message) -> bool:
    if message.role != "assistant":
        return False
    return bool(message.of_kind("tool_call")) or _STEP.search(message.text) is not None


def _results(message: Message, before: Message | None) -> tuple[Part, ...]:
    found = _as("tool_result", message)
    calls = before.of_kind("tool_call") if before else ()
    if not calls:
        return found
    return tuple(replace(part, id=call.id, name=call.name) for call in calls for part in found)


def _as(kind: Any, message: Message) -> tuple[Part, ...]:
    return tuple(
        Part(kind, part.text, cut_by_capture=part.cut_by_capture) if part.kind == "text" else part
        for part in message.parts
    )


def _calls(text: str) -> tuple[Part, ...]:
    if not text.startswith(_CALLING):
        return ()
    listed: Any = text[len(_CALLING) :].strip()
    try:
        listed = literal(listed)
    except ValueError:
        listed = decode(listed)
    if not isinstance(listed, list):
        return ()
    return tuple(part for call in listed if (part := call_part(call)))


def unnamed(said: Iterable[Message]) -> tuple[Message, ...]:
    """Return the messages with those of role `unknown` behind an assistant's as tool results.

    OpenLLMetry's LangChain instrumentation once knew no role for a tool's message, and no ids.
    """
    found: list[Message] = []
    for message in said:
        behind = bool(found) and found[-1].role in ("assistant", "tool")
        if message.role == "unknown" and behind and message.of_kind("text"):
            found.append(Message("tool", _as("tool_result", message), message.name))
        else:
            found.append(message)
    return tuple(found)
