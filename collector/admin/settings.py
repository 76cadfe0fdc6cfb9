"""Where the admin endpoints listen, and who may read turns there."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr, model_validator

from collector.errors import ConfigError
from collector.setting import Endpoint, Section


class AdminConfig(Section):
    """Settings of the admin endpoints."""

    endpoint: Endpoint = Field(
        default="127.0.0.1:9473", description="Where metrics, probes and the page are served."
    )
    token: SecretStr | None = Field(
        default=None,
        description="Token that /api asks for; write ${env:NAME}, never the token itself.",
    )
    token_file: str | None = Field(
        default=None, description="File whose first line is that token, instead of `token`."
    )

    @model_validator(mode="after")
    def _one_token(self) -> AdminConfig:
        if self.token is not None and self.token_file is not None:
            raise ValueError("expected token or token_file, not both")
        return self

    def secret(self) -> bytes | None:
        """Return the token, read from its file where it has one; None where none is set.

        Raises ConfigError for a file that can't be read and for an empty token: no guard at all
        is never what was meant.
        """
        if self.token_file is not None:
            try:
                text = Path(self.token_file).read_text(encoding="utf-8")
            except (OSError, ValueError) as error:
                raise ConfigError(
                    f"service.admin.token_file {self.token_file} can't be read: {error}"
                ) from None
            token = text.partition("\n")[0].strip()
        elif self.token is not None:
            token = self.token.get_secret_value().strip()
        else:
            return None
        if not token:
            raise ConfigError("service.admin: the token is empty; expected at least one character")
        return token.encode()
