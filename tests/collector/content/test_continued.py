"""Lists of messages are read from where the one before ended; nobody can tell by what comes out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.attributes import Attributes, Utf8
from collector.content import capture_of, messages
from collector.content.capture import MARK_LENGTH
from collector.content.continued import Continued
from collector.content.schema import Unusual
from collector.span import Span

TEXTS = [
    "hello", "", "Grüße, 世界 🤔", "__REDACTED__", 'he said "__REDACTED__', "<elided>", "****",
    "[Scrubbed due to 'password']", 'a [Scrubbed due to "x"] b', '[{"id": 1}, {"id": 2}]',
    '[{"type": "text", "text": "block"}]', '{"result": "inner"}', '{"isError": true}',
    "text ...[TRUNCATED: original length 9000]", '"quoted"', "content='x' tool_call_id='c'",
    "[1, 2", "\ud83e", '{"a": "\\ud83e"}', "line\nbreak\\", "redacted-by-litellm", "[INFO] done",
]  # fmt: skip
texts = st.sampled_from(TEXTS) | st.text(max_size=8)
plain = st.one_of(
    texts,
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.lists(texts, max_size=2),
    st.dictionaries(texts, texts | st.integers(), max_size=2),
)
ids = st.sampled_from(["call_1", "call_2", "", None, "__REDACTED__", 7])
parts = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["text", "reasoning"]), "content": texts}),
    st.fixed_dictionaries(
        {"type": st.just("tool_call"), "id": ids, "name": st.sampled_from(["f", "", None])},
        optional={"arguments": plain},
    ),
    st.fixed_dictionaries(
        {"type": st.just("tool_call_response"), "response": plain}, optional={"id": ids}
    ),
    st.sampled_from([{"type": "image", "uri": "x"}, {"text": "bare"}, {}, "prose", None]),
)
usual = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "tool", "system", "model", "Human", "x", ""]),
        "parts": st.lists(parts, max_size=3),
    },
    optional={"finish_reason": st.sampled_from(["stop", "", None]), "name": ids},
)
good_parts = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["text", "reasoning"]), "content": texts}),
    st.fixed_dictionaries({"type": st.just("tool_call"), "name": st.just("f"), "arguments": plain}),
    st.fixed_dictionaries(
        {"type": st.just("tool_call_response"), "response": plain, "id": st.just("call_1")}
    ),
)
good = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "tool"]),
        "parts": st.lists(good_parts, max_size=2),
    }
)
unusual = st.sampled_from(
    [{"role": "user", "content": "chat"}, {"type": "text", "text": "part"}, "prose", 1, None]
)
conversations = st.one_of(
    st.lists(usual | unusual, max_size=6), st.lists(usual, max_size=6), st.lists(good, max_size=6)
)


def sent(document):
    raw = document.encode("utf-8", "replace") if isinstance(document, str) else document
    return Utf8(b"key" + raw, 3)


@given(conversations, st.booleans())
def test_a_list_that_goes_on_gives_what_reading_all_of_it_gives(said, ascii_only):
    for number in range(1, len(said) + 1):
        text = json.dumps(said[:number], ensure_ascii=ascii_only)
        text = text.encode("utf-8", "replace").decode()
        value = sent(text)
        plainly = sent(text).text
        read = messages(value, thread="t")
        assert read == messages(sent(text)) == messages(plainly)
        assert value.length == len(plainly)
        assert captured(value) == captured(plainly)
        if "\\ud" not in plainly and len(plainly) > MARK_LENGTH:
            assert read == messages(json.loads(plainly))


def captured(value):
    span = Span(trace_id="0" * 32, span_id="0" * 16, attributes=Attributes(key=value))
    return capture_of(span, ["key"])


def conversation(size, text="word " * 20):
    said = [
        {"role": "user", "parts": [{"type": "text", "content": f"{at} {text}"}]}
        for at in range(size)
    ]
    return json.dumps(said)


def test_what_was_read_before_is_shared():
    continued = Continued()
    first = continued.read(sent(conversation(3)), "t")
    second = continued.read(sent(conversation(5)), "t")
    assert all(one is other for one, other in zip(first, second, strict=False))
    assert continued.read(sent(conversation(5)), "t") is second


@pytest.mark.parametrize(
    "end",
    ["", ",]", ", ]", "]]", "] ]", ",{}]", ',"x"]', "},{]", " ]", ',{"role": "user"}]', "]\n"],
)
def test_an_end_that_is_not_of_the_form_is_left_to_the_general_reader(end):
    Continued().read(sent(conversation(3)), "t")
    before = conversation(3)
    messages(sent(before), thread="ends")
    text = before[:-1] + end
    assert messages(sent(text), thread="ends") == messages(sent(text)) == messages(text)


def test_a_message_cut_in_a_character_is_left_to_the_general_reader():
    raw = conversation(2, "é" * 40).encode()[:-8]
    with pytest.raises(Unusual):
        Continued().read(sent(raw), "t")
    assert messages(sent(raw), thread="cut") == messages(sent(raw).text)


def test_what_is_kept_is_bounded():
    continued = Continued(most_bytes=20_000)
    for number in range(100):
        continued.read(sent(conversation(10, f"{number} " + "x" * 400)), f"thread {number % 40}")
        assert continued.size <= 20_000
    assert continued.size > 0
