"""What the model was really sent, by turn, from the record of the scripted model alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from live.script import BILLING, TELLING, TOOLS, strings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from live.model import Call


@dataclass(frozen=True)
class Sent:
    """One turn as the model saw it. `results`: by tool, how many characters of the result that
    the tool produced were sent; a tool whose result was not sent is absent."""

    request: str
    reply: str | None
    model_calls: int
    input_tokens: int
    output_tokens: int
    results: dict[str, int]


def turns_of(calls: Iterable[Call]) -> list[Sent]:
    """Return the turns of a run: the first question's, and the follow-up's where there is one."""
    first: list[Call] = []
    second: list[Call] = []
    for call in calls:
        follows = any(BILLING["follow_up"] in text for text in strings(call.body))
        (second if follows else first).append(call)
    found = []
    sent_before: dict[str, int] = {}
    for request, part in ((BILLING["request"], first), (BILLING["follow_up"], second)):
        if part:
            results = _results(part)
            new = {tool: sent for tool, sent in results.items() if tool not in sent_before}
            sent_before.update(results)
            found.append(_turn(request, part, new))
    return found


def _turn(request: str, calls: list[Call], results: dict[str, int]) -> Sent:
    spent = [call.api.usage(call.answer) for call in calls]
    last = list(strings(calls[-1].answer))
    replies = (BILLING["reply"], BILLING["follow_up_reply"])
    return Sent(
        request=request,
        reply=next((one for one in replies if any(one in text for text in last)), None),
        model_calls=len(calls),
        input_tokens=sum(one for one, _ in spent),
        output_tokens=sum(one for _, one in spent),
        results=results,
    )


def _results(calls: list[Call]) -> dict[str, int]:
    found: dict[str, int] = {}
    for call in calls:
        for text in strings(call.body):
            for tool, about in TOOLS.items():
                at = text.find(about["result"][:TELLING])
                if at >= 0:
                    found.setdefault(tool, _common(text[at:], about["result"]))
    return found


def _common(sent: str, produced: str) -> int:
    """Return how many characters the two begin with in common."""
    pairs = enumerate(zip(sent, produced, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(sent), len(produced)))
