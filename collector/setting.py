"""What a stage's settings are made of: the section every stage model derives from, and its types.

A setting is read once, before anything starts: no socket is opened and no file is touched here.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, WithJsonSchema

from collector import duration, size


class Section(BaseModel):
    """One section of the configuration: frozen; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


def _positive(seconds: float) -> float:
    if seconds <= 0:
        raise ValueError("expected a duration above 0")
    return seconds


def _endpoint(value: str) -> str:
    host, port = split(value)
    if not 0 <= port <= 65535:
        raise ValueError(f"expected a port from 0 to 65535, read {port}")
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def split(endpoint: str) -> tuple[str, int]:
    """Split `host:port` or `[v6]:port`; port 0 asks the system for a free one.

    Raises ValueError for anything else; a URL is named as such, since exporters are given URLs.
    """
    if "://" in endpoint:
        raise ValueError(f"expected host:port without a scheme, read {endpoint[:80]!r}")
    match = re.fullmatch(r"(?:\[([0-9A-Fa-f:.%]+)\]|([^\s:/\[\]]*)):([0-9]{1,5})", endpoint)
    if match is None:
        raise ValueError(f"expected host:port such as 127.0.0.1:4317, read {endpoint[:80]!r}")
    host = match[1] or match[2]
    if not host:
        # Go's ":4317" means every interface. That is never the reader's default here.
        raise ValueError(f"expected a host before the port (0.0.0.0 for all), read {endpoint!r}")
    return host, int(match[3])


def is_loopback(endpoint: str) -> bool:
    """Say whether only this machine can reach `endpoint`."""
    host, _ = split(endpoint)
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


Seconds = Annotated[
    float,
    BeforeValidator(duration.parse),
    WithJsonSchema({"type": ["string", "number"], "examples": ["10s", "1h30m", "30d"]}),
]
PositiveSeconds = Annotated[
    float,
    BeforeValidator(duration.parse),
    AfterValidator(_positive),
    WithJsonSchema({"type": ["string", "number"], "examples": ["10s", "1h30m", "30d"]}),
]
Bytes = Annotated[
    int,
    BeforeValidator(size.parse),
    WithJsonSchema({"type": ["string", "integer"], "examples": ["256MiB", "1GB"]}),
]
Endpoint = Annotated[
    str,
    AfterValidator(_endpoint),
    WithJsonSchema({"type": "string", "examples": ["127.0.0.1:4317"]}),
]
