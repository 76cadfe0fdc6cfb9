"""Texts made valid Unicode, whatever a sender cut in half."""

from __future__ import annotations

import re

_REPLACEMENT = "\ufffd"
_SURROGATE = re.compile("[\ud800-\udfff]")

_HIGH = r"\\u[dD][89abAB][0-9a-fA-F]{2}"
_LOW = r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_HALF_ESCAPED = re.compile(rf"{_HIGH}(?!{_LOW})|(?<!\\u[dD][89abAB][0-9a-fA-F]{{2}}){_LOW}")
# Consumes escapes one after the other, so that `\\ud83e` (an escaped backslash, then letters) is
# left alone, in linear time.
_ESCAPES = re.compile(rf"{_HIGH}{_LOW}|(?P<half>{_HIGH}|{_LOW})|\\.", re.DOTALL)


def from_utf8(raw: bytes) -> str:
    """Decode a protobuf string. Each invalid sequence becomes U+FFFD."""
    return without_half_escapes(raw.decode("utf-8", "replace"))


def valid(text: str) -> str:
    """Replace lone surrogates, which JSON can express and UTF-8 can't, by U+FFFD."""
    if not text.isascii() and _SURROGATE.search(text):
        text = _SURROGATE.sub(_REPLACEMENT, text)
    return without_half_escapes(text)


def without_half_escapes(text: str) -> str:
    r"""Replace half a surrogate pair in JSON inside a text by an escaped U+FFFD.

    A reader of that inner JSON would otherwise get a text that can't be stored or sent. Only a
    text that looks like JSON is touched: elsewhere `\ud83e` is just those six characters.
    """
    if "\\u" not in text or text.lstrip()[:1] not in {"{", "[", '"'}:
        return text
    if not _HALF_ESCAPED.search(text):
        return text
    return _ESCAPES.sub(lambda m: "\\ufffd" if m["half"] else m[0], text)
