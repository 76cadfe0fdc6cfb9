"""How instrumentation cuts or hides content, row by row: unobservable with a reason, never a loss.

Every row is written in the shapes of two dialects or more, and beside a harness that cuts the
result, which must not be taken for the instrumentation, nor hide behind it.
"""

import json
from dataclasses import replace

import pytest
from agents import SHAPES, Run, Step, pairs, turns

from scorers.delivery.reasons import BY_NAME, reason_of

ROWS = [
    {"invoice_id": f"INV-{2000 + n}", "date": f"2026-0{1 + n % 9}-1{n % 10}", "amount": 117.5 * n,
     "memo": "session fee" if n == 3 else f"order {n * 37}"}
    for n in range(40)
]  # fmt: skip
PRODUCED = json.dumps({"customer_id": "C-1042", "invoices": ROWS, "note": "see the second page"})
CUT = PRODUCED[:1500]
SCRUBBED = "[Scrubbed due to 'session']"
LOSSES = ("cut", "dropped", "spilled", "lower_bound")
TWO = ("JsonList", "Flattened")
ALL = tuple(SHAPES)


def run(produced=PRODUCED, delivered=PRODUCED):
    """One tool with two sides as telemetry holds them, among others that are whole."""
    small = "ACME Corp, Munich"
    steps = [Step("lookup_customer", small, small), Step("fetch_invoices", produced, delivered)]
    return Run(steps, name=f"{len(produced or '')} {len(delivered or '')}")


def judged(shape, produced, delivered):
    found = pairs(SHAPES[shape](run(produced, delivered)).write())
    assert found["lookup_customer"]["state"] == "intact", "the other result is seen"
    return found["fetch_invoices"]


def field(text, mark, word="session fee"):
    """One field of a JSON text scrubbed, as Logfire does."""
    assert word in text
    return text.replace(word, mark)


ONE_SIDE = {
    "Logfire, a field of what was produced": (field(PRODUCED, SCRUBBED), PRODUCED),
    "Logfire, all that was produced": (SCRUBBED, PRODUCED),
    "Logfire, a field of what was delivered": (PRODUCED, field(PRODUCED, SCRUBBED)),
    "Logfire, all that was delivered": (PRODUCED, SCRUBBED),
    "OpenInference, produced": ("__REDACTED__", PRODUCED),
    "OpenInference, delivered": (PRODUCED, "__REDACTED__"),
    "Google ADK, produced": ("<elided>", PRODUCED),
    "Google ADK, delivered": (PRODUCED, "<elided>"),
    "Google ADK, not serializable": ("<not serializable>", PRODUCED),
    "LiteLLM, delivered": (PRODUCED, "redacted-by-litellm"),
    "Claude Code, produced": ("<REDACTED>", PRODUCED),
    "Codex, produced": ("[REDACTED]", PRODUCED),
    "Langfuse, a mask that failed": ("<fully masked due to failed mask function>", PRODUCED),
    "Langfuse, media": (
        field(PRODUCED, "@@@langfuseMedia:type=text/plain|id=x1|source=bytes@@@"), PRODUCED,
    ),
    "MLflow, an attachment": (PRODUCED, field(PRODUCED, "mlflow-attachment://a1b2?size=11")),
    "Collector, all that was produced": ("****", PRODUCED),
    "Collector, all that was delivered": (PRODUCED, "****"),
    "Collector, within what was produced": (field(PRODUCED, "****"), PRODUCED),
    "Collector, within what was delivered": (PRODUCED, field(PRODUCED, "****")),
}  # fmt: skip
REDACTED = {"redacted", "produced_redacted", "delivered_redacted", "content_off"}


@pytest.mark.parametrize("shape", ALL)
@pytest.mark.parametrize("row", ONE_SIDE)
def test_what_one_side_hides_is_unobservable(row, shape):
    pair = judged(shape, *ONE_SIDE[row])
    assert (pair["state"], pair["kept_characters"]) == ("unobservable", None), pair["reason"]
    assert reason_of(pair["reason"]).name in REDACTED


@pytest.mark.parametrize("shape", ALL)
@pytest.mark.parametrize(
    ("mark", "states"),
    [(SCRUBBED, ("lower_bound",)), ("****", ("cut", "lower_bound"))],
)
def test_a_cut_stays_visible_beside_a_field_that_only_one_side_hides(shape, mark, states):
    """The field stands before the cut, so that both sides show that it was masked on one."""
    pair = judged(shape, field(PRODUCED, mark), CUT)
    assert pair["state"] in states, pair["reason"]


@pytest.mark.parametrize("shape", ALL)
@pytest.mark.parametrize("mark", [SCRUBBED, "****", "__REDACTED__"])
def test_what_both_sides_hide_alike_is_compared(shape, mark):
    masked = field(PRODUCED, mark)
    assert judged(shape, masked, masked)["state"] == "intact"
    pair = judged(shape, masked, masked[:1500])
    assert (pair["state"], pair["kept_characters"]) == ("cut", 1500)


@pytest.mark.parametrize("shape", ALL)
def test_stars_of_the_tools_own_are_text(shape):
    produced = PRODUCED.replace("see the second page", "card **** 4242, see page 2")
    assert judged(shape, produced, produced)["state"] == "intact"
    assert judged(shape, produced, produced[:1500])["state"] == "cut"


PREVIEWS = {
    "Codex": "\n[... telemetry preview truncated ...]",
    "Gemini CLI": f"...[TRUNCATED: original length {len(PRODUCED)}]",
    "Claude Code": "[TRUNCATED - Content exceeds 60KB limit]",
}


@pytest.mark.parametrize("shape", ALL)
@pytest.mark.parametrize("library", PREVIEWS)
def test_a_preview_is_no_loss(library, shape):
    preview = PRODUCED[:2000] + PREVIEWS[library]
    for produced, delivered in ((preview, PRODUCED), (PRODUCED, preview), (preview, preview)):
        pair = judged(shape, produced, delivered)
        assert (pair["state"], pair["reason"]) == ("unobservable", "telemetry_preview")
    pair = judged(shape, preview, CUT)
    assert pair["state"] == "lower_bound"
    assert pair["reason"].startswith("telemetry_preview; 500 characters")


@pytest.mark.parametrize("shape", ALL)
def test_openlits_content_length_is_ambiguous_and_no_loss(shape):
    """`max_content_length` leaves `...`, which harnesses write too."""
    preview = PRODUCED[:2000] + "..."
    assert judged(shape, preview, PRODUCED)["state"] == "unobservable"
    assert judged(shape, PRODUCED, CUT + "...")["state"] == "cut"


@pytest.mark.parametrize("shape", ALL)
@pytest.mark.parametrize("nothing", ["", "{}", "[]", "null"])
def test_an_empty_produced_side_beside_a_long_text_is_not_recorded(nothing, shape):
    pair = judged(shape, nothing, PRODUCED)
    assert pair["state"] == "unobservable"
    assert reason_of(pair["reason"]).name in ("produced_empty", "not_recorded", "content_off")


RENDERED = {
    "escapes": json.dumps(json.loads(PRODUCED), ensure_ascii=True),
    "compact": json.dumps(json.loads(PRODUCED), separators=(",", ":")),
    "sorted": json.dumps(json.loads(PRODUCED), sort_keys=True),
    "indented": json.dumps(json.loads(PRODUCED), indent=2),
    "numbers": PRODUCED.replace("117.5", "117.50").replace("235.0", "235"),
    "encoded twice": json.dumps(PRODUCED),
}


@pytest.mark.parametrize("shape", ALL)
@pytest.mark.parametrize("form", RENDERED)
def test_another_rendering_is_no_loss(form, shape):
    assert judged(shape, PRODUCED, RENDERED[form])["state"] == "intact"


def without(records, *marks):
    """Records without the attributes and events that hold content."""
    found = []
    for record in records:
        kept = {k: v for k, v in record.attributes.items() if not any(m in k for m in marks)}
        found.append(replace(record, attributes=kept))
    return found


OFF = {
    "JsonList": ((".messages", "call.result", "call.arguments"), "content_off"),
    "Flattened": (("llm.input_messages", "llm.output_messages", ".value"), "content_off"),
    "Indexed": (("gen_ai.prompt", "gen_ai.completion", "entity.input", "entity.output"),
                "content_off"),
    "Vercel": ((".messages", "response.text", "toolCalls", "toolCall.args", "toolCall.result"),
               "content_off"),
}  # fmt: skip


@pytest.mark.parametrize("shape", OFF)
def test_content_that_is_off(shape):
    marks, reason = OFF[shape]
    found = turns(without(SHAPES[shape](run()).write(), *marks))
    told = [pair for turn in found for pair in turn["tool_results"]]
    assert told
    for pair in told:
        assert pair["state"] == "unobservable"
        assert pair["reason"] in (reason, "not_recorded")
    assert {turn["request_missing"] for turn in found} == {reason}
    assert {turn["reply_missing"] for turn in found} == {reason}


@pytest.mark.parametrize("mark", ["{}", "<not serializable>", "<elided>"])
def test_adk_writes_marks_in_place_of_content(mark):
    """ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=false leaves `{}`."""
    keys = ("llm_request", "llm_response", "tool_call_args", "tool_response")
    records = [
        replace(one, attributes={
            key: mark if key.endswith(keys) else value for key, value in one.attributes.items()
        })
        for one in SHAPES["GoogleAdk"](run()).write()
    ]  # fmt: skip
    [turn] = turns(records)
    assert (turn["request"], turn["reply"]) == (None, None)
    assert {turn["request_missing"], turn["reply_missing"]} <= {"content_off", "redacted"}
    for pair in turn["tool_results"]:
        assert (pair["state"], pair["kept_characters"]) == ("unobservable", None)
        assert pair["reason"] in ("content_off", "redacted")


def test_the_messages_alone_hidden():
    """OPENINFERENCE_HIDE_INPUTS, and recordInputs: false of the AI SDK."""
    for shape, marks in (("Flattened", ("llm.input_messages",)), ("JsonList", ("input.messages",))):
        found = pairs(without(SHAPES[shape](run(PRODUCED, CUT)).write(), *marks))
        assert found["fetch_invoices"]["state"] == "unobservable"
        assert found["fetch_invoices"]["reason"] == "content_off"


def test_uploaded_content():
    records = []
    for record in SHAPES["JsonList"](run()).write():
        kept = dict(record.attributes)
        for side in ("input", "output"):
            if kept.pop(f"gen_ai.{side}.messages", None) is not None:
                kept[f"gen_ai.{side}.messages_ref"] = f"s3://bucket/{record.span_id}/{side}.json"
        records.append(replace(record, attributes=kept))
    for pair in pairs(records).values():
        assert (pair["state"], pair["reason"]) == ("unobservable", "uploaded")
    [turn] = turns(records)
    assert (turn["request_missing"], turn["reply_missing"]) == ("uploaded", "uploaded")


def test_a_decorator_that_cuts_json():
    """Traceloop's SDK leaves invalid JSON at the length limit, on purpose."""
    key = "traceloop.entity.output"
    records = [
        replace(one, attributes={**one.attributes, key: one.attributes[key][:1024]})
        if key in one.attributes
        else one
        for one in SHAPES["Indexed"](run(PRODUCED, PRODUCED)).write()
    ]
    pair = pairs(records)["fetch_invoices"]
    assert pair["state"] == "unobservable"


def test_every_reason_is_in_the_table():
    for name in (*REDACTED, "telemetry_preview", "uploaded", "attribute_length_limit",
                 "attribute_count_limit", "produced_cut_by_capture"):  # fmt: skip
        assert name in BY_NAME
    assert reason_of("too_large_to_compare: texts").name == "too_large_to_compare"
    assert reason_of("no_tool_span; the harness states 9 lines removed").name == "no_tool_span"
    assert reason_of("whatever").name == "other"
