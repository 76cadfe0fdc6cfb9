"""TLS of the servers: settings, and certificates that are renewed while the process runs."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

from pydantic import Field

from collector.errors import ConfigError, Permanent
from collector.setting import Section
from collector.watched import Watched, read, warn_if_open

Refused = Callable[[Permanent], None]

_VERSIONS = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}


class TlsConfig(Section):
    """TLS, with the keys of the OpenTelemetry Collector. Renewed files need no restart."""

    cert_file: str = Field(min_length=1, description="Certificate chain (PEM), the own one first.")
    key_file: str = Field(min_length=1, description="Its private key (PEM), without passphrase.")
    client_ca_file: str | None = Field(
        default=None,
        min_length=1,
        description="Authorities (PEM); set, clients must show a certificate of theirs (mTLS).",
    )
    min_version: Literal["1.2", "1.3"] = Field(
        default="1.2", description="The lowest version of TLS that is spoken."
    )


@dataclass(frozen=True, slots=True)
class Loaded:
    """The files of one moment, checked: as a context and as they were read."""

    context: ssl.SSLContext
    chain: bytes
    private_key: bytes
    authorities: bytes | None


class Certificates:
    """The certificates of one server. `key` is where its settings stand, for sentences."""

    def __init__(self, key: str, config: TlsConfig) -> None:
        """Read the files. Raises `ConfigError`: one is missing, or they don't fit each other."""
        self._key = key
        self._config = config
        paths = (config.cert_file, config.key_file, config.client_ca_file)
        self._files = Watched([path for path in paths if path is not None], self._load)

    def current(self) -> Loaded:
        """Return what is in force for new connections."""
        return self._files.value()

    def context(self, refused: Refused | None) -> ssl.SSLContext:
        """Return a context for a server; each connection gets the certificates of its moment.

        `refused` is told of handshakes that failed.
        """
        renewed = _Renewed(ssl.PROTOCOL_TLS_SERVER)
        renewed.certificates = self
        renewed.refused = refused
        return renewed

    def _load(self) -> Loaded:
        key, config = self._key, self._config
        chain = read(f"{key}.cert_file", config.cert_file)
        private_key = read(f"{key}.key_file", config.key_file)
        warn_if_open(f"{key}.key_file", config.key_file)
        if b"-----BEGIN CERTIFICATE" not in chain:
            raise ConfigError(f"{key}.cert_file {config.cert_file}: holds no certificate in PEM")
        if b"PRIVATE KEY-----" not in private_key:
            raise ConfigError(f"{key}.key_file {config.key_file}: holds no private key in PEM")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = _VERSIONS[config.min_version]
        # A client may not make us do the costly part of a handshake again and again.
        context.options |= ssl.OP_NO_RENEGOTIATION
        context.set_alpn_protocols(["http/1.1"])
        context.sslobject_class = _Handshake
        self._load_chain(context)
        authorities = None
        if config.client_ca_file is not None:
            authorities = read(f"{key}.client_ca_file", config.client_ca_file)
            try:
                context.load_verify_locations(cadata=authorities.decode("ascii", "replace"))
            except (ssl.SSLError, ValueError):
                raise ConfigError(
                    f"{key}.client_ca_file {config.client_ca_file}: holds no certificate in PEM"
                ) from None
            context.verify_mode = ssl.CERT_REQUIRED
        return Loaded(context, chain, private_key, authorities)

    def _load_chain(self, context: ssl.SSLContext) -> None:
        key, config = self._key, self._config

        def passphrase() -> str:
            # Without this, OpenSSL asks for it on the terminal.
            raise ConfigError(f"{key}.key_file {config.key_file}: expected no passphrase, has one")

        try:
            context.load_cert_chain(config.cert_file, config.key_file, passphrase)
        except ssl.SSLError as error:
            if error.reason in ("KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH"):
                raise ConfigError(
                    f"{key}.key_file {config.key_file}: doesn't belong to the certificate in "
                    f"{config.cert_file}"
                ) from None
            raise ConfigError(
                f"{key}: {config.cert_file} and {config.key_file} can't be used: {error.reason}"
            ) from None
        except OSError as error:
            raise ConfigError(
                f"{key}: {config.cert_file} and {config.key_file} can't be read: {error.strerror}"
            ) from None


class _Handshake(ssl.SSLObject):
    """One connection's TLS; counts a handshake that fails, of which no protocol is told."""

    refused: Refused | None = None

    def do_handshake(self) -> None:
        try:
            super().do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLError:
            if self.refused is not None:
                self.refused(Permanent("no TLS that is wanted here", reason="tls_handshake"))
            raise


class _Renewed(ssl.SSLContext):
    """Passes every new connection on to the context that is in force."""

    certificates: Certificates
    refused: Refused | None

    def wrap_bio(self, *args: Any, **named: Any) -> ssl.SSLObject:
        wrapped = self.certificates.current().context.wrap_bio(*args, **named)
        cast("_Handshake", wrapped).refused = self.refused
        return wrapped
