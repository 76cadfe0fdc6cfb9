"""Bearer tokens: who may send telemetry, and who may read what was measured."""

from __future__ import annotations

import hashlib
import hmac
import re

from pydantic import Field, SecretStr, model_validator

from collector.errors import ConfigError, Permanent
from collector.setting import Section
from collector.watched import Watched, read, warn_if_open

CHALLENGE = 'Bearer realm="tellback"'
_SCHEME = b"bearer "
# What a header may hold (RFC 6750), so that every client is able to send it.
_TOKEN = re.compile(rb"[A-Za-z0-9\-._~+/]+=*")


class AuthConfig(Section):
    """The token that clients must send as `Authorization: Bearer TOKEN`."""

    bearer_token: SecretStr | None = Field(
        default=None, description="The token; write ${env:NAME}, never the token itself."
    )
    bearer_token_file: str | None = Field(
        default=None,
        min_length=1,
        description="File of tokens, one a line; each of them is good. Read again when it changes.",
    )

    @model_validator(mode="after")
    def _one_source(self) -> AuthConfig:
        if (self.bearer_token is None) == (self.bearer_token_file is None):
            raise ValueError("expected either bearer_token or bearer_token_file")
        return self


class Tokens:
    """The tokens of one server, kept as digests. `key` is where their settings stand."""

    def __init__(self, key: str, config: AuthConfig) -> None:
        """Read the tokens. Raises `ConfigError` where there is none: that is never meant."""
        self._key = key
        self._config = config
        file = config.bearer_token_file
        self._digests = Watched([] if file is None else [file], self._load)

    def check(self, authorization: bytes | str) -> None:
        """Raise `Permanent` (reason `unauthenticated`) unless the header's value shows a token."""
        given = authorization.encode() if isinstance(authorization, str) else authorization
        shown = given[len(_SCHEME) :].strip() if given[:7].lower() == _SCHEME else b""
        digest = _digest(shown)
        # Each of them in constant time, all of them always: how long it takes tells nothing.
        found = [hmac.compare_digest(digest, known) for known in self._digests.value()]
        if not any(found):
            raise Permanent(
                "expected the header Authorization: Bearer TOKEN", reason="unauthenticated"
            )

    def _load(self) -> tuple[bytes, ...]:
        file = self._config.bearer_token_file
        if file is not None:
            key = f"{self._key}.bearer_token_file"
            text = read(key, file)
            where = f"{key} {file}"
            warn_if_open(key, file)
        else:
            secret = self._config.bearer_token
            text = b"" if secret is None else secret.get_secret_value().encode()
            where = f"{self._key}.bearer_token"
        tokens = [line.strip() for line in text.splitlines() if line.strip()]
        if not tokens:
            raise ConfigError(f"{where}: expected a token, read nothing")
        if not all(_TOKEN.fullmatch(token) for token in tokens):
            raise ConfigError(
                f"{where}: expected tokens of letters, digits and -._~+/ only, = at the end"
            )
        return tuple(_digest(token) for token in tokens)


def _digest(token: bytes) -> bytes:
    """Digests have one length, so that comparing them doesn't tell that of a token."""
    return hashlib.sha256(token).digest()
