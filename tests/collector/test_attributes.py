"""Attributes as protobuf brings them, and as whoever reads them sees them."""

import pytest
from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from collector.attributes import Attributes, Utf8, values_sent
from collector.otlp.pairs import LONG, read_attributes

# Where the length of a text, or of the pair around it, takes one byte more.
SIZES = [*range(4), *range(120, 136), LONG - 6, *range(LONG - 4, LONG + 2), *range(16_370, 16_400)]
SIZES += range(2**21 - 16, 2**21 + 4)


def pair(key, text):
    return KeyValue(key=key, value={"string_value": text}).SerializeToString()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", ["k", "", "gen_ai.input.messages", "k" * 127, "k" * 128])
def test_a_text_of_any_size_is_read(size, key):
    text = "x" * size
    attributes, unreadable, weight = read_attributes([pair(key, text)])
    assert (dict(attributes), unreadable) == ({key: text}, 0)
    assert weight == len(pair(key, text))


@pytest.mark.parametrize("size", [10, 200, LONG, 20_000])
@pytest.mark.parametrize("cut", [1, 2, 7])
def test_a_pair_that_ends_too_early_is_refused(size, cut):
    with pytest.raises(DecodeError):
        read_attributes([pair("key", "x" * size)[:-cut]])


@pytest.mark.parametrize("size", [10, 200, LONG, 20_000])
def test_what_stands_in_another_order_is_read_by_protobuf(size):
    key, value = pair("key", "")[:5], pair("", "x" * size)
    assert dict(read_attributes([value + key])[0]) == {"key": "x" * size}
    assert dict(read_attributes([key + value])[0]) == {"key": "x" * size}
    again = pair("other", "y" * size)  # fields that stand twice: the last one counts
    assert dict(read_attributes([key + value + again])[0]) == {"other": "y" * size}


@pytest.mark.parametrize("text", ["é" * 300, "[{", '[{"role": "user"}]', '{"a": "\\ud83e"}' * 60])
def test_texts_are_what_was_sent(text):
    once = read_attributes([pair("key", text)])[0]
    assert once["key"] == once.get("key") == text.replace("\\ud83e", "\\ufffd")


def test_of_equal_keys_the_last_one_counts():
    found = read_attributes([pair("key", "x" * 1000), pair("key", "short")])[0]
    assert dict(found) == {"key": "short"}


def test_many_different_pairs_are_all_read():
    pairs = [pair(f"key {number}", str(number)) for number in range(10_000)]
    assert dict(read_attributes(pairs)[0]) == {f"key {n}": str(n) for n in range(10_000)}


def test_every_way_of_reading_gives_text():
    attributes = Attributes(long=Utf8(b"--h\xc3\xa9", 2), number=1)
    plain = {"long": "hé", "number": 1}
    assert attributes == plain
    assert plain == attributes
    assert attributes != {"long": "h", "number": 1}
    ways = [dict(attributes), {**attributes}, attributes | {}, {} | attributes, attributes.copy()]
    assert ways == [plain] * 5
    assert list(attributes.values()) == ["hé", 1]
    assert list(attributes.items()) == list(plain.items())
    assert (attributes.get("none"), attributes.get("none", 2), "long" in attributes) == (
        None,
        2,
        True,
    )


def test_values_are_told_without_decoding():
    long = Utf8(b"--" + b"\xc3\xa9" * 10, 2)
    attributes = Attributes(long=long, short="abc", number=1)
    assert list(values_sent(attributes)) == [long, "abc", 1]
    assert list(values_sent({"plain": 1})) == [1]
    assert long.length == 10
