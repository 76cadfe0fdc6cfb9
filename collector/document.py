"""The configuration file: YAML to plain values, `${env:NAME}` resolved, lines remembered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from collector.errors import ConfigError

Loc = tuple[str | int, ...]
# What a file of settings never reaches; more is a mistake or a YAML alias bomb.
MOST_BYTES = 2**20
MOST_NODES = 50_000
# As the OpenTelemetry Collector has it: a reference, its default, and $$ for a plain dollar sign.
REFERENCE = re.compile(
    r"\$\$|\$\{(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):)?(?P<name>[^}:]*)(?::-(?P<default>[^}]*))?\}"
)
# No path, address or name holds these; the system's own errors about them are no sentences.
UNUSABLE = re.compile("[\0\ud800-\udfff]")
# What YAML takes for a value of some kind by how it is written, and isn't one.
KINDS = {"int": "a whole number below 2^63", "float": "a number", "timestamp": "a day that exists"}
LARGEST = 2**63
NULL = "tag:yaml.org,2002:null"
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Document:
    """A read configuration file.

    `lines` holds the line, from 1, on which each value's key stands; `from_environment` the
    variable's name where a value came from one, so that a secret is never shown in a message.
    """

    source: str
    values: dict[str, Any] = field(default_factory=dict)
    lines: Mapping[Loc, int] = field(default_factory=dict)
    from_environment: Mapping[Loc, str] = field(default_factory=dict)

    def place(self, loc: Loc) -> str:
        """Return `file:line` of the value, or of the nearest section that stands in the file."""
        for length in range(len(loc), 0, -1):
            if loc[:length] in self.lines:
                return f"{self.source}:{self.lines[loc[:length]]}"
        return self.source


def read(path: Path, environ: Mapping[str, str]) -> Document:
    """Read a file. Raises `ConfigError`, naming all that is wrong with it, each with its line."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror or error}") from error
    if len(data) > MOST_BYTES:
        raise ConfigError(f"{path}: expected a configuration file, read more than 1 MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: expected UTF-8 text") from error
    return parse(text, str(path), environ)


def parse(text: str, source: str, environ: Mapping[str, str]) -> Document:
    """Parse YAML text. Raises `ConfigError` as `read` does."""
    try:
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return Document(source)
            reader = _Reader(loader, source, environ)
            values = reader.value(node, ())
        finally:
            loader.dispose()
    except RecursionError as error:
        raise ConfigError(f"{source}: nested too deeply") from error
    except yaml.YAMLError as error:
        raise ConfigError(_sentence(error, source, text)) from error
    if values is None and not reader.problems:
        return Document(source)
    if not isinstance(values, dict):
        reader.problems.append(f"{source}:1: expected sections such as receivers: and storage:")
    if reader.problems:
        raise ConfigError("\n".join(dict.fromkeys(reader.problems)))
    return Document(source, values, reader.lines, reader.from_environment)


def _sentence(error: yaml.YAMLError, source: str, text: str) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
    context = getattr(error, "context", None)
    place = f"{source}:{mark.line + 1}" if mark is not None else source
    sentence = f"{place}: YAML: {problem}" + (f" ({context})" if context else "")
    lines = text.splitlines()
    if mark is not None and mark.line < len(lines) and "${" in lines[mark.line]:
        sentence += "; inside {…} and […], put ${env:NAME} in quotes"
    return sentence


class _Reader:
    """Turns YAML nodes into plain values; collects problems instead of stopping at the first."""

    def __init__(self, loader: yaml.SafeLoader, source: str, environ: Mapping[str, str]) -> None:
        self.loader = loader
        self.source = source
        self.environ = environ
        self.problems: list[str] = []
        self.lines: dict[Loc, int] = {}
        self.from_environment: dict[Loc, str] = {}
        self._open: set[int] = set()
        self._nodes = 0

    def value(self, node: yaml.Node, loc: Loc) -> Any:
        self._nodes += 1
        # An anchor inside itself never ends; many aliases of aliases nearly never.
        if id(node) in self._open or self._nodes > MOST_NODES:
            raise yaml.MarkedYAMLError(None, None, "more aliases than a configuration can use")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, loc)
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node, loc)
            items: list[yaml.Node] = node.value
            for index, item in enumerate(items):
                self.lines[(*loc, index)] = item.start_mark.line + 1
            return [self.value(item, (*loc, index)) for index, item in enumerate(items)]
        finally:
            self._open.discard(id(node))

    def _mapping(self, node: yaml.MappingNode, loc: Loc) -> dict[str, Any]:
        seen: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                self._problem(line, loc, "expected a key, read a list or a section")
            elif key.value in seen:
                self._problem(
                    line, (*loc, key.value), f"stands twice, first in line {seen[key.value]}"
                )
            else:
                seen[key.value] = line
        self.loader.flatten_mapping(node)  # merges what `<<: *anchor` refers to
        values: dict[str, Any] = {}
        for key, item in node.value:
            if isinstance(key, yaml.ScalarNode):
                self.lines[(*loc, key.value)] = key.start_mark.line + 1
                values[key.value] = self.value(item, (*loc, key.value))
        return values

    def _scalar(self, node: yaml.ScalarNode, loc: Loc) -> Any:
        text = str(node.value)
        if "$" not in text:
            return self._constructed(node, loc)
        names: list[str] = []
        line = node.start_mark.line + 1

        def replace(match: re.Match[str]) -> str:
            if match[0] == "$$":
                return "$"
            name, default = match["name"], match["default"]
            if match["scheme"] != "env" or not NAME.fullmatch(name):
                self._problem(line, loc, f"expected ${{env:NAME}}, read {match[0][:60]}")
                return ""
            names.append(name)
            # As in a shell, :- gives the default to an empty variable too.
            found = self.environ.get(name)
            if default is not None:
                return found or default
            if found is None:
                self._problem(
                    line,
                    loc,
                    f"environment variable {name} is not set "
                    f"(write ${{env:{name}:-…}} to give a default)",
                )
            return found or ""

        text = REFERENCE.sub(replace, text)
        if UNUSABLE.search(text):
            self._problem(line, loc, "expected text, read characters that no text has")
        if not names:
            return text
        self.from_environment[loc] = names[0]
        # Unquoted and empty is null, as in YAML. Everything else stays text: numbers and flags are
        # read from text where they are expected, and a key of digits only stays a text.
        return None if text == "" and node.style is None else text

    def _constructed(self, node: yaml.ScalarNode, loc: Loc) -> Any:
        line = node.start_mark.line + 1
        text = str(node.value)
        try:
            value = self.loader.construct_object(node)
        except (ValueError, KeyError, IndexError, AttributeError, OverflowError):
            # 2020-02-31, an integer of five thousand digits, `!!bool perhaps`.
            value = None
        if isinstance(value, str) and UNUSABLE.search(value):
            self._problem(line, loc, "expected text, read characters that no text has")
        elif isinstance(value, bytes):
            self._problem(line, loc, "expected text, read !!binary")
        elif (value is None and node.tag != NULL) or (
            isinstance(value, int) and abs(value) >= LARGEST
        ):
            kind = str(node.tag).rpartition(":")[2]
            shown = repr(text) if len(text) <= 40 else f"{len(text)} characters"
            self._problem(line, loc, f"expected {KINDS.get(kind, kind)}, read {shown}")
        return value

    def _problem(self, line: int, loc: Loc, what: str) -> None:
        path = ".".join(str(part) for part in loc)
        self.problems.append(f"{self.source}:{line}: {path + ': ' if path else ''}{what}")
