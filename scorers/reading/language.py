"""Whether a reply is written in the requester's language."""

from __future__ import annotations

from scorers.reading.passage import Passage
from scorers.script import LATIN, asked_for, language_of, speaks
from scorers.turn import RequesterContext

# Of a long message its beginning is enough to tell a language.
ENOUGH = 20_000
# A reply that leaves the requester's language for this share of its text is not in it.
FOREIGN_SHARE = 0.3
# A line shorter than this is a title, a name or a quotation without marks.
SHORTEST_LINE = 25


def same_language(requester: RequesterContext, passage: Passage) -> bool | None:
    """Whether the reply's running text is in the language the requester writes or asked for.

    None where either language can't be told. Code, addresses and quotations do not count.
    """
    messages = [said.text for said in requester.dialog if said.role == "user"]
    wanted, words = None, ""
    for message in reversed(messages[-20:]):
        words = Passage(message[:ENOUGH]).own_words
        wanted = language_of(words)
        if wanted is not None:
            break
    used = language_of(passage.own_words[:ENOUGH])
    if wanted is None or used is None:
        return None
    foreign = used
    if used == wanted:
        share, other = _foreign(passage, wanted)
        if share < FOREIGN_SHARE or other is None:
            return True
        foreign = other
    # "What does привет mean?" is asked in English, though most of its letters are not.
    if wanted not in LATIN and speaks(words, foreign):
        return None
    return any(asked_for(message[:ENOUGH], foreign) for message in messages)


def _foreign(passage: Passage, wanted: str) -> tuple[float, str | None]:
    """Share of the text in lines of another language, and that language."""
    if len(passage.text) <= ENOUGH and len(passage.text.strip().splitlines()) < 2:
        return 0.0, None  # the text is its only line
    whole = 0
    foreign: dict[str, int] = {}
    for start, end in passage.lines():
        line = passage.own_words[start:end].strip()
        if len(line) < SHORTEST_LINE or start > ENOUGH:
            continue
        whole += len(line)
        language = language_of(line)
        if language is not None and language != wanted:
            foreign[language] = foreign.get(language, 0) + len(line)
    if not foreign:
        return 0.0, None
    other, length = max(foreign.items(), key=lambda item: item[1])
    return length / whole, other
