"""The whole configuration: one YAML file, composed of each stage's own settings.

Loading it opens no socket, starts no task and reads no file but the one it is given.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from collector import document
from collector.admin.settings import AdminConfig
from collector.assembly.settings import TurnsConfig
from collector.config_error import secrets_of, sentences
from collector.document import Document, Loc
from collector.errors import ConfigError
from collector.journal.settings import JournalConfig
from collector.ledger.settings import PrivacyConfig, StorageConfig
from collector.listener import ListenerConfig
from collector.receiver import MAX_IN_FLIGHT_BYTES
from collector.receivers.otlp_grpc import OtlpGrpcConfig
from collector.receivers.otlp_http import OtlpHttpConfig
from collector.scoring.settings import ScoringConfig
from collector.setting import Bytes, Section
from collector.telemetry import MOST_SERIES

LogLevel = Literal["debug", "info", "warning", "error"]
# Variables of the OpenTelemetry specification that say something about this process, and the key
# each one fills where the file leaves it out.
LOG_LEVELS: Mapping[str, LogLevel] = {
    "trace": "debug",
    "debug": "debug",
    "info": "info",
    "warn": "warning",
    "warning": "warning",
    "error": "error",
    "fatal": "error",
}


class PrometheusConfig(Section):
    """What /metrics shows."""

    max_series: int = Field(
        default=MOST_SERIES,
        ge=1,
        description="Label sets of one metric; beyond, they are counted in one overflow series.",
    )


class ExportersConfig(Section):
    """Where results go."""

    prometheus: PrometheusConfig = PrometheusConfig()


class OtlpConfig(Section):
    """OTLP over its two transports."""

    max_in_flight_bytes: Bytes = Field(
        default=MAX_IN_FLIGHT_BYTES,
        gt=0,
        description="Requests that are being read or handled, both transports together. Beyond, "
        "senders wait some seconds, and are then told to try again.",
    )
    grpc: OtlpGrpcConfig = OtlpGrpcConfig()
    http: OtlpHttpConfig = OtlpHttpConfig()

    @model_validator(mode="after")
    def _one_request_fits(self) -> OtlpConfig:
        largest = max(
            self.grpc.max_message_bytes, self.http.max_body_bytes, self.http.max_inflated_bytes
        )
        if self.max_in_flight_bytes < largest:
            raise ValueError(
                f"max_in_flight_bytes is {self.max_in_flight_bytes}, less than one request may"
                f" take ({largest})"
            )
        return self


class ReceiversConfig(Section):
    """Where telemetry comes from."""

    otlp: OtlpConfig = OtlpConfig()


class ServiceConfig(Section):
    """The process itself."""

    admin: AdminConfig = AdminConfig()
    log_level: LogLevel = Field(
        default="info", description="The least severe log record written (OTEL_LOG_LEVEL)."
    )


class Config(Section):
    """Everything `tellback` can be told. Every key has a default."""

    receivers: ReceiversConfig = ReceiversConfig()
    storage: StorageConfig = StorageConfig()
    journal: JournalConfig = JournalConfig()
    turns: TurnsConfig = TurnsConfig()
    scoring: ScoringConfig = ScoringConfig()
    privacy: PrivacyConfig = PrivacyConfig()
    exporters: ExportersConfig = ExportersConfig()
    service: ServiceConfig = ServiceConfig()

    def warnings(self) -> tuple[str, ...]:
        """Return what is allowed and yet may not be what the author expects."""
        found: list[str] = []
        reader = self.scoring.judges.reader
        if reader is not None:
            found.append(
                f"scoring.judges.reader: this version judges replies with the lexical reader only; "
                f"{reader.model} is not called"
            )
        found += filter(None, (server.warning(key) for key, server in self.servers().items()))
        return tuple(found)

    @model_validator(mode="after")
    def _own_ports(self) -> Config:
        taken: dict[str, str] = {}
        for key, server in self.servers().items():
            port = server.endpoint.rpartition(":")[2]
            if port in taken and port != "0":
                raise ValueError(
                    f"expected a port of its own for {key}.endpoint, "
                    f"read that of {taken[port]}.endpoint"
                )
            taken[port] = key
        return self

    def servers(self) -> dict[str, ListenerConfig]:
        """Return the settings of what this process listens with, by key."""
        return {
            "receivers.otlp.grpc": self.receivers.otlp.grpc,
            "receivers.otlp.http": self.receivers.otlp.http,
            "service.admin": self.service.admin,
        }


def load(path: Path | None = None, environ: Mapping[str, str] | None = None) -> Config:
    """Return the configuration of a file, or the defaults where `path` is None.

    Raises `ConfigError` with one line for everything that is wrong: file, line, key, what was
    expected and what was read.
    """
    environ = os.environ if environ is None else environ
    read = Document("defaults") if path is None else document.read(path, environ)
    return validate(read, environ)


def validate(read: Document, environ: Mapping[str, str]) -> Config:
    """Return the configuration of a document. Raises as `load` does."""
    values = read.values
    _fill(values, "service", "log_level", LOG_LEVELS.get(environ.get("OTEL_LOG_LEVEL", "").lower()))
    # A key with nothing behind it (`grpc:`) means its default, as in the Collector. Where null is
    # a value of its own it is the default too, so that only refused nulls need to be taken out.
    while True:
        try:
            config = Config.model_validate(values)
        except ValidationError as error:
            removed = [
                item["loc"]
                for item in error.errors(include_url=False)
                if item["input"] is None
                and item["type"] not in ("extra_forbidden", "missing")
                and _remove(values, item["loc"])
            ]
            if not removed:
                raise ConfigError("\n".join(sentences(error, Config, read))) from error
        else:
            _check_secrets(config, read)
            return config


def _check_secrets(config: Config, read: Document) -> None:
    """Refuse secrets that stand in the file itself, where backups and repositories keep them."""
    secrets = list(secrets_of(config))
    if without_password(config.storage.url) != config.storage.url:
        secrets.append(("storage", "database"))
    open_secrets = [
        f"{read.place(loc)}: {'.'.join(map(str, loc))}: expected ${{env:NAME}}, "
        "read the secret itself"
        for loc in secrets
        if loc not in read.from_environment
    ]
    if open_secrets:
        raise ConfigError("\n".join(open_secrets))


def _fill(values: dict[str, Any], section: str, key: str, value: object) -> None:
    if value is None:
        return
    inside = values.get(section)
    if inside is None:
        inside = values[section] = {}
    if isinstance(inside, dict) and inside.get(key) is None:
        inside[key] = value


def _remove(values: Any, loc: Loc) -> bool:
    for part in loc[:-1]:
        try:
            values = values[part]
        except (KeyError, IndexError, TypeError):
            return False
    return isinstance(values, dict) and values.pop(loc[-1], values) is None


def without_password(url: str) -> str:
    """Return a database URL with its password hidden, for people to see."""
    return re.sub(r"(?<=://)([^:/@]*):.*(?=@)", r"\1:***", url)
