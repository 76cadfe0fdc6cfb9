"""How the gRPC server treats connections: its options and its TLS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from collector.receiver import most_connections
from collector.tls import Certificates, Loaded

if TYPE_CHECKING:
    import grpc

# Each stream holds a window of unread bytes; exporters have ten at most under way.
_STREAMS = 32
_METADATA_BYTES = 16 << 10

_OPTIONS = (
    # Two processes that share a port would each see half of every trace.
    ("grpc.so_reuseport", 0),
    # gRPC is kept from inflating, so that a bomb meets our bound and our counter, whatever the
    # version of gRPC does about it. Bits: identity and gzip, the codings OTLP knows.
    ("grpc.per_message_decompression", 0),
    ("grpc.compression_enabled_algorithms_bitset", 0b101),
    # Exporters in Go may ping every 10 s, also between exports; the default answer to that is to
    # hang up on them. Whoever pings more often is hung up on.
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    # And a sender that vanished without a word is noticed.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    # So is one that never says what it came for, and one that has nothing to say any more: metrics
    # come every minute, spans more often. Clients connect again by themselves.
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.http2.settings_timeout", 10_000),
    ("grpc.max_connection_idle_ms", 300_000),
    ("grpc.max_concurrent_streams", _STREAMS),
    ("grpc.max_metadata_size", _METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", _METADATA_BYTES),
)


def options(max_message_bytes: int) -> tuple[tuple[str, int], ...]:
    """Return the options of a server."""
    return (
        *_OPTIONS,
        ("grpc.max_allowed_incoming_connections", most_connections(4)),
        ("grpc.max_receive_message_length", max_message_bytes),
    )


def credentials(certificates: Certificates) -> Any:
    """Return credentials that give each connection the certificates of its moment."""
    import grpc  # noqa: PLC0415 - see the receiver

    given = certificates.current()

    def renewed() -> grpc.ServerCertificateConfiguration | None:
        nonlocal given
        current = certificates.current()
        if current is given:
            return None
        given = current
        return _configuration(current)

    return grpc.dynamic_ssl_server_credentials(
        _configuration(given), renewed, require_client_authentication=given.authorities is not None
    )


def _configuration(loaded: Loaded) -> grpc.ServerCertificateConfiguration:
    import grpc  # noqa: PLC0415 - see the receiver

    return grpc.ssl_server_certificate_configuration(
        [(loaded.private_key, loaded.chain)], root_certificates=loaded.authorities
    )
