"""Attribute keys of GenAI namespaces: which of them Tellback has met before.

A key that is in none of the conventions and in none of the recordings that the dialects were made
with is a sign of a library version that is new to them. Keys are names; no value is looked at.
`python -m collector.inspection.keys FOLDER…` adds the keys of recorded telemetry to the list.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

LIST = Path(__file__).with_name("known_keys.txt")

NAMESPACES = (
    "gen_ai.", "llm.", "openinference.", "traceloop.", "ai.", "pydantic_ai.", "logfire.",
    "gcp.vertex.agent.", "langfuse.", "langsmith.", "mlflow.", "haystack.", "tool_call.",
    "claude_code.", "codex.", "gemini_cli.",
)  # fmt: skip
# What users write there has names of their own.
_OF_USERS = (
    "ai.telemetry.metadata.", "ai.settings.", "ai.request.headers.", "langfuse.trace.metadata.",
    "langfuse.observation.metadata.", "langfuse.metadata.", "langsmith.metadata.",
    "traceloop.association.properties.", "traceloop.prompt.template_variables.",
    "langfuse.experiment.", "llm.prompt_template.", "mlflow.trace.",
    "gen_ai.usage.details.", "gen_ai.aggregated_usage.details.",
)  # fmt: skip
_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|\Z)")
_MOST_CHARACTERS = 200  # of a key worth naming


def is_genai(key: str) -> bool:
    """Whether a key is in a namespace that GenAI libraries write."""
    return key.startswith(NAMESPACES)


def unknown(keys: Iterable[str]) -> tuple[str, ...]:
    """Return those of a record's keys that are in a GenAI namespace and known to nobody here,
    their numbers written as `N`."""
    known = known_keys()
    found: dict[str, None] = {}
    for key in keys:
        if key in known or not key.startswith(NAMESPACES) or key.startswith(_OF_USERS):
            continue
        name = numberless(key[:_MOST_CHARACTERS])
        if name not in known:
            found[name] = None
    return tuple(found)


def numberless(key: str) -> str:
    """Return a key with the numbers of a flattened list written as `N`."""
    return _NUMBER.sub("N", key) if "." in key else key


@cache
def known_keys() -> frozenset[str]:
    """Return the keys that were met before."""
    return frozenset(LIST.read_text(encoding="utf-8").split())


def _recorded(folder: Path) -> set[str]:
    from collector.receivers import file  # noqa: PLC0415 - only to write the list
    from collector.span import Span  # noqa: PLC0415

    found: set[str] = set()
    for batch in file.read(folder):
        for record in batch.records:
            found |= set(record.attributes)
            if isinstance(record, Span):
                for event in record.events:
                    found |= {event.name, *event.attributes}
            elif record.event_name:
                found.add(record.event_name)
    return {
        numberless(key)
        for key in found
        if is_genai(key) and not key.startswith(_OF_USERS) and len(key) <= _MOST_CHARACTERS
    }


def main(folders: Iterable[str]) -> None:
    """Add the keys of recordings to the list."""
    known = set(known_keys())
    for folder in folders:
        known |= _recorded(Path(folder))
    LIST.write_text("".join(f"{key}\n" for key in sorted(known)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
