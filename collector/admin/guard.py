"""Who may read what was measured, and what people and tools wrote."""

from __future__ import annotations

from dataclasses import dataclass

from collector.admin.response import Response, plain
from collector.bearer import CHALLENGE, Tokens
from collector.errors import Permanent
from collector.setting import is_loopback


@dataclass(frozen=True, slots=True)
class Guard:
    """With tokens: whoever shows one. Without: figures for all who reach the port, texts for this
    machine only, and not through a web page."""

    endpoint: str
    tokens: Tokens | None

    def refusal(self, headers: dict[bytes, bytes], *, texts: bool) -> Response | None:
        """Return the answer to a request that may not pass, else None."""
        if self.tokens is not None:
            try:
                self.tokens.check(headers.get(b"authorization", b""))
            except Permanent as error:
                return plain(401, str(error), www_authenticate=CHALLENGE)
            return None
        if not texts:
            return None
        if not is_loopback(self.endpoint):
            return plain(403, "set service.admin.auth: this port is open to other machines")
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
