"""Compressed bodies, inflated piece by piece under a bound."""

from __future__ import annotations

import zlib

from collector.errors import Permanent

# HTTP content codings and what zlib calls them: 16 + 15 gzip, 15 zlib ("deflate" in HTTP).
CODINGS = {"gzip": 31, "x-gzip": 31, "deflate": 15}

# A gzip body may be several members one after the other. Each costs at least 20 bytes and a new
# decoder, so that a body of nothing but empty members would burn seconds: no sender needs more.
_MEMBERS = 1000


class Inflater:
    """Inflates one body as its pieces arrive; never holds more than `limit` bytes of it."""

    def __init__(self, coding: str, limit: int) -> None:
        self._wbits = CODINGS[coding]
        self._limit = limit
        self._decoder = zlib.decompressobj(self._wbits)
        self._members = 1
        self._started = False
        self.size = 0

    def feed(self, data: bytes) -> bytes:
        """Return what `data` inflates to. Raises `Permanent`: `too_large` or `malformed`."""
        pieces = []
        while data:
            if self._decoder.eof:
                data = self._next_member(data)
                continue
            self._started = True
            try:
                piece = self._decoder.decompress(data, self._limit - self.size + 1)
            except zlib.error as error:
                raise Permanent(f"the compressed body can't be inflated: {error}") from None
            self.size += len(piece)
            if self.size > self._limit:
                raise Permanent(
                    f"the body inflates to more than {self._limit} bytes", reason="too_large"
                )
            pieces.append(piece)
            data = self._decoder.unused_data if self._decoder.eof else b""
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def finish(self) -> None:
        """Say that no more will come. Raises `Permanent` when the body was cut off."""
        if self._started and not self._decoder.eof:
            raise Permanent("the compressed body ends too early")

    def _next_member(self, data: bytes) -> bytes:
        data = data.lstrip(b"\0")  # padding, as tape and block writers leave it
        if not data:
            return data
        self._members += 1
        if self._members > _MEMBERS:
            raise Permanent(f"the compressed body has more than {_MEMBERS} members")
        self._decoder = zlib.decompressobj(self._wbits)
        self._started = False
        return data


def inflate(data: bytes, coding: str, limit: int) -> bytes:
    """Inflate a whole body. Raises as `Inflater` does."""
    inflater = Inflater(coding, limit)
    inflated = inflater.feed(data)
    inflater.finish()
    return inflated
