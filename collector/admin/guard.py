"""Who may read what people and tools wrote."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from collector.admin.response import Response, plain
from collector.setting import is_loopback

BEARER = b"bearer "


@dataclass(frozen=True, slots=True)
class Guard:
    """With a token: whoever shows it. Without: only this machine, and not through a web page."""

    endpoint: str
    token: bytes | None

    def refusal(self, headers: dict[bytes, bytes]) -> Response | None:
        """Return the answer to a request that may not pass, else None."""
        if self.token is not None:
            given = headers.get(b"authorization", b"")
            shown = given[len(BEARER) :].strip() if given[:7].lower() == BEARER else b""
            # Compared in constant time, or its first characters could be found out one by one.
            if hmac.compare_digest(shown, self.token):
                return None
            return plain(
                401,
                "expected the header Authorization: Bearer TOKEN",
                www_authenticate='Bearer realm="tellback"',
            )
        if not is_loopback(self.endpoint):
            return plain(
                403, "set service.admin.token or token_file: this port is open to other machines"
            )
        # A page of another site can have its name point to 127.0.0.1; its requests say so here.
        if not _is_local(headers.get(b"host", b"")):
            return plain(403, "expected a request for localhost or a loopback address")
        return None


def _is_local(host: bytes) -> bool:
    text = host.decode("latin-1")
    try:
        return is_loopback(text if text.rpartition(":")[2].isdigit() else f"{text}:80")
    except ValueError:
        return False
