"""The billing agent, whatever library it is instrumented with: its tools, its talk, its harness.

It needs the standard library only: every driver imports it in an environment of its own. The
harness cuts the text of `fetch_invoices` to its first 1,500 characters, between the tool and the
model, wherever the framework lets it.
"""

import json
import os
from pathlib import Path

BILLING = json.loads((Path(__file__).parent / "billing.json").read_text(encoding="utf-8"))
SYSTEM, REQUEST, FOLLOW_UP = BILLING["system"], BILLING["request"], BILLING["follow_up"]
SESSION, LIMIT = BILLING["session"], BILLING["limit"]
MODEL, MODEL_URL = "lab-model-1", os.environ["MODEL_URL"]
OPENAI = {"base_url": f"{MODEL_URL}/v1", "api_key": "none"}
CUT = "fetch_invoices"


def lookup_customer(name: str) -> str:
    """Look up a customer by name.

    Args:
        name: The customer's name.
    """
    del name
    return BILLING["tools"]["lookup_customer"]["result"]


def fetch_invoices(customer_id: str) -> str:
    """Fetch all invoices of a customer as JSON.

    Args:
        customer_id: The customer's id.
    """
    del customer_id
    return BILLING["tools"]["fetch_invoices"]["result"]


def get_exchange_rate(base: str, quote: str) -> str:
    """Get the exchange rate between two currencies.

    Args:
        base: The currency to convert from.
        quote: The currency to convert to.
    """
    del base, quote
    return BILLING["tools"]["get_exchange_rate"]["result"]


FUNCTIONS = (lookup_customer, fetch_invoices, get_exchange_rate)
TOOLS = {function.__name__: function for function in FUNCTIONS}


def cut(tool: str, text: str) -> str:
    """Return what the harness lets through of a tool's result."""
    return text[:LIMIT] if tool.endswith(CUT) else text


def schemas() -> list[dict]:
    """Return the tools as OpenAI's chat completions take them."""
    return [{"type": "function", "function": {"name": name, **_described(name)}} for name in TOOLS]


def anthropic_schemas() -> list[dict]:
    """Return the tools as Anthropic's messages take them."""
    described = {name: _described(name) for name in TOOLS}
    return [
        {"name": name, "description": one["description"], "input_schema": one["parameters"]}
        for name, one in described.items()
    ]


def _described(name: str) -> dict:
    return {key: BILLING["tools"][name][key] for key in ("description", "parameters")}


def talk(tracer, complete) -> None:
    """Put both questions to a chat-completions model, each in a span; no tool has one."""
    messages = [{"role": "system", "content": SYSTEM}]
    for question in (REQUEST, FOLLOW_UP):
        with tracer.start_as_current_span("turn"):
            messages.append({"role": "user", "content": question})
            loop(complete, lambda name, _call_id, arguments: TOOLS[name](**arguments), messages)


def loop(complete, run_tool, messages: list[dict]) -> str:
    """Ask a chat-completions model until it replies, and return the reply.

    `complete(messages)` is the model call; `run_tool(name, call id, arguments)` executes a tool and
    returns its whole result: the harness cuts it here.
    """
    while True:
        message = complete(messages).choices[0].message
        if not message.tool_calls:
            messages.append({"role": "assistant", "content": message.content})
            return message.content
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function.name, "arguments": call.function.arguments},
            }
            for call in message.tool_calls
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        for call in message.tool_calls:
            name = call.function.name
            result = run_tool(name, call.id, json.loads(call.function.arguments))
            delivered = cut(name, result)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": delivered})
