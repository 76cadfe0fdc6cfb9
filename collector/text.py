"""Texts made valid Unicode, whatever a sender cut in half."""

from __future__ import annotations

import hashlib
import re

# A name that is kept for long, as the key of a table, takes no more than this.
LONGEST_KEY = 200

_REPLACEMENT = "\ufffd"
_SURROGATE = re.compile("[\ud800-\udfff]")
_LIKE_JSON = re.compile(r'\s*+[{["]')

# A run of backslashes before `u` and a surrogate. An even run is escaped backslashes, and `ud83e`
# behind it five letters. Runs are taken whole and only from their start, so that ten million
# backslashes cost linear time.
_LOW = r"[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPED_SURROGATE = re.compile(
    rf"(?<!\\)(?P<run>\\++)u(?:(?P<high>[dD][89abAB][0-9a-fA-F]{{2}})(?P<low>\\u{_LOW})?|{_LOW})"
)


def from_utf8(raw: bytes) -> str:
    """Decode a protobuf string. Each invalid sequence becomes U+FFFD."""
    return without_half_escapes(raw.decode("utf-8", "replace"))


def valid(text: str) -> str:
    """Replace lone surrogates, which JSON can express and UTF-8 can't, by U+FFFD."""
    try:
        text.encode()  # the fastest way to look for one
    except UnicodeEncodeError:
        text = _SURROGATE.sub(_REPLACEMENT, text)
    return without_half_escapes(text)


def without_half_escapes(text: str) -> str:
    r"""Replace half a surrogate pair in JSON inside a text by an escaped U+FFFD.

    A reader of that inner JSON would otherwise get a text that can't be stored or sent. Only a
    text that looks like JSON is touched: elsewhere `\ud83e` is just those six characters.
    """
    # One character is looked for far faster than two.
    if "\\" not in text or not _LIKE_JSON.match(text) or "\\u" not in text:
        return text
    return _ESCAPED_SURROGATE.sub(_whole, text)


def _whole(found: re.Match[str]) -> str:
    if len(found["run"]) % 2 == 0:
        # What follows a text that only looks like the first half is a half by itself.
        end = found.end("high")
        return found[0] if not found["low"] else found[0][: end - found.start()] + "\\ufffd"
    return found[0] if found["low"] else found["run"][1:] + "\\ufffd"


def as_key(name: str) -> str:
    """Return a name as the key of a table that outlives its request: a long one by its digest.

    Names come from senders, in any length: a thousand of some megabytes each would fill memory.
    """
    if len(name) <= LONGEST_KEY:
        return name
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
