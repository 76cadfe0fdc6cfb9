"""The model APIs that the scripted model speaks: how each carries messages, calls and answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from live.openai_apis import ChatCompletions, Responses
from live.script import answer_to, pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

JSON = dict[str, Any]
Event = tuple[str | None, Any]  # the event's name, where the API gives it one, and its data


class Api(Protocol):
    """One model API: the answer to a request, the same as a stream, and the tokens it states."""

    def answer(self, path: str, body: JSON, number: int) -> JSON: ...

    def stream(self, answer: JSON, body: JSON) -> Iterator[Event]: ...

    def usage(self, answer: JSON) -> tuple[int, int]: ...


def api_of(path: str) -> Api | None:
    """Return the API whose path this is."""
    plain = path.partition("?")[0].rstrip("/")
    if plain.endswith("/chat/completions"):
        return ChatCompletions()
    if plain.endswith("/responses"):
        return Responses()
    if plain.endswith("/messages"):
        return Messages()
    if ":" in plain.rpartition("/")[2]:
        return GenerateContent()
    return None


def streams(path: str, body: JSON) -> bool:
    return bool(body.get("stream")) or ":stream" in path


@dataclass(frozen=True)
class Messages:
    """Anthropic: POST …/messages."""

    def answer(self, path: str, body: JSON, number: int) -> JSON:
        del path
        said = answer_to(body["messages"], [tool["name"] for tool in body.get("tools") or ()])
        content: list[JSON] = [] if said.text is None else [{"type": "text", "text": said.text}]
        content += [
            {
                "type": "tool_use",
                "id": f"toolu_{number:02}_{index}",
                "name": name,
                "input": arguments,
            }
            for index, (name, arguments) in enumerate(said.calls)
        ]
        return {
            "id": f"msg_{number:04}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": "tool_use" if said.calls else "end_turn",
            "stop_sequence": None,
            "usage": {
                "input_tokens": said.input_tokens,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": said.output_tokens,
            },
        }

    def stream(self, answer: JSON, body: JSON) -> Iterator[Event]:
        del body
        begun = {**answer, "content": [], "stop_reason": None}
        begun["usage"] = {**answer["usage"], "output_tokens": 1}
        events: list[JSON] = [{"type": "message_start", "message": begun}]
        for index, block in enumerate(answer["content"]):
            if block["type"] == "text":
                empty, whole, kind, key = {**block, "text": ""}, block["text"], "text_delta", "text"
            else:
                empty, whole = {**block, "input": {}}, json.dumps(block["input"])
                kind, key = "input_json_delta", "partial_json"
            events += [
                {"type": "content_block_start", "index": index, "content_block": empty},
                *(
                    {
                        "type": "content_block_delta",
                        "index": index,
                        "delta": {"type": kind, key: part},
                    }
                    for part in pieces(whole)
                ),
                {"type": "content_block_stop", "index": index},
            ]
        end = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
        spent = {"output_tokens": answer["usage"]["output_tokens"]}
        events += [{"type": "message_delta", "delta": end, "usage": spent}]
        events += [{"type": "message_stop"}]
        yield from ((event["type"], event) for event in events)

    def usage(self, answer: JSON) -> tuple[int, int]:
        return answer["usage"]["input_tokens"], answer["usage"]["output_tokens"]


@dataclass(frozen=True)
class GenerateContent:
    """Gemini: POST …/models/NAME:generateContent."""

    def answer(self, path: str, body: JSON, number: int) -> JSON:
        offered = [
            function["name"]
            for tool in body.get("tools") or ()
            for function in tool.get("functionDeclarations", ())
        ]
        said = answer_to(body["contents"], offered)
        parts: list[JSON] = [] if said.text is None else [{"text": said.text}]
        parts += [
            {"functionCall": {"name": name, "args": arguments, "id": f"gc-{number}-{index}"}}
            for index, (name, arguments) in enumerate(said.calls)
        ]
        return {
            "candidates": [
                {
                    "content": {"role": "model", "parts": parts},
                    "finishReason": "STOP",
                    "index": 0,
                }
            ],
            "usageMetadata": {
                "promptTokenCount": said.input_tokens,
                "candidatesTokenCount": said.output_tokens,
                "totalTokenCount": said.input_tokens + said.output_tokens,
            },
            "modelVersion": path.partition("/models/")[2].partition(":")[0],
            "responseId": f"gemini-{number:04}",
        }

    def stream(self, answer: JSON, body: JSON) -> Iterator[Event]:
        del body
        yield None, answer

    def usage(self, answer: JSON) -> tuple[int, int]:
        spent = answer["usageMetadata"]
        return spent["promptTokenCount"], spent["candidatesTokenCount"]
