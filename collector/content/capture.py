"""What the instrumentation did to the content: cut it, hid it, or left it out.

The markers are those that the instrumentation libraries themselves write; an agent's own harness
has others (`scorers.markers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from collector.attributes import Utf8, sent
from collector.content.values import compact, looks_cut
from scorers.turn import Capture

# Characters of a value that may be nothing but a mark of redaction.
MARK_LENGTH = 200

# Enough to see that a service's values stop at one length, without a list as long as the content.
_MOST_LENGTHS = 256

_REDACTED = frozenset(
    {
        "__REDACTED__",  # OpenInference
        "<elided>",  # Google ADK
        "<not serializable>",  # Google ADK
        "redacted-by-litellm",
        "<REDACTED>",  # Claude Code
        "[REDACTED]",  # Codex
        "<fully masked due to failed mask function>",  # Langfuse
        "****",  # the Collector's redaction processor
    }
)
# Marks that no tool or agent writes into its own content: they count inside a list of messages too.
UNMISTAKABLE = ("__REDACTED__", "<elided>", "redacted-by-litellm")
_QUOTED = tuple(f'"{mark}"' for mark in UNMISTAKABLE)
_SCRUBBED = "[Scrubbed due to "  # Logfire, for a whole value or for one field of a JSON value
_ALL_SCRUBBED = re.compile(r"[\s\"]*\[Scrubbed due to [^\]]{1,100}\][\s\"]*")
_CUT = re.compile(
    r"(\[\.\.\. telemetry preview truncated \.\.\.\]"  # Codex
    r"|\.\.\.\[TRUNCATED: original length \d+\]"  # Gemini CLI
    r"|\[TRUNCATED - Content exceeds \d+KB limit\])\Z"  # Claude Code
)


class Recorded(Protocol):
    """What a span and a log record share here."""

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The record's attributes."""

    @property
    def dropped(self) -> int:
        """How many attributes and events the SDK says it dropped."""


def redacted(value: Any) -> bool:
    """Say whether a value is an instrumentation's mark in place of content."""
    if not isinstance(value, str):
        return False
    if len(value) < 64 and value.strip().strip('"') in _REDACTED:
        return True
    return scrubbed(value)


def scrubbed(value: str) -> bool:
    """Say whether Logfire's mark for what it hid stands in a text."""
    return "[" in value and _SCRUBBED in value  # one character is looked for far faster


def replaced(value: Any) -> bool:
    """Say whether a value is nothing but a mark: one with a scrubbed field still holds the rest."""
    if not isinstance(value, str) or len(value) > MARK_LENGTH or not redacted(value):
        return False
    return _SCRUBBED not in value or _ALL_SCRUBBED.fullmatch(value) is not None


def cut_marker(value: str) -> bool:
    """Say whether a text ends with the mark of an instrumentation that shortened it."""
    end = value[-80:].rstrip()
    # What precedes the bracket tells most lists of JSON apart.
    return end[-1:] == "]" and end[-2:-1] not in ("}", '"') and _CUT.search(end) is not None


def without_cut_marker(value: str) -> str:
    """Return a text without the mark of an instrumentation that shortened it."""
    if not cut_marker(value):
        return value
    found = _CUT.search(value.rstrip(), max(0, len(value) - 240))
    return value if found is None else value[: found.start()].rstrip("\n")


def shortened(value: str) -> bool:
    """Say whether a text is or holds a mark of redaction, or ends with that of a cut."""
    if "[" in value:  # as all do that stand in longer texts
        return redacted(value) or cut_marker(value)
    return len(value) < 64 and value.strip().strip('"') in _REDACTED


def marked(value: str) -> bool:
    """Say whether a JSON text holds a mark of redaction among its values."""
    one, two, three = _QUOTED
    return redacted(value) or one in value or two in value or three in value


def capture_of(
    record: Recorded,
    keys: Iterable[str] = (),
    *,
    values: Mapping[str, Any] | None = None,
    texts: Mapping[str, Any] | None = None,
    hidden: str | None = None,
) -> Capture:
    """Return what became of the record's content.

    `keys` names its content attributes; `values` are contents found elsewhere (in a log body, in
    span events), by name. `texts` are contents that the instrumentation does not encode: JSON
    that ends too early in them was cut by the agent, so it does not count as `broken`. `hidden`
    is the reason to state when the caller knows that content was withheld; marks of redaction in
    a value are found here.
    """
    attributes = record.attributes
    contents = [(key, sent(attributes, key)) for key in keys if key in attributes]
    lengths: list[int] = []
    broken: list[str] = []
    for key, value in (*contents, *values.items()) if values else contents:
        if isinstance(value, Utf8) and value.plain:
            lengths.append(value.length)
            continue
        content = value.text if isinstance(value, Utf8) else value
        _measure(content, lengths)
        if looks_cut(content) or (isinstance(content, str) and cut_marker(content)):
            broken.append(key)
        if hidden is None and _holds_redaction(content):
            hidden = "redacted"
    for key, value in texts.items() if texts else ():
        _measure(value, lengths)
        if isinstance(value, str) and cut_marker(value):
            broken.append(key)
        if hidden is None and redacted(value):
            hidden = "redacted"
    dropped = record.dropped if isinstance(record.dropped, int) else 0
    return Capture(tuple(lengths[:_MOST_LENGTHS]), tuple(broken), max(0, dropped), hidden)


def _holds_redaction(value: Any) -> bool:
    if isinstance(value, str):
        return marked(value)
    return isinstance(value, list | dict) and _holds_redaction(compact(value))


def _measure(value: Any, lengths: list[int]) -> None:
    if isinstance(value, str):
        lengths.append(len(value))
        return
    # The SDK's limit applies to each text inside a list or map.
    waiting = [value]
    while waiting and len(lengths) < _MOST_LENGTHS:
        item = waiting.pop()
        if isinstance(item, str):
            lengths.append(len(item))
        elif isinstance(item, list | tuple):
            waiting.extend(reversed(item))
        elif isinstance(item, Mapping):
            waiting.extend(reversed(list(item.values())))
