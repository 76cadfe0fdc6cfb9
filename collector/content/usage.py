"""Token counts of a call, in all spellings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scorers.turn import Usage

# The first that holds a count wins: current conventions, then older ones, then frameworks' own.
_INPUT = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "llm.usage.prompt_tokens",
    "ai.usage.inputTokens",
    "ai.usage.promptTokens",
    "input_tokens",
    "prompt_tokens",
)
_OUTPUT = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "llm.usage.completion_tokens",
    "ai.usage.outputTokens",
    "ai.usage.completionTokens",
    "output_tokens",
    "completion_tokens",
)
_CACHE_READ = (
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.details.cache_read_tokens",
    "llm.token_count.prompt_details.cache_read",
    "ai.usage.cachedInputTokens",
    "ai.usage.inputTokenDetails.cacheReadTokens",
    "cache_read_input_tokens",
    "cache_read_tokens",
)
_CACHE_WRITE = (
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens",
    "gen_ai.usage.cache_write_input_tokens",
    "gen_ai.usage.details.cache_write_tokens",
    "llm.token_count.prompt_details.cache_write",
    "ai.usage.inputTokenDetails.cacheWriteTokens",
    "cache_creation_input_tokens",
    "cache_creation_tokens",
)


_FIELDS = {
    "input_tokens": _INPUT,
    "output_tokens": _OUTPUT,
    "cache_read_tokens": _CACHE_READ,
    "cache_write_tokens": _CACHE_WRITE,
}
_FIELD_OF = {key: field for field, keys in _FIELDS.items() for key in keys}
_RANK = {key: rank for keys in _FIELDS.values() for rank, key in enumerate(keys)}


def usage_of(attributes: Mapping[str, Any]) -> Usage:
    """Return the token counts that the attributes state; None where one is missing or no count."""
    stated: dict[str, int] = {}
    found = [key for key in attributes if key in _RANK]
    found.sort(key=_RANK.__getitem__, reverse=True)  # the first that counts is written last
    for key in found:
        count = _count(attributes[key])
        if count is not None:
            stated[_FIELD_OF[key]] = count
    return Usage(**stated)


def _count(value: Any) -> int | None:
    if value.__class__ is int:
        return value if 0 <= value < 2**63 else None
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**63:
        value = int(value)
    return value if isinstance(value, int) and 0 <= value < 2**63 else None
