"""`GET /api/turns`: stored turns, newest first, page by page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from collector import duration

DEFAULT = 100
MOST = 1000
# A page ends here even where more turns were asked for: a reply can be 20 MB.
MOST_BYTES = 16 * 2**20


class Turns(Protocol):
    """Where turns are read: the ledger."""

    def newest(
        self, *, since_ns: int | None = None, before: int | None = None, limit: int
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield turns from the last stored one back, each with its cursor for `before`."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request asks for. `before` is the `next` of the page before."""

    limit: int = DEFAULT
    since_ns: int | None = None
    before: int | None = None


def wanted(query: Mapping[str, str], *, now_ns: int) -> Wanted:
    """Read `limit`, `since` (7d, or a time such as 2026-01-31T00:00:00Z) and `before`.

    Raises ValueError with a sentence for what can't be read.
    """
    unknown = sorted(set(query) - {"limit", "since", "before"})
    if unknown:
        raise ValueError(f"expected limit, since or before, read {unknown[0][:40]!r}")
    since = query.get("since")
    return Wanted(
        limit=_number(query, "limit", DEFAULT, MOST) or DEFAULT,
        since_ns=None if since is None else _since(since, now_ns),
        before=_number(query, "before", None, 2**63 - 1),
    )


def page(turns: Turns, asked: Wanted) -> bytes:
    """Return `{"turns": [...], "next": cursor or null}` as JSON. Blocks: not for the event loop."""
    written: list[str] = []
    size, last, more = 0, None, False
    # One more than asked for tells whether there is a next page.
    found = turns.newest(since_ns=asked.since_ns, before=asked.before, limit=asked.limit + 1)
    for key, record in found:
        if len(written) == asked.limit or size > MOST_BYTES:
            more = True
            break
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        written.append(text)
        size += len(text)
        last = key
    cursor = json.dumps(last if more else None)
    return f'{{"turns":[{",".join(written)}],"next":{cursor}}}'.encode()


def _number(query: Mapping[str, str], name: str, default: int | None, most: int) -> int | None:
    text = query.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 1 <= int(text) <= most):
        raise ValueError(f"{name}: expected a number from 1 to {most}, read {text[:40]!r}")
    return int(text)


def _since(text: str, now_ns: int) -> int:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        try:
            ago = duration.parse(text)
        except ValueError:
            expected = f"{duration.EXPECTED}, or a time such as 2026-01-31T00:00:00Z"
            raise ValueError(f"since: expected {expected}, read {text[:40]!r}") from None
        return max(now_ns - int(min(ago, 1e10) * 1e9), 0)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1e9)
