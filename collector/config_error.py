"""What is wrong with a configuration, as sentences: place, key, what was expected and read."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel, SecretStr, ValidationError

from collector.document import Document, Loc

EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "model_type": "a section with keys",
    "model_attributes_type": "a section with keys",
    "dict_type": "a section with keys",
    "list_type": "a list",
    "tuple_type": "a list",
    "finite_number": "a finite number",
    "string_too_short": "a text that is not empty",
}

# Where keys of earlier versions are now.
MOVED = {
    "receivers.otlp.http.max_in_flight_bytes": "receivers.otlp.max_in_flight_bytes",
    "service.admin.token": "service.admin.auth.bearer_token",
    "service.admin.token_file": "service.admin.auth.bearer_token_file",
}


def sentences(error: ValidationError, root: type[BaseModel], read: Document) -> list[str]:
    """Return one sentence for each problem, in the order of the file."""
    found: list[tuple[int, str]] = []
    for item in error.errors(include_url=False):
        loc: Loc = item["loc"]
        key = ".".join(str(part) for part in loc)
        told = ": ".join(filter(None, (read.place(loc), key, _what(item, root, read))))
        found.append((read.lines.get(loc, 0), told))
    return [sentence for _, sentence in sorted(found, key=lambda pair: pair[0])]


def _what(item: Any, root: type[BaseModel], read: Document) -> str:
    kind, loc = item["type"], item["loc"]
    if kind == "extra_forbidden":
        moved = MOVED.get(".".join(map(str, loc)))
        if moved is not None:
            return f"it is {moved} now"
        return f"unknown key; {_nearest(root, loc)}"
    if kind == "missing":
        return "is missing"
    if kind == "value_error":
        message = str(item["ctx"]["error"])
        # A check of one value quotes it; a secret must not be quoted.
        if loc in read.from_environment:
            return f"{message.split(', read ', maxsplit=1)[0]}, {_origin(read, loc)}"
        return message
    context = item.get("ctx", {})
    expected = EXPECTED.get(kind)
    if kind in ("greater_than", "greater_than_equal", "less_than", "less_than_equal"):
        bound = next(value for name, value in context.items() if name in ("gt", "ge", "lt", "le"))
        words = {"greater_than": "above", "greater_than_equal": "at least", "less_than": "below"}
        expected = f"a number {words.get(kind, 'at most')} {bound}"
    elif kind in ("literal_error", "enum"):
        expected = f"one of {context['expected']}"
    elif kind == "string_pattern_mismatch":
        expected = f"text like {context['pattern']}"
    if expected is None:
        expected = str(item["msg"])[:200]
    origin = _origin(read, loc) if loc in read.from_environment else f"read {shown(item['input'])}"
    return f"expected {expected}, {origin}"


def _origin(read: Document, loc: Loc) -> str:
    return f"read the value of ${{env:{read.from_environment[loc]}}}"


def shown(value: object) -> str:
    """Show a value as it would stand in YAML, or name its kind; never more than 60 characters."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a section with keys"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return repr(value[:57] + "…" if len(value) > 58 else value)
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**18):
        return str(value)
    return f"a value of type {type(value).__name__}"


def _nearest(root: type[BaseModel], loc: Loc) -> str:
    key, parent = str(loc[-1]), root
    for part in loc[:-1]:
        parent = next((m for name, m in _children(parent) if name == part), parent)
    close = _close(key, parent.model_fields, 0.6)
    if close:
        return f"the nearest known key is {'.'.join([*map(str, loc[:-1]), close[0]])}"
    # The right key in the wrong section is as common a mistake as a misspelled one.
    paths = list(paths_of(root))
    names = {path.rpartition(".")[2]: path for path in reversed(paths)}
    close = _close(key, names, 0.8)
    if close:
        return f"the nearest known key is {names[close[0]]}"
    return f"known here: {', '.join(parent.model_fields)}"


def _close(key: str, names: Iterable[str], cutoff: float) -> list[str]:
    import difflib  # noqa: PLC0415 - only a wrong configuration needs it

    return difflib.get_close_matches(key[:100], list(names), n=1, cutoff=cutoff)


def paths_of(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Yield the dotted path of every key below a model, sections included."""
    sections = dict(_children(model))
    for name in model.model_fields:
        yield prefix + name
        if name in sections:
            yield from paths_of(sections[name], f"{prefix}{name}.")


def _children(model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    for name, info in model.model_fields.items():
        section = section_of(info.annotation)
        if section is not None:
            yield name, section


def section_of(annotation: Any) -> type[BaseModel] | None:
    """Return the model a key holds, also where it may be absent; None where it is a value."""
    for candidate in (annotation, *typing.get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def secrets_of(model: BaseModel) -> Iterator[Loc]:
    """Yield the place of every secret that is set."""
    for name in type(model).model_fields:
        value = getattr(model, name)
        if isinstance(value, SecretStr):
            yield (name,)
        elif isinstance(value, BaseModel):
            for loc in secrets_of(value):
                yield (name, *loc)
