"""One HTTP answer, with the headers every answer carries."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"
# Nothing may be loaded, framed, sent or cached: the pages are text and links.
SAFE = (
    (
        b"content-security-policy",
        b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)


@dataclass(frozen=True, slots=True)
class Response:
    """Status, body and what is special about its headers."""

    status: int
    body: bytes
    kind: str = TEXT
    headers: tuple[tuple[bytes, bytes], ...] = field(default=())

    def all_headers(self) -> list[tuple[bytes, bytes]]:
        """Return the headers as ASGI takes them."""
        own = [
            (b"content-type", self.kind.encode("latin-1")),
            (b"content-length", str(len(self.body)).encode("latin-1")),
        ]
        return [*own, *self.headers, *SAFE]


def plain(status: int, sentence: str, **headers: str) -> Response:
    """Answer with one sentence of text."""
    extra = tuple(
        (name.replace("_", "-").encode("latin-1"), value.encode("latin-1"))
        for name, value in headers.items()
    )
    return Response(status, f"{sentence}\n".encode(), headers=extra)


def as_json(status: int, value: Any) -> Response:
    """Answer with a JSON document."""
    body = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(status, body.encode(), JSON)
