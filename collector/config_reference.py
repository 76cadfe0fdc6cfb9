"""`docs/configuration.md`, from the settings' models: `python -m collector.config_reference`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from collector import duration, size
from collector.config import Config
from collector.config_error import section_of
from collector.setting import Bytes, PositiveSeconds, Seconds

HEAD = """\
# Configuration

<!-- Generated from the settings' models by `python -m collector.config_reference`. -->

`tellback run --config FILE` reads one YAML file. Every key has a default, and so has the file. An
unknown key, a value of the wrong kind or an unset variable is an error that names its file, line
and key, and the nearest known key. `tellback validate --config FILE` checks a file without starting
anything; `tellback validate --schema` prints the JSON schema.

* Values may refer to environment variables as in the OpenTelemetry Collector: `${env:NAME}`,
  `${env:NAME:-default}`, and `$$` for a dollar sign. Inside `{…}` and `[…]`, put them in quotes.
  Without a default, an unset variable is an error.
* Secrets come from the environment or from a file of their own; one that stands in this file is
  refused.
* Durations: `10s`, `250ms`, `1h30m`, `30d`, or a number of seconds. Amounts: `256MiB`, `1GB`, or a
  number of bytes.
* A key with nothing behind it means its default.
* `OTEL_LOG_LEVEL` sets `service.log_level` where the file does not.

## The smallest complete file

```yaml
receivers:
  otlp:
    grpc: {endpoint: 127.0.0.1:4317}
    http: {endpoint: 127.0.0.1:4318}
storage:
  directory: ./tellback-data
  database: sqlite:///./tellback-data/ledger.db
turns: {quiet_period: 10s, deadline: 10m}
scoring:
  sampling: {rate: 0.1, seed: 0}
privacy: {keep_text: true, retention: 30d}
service:
  admin: {endpoint: 127.0.0.1:9473}
```

`scoring.judges.reader` may name a model (`{model: openai/gpt-5-mini, api_base: null}`); this
version accepts it, warns that it is not called, and judges with the lexical reader only.
"""


def reference() -> str:
    """Return the page as Markdown."""
    return HEAD + "".join(
        f"\n## {path}\n\n{_summary(model)}\n\n| key | default | meaning |\n|---|---|---|\n"
        + "".join(_row(name, info) for name, info in values)
        for path, model, values in _sections(Config, "")
        if values
    )


def _sections(
    model: type[BaseModel], path: str
) -> Iterator[tuple[str, type[BaseModel], list[tuple[str, FieldInfo]]]]:
    values = []
    below = []
    for name, info in model.model_fields.items():
        section = section_of(info.annotation)
        if section is None:
            values.append((name, info))
        else:
            below.append((f"{path}.{name}".lstrip("."), section))
    yield path, model, values
    for name, section in below:
        yield from _sections(section, name)


def _summary(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split())


def _row(name: str, info: FieldInfo) -> str:
    meaning = " ".join((info.description or "").split()).replace("|", "\\|")
    choices = get_args(info.annotation)
    if choices and all(isinstance(choice, str) for choice in choices):
        meaning += f" One of {', '.join(f'`{choice}`' for choice in choices)}."
    return f"| `{name}` | {_default(info)} | {meaning} |\n"


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    value: Any = info.default
    if value is None:
        return "–"
    if _is(info, (Seconds, PositiveSeconds)):
        return f"`{duration.render(value)}`"
    if _is(info, (Bytes,)):
        return f"`{size.render(value)}`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _is(info: FieldInfo, kinds: tuple[Any, ...]) -> bool:
    """Say whether a value is read as one of `kinds`: they differ in what reads them."""
    readers = {meta for kind in kinds for meta in kind.__metadata__ if hasattr(meta, "func")}
    return any(meta in readers for meta in info.metadata if hasattr(meta, "func"))


if __name__ == "__main__":
    sys.stdout.write(reference())
