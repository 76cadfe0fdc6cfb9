"""Raw attribute values → plain JSON values, and back to text."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import from_json

# Two layers are common (a decorator dumps what a tool already dumped); more than this is an attack
# or an accident, and what is left is text.
_LAYERS = 8


class NotJson(ValueError):  # noqa: N818 - says what the text is; nothing went wrong
    """The text is not one JSON document. `cut` is True where only its end is missing."""

    def __init__(self, *, cut: bool = False) -> None:
        super().__init__("not one JSON document")
        self.cut = cut


def parse(document: str, *, nan: bool = False) -> Any:
    """Return the JSON value of a text. Raises `NotJson`, also where it nests over 200 levels.

    `nan` accepts the tokens NaN and Infinity that Python writes although JSON has none.
    """
    try:
        return from_json(document, allow_inf_nan=nan)
    except ValueError as failure:
        message = str(failure)
    if "surrogate" in message or "hex escape" in message:
        return _parse_surrogates(document)
    raise NotJson(cut=message.startswith("EOF"))


def _parse_surrogates(document: str) -> Any:
    # Half a surrogate pair is legal in a JSON escape and in no Unicode text: it becomes U+FFFD.
    try:
        loose = json.dumps(json.loads(document), ensure_ascii=False)
        scrubbed = loose.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return from_json(scrubbed)
    except (ValueError, RecursionError):
        raise NotJson from None


def salvage(document: str) -> Any:
    """Return what can be read of a JSON document that is cut off at its end.

    The last string is kept as far as it goes. Raises `NotJson` where more than the end is wrong.
    """
    try:
        return parse(document, nan=True)
    except NotJson as failure:
        if not failure.cut:
            raise
    try:
        return from_json(document, allow_inf_nan=True, allow_partial="trailing-strings")
    except ValueError:
        raise NotJson from None


def opens_container(value: str) -> bool:
    """Say whether a text starts like a JSON object or list."""
    return value[:64].lstrip()[:1] in ("{", "[")


def looks_cut(value: Any) -> bool:
    """Say whether a value is a JSON document whose end is missing."""
    if not isinstance(value, str) or not opens_container(value):
        return False
    try:
        parse(value, nan=True)
    except NotJson as failure:
        return failure.cut
    return False


def decode(value: Any) -> Any:
    """Return the plain JSON value of a raw attribute value.

    Texts that are JSON containers or quoted strings are decoded, again and again while the result
    is one; any other text stays text, and so do numbers written as text and documents with NaN.
    Values inside containers are left as they are.
    """
    for _ in range(_LAYERS):
        if not isinstance(value, str) or value[:64].lstrip()[:1] not in ("{", "[", '"'):
            break
        try:
            value = parse(value)
        except NotJson:
            break
    return value


def unquote(value: str) -> str:
    """Return the text inside of JSON string quotes, however many layers there are."""
    for _ in range(_LAYERS):
        if value[:64].lstrip()[:1] != '"':
            break
        try:
            inner = parse(value)
        except NotJson:
            break
        value = inner
    return value


def compact(value: Any) -> str:
    """Return a value as compact JSON text; what JSON can't hold is written as text."""
    try:
        return "".join(_chunks(value, 0))
    except (TypeError, ValueError, RecursionError):
        return ""


def _foreign(value: Any) -> str:
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "replace")
    return str(value)


# What `json.dumps` makes anew for every value, which takes longer than most values do. Without the
# look-out for circles: a value that was parsed has none.
_chunks = json.encoder.c_make_encoder(  # type: ignore[attr-defined] # typeshed leaves it out
    None, _foreign, json.encoder.encode_basestring, None, ":", ",", *(False, False, True)
)
