"""What the model was really sent is what the operations say was delivered.

`wire/NNN-request.json` in a golden case are the requests that the (scripted) model's API received
while the telemetry beside them was recorded: the ground truth of delivery.
"""

import json

import pytest
from golden_cases import CASES, operations

from collector.dialect import MessageEvent
from scorers.turn import Inference

WITH_WIRE = [case for case in CASES if (case / "wire").is_dir()]


def canonical(text):
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except ValueError:
        return text.strip()


def blocks(content):
    return "\n".join(block["text"] for block in content) if isinstance(content, list) else content


def chat_request(request):
    for item in [{"role": "system", "content": request.get("system")}, *request["messages"]]:
        role, content = item["role"], item.get("content")
        role = "system" if role == "developer" else role
        if role == "tool":
            yield "result", canonical(blocks(content))
            continue
        for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            if block["type"] == "text" and block["text"]:
                yield role, block["text"]
            elif block["type"] == "tool_use":
                yield "call", f"{block['name']} {canonical(json.dumps(block['input']))}"
            elif block["type"] == "tool_result":
                yield "result", canonical(blocks(block["content"]))
        for call in item.get("tool_calls") or ():
            function = call["function"]
            yield "call", f"{function['name']} {canonical(function['arguments'])}"


def gemini_request(request):
    yield "system", blocks(request["systemInstruction"]["parts"])
    for item in request["contents"]:
        for part in item["parts"]:
            if "text" in part:
                yield "user" if item["role"] == "user" else "assistant", part["text"]
            elif "functionCall" in part:
                call = part["functionCall"]
                yield "call", f"{call['name']} {canonical(json.dumps(call['args']))}"
            elif "functionResponse" in part:
                response = part["functionResponse"]["response"]
                result = response["result"]
                yield "result", canonical(result if result is not None else json.dumps(response))


def sent(case):
    for path in sorted((case / "wire").iterdir()):
        request = json.loads(path.read_text(encoding="utf-8"))["body"]
        read = gemini_request if "contents" in request else chat_request
        yield list(read(request))


def delivered(case):
    calls, events = {}, {}
    for operation in operations(case):
        if isinstance(operation, MessageEvent) and operation.side == "input":
            events.setdefault(operation.span_id, []).append(operation.message)
        elif isinstance(operation, Inference):
            known = calls.get(operation.span_id)
            calls[operation.span_id] = operation if known is None or not known.input else known
    seen = [
        (call.start_ns, call.input or events.get(span_id, ()))
        for span_id, call in calls.items()
        if call.parent_id not in calls  # LiteLLM's raw request is the same call once more
    ]
    for _, messages in sorted((start, said) for start, said in seen if said):
        yield list(flat(messages))


def flat(messages):
    for message in messages:
        for part in message.parts:
            if part.kind == "tool_call":
                yield "call", f"{part.name} {canonical(part.text)}"
            elif part.kind == "tool_result":
                yield "result", canonical(part.text)
            else:
                yield message.role, part.text


@pytest.mark.parametrize("case", WITH_WIRE, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_every_model_call_holds_what_the_model_was_sent(case):
    assert list(delivered(case)) == list(sent(case))
