"""Asks a running sidecar over its admin port."""

from __future__ import annotations

import http.client
import json
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from collector.errors import UsageError

SECONDS = 30.0
MOST_BYTES = 64 << 20


def get(
    endpoint: str, path: str, *, token_file: Path | None = None, ca_file: Path | None = None
) -> dict[str, Any]:
    """Return the JSON object that a sidecar answers with. Raises `UsageError` with one sentence
    for everything that may be in the way."""
    headers = {} if token_file is None else {"Authorization": f"Bearer {_token(token_file)}"}
    connection = _connection(endpoint, ca_file)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        body = answer.read(MOST_BYTES)
    except (OSError, http.client.HTTPException, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(
            f"{endpoint}: no sidecar answers ({why}); expected the admin port of `tellback run`"
        ) from None
    finally:
        connection.close()
    if answer.status in (401, 403):
        raise UsageError(f"{endpoint}: {_said(body)} (--token-file FILE)")
    if answer.status != 200:
        raise UsageError(f"{endpoint}{path}: answered {answer.status}: {_said(body)}")
    try:
        document = json.loads(body)
    except ValueError:
        document = None
    if not isinstance(document, dict) or not isinstance(document.get("services"), list):
        raise UsageError(f"{endpoint}{path}: the answer is not that of a sidecar")
    return document


def _connection(endpoint: str, ca_file: Path | None) -> http.client.HTTPConnection:
    url = endpoint if "://" in endpoint else f"http://{endpoint}"
    expected = f"{endpoint[:80]!r}: expected a URL such as http://127.0.0.1:9473"
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError:
        raise UsageError(expected) from None
    if parts.scheme not in ("http", "https") or not host or parts.path not in ("", "/"):
        raise UsageError(expected)
    if parts.scheme == "http":
        return http.client.HTTPConnection(host, port or 80, timeout=SECONDS)
    try:
        context = ssl.create_default_context(cafile=None if ca_file is None else str(ca_file))
    except OSError as error:
        raise UsageError(f"{ca_file}: {error.strerror or error}") from None
    return http.client.HTTPSConnection(host, port or 443, timeout=SECONDS, context=context)


def _token(file: Path) -> str:
    try:
        lines = file.read_text(encoding="ascii").split()
    except (OSError, ValueError) as error:
        raise UsageError(f"{file}: {getattr(error, 'strerror', None) or 'no token'}") from None
    if not lines:
        raise UsageError(f"{file}: expected a token, read nothing")
    return lines[0]


def _said(body: bytes) -> str:
    text = body[:300].decode("utf-8", "replace")
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
