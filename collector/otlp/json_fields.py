"""The members of one object of a request: attributes and events read one by one, the rest as is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from collector.otlp import json_value
from collector.otlp.json_cursor import Cursor
from collector.otlp.json_value import any_value, count, text_of, time_ns
from collector.otlp.value import UNREADABLE
from collector.span import Event


@dataclass(slots=True)
class Fields:
    """What an object held. `lost` is how many attributes, events and fields can't be read."""

    values: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    lost: int = 0


def read_fields(cursor: Cursor) -> Fields:
    """Read an object. Attributes and events that stand twice are read twice."""
    found = Fields()
    for key in cursor.members():
        if key == "attributes":
            _read_attributes(cursor, found)
        elif key == "events":
            _read_events(cursor, found)
        else:
            value = cursor.value()
            if value is UNREADABLE:
                found.lost += 1
            else:
                found.values[key] = value
    return found


def _read_attributes(cursor: Cursor, found: Fields) -> None:
    """Read attributes; of equal keys the last one counts.

    A plain object instead of OTLP's list of key and value is taken as what it means.
    """
    kind = cursor.kind()
    if kind == "array":
        for _ in cursor.items():
            item = cursor.value()
            if isinstance(item, dict):
                _add(found, item.get("key"), any_value(item.get("value")))
            else:
                found.lost += 1
    elif kind == "object":
        for key in cursor.members():
            given = cursor.value()
            _add(found, key, given if given is UNREADABLE else any_value(given))
    elif cursor.value():
        found.lost += 1


def _add(found: Fields, key: Any, value: Any) -> None:
    if value is UNREADABLE or key is None:
        found.lost += 1
    else:
        found.attributes[text_of(key)] = value


def _read_events(cursor: Cursor, found: Fields) -> None:
    """Read events in the order of the list."""
    if cursor.kind() != "array":
        found.lost += 1 if cursor.value() else 0
        return
    for _ in cursor.items():
        if cursor.kind() != "object":
            cursor.value()
            found.lost += 1
            continue
        event = read_fields(cursor)
        raw = event.values
        dropped = json_value.field(raw, "droppedAttributesCount", "dropped_attributes_count")
        found.lost += event.lost + count(dropped)
        found.events.append(
            Event(
                name=text_of(raw.get("name")),
                time_ns=time_ns(json_value.field(raw, "timeUnixNano", "time_unix_nano")),
                attributes=event.attributes,
            )
        )
