"""One tool result, written in every way that instrumentation has: the same text comes out."""

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from collector.content import messages, text, unwrap_tool_result
from collector.content.blocks import salvage_tool_result

ID = "call_1"
# There are over a hundred wrappers and encodings.
FEW = settings(max_examples=15, deadline=None)


def lc(content):
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "ToolMessage"],
        "kwargs": {"content": content, "type": "tool", "tool_call_id": ID, "status": "success"},
    }


def dumped(content):
    data = {"content": content, "type": "tool", "name": "search", "tool_call_id": ID}
    return {"type": "tool", "data": data}


# Objects that hold the text: JSON of them, their repr, and OTLP maps are all in use.
OBJECTS = {
    "constructor": lc,
    "dumped message": dumped,
    "dumped output": lambda t: {"output": dumped(t)},
    "constructor output": lambda t: {"output": lc(t)},
    "command": lambda t: {"graph": None, "update": {"messages": [dumped(t)]}, "goto": []},
    "handoff": lambda t: {
        "graph": "__parent__",
        "update": {"messages": [{"type": "human", "data": {"content": "hi"}}, dumped(t)]},
        "goto": "specialist",
    },
    "message": lambda t: {"role": "tool", "tool_call_id": ID, "content": t},
    "text block": lambda t: [{"type": "text", "text": t}],
    "message of blocks": lambda t: lc([{"type": "text", "text": t}]),
    "bedrock": lambda t: [{"toolResult": {"toolUseId": ID, "content": [{"text": t}]}}],
    "bedrock block": lambda t: [{"text": t}],
    "gemini": lambda t: {"functionResponse": {"name": "search", "response": {"result": t}}},
    "model context protocol": lambda t: {
        "content": [{"type": "text", "text": t}],
        "isError": False,
    },
    "vercel": lambda t: {"type": "text", "value": t},
    "envelope": lambda t: {"result": t},
}
# What a block of text holds is that text, whatever it looks like; these are opened again.
OUTER = {"constructor", "dumped message", "dumped output", "constructor output", "command",
         "message", "envelope"}  # fmt: skip
# Texts around the text.
WRITTEN = {
    "plain": lambda t: t,
    "quoted": json.dumps,
    "quoted, unescaped": lambda t: json.dumps(t, ensure_ascii=False),
    "quoted twice": lambda t: json.dumps(json.dumps(t)),
    "langchain repr": lambda t: f"content={t!r} name='search' tool_call_id='{ID}'",
    "langchain repr, bare": lambda t: f"content={t!r}",
    "pydantic repr": lambda t: f"ToolMessage(content={t!r}, name='search', tool_call_id='{ID}')",
    "dataclass repr": lambda t: f"ToolReturnPart(tool_name='search', content={t!r}, metadata=None)",
    "haystack repr": lambda t: (
        f"ToolCallResult(result={t!r}, origin=ToolCall(tool_name='search', arguments={{}}), "
        "error=False)"
    ),
    "llama repr": lambda t: (
        f"ToolOutput(blocks=[TextBlock(block_type='text', text={t!r})], tool_name='search', "
        "raw_input={}, raw_output=None, is_error=False)"
    ),
    "mcp repr": lambda t: (
        f"CallToolResult(meta=None, content=[TextContent(type='text', text={t!r}, "
        "annotations=None)], isError=False)"
    ),
    "mcp blocks repr": lambda t: f"[TextContent(type='text', text={t!r}, annotations=None)]",
}
ENCODINGS = {
    "map": lambda value: value,
    "json": json.dumps,
    "json, unescaped": lambda value: json.dumps(value, ensure_ascii=False),
    "json, indented": lambda value: json.dumps(value, indent=2),
    "json in json": lambda value: json.dumps(json.dumps(value)),
    "json in json in json": lambda value: json.dumps(json.dumps(json.dumps(value))),
    "repr": repr,
}


def says_nothing_else(value):
    """Whether a text is what it seems: not itself a wrapper, nor quoted."""
    return value != "" and value == unwrap_tool_result(value)[0] and value == text(value)


PROSE = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"])
    | st.sampled_from("\n\t'\"\\{}[]"),
    min_size=1,
    max_size=60,
)
RECORDS = st.dictionaries(
    st.text("abcdefgh_", min_size=1, max_size=6),
    st.integers() | PROSE | st.none() | st.booleans(),
    min_size=1,
    max_size=4,
).map(lambda value: json.dumps({"rows": value, "count": 2}, ensure_ascii=False))
RESULTS = (PROSE | RECORDS).filter(says_nothing_else)


@pytest.mark.parametrize("written", WRITTEN)
@FEW
@given(RESULTS)
@example('{"name": "Müller", "path": "C:\\\\new"}')
@example('it\'s "both" \\ and\nmore – 日本語 \U0001f600')
def test_every_spelling_of_a_text_is_the_same_text(written, result):
    assert unwrap_tool_result(WRITTEN[written](result))[0] == result


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("wrapper", OBJECTS)
@FEW
@given(result=RESULTS)
@example(result='{"name": "Müller", "path": "C:\\\\new"}')
@example(result='it\'s "both" \\ and\nmore – 日本語 \U0001f600')
def test_every_wrapper_of_a_text_holds_the_same_text(wrapper, encoding, result):
    if encoding == "repr" and wrapper in ("vercel", "bedrock block", "command", "handoff"):
        return  # nobody writes these that way
    assert unwrap_tool_result(ENCODINGS[encoding](OBJECTS[wrapper](result)))[0] == result


@FEW
@given(RESULTS, st.sampled_from(sorted(OUTER)), st.sampled_from(sorted(WRITTEN)))
def test_a_wrapper_of_a_wrapper_holds_the_same_text(result, outer, inner):
    assert unwrap_tool_result(json.dumps(OBJECTS[outer](WRITTEN[inner](result))))[0] == result


@pytest.mark.parametrize("wrapper", ["constructor", "dumped message", "constructor output"])
def test_the_call_id_is_found_in_the_wrapper(wrapper):
    for encode in ENCODINGS.values():
        assert unwrap_tool_result(encode(OBJECTS[wrapper]("found")))[1] == ID


def test_the_message_of_a_handoff_is_the_tools_own():
    value = OBJECTS["handoff"]("Successfully transferred to specialist")
    assert unwrap_tool_result(value) == ("Successfully transferred to specialist", ID)


CUT = {
    "constructor": lambda t: json.dumps(lc(t)),
    "dumped message": lambda t: json.dumps(dumped(t)),
    "constructor output": lambda t: json.dumps({"output": lc(t)}),
    "langchain repr": WRITTEN["langchain repr"],
    "pydantic repr": WRITTEN["pydantic repr"],
    "mcp repr": WRITTEN["mcp repr"],
    "mcp blocks repr": WRITTEN["mcp blocks repr"],
}


@pytest.mark.parametrize("wrapper", CUT)
@FEW
@given(RESULTS, st.data())
def test_of_a_dump_without_its_end_the_sound_part_is_kept(wrapper, result, data):
    whole = CUT[wrapper](result)
    assert salvage_tool_result(whole) is None  # nothing is missing
    pairs = enumerate(zip(CUT[wrapper]("a"), CUT[wrapper]("b"), strict=True))
    start = next(at for at, (one, other) in pairs if one != other)
    at = data.draw(st.integers(start, len(whole) - 1))
    kept = salvage_tool_result(whole[:at])
    if kept is not None:
        assert result.startswith(kept.rstrip("�"))


@pytest.mark.parametrize("wrapper", CUT)
def test_half_a_dump_still_says_half_of_its_text(wrapper):
    result = "The oldest open invoice is INV-2041, of 2021-01-04, as Müller's note says.\n" * 20
    whole = CUT[wrapper](result)
    kept = salvage_tool_result(whole[: len(whole) // 2])
    assert kept is not None
    assert 400 < len(kept) < len(result)
    assert result.startswith(kept)


@pytest.mark.parametrize(
    "value", ['{"rows": [1, 2', "ToolMessages are fine", "content is king", "[", ""]
)
def test_what_a_tool_gave_is_not_salvaged(value):
    assert salvage_tool_result(value) is None
    assert unwrap_tool_result(value)[0] == value


@pytest.mark.parametrize(
    "value",
    [
        "__import__('os').system('true')",
        "ToolMessage(content=__import__('os'))",
        "{'content': open('/etc/passwd').read(), 'tool_call_id': 'a'}",
        "content=exit() tool_call_id='a'",
    ],
)
def test_nothing_is_run(value):
    assert "root:" not in unwrap_tool_result(value)[0]
    assert messages(value) is not None


@pytest.mark.parametrize("depth", [10, 200, 5000])
def test_nesting_costs_no_stack(depth):
    for opening, closing in (("[", "]"), ('{"a":', "}"), ("(", ")"), ("{'content': ", "}")):
        value = opening * depth + "1" + closing * depth
        assert isinstance(unwrap_tool_result(value)[0], str)
        salvage_tool_result("content=" + opening * depth)
        salvage_tool_result("ToolMessage(content=" + opening * depth)


SAID = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": 'it\'s "due"?\n– Müller'},
    {"role": "assistant", "content": "INV-2003"},
]
REPRS = {
    "dicts": repr(SAID),
    "langchain": (
        "[SystemMessage(content='Be brief.', additional_kwargs={}, response_metadata={}), "
        f"HumanMessage(content={SAID[1]['content']!r}, id='1'), "
        "AIMessage(content='INV-2003', usage_metadata={'input_tokens': 3})]"
    ),
    "llama": "["
    + ", ".join(
        f"ChatMessage(role=<MessageRole.{one['role'].upper()}: '{one['role']}'>, "
        f"additional_kwargs={{}}, blocks=[TextBlock(block_type='text', text={one['content']!r})])"
        for one in SAID
    )
    + "]",
}


@pytest.mark.parametrize("written", REPRS)
def test_messages_of_a_repr_are_those_of_json(written):
    found = messages(REPRS[written])
    assert [(one.role, one.text) for one in found] == [(s["role"], s["content"]) for s in SAID]


@pytest.mark.parametrize("written", REPRS)
def test_of_a_repr_without_its_end_the_sound_messages_are_kept(written):
    at = REPRS[written].index("Müller") + 3
    first, half = messages(REPRS[written][:at])
    assert (first.role, first.text, first.parts[0].cut_by_capture) == ("system", "Be brief.", False)
    assert (half.role, half.parts[0].cut_by_capture) == ("user", True)
    assert SAID[1]["content"].startswith(half.text)


@pytest.mark.parametrize("value", ["[1, 'two']", "[note] it's late", "{'a': 1}", "[]", "['x"])
def test_a_repr_of_anything_else_is_what_somebody_wrote(value):
    found = messages(value)
    assert not found or [(one.role, one.text) for one in found] == [("user", value)]


@pytest.mark.parametrize(
    "value",
    [
        "content=[" + "a" * 2_000_000,
        "ToolMessage(content='" + "a\\" * 500_000,
        "[{'role': 'user', 'content': '" + "x, " * 500_000,
        "ToolMessage(a=" + " " * 1_000_000,
        "[TextContent(text='x'), " * 50_000,
    ],
    ids=lambda value: value[:12],
)
def test_long_halves_are_read_in_one_pass(value):
    started = time.monotonic()
    messages(value)
    unwrap_tool_result(value)
    salvage_tool_result(value)
    assert time.monotonic() - started < 10
