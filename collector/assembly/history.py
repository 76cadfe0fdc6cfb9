"""What one model call's messages say about who said what: the request, and what came before.

The only place that decides which text the requester wrote or saw. A user-role message is the
requester's unless a harness wrote it, or it repeats what a tool or another agent had said before.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from collector.assembly.echoes import Echoes, Result
from collector.assembly.harness_text import requester_words
from scorers.turn import Message, Said

NO_ECHOES = Echoes()


@dataclass(frozen=True, slots=True)
class History:
    """The requester's side of a model call's input.

    `before` is the dialog up to and without the request; `request` the requester's words after the
    last reply (several messages in a row are all part of it); `opened_at` and `request_at` are the
    indices of the first and the last of them in the input, -1 when there is none; `asides` those
    of user-role messages that the requester did not write; `prefill` an assistant text at the very
    end that the model was made to continue.
    """

    before: tuple[Said, ...] = ()
    request: tuple[str, ...] = ()
    opened_at: int = -1
    request_at: int = -1
    asides: tuple[int, ...] = ()
    prefill: str = ""


def read(
    messages: Sequence[Message],
    *,
    echoes: Echoes = NO_ECHOES,
    before_ns: int = 0,
    said: Container[str] = (),
) -> History:
    """Read the requester's dialog out of a model call's input.

    `echoes` knows what others had said when the call began at `before_ns`; `said` holds user-role
    texts of earlier calls, which nobody can have said since. Linear in the messages.
    """
    reader = _Reader(echoes, before_ns, said)
    for index, message in enumerate(messages):
        if message.role == "tool":
            reader.tool(message)
        elif message.role == "assistant":
            reader.assistant(message)
        elif message.role == "user":
            reader.user(index, message)
    return reader.done(messages[-1] if messages else None)


class _Reader:
    """Walks over the messages. `answer` is the last assistant text without tool calls since the
    last requester message; `waiting` is True while tool calls wait for their results."""

    def __init__(self, echoes: Echoes, before_ns: int, said: Container[str]) -> None:
        self._echoes = echoes
        self._before_ns = before_ns
        self._said = said
        self._results: list[Result] = []
        self._before: list[Said] = []
        self._request: list[str] = []
        self._asides: list[int] = []
        self._opened_at = self._request_at = -1
        self._answer = ""
        self._waiting = False

    def tool(self, message: Message) -> None:
        self._results += [Result(part.text) for part in message.of_kind("tool_result")]
        self._answer = ""
        self._waiting = False

    def assistant(self, message: Message) -> None:
        self._waiting = bool(message.of_kind("tool_call"))
        self._answer = "" if self._waiting else message.text

    def user(self, index: int, message: Message) -> None:
        if not message.text:
            return
        words = requester_words(message.text)
        if not words or self._is_others(words):
            self._asides.append(index)
            return
        if self._answer:
            # What stood before the answer has been replied to; this opens a new request.
            self._reply()
        if not self._request:
            self._opened_at = index
        self._request.append(words)
        self._request_at = index
        self._waiting = False

    def _is_others(self, words: str) -> bool:
        if words in self._said:
            return False
        if self._echoes.is_known(words):
            return True
        if self._waiting and self._echoes.begin(words, self._before_ns):
            return True
        pieces = [result.piece_in(words) for result in self._results]
        pieces += self._echoes.pieces(words, self._before_ns)
        return any(piece and not self._told(piece) for piece in pieces)

    def _told(self, piece: str) -> bool:
        """Say whether an earlier reply holds a piece: then the requester may repeat it."""
        return piece in self._answer or any(piece in said.text for said in self._before)

    def _reply(self) -> None:
        self._before += [Said("user", text) for text in self._request]
        self._before.append(Said("assistant", self._answer))
        self._request, self._answer = [], ""
        self._opened_at = self._request_at = -1

    def done(self, last: Message | None) -> History:
        prefill = ""
        if self._answer and last is not None and last.role == "assistant":
            prefill = last.text
        elif self._answer:
            # The history ends with a reply, and a harness message behind it that nobody asked.
            self._reply()
        return History(
            tuple(self._before),
            tuple(self._request),
            self._opened_at,
            self._request_at,
            tuple(self._asides),
            prefill,
        )
