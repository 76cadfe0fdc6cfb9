"""Compressed bodies, in one piece and in many, whole and not."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.errors import Permanent
from collector.otlp import inflate as module
from collector.otlp.inflate import inflate

BODY = b"tellback " * 1000


@pytest.fixture(params=[1, 7, 100_000])
def in_pieces(request, monkeypatch):
    """`inflate`, with the decoder given so many bytes at a time."""
    monkeypatch.setattr(module, "_PIECE_BYTES", request.param)
    return lambda data, limit=1 << 20: inflate(data, "gzip", limit)


def test_gzip(in_pieces):
    assert in_pieces(gzip.compress(BODY)) == BODY


def test_several_members_and_padding(in_pieces):
    data = gzip.compress(BODY) + gzip.compress(b"") + gzip.compress(b"more") + bytes(100)
    assert in_pieces(data) == BODY + b"more"


def test_deflate():
    assert inflate(zlib.compress(BODY), "deflate", 1 << 20) == BODY


def test_nothing_is_nothing():
    assert inflate(b"", "gzip", 10) == b""


@pytest.mark.parametrize("cut", [1, 5, 9, 20])
def test_a_cut_body_is_refused(in_pieces, cut):
    with pytest.raises(Permanent, match="too early"):
        in_pieces(gzip.compress(BODY)[:-cut])


@pytest.mark.parametrize("data", [b"not gzip at all", gzip.compress(BODY) + b"rubbish"])
def test_other_bytes_are_refused(data):
    with pytest.raises(Permanent) as error:
        inflate(data, "gzip", 1 << 20)
    assert error.value.reason == "malformed"


def test_a_wrong_checksum_is_refused():
    data = bytearray(gzip.compress(BODY))
    data[-8] ^= 1
    with pytest.raises(Permanent):
        inflate(bytes(data), "gzip", 1 << 20)


def test_the_bound_is_on_what_comes_out(in_pieces):
    data = gzip.compress(BODY)
    assert in_pieces(data, limit=len(BODY)) == BODY
    with pytest.raises(Permanent) as error:
        in_pieces(data, limit=len(BODY) - 1)
    assert error.value.reason == "too_large"


def test_the_bound_is_over_all_members():
    with pytest.raises(Permanent) as error:
        inflate(gzip.compress(BODY) * 3, "gzip", 2 * len(BODY))
    assert error.value.reason == "too_large"


def test_a_body_of_empty_members_is_refused():
    with pytest.raises(Permanent, match="members"):
        inflate(gzip.compress(b"") * 5000, "gzip", 1 << 20)


def _by_zlib(data, wbits):
    """What the standard library makes of the members of a body; None where it refuses one."""
    if not data:
        return b""
    out, decoder = b"", zlib.decompressobj(wbits)
    try:
        while data:
            out += decoder.decompress(data)
            data = decoder.unused_data.lstrip(b"\0")
            if data:
                decoder = zlib.decompressobj(wbits)
    except zlib.error:
        return None
    return out if decoder.eof else None


@given(
    st.lists(st.binary(max_size=300), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=3),
    st.integers(0, 20),
)
def test_what_is_damaged_is_refused_as_the_standard_library_refuses_it(parts, changes, cut):
    data = bytearray(b"".join(gzip.compress(part * 9) for part in parts))
    for place, byte in changes:
        data[place % len(data)] = byte
    damaged = bytes(data[: len(data) - cut])
    try:
        found = inflate(damaged, "gzip", 1 << 20)
    except Permanent:
        found = None
    assert found == _by_zlib(damaged, 31)
