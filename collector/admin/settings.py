"""Where the admin endpoints listen, and who may read there."""

from __future__ import annotations

from pydantic import Field

from collector.listener import ListenerConfig
from collector.setting import Endpoint


class AdminConfig(ListenerConfig):
    """Settings of the admin endpoints. Probes need no token; where one is set, all else does."""

    endpoint: Endpoint = Field(
        default="127.0.0.1:9473", description="Where metrics, probes and the page are served."
    )
