"""What one model call's messages say about who said what: the request, and what came before.

The only place that decides which text the requester wrote or saw. A user-role message is the
requester's unless a harness wrote it, or it repeats what a tool or another agent had said before.
"""

from __future__ import annotations

from dataclasses import dataclass

from collector.assembly.echoes import Echoes, Result
from collector.assembly.harness_text import requester_words
from collector.assembly.repetition import Messages, repeated
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


def read(messages: Messages) -> History:
    """Read the requester's dialog out of messages by themselves."""
    return Reader().read(messages)


class Reader:
    """Reads the requester's dialog out of the inputs of calls that carry each other on.

    Messages that a call repeats are read once: what was the requester's stays theirs. Linear in
    the messages that are new. `echoes` knows what others had said when a call began.
    """

    def __init__(self, echoes: Echoes = NO_ECHOES) -> None:
        self._echoes = echoes
        self._said: set[str] = set()  # texts of earlier calls, which nobody can have said since
        self._heard: list[str] = []  # such texts that were not looked for yet: hashing takes time
        self._begin()

    def _begin(self) -> None:
        """Forget the messages. `answer` is the last assistant text without tool calls since the
        last requester message; `waiting` is True while tool calls wait for their results."""
        self._read: Messages = ()
        self._results: list[Result] = []
        self._before: list[Said] = []
        self._request: list[str] = []
        self._asides: list[int] = []
        self._opened_at = self._request_at = -1
        self._answer = ""
        self._waiting = False

    def read(self, messages: Messages, before_ns: int = 0) -> History:
        """Read the messages of a call that began at a time."""
        start = repeated(messages, self._read)
        if not start:
            self._begin()
        self._read = messages
        heard: list[str] = []
        for index in range(start, len(messages)):
            message = messages[index]
            if message.role == "tool":
                self._tool(message)
            elif message.role == "assistant":
                self._assistant(message)
            elif message.role == "user":
                self._user(index, message, before_ns, heard)
        self._heard += heard
        return self._history(messages[-1] if messages else None)

    def _tool(self, message: Message) -> None:
        self._results += [Result(p.text) for p in message.parts if p.kind == "tool_result"]
        self._answer = ""
        self._waiting = False

    def _assistant(self, message: Message) -> None:
        self._waiting = bool(message.of_kind("tool_call"))
        self._answer = "" if self._waiting else message.text

    def _user(self, index: int, message: Message, before_ns: int, heard: list[str]) -> None:
        """Take a user-role message. Adds the texts that are known to be said by it to `heard`."""
        text = message.text
        if not text:
            return
        words = requester_words(text)
        if not words or self._is_others(words, before_ns):
            self._asides.append(index)
            return
        heard.append(words)
        if self._answer:
            # What stood before the answer has been replied to; this opens a new request.
            heard.append(self._answer)
            self._before += self._replied()
            self._request, self._answer = [], ""
        if not self._request:
            self._opened_at = index
        self._request.append(words)
        self._request_at = index
        self._waiting = False

    def _is_others(self, words: str, before_ns: int) -> bool:
        if not self._results and not self._echoes:
            return False
        self._said.update(self._heard)
        self._heard.clear()
        if words in self._said:
            return False
        if self._echoes.is_known(words):
            return True
        if self._waiting and self._echoes.begin(words, before_ns):
            return True
        pieces = [result.piece_in(words) for result in self._results]
        pieces += self._echoes.pieces(words, before_ns)
        return any(piece and not self._told(piece) for piece in pieces)

    def _told(self, piece: str) -> bool:
        """Say whether an earlier reply holds a piece: then the requester may repeat it."""
        return piece in self._answer or any(piece in said.text for said in self._before)

    def _replied(self) -> list[Said]:
        return [*[Said("user", text) for text in self._request], Said("assistant", self._answer)]

    def _history(self, last: Message | None) -> History:
        if self._answer and last is not None and last.role != "assistant":
            # The history ends with a reply, and a harness message behind it that nobody asked.
            self._heard.append(self._answer)
            return History((*self._before, *self._replied()), asides=tuple(self._asides))
        return History(
            tuple(self._before),
            tuple(self._request),
            self._opened_at,
            self._request_at,
            tuple(self._asides),
            _prefill(last) if self._answer and last is not None else "",
        )


def _prefill(last: Message) -> str:
    """Return the text that the model was to go on with: not one where the recording breaks off."""
    return "" if any(part.cut_by_capture for part in last.parts) else last.text
