"""The allocator and the garbage collector, told how this process uses memory."""

from __future__ import annotations

import ctypes
import gc
import sys

# Parameters of glibc's mallopt. Bodies of some megabytes come and go all the time: mapping each
# anew costs a page fault for each 4 KiB of it, a quarter of the time of taking one.
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -2, -3, -8
_KEPT = 32 << 20
# Memory freed by one thread should serve the others: there is one interpreter lock anyway.
_ARENAS = 2

# Young objects after which the collector looks for cycles. Telemetry makes hundreds of thousands
# of objects a second and no cycles; Python's default, 700, looks a thousand times a second.
_YOUNG = 50_000


def settle() -> None:
    """Adjust both, once everything is imported. Does nothing where there is no glibc."""
    gc.collect()
    gc.freeze()  # modules live as long as the process: no need to look at them again
    gc.set_threshold(_YOUNG, 20, 50)
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:  # musl
        return
    for parameter, value in (
        (_MMAP_THRESHOLD, _KEPT),
        (_TRIM_THRESHOLD, _KEPT),
        (_TOP_PAD, 1 << 20),
        (_ARENA_MAX, _ARENAS),
    ):
        mallopt(parameter, value)
