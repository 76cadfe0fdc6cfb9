"""What the scripted model answers to a request, whichever API it came by.

The billing agent: the model looks the customer up, then asks for the invoices and an exchange rate
at once, then replies from what it was sent; a follow-up question is answered without tools. The
answer depends on nothing but the texts of the request, so that any framework can play.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BILLING: dict[str, Any] = json.loads(
    (Path(__file__).parent / "agents" / "billing.json").read_text(encoding="utf-8")
)
TOOLS: dict[str, dict[str, Any]] = BILLING["tools"]
STEPS = (("lookup_customer",), ("fetch_invoices", "get_exchange_rate"))
# Long enough to tell one tool's result from another's, and short enough to survive a cut.
TELLING = 60
# smolagents ends a run by a tool of its own.
FINAL = "final_answer"


@dataclass(frozen=True)
class Answer:
    """Either a text, or calls of tools (name as offered, arguments)."""

    text: str | None = None
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    input_tokens: int = 0
    output_tokens: int = 40


def strings(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


def answer_to(conversation: Any, offered: Iterable[str]) -> Answer:
    """Return the scripted answer to the messages of a request that offers these tools."""
    texts = list(strings(conversation))
    tokens = sum(len(text) for text in texts) // 4
    names = {name: one for name in TOOLS for one in offered if one.endswith(name)}
    if any(BILLING["follow_up"] in text for text in texts):
        return _reply(BILLING["follow_up_reply"], offered, tokens)
    for step in STEPS:
        missing = [name for name in step if not _seen(name, texts)]
        calls = [(names[name], TOOLS[name]["arguments"]) for name in missing if name in names]
        if calls:
            return Answer(calls=tuple(calls), input_tokens=tokens)
    return _reply(BILLING["reply"], offered, tokens)


def _seen(tool: str, texts: list[str]) -> bool:
    start = TOOLS[tool]["result"][:TELLING]
    return any(start in text for text in texts)


def _reply(text: str, offered: Iterable[str], tokens: int) -> Answer:
    if FINAL in offered:
        return Answer(calls=((FINAL, {"answer": text}),), input_tokens=tokens)
    return Answer(text=text, input_tokens=tokens)


def pieces(text: str | None) -> list[str]:
    """Cut a text as a stream brings it."""
    return [text[at : at + 24] for at in range(0, len(text), 24)] if text else []
