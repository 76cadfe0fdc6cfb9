"""Tools by which a model gives its reply: the arguments are what the requester gets."""

from __future__ import annotations

import json

from collector.assembly.segment import answer_of
from scorers.turn import Inference

# Names that public frameworks give to the tool that ends a run. A tool that sends a message to
# somebody else (an e-mail, a chat) is none of them.
_NAMES = frozenset(
    {
        "final_answer",
        "final_result",
        "final_response",
        "finalanswer",
        "submit_final_answer",
        "provide_final_answer",
        "submit_answer",
        "attempt_completion",
        "respond_to_user",
        "reply_to_user",
        "message_user",
        "send_message_to_user",
        "structured_output",
        "structuredoutput",
    }
)
_KEYS = ("answer", "final_answer", "response", "reply", "message", "result", "text", "content")


def final_text(call: Inference) -> str:
    """Return the reply that a call gave through such a tool, "" where it did not."""
    answer = answer_of(call)
    for part in answer.of_kind("tool_call") if answer is not None else ():
        if (part.name or "").lower() in _NAMES and not part.cut_by_capture:
            return _told(part.text)
    return ""


def _told(arguments: str) -> str:
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments.strip()
    if not isinstance(given, dict):
        return arguments.strip()
    texts = [given[key] for key in _KEYS if isinstance(given.get(key), str)]
    if len(texts) == 1 and len(given) <= 2:
        return str(texts[0])
    return arguments.strip() if given else ""
