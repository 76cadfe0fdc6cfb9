"""Which format a tool result has, judged by its text alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from scorers.glance import has_any, has_word, lines
from scorers.payload import layout
from scorers.payload.json_text import MISSING, Missing, json_cost, read, records_in
from scorers.payload.work import TooLarge, Work

# Formats whose validity can be checked, and formats whose rows are their non-empty lines.
PARSED = ("json", "jsonl", "csv")
LINED = ("log", "listing", "table", "traceback", "diff")
# The format is told by the opening of a long text.
SAMPLE = 20_000

_TIME = re.compile(
    r"^\W{0,2}(?:\d{4}-\d\d-\d\d[T ]\d\d:|\d\d:\d\d:\d\d|[A-Z][a-z]{2} +\d+ \d\d:\d\d)"
)
_LEVEL = re.compile(r"\b(?:DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|PASSED|FAILED)\b")
_LEVELS = ("DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "FATAL", "CRITICAL", "PASSED", "FAILED")
_TRACE = re.compile(
    r"Traceback \(most recent call last\)|^[ \t]+at [\w.$<>]+\(|^Exception in thread|^panic: |"
    r"^(?:[A-Z]\w*)?(?:Error|Exception): |^[\w.]+(?:Error|Exception): ",
    re.MULTILINE,
)
_FAULTS = ("Traceback (", "Error: ", "Exception", "panic: ", "\tat ", " at ")
_DIFF = re.compile(r"^(?:diff --git |@@ -\d+|--- \S+\n\+\+\+ )", re.MULTILINE)
_PATH = re.compile(r"^(?:[dl-][rwxsStT-]{9}.*|[^\s|]*[/\\][^\s|]*|[^\s:|]+\.\w{1,5})(?:[:\s]|$)")
_NUMBERED = re.compile(r"^\s*\d+(?:\t| {1,3}\||  |: |→)")
_CODE = re.compile(
    r"^[ \t]*(?:def |class |import |from \w+ import|function |const |let |var |export |public |"
    r"private |#include|package |func |fn |use |return\b|if \(|for \(|SELECT |CREATE )"
)
_TAG = re.compile(
    r"<(?:!doctype|html|head|body|div|p|ul|li|table|section|span|a|h[1-6])\b", re.IGNORECASE
)
_BLOB = re.compile(r"^[A-Za-z0-9+/_-]{64,}={0,2}$")
_NAME = re.compile(r"^[\w .()%/#:@*-]{1,60}$")
_RULE = re.compile(r"^(?=[^\n]*?--)[ \t|+:=-]*+$", re.MULTILINE)
_SENTENCE = re.compile(r"[.!?…]['\")\]]?(?:\s|$)|[。！？]")
_STOPS = ".!?…。！？"


def _nothing() -> Missing:
    return MISSING


@dataclass
class Shape:
    """A text's format, its value where it is JSON, and where its fields and rows stand. `bounded`
    says that the text was too large for its fields and rows to be looked up."""

    format: str
    find_value: Callable[[], Any | Missing] = _nothing
    layout: layout.Layout = field(default_factory=layout.Layout)
    delimiter: str = ","
    bounded: bool = False

    @cached_property
    def value(self) -> Any | Missing:
        """Return the value of a JSON text; most comparisons do without it."""
        return self.find_value()


def shape(text: str, work: Work | None = None) -> Shape:
    """Judge a text: json, jsonl, csv, table, log, listing, traceback, diff, html, code, base64,
    prose or text. Beyond the budget of `work` the opening and the end decide alone."""
    bare = text.strip()
    if not bare:
        return Shape("text")
    work = work or Work()
    try:
        return _shape(text, bare, work)
    except TooLarge:
        return Shape(_glance(bare), bounded=True)


def _shape(text: str, bare: str, work: Work) -> Shape:
    if bare[0] in '{["':
        work.spend(json_cost(text), "fields")
        records = records_in(text) if bare[0] == "[" else None
        if records:
            found = layout.of_records(text, records)
            return Shape("json", lambda: list(found.values), found)
        value = read(text)
        if isinstance(value, dict | list) or (isinstance(value, str) and bare[0] == '"'):
            return Shape("json", lambda: value, layout.of_json(text, value))
        if bare[0] != '"' and "\n" in bare:
            work.spend(json_cost(text), "fields")
            records_of = layout.of_json_lines(text)
            if records_of is not None:
                return Shape("jsonl", layout=records_of)
    delimiter = delimited(bare)
    if delimiter:
        work.spend(2 * bare.count("\n"), "fields")
        return Shape("csv", layout=layout.of_csv(text, delimiter), delimiter=delimiter)
    name = _words(bare[:SAMPLE])
    if name not in LINED:
        return Shape(name)
    work.spend(bare.count("\n"), "rows")
    return Shape(name, layout=layout.of_lines(text))


def _glance(bare: str) -> str:
    """Judge a text that is too large to parse."""
    if (bare[0], bare[-1]) in (("{", "}"), ("[", "]")):
        head = bare[:SAMPLE].splitlines()
        return "jsonl" if len(head) > 2 and all(map(_is_record, head[:-1])) else "json"
    return "csv" if delimited(bare) else _words(bare[:SAMPLE])


def _is_record(line: str) -> bool:
    return not line.strip() or isinstance(read(line), dict | list)


def delimited(text: str) -> str | None:
    """Return the delimiter of a table of at least two lines with a header of names, else None."""
    head = text[:SAMPLE]
    if not has_any(head, ",\t;"):
        return None
    rows = lines(head)
    if len(text) > SAMPLE:
        rows.pop()
    if len(rows) < 2:
        return None
    for delimiter in (",", "\t", ";"):
        width = rows[0].count(delimiter)
        names = [name.strip().strip('"') for name in rows[0].split(delimiter)]
        if width < 1 or len(set(names)) < len(names) or not all(_NAME.match(one) for one in names):
            continue
        if any(one.replace(".", "").isdigit() for one in names):
            continue
        if width == 1 and any(len(one.split()) > 2 for one in names):
            continue
        if all(count == width + 1 for count in layout.columns("\n".join(rows[:200]), delimiter)):
            return delimiter
    return None


def _words(text: str) -> str:
    rows = [line for line in lines(text) if line.strip()]
    count = len(rows)
    opening = text[:500]
    if "<" in opening and _TAG.search(opening) and text.count("<") >= 4:
        return "html"
    if _is_diff(text):
        return "diff"
    if _is_trace(text, rows):
        return "traceback"
    if count == 1 and _BLOB.match(text):
        return "base64"
    if count > 2 and all(_BLOB.match(line) for line in rows[:-1]):
        return "base64"
    if "-" in text and ("|" in text or "+-" in text) and "--" in text and _RULE.search(text):
        return "table"
    return _prose_or_lines(text, rows)


def _is_diff(text: str) -> bool:
    if "\n" not in text:
        return _DIFF.match(text) is not None
    if not has_word(text, ("diff --git ", "@@ -", "+++ ")):
        return False
    return _DIFF.search(text) is not None


def _is_trace(text: str, rows: list[str]) -> bool:
    """Say whether a text is a stack trace, rather than a log that holds one."""
    if not _TRACE.match(text):
        faults = _FAULTS if "\n" in text else _FAULTS[:1]
        if not has_word(text, faults) or not _TRACE.search(text):
            return False
        if "Traceback" not in text and len(rows) <= 3:
            return False
    return sum(1 for line in rows if _TIME.match(line)) <= len(rows) / 3


def _prose_or_lines(text: str, rows: list[str]) -> str:
    count = len(rows)

    def share(test: Callable[[str], object]) -> float:
        return sum(1 for line in rows if test(line)) / count

    if share(_TIME.match) > 0.3 or (has_word(text, _LEVELS) and share(_LEVEL.search) > 0.5):
        return "log"
    paths = share(_PATH.match) if count > 2 else 0
    if paths > 0.7 or (count > 2 and share(_NUMBERED.match) > 0.8):
        return "listing"
    if text[0] in "{[" and text[-1] not in "}]":
        return "text"
    if share(_is_code) > 0.25:
        return "code"
    if has_any(text, _STOPS) and _SENTENCE.search(text):
        words = len(text.split(None, 8 * count))  # more are not asked for
        if words >= 8 * count or (words < 8 and len(text) > 60):
            return "prose"
    return "listing" if paths > 0.5 else "log"


def _is_code(line: str) -> bool:
    return line.rstrip(" \t\r")[-1:] in (";", "{") or _CODE.match(line) is not None
