"""Texts in the user role that repeat what a tool or another agent had said: not the requester's."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from scorers.turn import ToolExecution

MIN_ECHO = 24  # characters of a result that make a user-role message an echo of it
PIECE = 40  # characters that are no coincidence when they stand in a result and a message
PROBES = 8  # places of a result that are looked for, about
BEGINNING = 12  # characters that tell a tool's text where a tool's text is expected


class Result:
    """One text that somebody else produced, and a few pieces by which it is recognised."""

    __slots__ = ("_probes", "end_ns", "text")

    def __init__(self, text: str, end_ns: int = 0) -> None:
        self.text = text.strip()
        self.end_ns = end_ns
        self._probes: list[str] | None = None  # most are never asked for

    def piece_in(self, words: str) -> str:
        """Return the piece of it that a text repeats, "" where it repeats none."""
        if len(words) >= MIN_ECHO and words in self.text:
            return words
        if self._probes is None:
            self._probes = _probes(self.text)
        return next((probe for probe in self._probes if probe in words), "")

    def begins(self, words: str) -> bool:
        """Say whether a text begins as it does."""
        size = min(BEGINNING, len(self.text))
        return size > 3 and words[:size] == self.text[:size]


class Echoes:
    """What tools returned in a group, and what its other agents answered."""

    def __init__(
        self,
        tools: Iterable[ToolExecution] = (),
        answers: Iterable[tuple[int, str]] = (),
        known: Collection[int] = (),
    ) -> None:
        self._results = [Result(tool.result, tool.end_ns) for tool in tools if tool.result]
        self._answers: Sequence[tuple[int, str]] = [
            (end, text) for end, text in answers if len(text) >= MIN_ECHO
        ]
        self._known = known

    def __bool__(self) -> bool:
        """Whether anybody else is known to have said anything."""
        return bool(self._results or self._answers or self._known)

    def pieces(self, words: str, before_ns: int) -> list[str]:
        """Return the pieces of a text that tools or other agents had said by then."""
        found = [r.piece_in(words) for r in self._results if r.end_ns <= before_ns]
        found += [text for end, text in self._answers if end <= before_ns and text in words]
        return [piece for piece in found if piece]

    def begin(self, words: str, before_ns: int) -> bool:
        """Say whether a text begins as something a tool had returned by then."""
        bare = words.lstrip("\"'`[({ \n")
        return any(
            r.begins(words) or r.begins(bare) for r in self._results if r.end_ns <= before_ns
        )

    def is_known(self, words: str) -> bool:
        """Say whether a text was found to be a tool's in an earlier turn of the conversation."""
        return bool(self._known) and len(words) >= MIN_ECHO and hash(words) in self._known


def _probes(text: str) -> list[str]:
    if len(text) < PIECE:
        return [text] if len(text) >= MIN_ECHO else []
    step = max((len(text) - PIECE) // PROBES, 8)
    return [text[at : at + PIECE] for at in range(0, len(text) - PIECE + 1, step)]
