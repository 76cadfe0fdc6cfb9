"""`Batch`: the records of one export request, and which of them were refused and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from collector.span import Record

Signal = Literal["traces", "logs"]
Encoding = Literal["protobuf", "json"]

# Records taken of one request; the SDKs send 512 at most. Decoded, a record takes many times the
# bytes it came in.
MOST_RECORDS = 200_000

# Senders log the message of a partial success; a thousand equal complaints help nobody.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Batch:
    """What one request held.

    `rejected` records were refused, by reason in `refused`; `message` names the first of them.
    `body` is the request as sent, inflated.
    """

    signal: Signal
    records: tuple[Record, ...]
    rejected: int
    message: str
    refused: Mapping[str, int]
    receiver: str = ""
    body: bytes = b""
    encoding: Encoding = "protobuf"


class Refusals:
    """Collects the records refused while one request is read."""

    def __init__(self) -> None:
        self.reasons: Counter[str] = Counter()
        self._messages: list[str] = []

    def add(self, reason: str, message: str, count: int = 1) -> None:
        """Refuse records. `message` says what was read and what was expected."""
        self.reasons[reason] += count
        if len(self._messages) < _NAMED:
            self._messages.append(message)

    def add_too_many(self, count: int) -> None:
        """Refuse records beyond `MOST_RECORDS`."""
        if count > 0:
            expected = f"expected at most {MOST_RECORDS} records in a request"
            self.add("too_many_records", expected, count)

    @property
    def total(self) -> int:
        """Records refused."""
        return self.reasons.total()

    @property
    def undecodable(self) -> bool:
        """Whether some record couldn't even be taken apart."""
        return self.reasons["malformed"] > 0

    @property
    def message(self) -> str:
        """The first complaints, in one line; empty when nothing was refused."""
        if not self._messages:
            return ""
        more = self.total - len(self._messages)
        return "; ".join(self._messages) + (f"; and {more} more" if more else "")
