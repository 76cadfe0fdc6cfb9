"""Where blocks of a text stand, and which of the text is still free to be matched."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

# Characters of a block.
ANCHOR = 8
# Blocks that may be indexed; bounds memory for 20 MB values.
MOST_BLOCKS = 65_536
# Places of one block that are tried; bounds the work on repetitive text.
MOST_PLACES = 8
# Texts up to here are indexed by short blocks; a long one has every short block by chance.
DENSE = 262_144


@dataclass(slots=True)
class Places:
    """Where each block of the produced text stands, and which of its text is still free. `tried`
    counts places that were compared."""

    size: int
    stride: int
    blocks: dict[str, list[int]]
    starts: list[int]
    ends: list[int]
    tried: int = 0

    def near(self, block: str, cursor: int) -> list[int]:
        """Return some places of a block, the next ones behind `cursor` first."""
        known = self.blocks[block]
        if len(known) <= MOST_PLACES:
            return known
        index = bisect_right(known, cursor - 1)
        return known[index : index + MOST_PLACES] or known[:MOST_PLACES]

    def free_at(self, place: int) -> tuple[int, int] | None:
        """Return the free range around a whole block at `place`, None where it is taken."""
        index = bisect_right(self.starts, place) - 1
        if index < 0 or self.ends[index] < place + self.size:
            return None
        return self.starts[index], self.ends[index]

    def take(self, start: int, end: int) -> None:
        """Mark a range inside one free range as used."""
        index = bisect_right(self.starts, start) - 1
        before, after = (self.starts[index], start), (end, self.ends[index])
        left = [pair for pair in (before, after) if pair[1] - pair[0] >= self.size]
        self.starts[index : index + 1] = [pair[0] for pair in left]
        self.ends[index : index + 1] = [pair[1] for pair in left]


def index(produced: str, free: list[tuple[int, int]]) -> Places:
    """Index blocks of the free text, closer together the less of it there is."""
    total = sum(end - start for start, end in free)
    size = ANCHOR if total <= DENSE else 2 * ANCHOR
    stride = max(size, total // MOST_BLOCKS)
    blocks: dict[str, list[int]] = {}
    for start, end in free:
        for place in range(start, end - size + 1, stride):
            blocks.setdefault(produced[place : place + size], []).append(place)
    return Places(
        size, min(stride, 4 * size), blocks, [start for start, _ in free], [end for _, end in free]
    )
