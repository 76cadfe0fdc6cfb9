"""One request as it stands in a segment: a header with checksums, then the body as received."""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from isal.isal_zlib import crc32

from collector.otlp import Encoding, Signal

MAGIC: Final = b"TBJ1"
# Magic, body length, segment, sequence, checksum of the body, signal, encoding, receiver.
_FIELDS = struct.Struct("<4sIQQIBBBx")
_CHECK = struct.Struct("<I")
_PAGE = 4096  # of a disk: what is lost where a sector can't be read
HEADER_BYTES: Final = _FIELDS.size + _CHECK.size

# Their places are what a file holds: new ones go to the end.
_SIGNALS: tuple[Signal, ...] = ("traces", "logs")
_ENCODINGS: tuple[Encoding, ...] = ("protobuf", "json")
_RECEIVERS = ("otlp_grpc", "otlp_http")


@dataclass(frozen=True, slots=True)
class Frame:
    """A request that was accepted. Sequences grow from frame to frame, also across restarts."""

    sequence: int
    receiver: str
    signal: Signal
    encoding: Encoding
    body: bytes


@dataclass(frozen=True, slots=True)
class Gap:
    """Bytes of a segment that are no frame. `torn`: they stand at its end, as a crash leaves a
    request that nobody was told is safe; else acknowledged requests are lost."""

    at: int
    size: int
    torn: bool


@dataclass(frozen=True, slots=True)
class _Header:
    length: int
    segment: int
    sequence: int
    check: int
    kinds: tuple[int, int, int]


def header(segment: int, frame: Frame) -> bytes:
    """Return what stands before a frame's body. Raises ValueError for a receiver not known here."""
    fields = _FIELDS.pack(
        MAGIC,
        len(frame.body),
        segment,
        frame.sequence,
        crc32(frame.body),
        _SIGNALS.index(frame.signal),
        _ENCODINGS.index(frame.encoding),
        _RECEIVERS.index(frame.receiver),
    )
    return fields + _CHECK.pack(crc32(fields))


def frames(path: Path, segment: int) -> Iterator[Frame | Gap]:
    """Read a segment's frames in order, and what lies between them that is none.

    `segment` is the number in the file's name. Raises OSError where the file can't be read.
    """
    with path.open("rb", buffering=0) as file:
        # Not mapped: a sector that can't be read would end the process, at each start again.
        data, unreadable = _content(file)
    yield from _frames(data, segment, unreadable)


def _content(file: io.FileIO) -> tuple[bytes, int]:
    """Return what a file holds, with zeros for what can't be read of it, and where the last of
    that is (-1: everything could be read). Raises OSError where nothing can be."""
    try:
        return file.readall(), -1
    except OSError as error:
        size = os.fstat(file.fileno()).st_size
        pages: list[bytes] = []
        last = -1
        for at in range(0, size, _PAGE):
            try:
                page = os.pread(file.fileno(), _PAGE, at)
            except OSError:
                page, last = b"", at
            pages.append(page.ljust(min(_PAGE, size - at), b"\0"))
        if not any(map(any, pages)):
            raise error from None
        return b"".join(pages), last


def _frames(data: bytes, segment: int, unreadable: int) -> Iterator[Frame | Gap]:
    at = good = 0  # where to look, and where the last frame ended
    last = -1
    while at + HEADER_BYTES <= len(data):
        found = _header(data, at, segment)
        if found is None or found.sequence <= last:
            # Damaged, or the zeros of a file made longer than what it holds: what follows by
            # itself is still good. A body can't pass for a frame: it does not know the segment.
            at = data.find(MAGIC, at + 1)
            if at < 0:
                break
            continue
        frame = _frame(data, at, found)
        if frame is None:
            at += 1
            continue
        if good < at:
            yield Gap(good, at - good, torn=False)
        yield frame
        last = found.sequence
        at = good = at + HEADER_BYTES + found.length
    if unreadable >= good:
        yield Gap(good, len(data) - good, torn=False)
    elif good < len(data) and data[good:].strip(b"\0"):
        # A file that was closed ends with its last request; one that a crash left open ends with
        # the zeros of the room it had taken.
        yield Gap(good, len(data) - good, torn=data[-1] == 0)


def _header(data: bytes, at: int, segment: int) -> _Header | None:
    fields = data[at : at + _FIELDS.size]
    (check,) = _CHECK.unpack_from(data, at + _FIELDS.size)
    if fields[:4] != MAGIC or crc32(fields) != check:
        return None
    _, length, found, sequence, body, *kinds = _FIELDS.unpack(fields)
    return _Header(length, found, sequence, body, tuple(kinds)) if found == segment else None


def _frame(data: bytes, at: int, found: _Header) -> Frame | None:
    body = data[at + HEADER_BYTES : at + HEADER_BYTES + found.length]
    signal, encoding, receiver = found.kinds
    if len(body) < found.length or crc32(body) != found.check:
        return None
    try:
        return Frame(
            found.sequence, _RECEIVERS[receiver], _SIGNALS[signal], _ENCODINGS[encoding], body
        )
    except IndexError:  # written by a newer version
        return None
