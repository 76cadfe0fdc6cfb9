"""Telemetry that is wrong in part: the turn is assembled from what is sound, the rest is counted.

Every case is written in the spelling of several dialects: the keys that libraries use, with values
that none of them should write and some do.
"""

import json
import time

import pytest

from collector.assembly.settings import TurnsConfig
from collector.ledger.record import turn_record
from collector.otlp.batch import Batch
from collector.pipeline import default_pipeline
from collector.span import Scope, Span

SECOND = 1_000_000_000
ASK = "Which invoice of ACME Corp is the oldest?"
REPLY = "INV-2003 is the oldest one."
ROWS = json.dumps({"invoices": [{"id": f"INV-{n}", "note": "Müller"} for n in range(40)]})
USER = {"role": "user", "text": ASK}


def asks(*calls):
    """An assistant's message with tool calls, each `(id, name, arguments)`."""
    return {"role": "assistant", "calls": calls}


def gives(call_id, text):
    return {"role": "tool", "id": call_id, "text": text}


def says(text):
    return {"role": "assistant", "text": text}


class GenAI:
    """The conventions of OpenTelemetry."""

    given = "gen_ai.input.messages"
    scope = "opentelemetry.util.genai"
    tokens = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")

    def part(self, said):
        if "calls" in said:
            return [
                {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}
                for call_id, name, arguments in said["calls"]
            ]
        if "id" in said:
            return [{"type": "tool_call_response", "id": said["id"], "response": said["text"]}]
        return [{"type": "text", "content": said["text"]}]

    def listed(self, said):
        return [{"role": one["role"], "parts": self.part(one)} for one in said]

    def model(self, given, made):
        return {
            "gen_ai.operation.name": "chat",
            self.given: json.dumps(self.listed(given)),
            "gen_ai.output.messages": json.dumps(self.listed([made])),
        }

    def tool(self, name, call_id, arguments, result):
        return {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": call_id,
            "gen_ai.tool.call.arguments": json.dumps(arguments),
            "gen_ai.tool.call.result": result,
        }


class Strands(GenAI):
    """The same keys, written by the tracer of Strands."""

    scope = "strands.telemetry.tracer"

    def tool(self, name, call_id, arguments, result):
        asked = self.listed([asks((call_id, name, arguments))])
        given = [gives(call_id, [{"text": result}])]
        return {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": call_id,
            self.given: json.dumps(asked),
            "gen_ai.output.messages": json.dumps(self.listed(given)),
        }


class Flat:
    """Messages spread over attributes."""

    tokens = ("llm.token_count.prompt", "llm.token_count.completion")

    def flat(self, prefix, said):
        found = {}
        for at, one in enumerate(said):
            start = f"{prefix}.{at}.{self.message}"
            found[f"{start}role"] = one["role"]
            if "text" in one:
                found[f"{start}content"] = one["text"]
            if "id" in one:
                found[f"{start}tool_call_id"] = one["id"]
            for number, (call_id, name, arguments) in enumerate(one.get("calls", ())):
                call = f"{start}tool_calls.{number}.{self.call}"
                found[f"{call}id"] = call_id
                found[f"{call}{self.function}name"] = name
                found[f"{call}{self.function}arguments"] = json.dumps(arguments)
        return found


class OpenInference(Flat):
    given = "llm.input_messages"
    scope = "openinference.instrumentation.openai"
    message, call, function = "message.", "tool_call.", "function."

    def model(self, given, made):
        return {
            "openinference.span.kind": "LLM",
            **self.flat(self.given, given),
            **self.flat("llm.output_messages", [made]),
        }

    def tool(self, name, call_id, arguments, result):
        return {
            "openinference.span.kind": "TOOL",
            "tool.name": name,
            "tool_call.id": call_id,
            "input.value": json.dumps(arguments),
            "output.value": result,
        }


class OpenLLMetry(Flat):
    given = "gen_ai.prompt"
    scope = "opentelemetry.instrumentation.openai.v1"
    message = call = function = ""
    tokens = ("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens")

    def model(self, given, made):
        return {
            "llm.request.type": "chat",
            **self.flat(self.given, given),
            **self.flat("gen_ai.completion", [made]),
        }

    def tool(self, name, call_id, arguments, result):
        return {
            "traceloop.span.kind": "tool",
            "traceloop.entity.name": name,
            "gen_ai.tool.call.id": call_id,
            "traceloop.entity.input": json.dumps({"args": [], "kwargs": arguments}),
            "traceloop.entity.output": json.dumps(result),
        }


SPELLINGS = [GenAI(), Strands(), OpenInference(), OpenLLMetry()]


@pytest.fixture(params=SPELLINGS, ids=lambda one: type(one).__name__)
def spelled(request):
    return request.param


class Counted:
    def __init__(self):
        self.reasons = {}

    def received(self, *counted):
        pass

    def dropped(self, reason, count):
        self.reasons[reason] = self.reasons.get(reason, 0) + count


def turns(spelled, *records):
    """Run the attributes of spans, in order and each after the one before, as one trace."""
    observer = Counted()
    pipeline = default_pipeline(TurnsConfig(), clock=lambda: 0.0, observer=observer)
    spans = [
        Span(
            trace_id="a" * 32,
            span_id=f"{at + 1:016x}",
            parent_id="f" * 16,
            name="span",
            start_ns=(at + 1) * SECOND,
            end_ns=(at + 1) * SECOND + SECOND // 2,
            attributes=attributes,
            scope=Scope(spelled.scope),
        )
        for at, attributes in enumerate(records)
    ]
    pipeline.consume(Batch("traces", tuple(spans), 0, "", {}))
    entries = [
        entry for closing in pipeline.due(final="quiet") for entry in pipeline.finish(closing)[1]
    ]
    return [turn_record(entry) for entry in entries], observer.reasons


def usual(spelled, call_id="c1", delivered=ROWS):
    """A turn with one tool call: what asked for it, the tool, and what answered."""
    asked = asks((call_id, "fetch", {"customer": "ACME"}))
    return (
        spelled.model([USER], asked),
        spelled.tool("fetch", call_id, {"customer": "ACME"}, ROWS),
        spelled.model([USER, asked, gives(call_id, delivered)], says(REPLY)),
    )


def test_what_is_sound_is_one_turn(spelled):
    [turn], counted = turns(spelled, *usual(spelled))
    assert (turn["request"], turn["reply"]) == (ASK, REPLY)
    [result] = turn["tool_results"]
    assert (result["state"], result["kept_characters"]) == ("intact", len(ROWS))
    assert not counted


@pytest.mark.parametrize("value", ["42", "true", '"', "{", '{"a": 1}', "[1, 2]", "[[[]]]", "null"])
def test_message_lists_that_are_none(spelled, value):
    first, tool, last = usual(spelled)
    wrong = {key: value for key in first if not key.startswith(spelled.given)}
    wrong |= {key: first[key] for key in wrong}
    wrong[spelled.given] = value
    found, _ = turns(spelled, wrong, tool, last)
    assert [turn["reply"] for turn in found if turn["reply"]] == [REPLY]
    assert not [
        r for turn in found for r in turn["tool_results"] if r["state"] in ("cut", "dropped")
    ]


def test_content_that_cannot_be_read_is_counted(spelled):
    first, tool, last = usual(spelled)
    first = {key: value for key, value in first.items() if not key.startswith(spelled.given)}
    key = "gen_ai.input.messages" if spelled.given == "gen_ai.prompt" else spelled.given
    [turn], counted = turns(spelled, first | {key: 42}, tool, last)
    assert counted == {"unreadable_content": 1}
    assert (turn["request"], turn["reply"]) == (ASK, REPLY)  # the later call has it all


@pytest.mark.parametrize("role", ["critic", "", "USER ", "ipython"])
def test_roles_never_heard_of(spelled, role):
    asked = asks(("c1", "fetch", {}))
    first, tool, last = (
        spelled.model([USER], asked),
        spelled.tool("fetch", "c1", {}, ROWS),
        spelled.model(
            [USER, asked, gives("c1", ROWS), {"role": role, "text": "Be careful."}], says(REPLY)
        ),
    )
    found, _ = turns(spelled, first, tool, last)
    assert found[-1]["reply"] == REPLY
    assert "Be careful." not in (found[0]["request"] or "")
    states = {r["state"] for turn in found for r in turn["tool_results"]}
    assert states <= {"intact", "unobservable"}


@pytest.mark.parametrize("call_id", ["", "fetch", " "])
def test_ids_that_name_nothing(spelled, call_id):
    [turn], _ = turns(spelled, *usual(spelled, call_id, ROWS[:300]))
    assert turn["reply"] == REPLY
    [result] = turn["tool_results"]
    assert (result["tool"], result["state"]) == ("fetch", "cut")
    assert result["kept_characters"] == 300


@pytest.mark.parametrize("call_id", ["c1", ""])
def test_an_id_that_is_used_again(spelled, call_id):
    other = json.dumps({"rates": ["EUR/USD 1.08"] * 20})
    one, two = asks((call_id, "fetch", {"a": 1})), asks((call_id, "rates", {"b": 2}))
    given = [USER, one, gives(call_id, ROWS), two, gives(call_id, other[:100])]
    [turn], _ = turns(
        spelled,
        spelled.model([USER], one),
        spelled.tool("fetch", call_id, {"a": 1}, ROWS),
        spelled.model(given[:3], two),
        spelled.tool("rates", call_id, {"b": 2}, other),
        spelled.model(given, says(REPLY)),
    )
    found = {result["tool"]: result["state"] for result in turn["tool_results"]}
    assert found == {"fetch": "intact", "rates": "cut"}


def test_a_result_for_a_call_never_made(spelled):
    first, tool, _ = usual(spelled)
    asked = asks(("c1", "fetch", {"customer": "ACME"}))
    given = [USER, asked, gives("c1", ROWS), gives("never", "a stranger's text")]
    [turn], _ = turns(spelled, first, tool, spelled.model(given, says(REPLY)))
    found = {result["state"]: result for result in turn["tool_results"]}
    assert found["intact"]["tool"] == "fetch"
    assert set(found) <= {"intact", "unobservable"}
    if "unobservable" in found:
        assert found["unobservable"]["reason"] == "no_tool_span"


def test_numbers_as_text_are_numbers_and_others_are_not_known(spelled):
    first, tool, last = usual(spelled)
    given, made = spelled.tokens
    [turn], _ = turns(
        spelled, first | {given: "70", made: "40"}, tool, last | {given: "many", made: "-3"}
    )
    assert turn["input_tokens"] in (70, None)
    assert turn["output_tokens"] in (40, None)
    assert (turn["request"], turn["reply"]) == (ASK, REPLY)


def test_keys_of_two_dialects_on_one_span(spelled):
    others = [one for one in SPELLINGS if type(one) not in (type(spelled), GenAI, Strands)]
    for other in others:
        both = [a | b for a, b in zip(usual(other), usual(spelled), strict=True)]
        [turn], counted = turns(spelled, *both)
        assert (turn["request"], turn["reply"]) == (ASK, REPLY)
        [result] = turn["tool_results"]
        assert (result["state"], result["kept_characters"]) == ("intact", len(ROWS))
        assert not counted


def test_ten_thousand_messages(spelled):
    past = [one for n in range(5000) for one in ({"role": "user", "text": f"{n}?"}, says(f"{n}."))]
    asked = asks(("c1", "fetch", {}))
    started = time.monotonic()
    [turn], _ = turns(
        spelled,
        spelled.model([*past, USER], asked),
        spelled.tool("fetch", "c1", {}, ROWS),
        spelled.model([*past, USER, asked, gives("c1", ROWS[:200])], says(REPLY)),
    )
    assert (turn["request"], turn["reply"]) == (ASK, REPLY)
    [result] = turn["tool_results"]
    assert (result["state"], result["kept_characters"]) == ("cut", 200)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"parts":', "{'a': ", "ChatMessage(a="])
def test_five_thousand_levels(spelled, opening):
    deep = opening * 5000 + "1" + {"[": "]", "C": ")"}.get(opening[0], "}") * 5000
    first, tool, _ = usual(spelled)
    asked = asks(("c1", "fetch", {"customer": "ACME"}))
    found, counted = turns(
        spelled,
        first | {"input.value": deep, "metadata": deep, "gen_ai.system_instructions": deep},
        tool,
        spelled.model([USER, asked, gives("c1", deep)], says(REPLY)) | {"output.value": deep},
    )
    assert "dialect_failed" not in counted
    assert found[-1]["reply"] == REPLY
    assert not set(counted) - {"unreadable_content"}
