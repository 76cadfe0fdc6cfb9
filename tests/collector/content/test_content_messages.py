import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.content import messages, tool_names
from scorers.turn import Message, Part

ASKED = Message("user", (Part("text", "How many?"),))
CALLED = Message("assistant", (Part("tool_call", '{"q": 1}', id="c1", name="count"),))
ANSWERED = Message("tool", (Part("tool_result", "31", id="c1"),))
SAID = Message("assistant", (Part("text", "31."),))


def canonical(said):
    """Names and finish reasons differ by dialect, and so do the blanks in re-encoded arguments."""
    return [
        (m.role, [(p.kind, p.text.replace('":1', '": 1'), p.id) for p in m.parts]) for m in said
    ]


GEN_AI = [
    {"role": "user", "parts": [{"type": "text", "content": "How many?"}]},
    {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c1", "name": "count", "arguments": {"q": 1}}],
    },
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "31"}]},
    {"role": "assistant", "parts": [{"type": "text", "content": "31."}], "finish_reason": "stop"},
]
PYDANTIC = [
    *GEN_AI[:2],
    {"role": "user", "parts": [{"type": "tool_call_response", "id": "c1", "result": "31"}]},
    GEN_AI[3],
]
OPENAI = [
    {"role": "user", "content": "How many?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "count", "arguments": '{"q": 1}'}}
        ],
    },
    {"role": "unknown", "content": "31", "tool_call_id": "c1"},
    {"role": "assistant", "content": [{"type": "text", "text": "31."}]},
]
ANTHROPIC = [
    {"role": "user", "content": "How many?"},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "c1", "name": "count", "input": {"q": 1}}],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "31"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "31."}]},
]
BEDROCK = [
    {"role": "user", "content": [{"text": "How many?"}]},
    {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": "c1", "name": "count", "input": {"q": 1}}}],
    },
    {
        "role": "user",
        "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "31"}]}}],
    },
    {"role": "assistant", "content": [{"text": "31."}]},
]
GEMINI = {
    "contents": [
        {"role": "user", "parts": [{"text": "How many?"}]},
        {
            "role": "model",
            "parts": [{"functionCall": {"id": "c1", "name": "count", "args": {"q": 1}}}],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "c1", "name": "count", "response": {"result": "31"}}}
            ],
        },
        {"role": "model", "parts": [{"text": "31."}]},
    ]
}
RESPONSES = [
    {"role": "user", "content": [{"type": "input_text", "text": "How many?"}]},
    {
        "type": "function_call",
        "id": "fc_9",
        "call_id": "c1",
        "name": "count",
        "arguments": '{"q": 1}',
    },
    {"type": "function_call_output", "call_id": "c1", "output": "31"},
    {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "31.", "annotations": []}],
    },
]
LANGCHAIN = {
    "messages": [
        [
            {"lc": 1, "type": "constructor", "kwargs": {"content": "How many?", "type": "human"}},
            {
                "lc": 1,
                "type": "constructor",
                "kwargs": {
                    "content": "",
                    "type": "ai",
                    "tool_calls": [{"name": "count", "args": {"q": 1}, "id": "c1"}],
                },
            },
            {
                "lc": 1,
                "type": "constructor",
                "kwargs": {"content": "31", "type": "tool", "tool_call_id": "c1"},
            },
            {"type": "ai", "content": "31."},
        ]
    ]
}
VERCEL = [
    {"role": "user", "content": [{"type": "text", "text": "How many?"}]},
    {
        "role": "assistant",
        "content": [
            {"type": "tool-call", "toolCallId": "c1", "toolName": "count", "input": {"q": 1}}
        ],
    },
    {
        "role": "tool",
        "content": [
            {
                "type": "tool-result",
                "toolCallId": "c1",
                "toolName": "count",
                "output": {"type": "text", "value": "31"},
            }
        ],
    },
    {"role": "assistant", "content": "31."},
]


@pytest.mark.parametrize(
    "shape", [GEN_AI, PYDANTIC, OPENAI, ANTHROPIC, BEDROCK, GEMINI, RESPONSES, LANGCHAIN, VERCEL]
)
@pytest.mark.parametrize(
    "encode", [lambda value: value, json.dumps, lambda v: json.dumps(json.dumps(v))]
)
def test_the_same_conversation_in_every_shape(shape, encode):
    read = messages(encode(shape))
    assert canonical(read) == canonical([ASKED, CALLED, ANSWERED, SAID])


def test_tool_results_and_the_users_words_are_parted():
    both = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "31"},
            {"type": "text", "text": "And crates?"},
        ],
    }
    assert messages([both]) == (ANSWERED, Message("user", (Part("text", "And crates?"),)))


def test_a_tool_message_without_an_id_is_a_result_without_one():
    # OpenLIT: role tool, one part of type text.
    read = messages([{"role": "tool", "parts": [{"type": "text", "content": "31"}]}])
    assert read == (Message("tool", (Part("tool_result", "31"),)),)


def test_reasoning_is_never_text():
    read = messages(
        [
            {"role": "assistant", "parts": [{"type": "reasoning", "content": "hm"}]},
            {"role": "assistant", "content": "Yes.", "reasoning_content": "hm"},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]},
            {"role": "model", "parts": [{"text": "hm", "thought": True}]},
            {"role": "assistant", "content": "hm</think>Yes."},
        ]
    )
    assert [message.text for message in read] == ["", "Yes.", "", "", "hm</think>Yes."]
    assert [len(message.of_kind("reasoning")) for message in read] == [1, 1, 1, 1, 0]


def test_files_are_parts_of_their_own():
    read = messages(
        [
            {
                "role": "user",
                "parts": [
                    {"type": "text", "content": "See:"},
                    {
                        "type": "blob",
                        "mime_type": "image/png",
                        "content": "iVBO",
                        "modality": "image",
                    },
                    {"type": "uri", "uri": "https://x.example/a.pdf"},
                ],
            }
        ]
    )
    assert [(part.kind, part.text) for part in read[0].parts] == [
        ("text", "See:"),
        ("file", ""),
        ("file", ""),
    ]
    assert read[0].text == "See:"


def test_a_list_of_parts_or_a_text_is_one_message_of_the_given_role():
    system = (Message("system", (Part("text", "Be brief."),)),)
    assert messages([{"type": "text", "content": "Be brief."}], role="system") == system
    assert messages("Be brief.", role="system") == system
    assert messages("[note] be brief")[0].text == "[note] be brief"


@pytest.mark.parametrize("nothing", [None, "", "__REDACTED__", 7, True, '{"role":', b"x"])
def test_what_holds_no_messages_is_none(nothing):
    assert messages(nothing) is None


def test_an_empty_list_is_no_message_and_empty_parts_are_an_empty_message():
    assert messages("[]") == ()
    assert messages([{"role": "user", "parts": []}]) == (Message("user"),)


def test_nan_in_arguments_does_not_hide_the_conversation():
    raw = json.dumps([{"role": "user", "content": "x"}, {"role": "assistant", "v": float("nan")}])
    assert messages(raw)[0].text == "x"


@given(st.integers(0, len(json.dumps(GEN_AI))))
def test_of_a_list_that_is_cut_off_what_was_complete_is_kept(length):
    raw = json.dumps(GEN_AI)
    whole, cut = messages(raw), messages(raw[:length])
    for at, message in enumerate(cut or ()):
        flagged = any(part.cut_by_capture for part in message.parts)
        if message == whole[at]:
            continue
        assert at == len(cut) - 1, "only the last message can be partial"
        assert flagged or not message.parts or length == len(raw) - 1 or not message.finish_reason
        assert whole[at].text.startswith(message.text)


def test_the_partial_message_of_a_cut_list_is_flagged():
    raw = json.dumps(OPENAI)
    cut = messages(raw[: raw.index("How many?") + 5])
    assert cut == (Message("user", (Part("text", "How m", cut_by_capture=True),)),)


def test_who_speaks_in_a_partial_message_is_not_guessed():
    raw = '[{"content": "Be brief.", "role": "system"}, {"content": "12 open inv'
    assert [message.role for message in messages(raw)] == ["system"]


def test_a_mark_of_redaction_in_a_part_is_seen():
    read = messages([{"role": "user", "content": "__REDACTED__"}])
    assert read[0].parts[0].cut_by_capture


def test_names_of_offered_tools():
    gen_ai = [{"type": "function", "name": "a"}, {"name": "b", "parameters": {}}]
    openai = [{"type": "function", "function": {"name": "a"}}, json.dumps({"name": "b"})]
    assert tool_names(json.dumps(gen_ai)) == tool_names(openai) == ("a", "b")
    assert tool_names("[]") == ()
    assert tool_names(None) is None
    assert tool_names("a, b") is None
