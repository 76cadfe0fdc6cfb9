"""Request bodies that are cheap to make and never the same twice.

A workload's batch is built and searched once; every copy of it then has ids of its own written
over the old ones: trace, span, conversation, response and tool-call ids. A copy costs some 50 us,
so that the load generator is not what is measured.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from workloads import Workload

HEX_IDS = ("gen_ai.conversation.id", "gen_ai.response.id", "gen_ai.tool.call.id")
CALL = "call_"


class Template:
    """One batch, and where its ids are."""

    def __init__(self, batch: bytes) -> None:
        self._batch = batch
        binary: set[bytes] = set()
        written: set[bytes] = set()
        self._traces: list[bytes] = []
        self.spans = 0
        for span in _spans(batch):
            self.spans += 1
            if span.trace_id not in binary:
                self._traces.append(span.trace_id)
            binary |= {span.trace_id, span.span_id}
            for pair in span.attributes:
                if pair.key in HEX_IDS:
                    written.add(pair.value.string_value.removeprefix(CALL).encode())
        self._binary = [place for value in binary for place in _places(batch, value)]
        self._written = [place for value in written for place in _places(batch, value)]

    def content(self, serial: int) -> bytearray:
        """Return the batch with ids that no other serial has."""
        content = bytearray(self._batch)
        binary, written = _marks(serial)
        for place in self._binary:
            content[place : place + 4] = binary
        for place in self._written:
            content[place : place + 8] = written
        return content

    def trace_ids(self, serial: int) -> list[str]:
        """Return the traces of that content."""
        binary, _ = _marks(serial)
        return [(binary + trace[4:]).hex() for trace in self._traces]

    @property
    def traces(self) -> int:
        """How many they are."""
        return len(self._traces)


@dataclass(frozen=True)
class Body:
    """One request. Its content is made when it is sent, and not kept."""

    template: Template
    serial: int

    def content(self) -> bytearray:
        """Return the bytes to send."""
        return self.template.content(self.serial)

    def trace_ids(self) -> list[str]:
        """Return the traces it brings."""
        return self.template.trace_ids(self.serial)


class Bodies:
    """An endless supply, for several threads."""

    _serials = itertools.count(1)  # of the whole process: two supplies never collide

    def __init__(self, workload: Workload, *, templates: int = 4, seed: int = 1) -> None:
        self._templates = itertools.cycle(
            [Template(batch) for batch in workload.batches(templates, seed)]
        )
        self._lock = threading.Lock()

    def take(self) -> Body:
        """Return the next one."""
        with self._lock:
            template, serial = next(self._templates), next(self._serials)
        return Body(template, serial)


def _marks(serial: int) -> tuple[bytes, bytes]:
    """Return what begins the ids of a serial: as bytes, and in hexadecimal digits."""
    return serial.to_bytes(4, "big"), b"%08x" % serial


def _spans(batch: bytes) -> Iterator[object]:
    for group in ExportTraceServiceRequest.FromString(batch).resource_spans:
        for part in group.scope_spans:
            yield from part.spans


def _places(batch: bytes, value: bytes) -> Iterator[int]:
    place = batch.find(value)
    while place >= 0:
        yield place
        place = batch.find(value, place + len(value))
