"""Compressed bodies, in one piece and in many, whole and not."""

import gzip
import zlib

import pytest

from collector.errors import Permanent
from collector.otlp.inflate import Inflater, inflate

BODY = b"tellback " * 1000


def in_pieces(data, size, limit=1 << 20, coding="gzip"):
    inflater = Inflater(coding, limit)
    out = b"".join(inflater.feed(data[i : i + size]) for i in range(0, len(data), size))
    inflater.finish()
    return out


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_gzip(size):
    assert in_pieces(gzip.compress(BODY), size) == BODY


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_several_members_and_padding(size):
    data = gzip.compress(BODY) + gzip.compress(b"") + gzip.compress(b"more") + bytes(100)
    assert in_pieces(data, size) == BODY + b"more"


def test_deflate():
    assert inflate(zlib.compress(BODY), "deflate", 1 << 20) == BODY


def test_nothing_is_nothing():
    assert inflate(b"", "gzip", 10) == b""


@pytest.mark.parametrize("size", [1, 100_000])
@pytest.mark.parametrize("cut", [1, 5, 9, 20])
def test_a_cut_body_is_refused(size, cut):
    with pytest.raises(Permanent, match="too early"):
        in_pieces(gzip.compress(BODY)[:-cut], size)


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


@pytest.mark.parametrize("size", [1, 100_000])
def test_the_bound_is_on_what_comes_out(size):
    data = gzip.compress(BODY)
    assert in_pieces(data, size, limit=len(BODY)) == BODY
    with pytest.raises(Permanent) as error:
        in_pieces(data, size, limit=len(BODY) - 1)
    assert error.value.reason == "too_large"


def test_the_bound_is_over_all_members():
    with pytest.raises(Permanent) as error:
        inflate(gzip.compress(BODY) * 3, "gzip", 2 * len(BODY))
    assert error.value.reason == "too_large"


def test_a_body_of_empty_members_is_refused():
    with pytest.raises(Permanent, match="members"):
        in_pieces(gzip.compress(b"") * 5000, 4096)
