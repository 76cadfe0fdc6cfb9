"""What a disk gives back of the journal → the requests that were written, and nothing else."""

import struct
import tempfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from collector.journal import Frame, Journal, JournalConfig
from collector.journal.aside import MOST_ATTEMPTS
from collector.journal.frame import HEADER_BYTES, MAGIC, Gap, frames, header
from collector.journal.segment import SUFFIX
from journaled import Counts

SEGMENT = 0x0123456789ABCDEF
FIRST = 1_796_050_000_000_000_000
# One piece of damage: what is done, where (of 65536 parts of the file), and two bytes for it.
DAMAGE = struct.Struct("<BHH")
DAMAGES = 40
REPLAYED = 8  # one file in so many is also read through a journal, which takes longer
# What tells which request is being read: its sequence, and how often the process died with it.
NOTE = struct.Struct("<QI")
BODIES = (b"", b"x", MAGIC, MAGIC * 20, b"\0" * 64, bytes(range(256)), b"\n\x10" * 700)
KINDS = [
    (s, e, r) for s in ("traces", "logs") for e in ("protobuf", "json") for r in ("otlp_http",)
]


class JournalReader:
    """An input is a segment's bytes where it begins as one; else it says which frames are written
    and how the file is damaged then: their number, a byte for each, and pieces of damage."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()

    def seeds(self):
        yield bytes([3, 1, 2, 5])
        yield bytes([7, *range(7), *range(DAMAGE.size * 4)])
        yield bytes([5, 9, 18, 3, 3, 3]) + DAMAGE.pack(0, 9000, 7) + DAMAGE.pack(3, 60000, 0)
        yield bytes([8, *range(8)]) + b"".join(DAMAGE.pack(k, 8000 * k, 77) for k in range(7))
        written, _ = segment(range(8))
        yield written
        yield written[:-20] + bytes(300)
        yield written[: HEADER_BYTES + 1]

    def mutated(self, data, random):
        """Frames put together anew, their checksums right, whatever their headers say."""
        if not data.startswith(MAGIC):
            return None
        found = [f for f in read(self._path(data), SEGMENT) if isinstance(f, Frame)]
        pieces = []
        for frame in found or [frame_of(0, 5)]:
            changed = frame
            if random.random() < 0.3:
                changed = replace(frame, sequence=random.choice((0, FIRST, 2**64 - 1)))
            if random.random() < 0.3:
                changed = replace(changed, body=random.choice(BODIES) + frame.body[:300])
            number = SEGMENT if random.random() < 0.9 else SEGMENT + 1
            piece = header(number, changed) + changed.body
            pieces.append(resealed(piece, random) if random.random() < 0.3 else piece)
        if random.random() < 0.3:
            random.shuffle(pieces)
        if random.random() < 0.3:
            pieces.insert(random.randrange(len(pieces)), random.choice((MAGIC, bytes(50), b"?")))
        return MAGIC[:0].join(pieces) if pieces[0].startswith(MAGIC) else None

    def check(self, data):
        if data.startswith(MAGIC):
            found = read(self._path(data), SEGMENT)
            covered(found, len(data))
            self._replay(data, [one for one in found if isinstance(one, Frame)])
            return
        count = data[0] % 9 if data else 0
        written, places = segment(data[1 : 1 + count])
        damaged, left = damage(written, places, data[1 + count :])
        found = [one for one in read(self._path(damaged), SEGMENT) if isinstance(one, Frame)]
        assert all(frame in found for frame in left), "a frame that stands there is not found"
        # Two pieces of damage may undo each other: then there are more than `left`.
        assert found == [place.frame for place in places if place.frame in found]
        self._replay(damaged, found)

    def _path(self, data):
        path = Path(self._folder.name) / "segment"
        path.write_bytes(data)
        return path

    def _replay(self, data, expected):
        """A journal gives the same frames, at every start until they are not needed any more."""
        if zlib.crc32(data) % REPLAYED:
            return
        with tempfile.TemporaryDirectory(dir=self._folder.name) as folder:
            path = Path(folder) / f"{FIRST:020d}-{SEGMENT:016x}{SUFFIX}"
            path.write_bytes(data)
            aside: list[Frame] = []
            for note in (data[-NOTE.size :], b""):
                (Path(folder) / "replaying").write_bytes(note)
                died_at, times = NOTE.unpack(note) if len(note) == NOTE.size else (0, 0)
                observer = Counts()
                journal = Journal(Path(folder), JournalConfig(fsync=False), observer)
                journal.open()
                replayed = list(journal.replay())
                journal.close()
                killed = [f for f in expected if times >= MOST_ATTEMPTS and f.sequence == died_at]
                aside = [f for f in expected if f in aside or f in killed]  # once and for all
                assert replayed == [frame for frame in expected if frame not in aside]
                assert observer.counts["set_aside"] == len(aside)
                assert path.exists()


@dataclass
class Place:
    """Where a frame stands in a file."""

    frame: Frame
    at: int
    end: int


def frame_of(number, chosen):
    signal, encoding, receiver = KINDS[chosen % len(KINDS)]
    body = BODIES[chosen % len(BODIES)]
    if chosen >= 200:  # a frame of another segment, as a sender who knows the format would send it
        body = header(SEGMENT + 1, frame_of(number, chosen - 200)) + body
    return Frame(FIRST + number, receiver, signal, encoding, body)


def segment(chosen):
    """Return a file of frames, and where they stand."""
    places, written = [], b""
    for number, byte in enumerate(chosen):
        frame = frame_of(number, byte)
        at = len(written)
        written += header(SEGMENT, frame) + frame.body
        places.append(Place(frame, at, len(written)))
    return written, places


def damage(written, places, script):
    """Return the file after some pieces of damage, and the frames that no piece touched."""
    data = bytearray(written)
    whole = [(place.frame, place.at, place.end) for place in places]
    size = min(len(script) // DAMAGE.size, DAMAGES) * DAMAGE.size
    for kind, where, value in DAMAGE.iter_unpack(script[:size]):
        at = where * len(data) >> 16
        end, new = piece(kind, at, len(data), value, data)
        data[at:end] = new
        grown = len(new) - (end - at)
        before = [(frame, first, last) for frame, first, last in whole if last <= at]
        behind = [(f, first + grown, last + grown) for f, first, last in whole if first >= end]
        whole = before + [found for found in behind if found[1] - grown >= at]
    return bytes(data), [frame for frame, _, _ in whole]


def piece(kind, at, size, value, data):
    """Return up to where one piece of damage reaches, and what stands there then."""
    block = min(at + value % 600, size)
    match kind % 6:
        case 0:  # some bits
            return min(at + 1, size), bytes(byte ^ (value & 255 or 1) for byte in data[at : at + 1])
        case 1:  # a block that reads as zeros
            return block, bytes(block - at)
        case 2:  # a file that ends early
            return size, b""
        case 3:  # zeros that were never written over
            return at, bytes(value % 5000)
        case 4:  # a block that is not there
            return block, b""
        case _:  # bytes that belong to something else
            return at, random_bytes(value)


def random_bytes(value):
    made = Random(value)
    return made.choice((made.randbytes(value % 300), MAGIC * (value % 30), bytes(value % 300)))


def resealed(piece, random):
    """Return a frame with some of its header changed and the header's checksum right again."""
    fields = bytearray(piece[: HEADER_BYTES - 4])
    fields[random.randrange(4, len(fields))] = random.choice((0, 1, 2, 255))
    return bytes(fields) + struct.pack("<I", zlib.crc32(fields)) + piece[HEADER_BYTES:]


def read(path, number):
    return list(frames(path, number))


def covered(found, size):
    """Frames and gaps lie side by side; only zeros at the end belong to neither."""
    at = 0
    last = -1
    for one in found:
        if isinstance(one, Gap):
            assert one.at == at
            at += one.size
        else:
            assert one.sequence > last
            last = one.sequence
            at += HEADER_BYTES + len(one.body)
    assert at <= size
