"""What one model call's messages say about who said what: the request, and what came before.

The only place that decides which text the requester wrote or saw. A user-role message is the
requester's unless a harness wrote it, or it repeats what a tool had returned before it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from collector.assembly.harness_text import requester_words
from scorers.turn import Message, Said, ToolExecution

MIN_ECHO = 24  # characters of a tool's result that make a user-role message an echo of it
PIECE = 40  # characters that are no coincidence when they stand in a tool's result and a message
PROBES = 8  # places of a tool's result that are looked for, about


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


class Echoes:
    """What tools returned: a user-role text that repeats it is the tool's, not the requester's."""

    def __init__(self, tools: Iterable[ToolExecution] = ()) -> None:
        self._results = [
            (tool.end_ns, tool.result, _probes(tool.result)) for tool in tools if tool.result
        ]

    def repeated(self, words: str, before_ns: int) -> list[str]:
        """Return the pieces of a text that tools had returned by then."""
        return [
            _repeated(words, result, probes)
            for end, result, probes in self._results
            if end <= before_ns
        ]


def read(
    messages: Sequence[Message],
    *,
    echoes: Echoes | None = None,
    before_ns: int = 0,
    said: Container[str] = (),
) -> History:
    """Read the requester's dialog out of a model call's input.

    `echoes` knows what tools had returned when the call began at `before_ns`; `said` holds
    user-role texts of earlier calls, which no tool can have returned since. Linear in the messages.
    """
    known: list[tuple[str, list[str]]] = []
    before: list[Said] = []
    request: list[str] = []
    request_at = -1
    answer = ""  # the last assistant text without tool calls since the last requester message
    for index, message in enumerate(messages):
        if message.role == "tool":
            known += [(p.text, _probes(p.text)) for p in message.of_kind("tool_result")]
            answer = ""
        elif message.role == "assistant":
            answer = "" if message.of_kind("tool_call") else message.text
        elif message.role == "user":
            words = requester_words(message.text)
            if not words:
                continue
            if words not in said:
                pieces = [_repeated(words, result, probes) for result, probes in known]
                if echoes is not None:
                    pieces += echoes.repeated(words, before_ns)
                if any(piece and not _told(piece, answer, before) for piece in pieces):
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


def _told(piece: str, answer: str, before: list[Said]) -> bool:
    """Say whether an earlier reply holds a piece: then the requester may repeat it."""
    return piece in answer or any(piece in said.text for said in before)


def _repeated(words: str, result: str, probes: list[str]) -> str:
    """Return the piece of a tool's result that a text repeats, "" where it repeats none."""
    if len(words) >= MIN_ECHO and words in result:
        return words
    return next((probe for probe in probes if probe in words), "")


def _probes(result: str) -> list[str]:
    """Return a few pieces of a tool's result by which an echo of it is recognised."""
    text = result.strip()
    if len(text) < PIECE:
        return [text] if len(text) >= MIN_ECHO else []
    step = max((len(text) - PIECE) // PROBES, 8)
    return [text[at : at + PIECE] for at in range(0, len(text) - PIECE + 1, step)]
