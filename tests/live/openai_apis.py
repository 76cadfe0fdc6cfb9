"""OpenAI's two APIs, as the scripted model speaks them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from live.script import answer_to, pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from live.script import Answer

JSON = dict[str, Any]
Event = tuple[str | None, Any]
CREATED = 1_796_056_069


@dataclass(frozen=True)
class ChatCompletions:
    """OpenAI: POST …/chat/completions."""

    def answer(self, path: str, body: JSON, number: int) -> JSON:
        del path
        offered = [tool["function"]["name"] for tool in body.get("tools") or ()]
        said = answer_to(body["messages"], offered)
        message: JSON = {"role": "assistant", "content": said.text, "refusal": None}
        if said.calls:
            message["tool_calls"] = [
                {
                    "id": f"call_{number:02}_{index}",
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(arguments)},
                }
                for index, (name, arguments) in enumerate(said.calls)
            ]
        finish = "tool_calls" if said.calls else "stop"
        return {
            "id": f"chatcmpl-{number:04}",
            "object": "chat.completion",
            "created": CREATED,
            "model": body["model"],
            "choices": [
                {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
            ],
            "usage": {
                "prompt_tokens": said.input_tokens,
                "completion_tokens": said.output_tokens,
                "total_tokens": said.input_tokens + said.output_tokens,
            },
        }

    def stream(self, answer: JSON, body: JSON) -> Iterator[Event]:
        [choice] = answer["choices"]
        message = choice["message"]
        deltas: list[JSON] = [{"role": "assistant", "content": "" if message["content"] else None}]
        deltas += [{"content": part} for part in pieces(message["content"])]
        for index, call in enumerate(message.get("tool_calls", ())):
            named = {"name": call["function"]["name"], "arguments": ""}
            deltas.append({"tool_calls": [{**call, "index": index, "function": named}]})
            deltas += [
                {"tool_calls": [{"index": index, "function": {"arguments": part}}]}
                for part in pieces(call["function"]["arguments"])
            ]
        whole = {**answer, "object": "chat.completion.chunk"}
        usage = whole.pop("usage")
        for delta in deltas:
            yield None, {**whole, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        last = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
        yield None, {**whole, "choices": [last]}
        if (body.get("stream_options") or {}).get("include_usage"):
            yield None, {**whole, "choices": [], "usage": usage}
        yield None, "[DONE]"

    def usage(self, answer: JSON) -> tuple[int, int]:
        return answer["usage"]["prompt_tokens"], answer["usage"]["completion_tokens"]


@dataclass(frozen=True)
class Responses:
    """OpenAI: POST …/responses."""

    def answer(self, path: str, body: JSON, number: int) -> JSON:
        del path
        offered = [tool["name"] for tool in body.get("tools") or () if "name" in tool]
        said = answer_to(body["input"], offered)
        return {
            "id": f"resp_{number:04}",
            "object": "response",
            "created_at": CREATED,
            "status": "completed",
            "error": None,
            "incomplete_details": None,
            "instructions": body.get("instructions"),
            "max_output_tokens": None,
            "model": body["model"],
            "output": list(self._items(said, number)),
            "parallel_tool_calls": True,
            "previous_response_id": None,
            "reasoning": {"effort": None, "summary": None},
            "store": True,
            "temperature": 1.0,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": body.get("tools") or [],
            "top_p": 1.0,
            "truncation": "disabled",
            "usage": {
                "input_tokens": said.input_tokens,
                "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                "output_tokens": said.output_tokens,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": said.input_tokens + said.output_tokens,
            },
            "user": None,
            "metadata": {},
        }

    def _items(self, said: Answer, number: int) -> Iterator[JSON]:
        if said.text is not None:
            text = {"type": "output_text", "text": said.text, "annotations": [], "logprobs": []}
            yield {
                "type": "message",
                "id": f"msg_{number:04}",
                "role": "assistant",
                "status": "completed",
                "content": [text],
            }
        for index, (name, arguments) in enumerate(said.calls):
            yield {
                "type": "function_call",
                "id": f"fc_{number:02}_{index}",
                "call_id": f"call_{number:02}_{index}",
                "name": name,
                "arguments": json.dumps(arguments),
                "status": "completed",
            }

    def stream(self, answer: JSON, body: JSON) -> Iterator[Event]:
        del body
        begun = {**answer, "status": "in_progress", "output": [], "usage": None}
        events: list[JSON] = [
            {"type": "response.created", "response": begun},
            {"type": "response.in_progress", "response": begun},
        ]
        for index, item in enumerate(answer["output"]):
            events += _item_events(index, item)
        events.append({"type": "response.completed", "response": answer})
        for number, event in enumerate(events):
            yield event["type"], {**event, "sequence_number": number}

    def usage(self, answer: JSON) -> tuple[int, int]:
        return answer["usage"]["input_tokens"], answer["usage"]["output_tokens"]


def _item_events(index: int, item: JSON) -> list[JSON]:
    where = {"output_index": index, "item_id": item["id"]}
    added, done = {"type": "response.output_item.added"}, {"type": "response.output_item.done"}
    ends = {**done, "output_index": index, "item": item}
    if item["type"] == "function_call":
        kind = "response.function_call_arguments"
        begun = {**item, "arguments": "", "status": "in_progress"}
        return [
            {**added, "output_index": index, "item": begun},
            *({"type": f"{kind}.delta", **where, "delta": p} for p in pieces(item["arguments"])),
            {"type": f"{kind}.done", **where, "arguments": item["arguments"]},
            ends,
        ]
    [part] = item["content"]
    where["content_index"] = 0
    kind = "response.output_text"
    begun = {**item, "content": [], "status": "in_progress"}
    return [
        {**added, "output_index": index, "item": begun},
        {"type": "response.content_part.added", **where, "part": {**part, "text": ""}},
        *(
            {"type": f"{kind}.delta", **where, "delta": piece, "logprobs": []}
            for piece in pieces(part["text"])
        ),
        {"type": f"{kind}.done", **where, "text": part["text"], "logprobs": []},
        {"type": "response.content_part.done", **where, "part": part},
        ends,
    ]
