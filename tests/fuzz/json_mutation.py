"""Changes to JSON values and to texts, as careless or hostile senders make them."""

import json
from random import Random
from typing import Any

DEEPEST = 200
# What readers of messages, results and attributes look for, whole or torn.
FRAGMENTS = (
    *("", " ", "\0", "\ud83e", "\u202e", "é", "𝔘", "null", "{}", "[]", "[" * 3000, '{"a":' * 3000),
    *("</think>", "<think>", "<system-reminder>", "[truncated]", "… 900 characters omitted …"),
    *("data:image/png;base64,AAAA", "1e999", "-0", "NaN", "9" * 400, "\\", "\\u00", '"', "'"),
    *("{'role': 'user'}", "Message(role='user', content=[", "\n\n```json\n", "a,b\n1,2\n", "\r"),
    *("x" * 5000, "word " * 1500, "(" * 2000, "- " * 2000, "<a>" * 1000, '{"a": 1}\n' * 300),
)
ROLES = ("user", "assistant", "tool", "system", "developer", "model", "function", "", "USER")
KINDS = ("text", "tool_call", "tool_call_response", "tool_use", "tool_result", "reasoning", "image")
SCALARS = (None, True, False, 0, -1, 2**31, 2**63, -(2**63), 10**39, 0.5, 1e308, [], {}, "")


def mutated_text(text: str, random: Random) -> str:
    """Return a changed text; where it is JSON, mostly JSON that says something else."""
    if random.random() < 0.7:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            for _ in range(random.randint(1, 3)):
                value = mutated(value, random)
            return json.dumps(value, ensure_ascii=random.random() < 0.5)
    at, to = sorted(random.randint(0, len(text)) for _ in range(2))
    middle = random.choice(
        ("", text[at:to] * 2, text[at:to][::-1], *random.sample(FRAGMENTS, 3), json.dumps(text))
    )
    return text[:at] + middle + text[to:]


def mutated(value: Any, random: Random, depth: int = 0) -> Any:
    """Return a JSON value with one thing changed somewhere in it."""
    inner = isinstance(value, dict | list) and bool(value) and depth < DEEPEST
    if inner and random.random() < 0.85:
        return _inside(value, random, depth)
    if isinstance(value, str) and random.random() < 0.5:
        return mutated_text(value, random)
    return random.choice(
        (
            random.choice(SCALARS),
            random.choice(FRAGMENTS),
            random.choice(ROLES),
            random.choice(KINDS),
            [value],
            [value, value],
            {"type": random.choice(KINDS), "content": value},
            {"role": random.choice(ROLES), "parts": [value]},
            json.dumps(value),
            _nested(value, random.choice((3, 30, DEEPEST))),
        )
    )


def _inside(value: Any, random: Random, depth: int) -> Any:
    if isinstance(value, list):
        changed = list(value)
        at = random.randrange(len(changed))
        match random.randrange(6):
            case 0:
                del changed[at]
            case 1:
                changed.insert(random.randint(0, len(changed)), changed[at])
            case 2:
                random.shuffle(changed)
            case _:
                changed[at] = mutated(changed[at], random, depth + 1)
        return changed
    changed = dict(value)
    key, other = random.choice(list(changed)), random.choice(list(changed))
    match random.randrange(8):
        case 0:
            del changed[key]
        case 1:
            changed[other] = changed[key]
        case 2:
            changed[mutated_text(key, random)] = changed.pop(key)
        case _:
            changed[key] = mutated(changed[key], random, depth + 1)
    return changed


def _nested(value: Any, times: int) -> Any:
    for _ in range(times):
        value = {"content": [value]}
    return value
