"""What every server of this process can be told: where it listens, over TLS or not, and to whom."""

from __future__ import annotations

import errno
import os

from collector.bearer import AuthConfig, Tokens
from collector.errors import ConfigError
from collector.setting import Endpoint, Section, is_loopback
from collector.tls import Certificates, TlsConfig


class ListenerConfig(Section):
    """Settings of one server. `key`, in what follows, is where they stand."""

    endpoint: Endpoint
    tls: TlsConfig | None = None
    auth: AuthConfig | None = None

    def certificates(self, key: str) -> Certificates | None:
        """Read the files of TLS, where it is spoken. Raises `ConfigError`."""
        return None if self.tls is None else Certificates(f"{key}.tls", self.tls)

    def tokens(self, key: str) -> Tokens | None:
        """Read the tokens, where some are asked for. Raises `ConfigError`."""
        return None if self.auth is None else Tokens(f"{key}.auth", self.auth)

    def warning(self, key: str) -> str | None:
        """Say what others on the network could do, where the settings don't forbid it."""
        if is_loopback(self.endpoint):
            return None
        missing = []
        if self.tls is None:
            missing.append(f"unencrypted (set {key}.tls)")
        if self.auth is None and (self.tls is None or self.tls.client_ca_file is None):
            missing.append(f"by everybody (set {key}.auth, or {key}.tls.client_ca_file)")
        if not missing:
            return None
        reached = f"{self.endpoint} can be reached from other machines"
        return f"{key}.endpoint: {reached} {' and '.join(missing)}"


def unusable(key: str, endpoint: str, error: OSError) -> ConfigError:
    """Return the sentence about an address that can't be listened on."""
    code = error.errno or 0
    # The system's words: asyncio's name an address that the sentence names already.
    why = os.strerror(code) if code in errno.errorcode else str(error.strerror)
    if code == errno.EADDRINUSE:
        why += "; another sidecar or a Collector may listen there, and each needs ports of its own"
    return ConfigError(f"{key}.endpoint {endpoint}: {why}")
