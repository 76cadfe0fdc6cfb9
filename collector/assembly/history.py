"""What one model call's messages say about who said what: the request, and what came before.

The only place that decides which text the requester wrote or saw. A user-role message is the
requester's unless a harness wrote it, or it repeats what a tool had returned before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from collector.assembly.harness_text import requester_words
from scorers.turn import Message, Said

MIN_ECHO = 24  # characters of a tool's result that make a user-role message an echo of it
PROBES = 8  # places of a tool's result that are looked for


@dataclass(frozen=True, slots=True)
class History:
    """The requester's side of a model call's input.

    `before` is the dialog up to and without the request; `request` the requester's words after the
    last reply (several messages in a row are all part of it); `request_at` the index of the last
    of them in the input, -1 when there is none; `prefill` an assistant text at the very end that
    the model was made to continue.
    """

    before: tuple[Said, ...] = ()
    request: tuple[str, ...] = ()
    request_at: int = -1
    prefill: str = ""


def read(messages: Sequence[Message], *, echoes: Iterable[str] = ()) -> History:
    """Read the requester's dialog out of a model call's input.

    `echoes` are results of tools that ran before the call: a user-role text that repeats one is
    the tool's, not the requester's. Linear in the messages.
    """
    known = [probe for result in echoes for probe in _probes(result)]
    before: list[Said] = []
    request: list[str] = []
    request_at = -1
    answer = ""  # the last assistant text without tool calls since the last requester message
    asked_tools = False
    for index, message in enumerate(messages):
        if message.role == "tool":
            known += [p for part in message.of_kind("tool_result") for p in _probes(part.text)]
            answer = ""
        elif message.role == "assistant":
            asked_tools = bool(message.of_kind("tool_call"))
            answer = "" if asked_tools else message.text
        elif message.role == "user":
            words = requester_words(message.text)
            if not words or _is_echo(words, known, before, answer):
                continue
            if answer:
                # What stood before the answer has been replied to; this opens a new request.
                before += [Said("user", text) for text in request]
                before.append(Said("assistant", answer))
                request, answer = [], ""
            request.append(words)
            request_at = index
    last = messages[-1] if messages else None
    prefill = last.text if last is not None and last.role == "assistant" and answer else ""
    if answer and not prefill:
        # The history ends with a reply that nobody answered (a harness message stands behind it).
        before += [Said("user", text) for text in request]
        before.append(Said("assistant", answer))
        request, request_at = [], -1
    return History(tuple(before), tuple(request), request_at, prefill)


def _is_echo(words: str, known: list[str], before: list[Said], answer: str) -> bool:
    """Say whether a user-role text is a tool's: it holds a tool's words that no reply had told."""
    for probe in known:
        if probe in words and probe not in answer:
            return not any(probe in said.text for said in before)
    return False


def _probes(result: str) -> list[str]:
    """Return a few pieces of a tool's result by which an echo of it is recognised."""
    text = result.strip()
    if len(text) < MIN_ECHO:
        return []
    if len(text) <= 120:
        return [text]
    step = max((len(text) - 60) // PROBES, 1)
    return [text[at : at + 60] for at in range(0, len(text) - 60, step)][: PROBES + 1]
