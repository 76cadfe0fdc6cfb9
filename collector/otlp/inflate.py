"""Compressed bodies, inflated under a bound."""

from __future__ import annotations

from isal import isal_zlib

from collector.errors import Permanent

# HTTP content codings and what zlib calls them: 16 + 15 gzip, 15 zlib ("deflate" in HTTP).
CODINGS = {"gzip": 31, "x-gzip": 31, "deflate": 15}

# A gzip body may be several members one after the other. Each costs at least 20 bytes and a new
# decoder, so that a body of nothing but empty members would burn seconds: no sender needs more.
_MEMBERS = 1000
# What is left behind the end of a member is copied, so that little is handed over at a time.
_PIECE_BYTES = 64 << 10


def inflate(body: bytes, coding: str, limit: int) -> bytes:
    """Return what a whole body inflates to, holding at most `limit` bytes of it.

    Raises `Permanent`: `too_large` or `malformed`.
    """
    wbits = CODINGS[coding]
    decoder = isal_zlib.decompressobj(wbits)
    members, size = 1, 0
    started = False
    pieces = []
    for start in range(0, len(body), _PIECE_BYTES):
        data = body[start : start + _PIECE_BYTES]
        while data:
            if decoder.eof:
                data = data.lstrip(b"\0")  # padding, as tape and block writers leave it
                if not data:
                    break
                members += 1
                if members > _MEMBERS:
                    raise Permanent(f"the compressed body has more than {_MEMBERS} members")
                decoder = isal_zlib.decompressobj(wbits)
            started = True
            try:
                piece = decoder.decompress(data, limit - size + 1)
            # Its type information takes the class for an instance.
            except isal_zlib.error as error:  # type: ignore[misc]
                raise Permanent(f"the compressed body can't be inflated: {error}") from None
            size += len(piece)
            if size > limit:
                raise Permanent(f"the body inflates to more than {limit} bytes", reason="too_large")
            pieces.append(piece)
            data = decoder.unused_data if decoder.eof else b""
    if started and not decoder.eof:
        raise Permanent("the compressed body ends too early")
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
