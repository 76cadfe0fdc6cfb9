"""Traceloop's SDK with its decorators around the turn and each tool."""

import json
import os

from openai import OpenAI
from traceloop.sdk import Traceloop
from traceloop.sdk.decorators import tool, workflow

import billing

Traceloop.init(
    app_name="billing-assistant",
    api_endpoint=os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"],
    api_key="none",
)
client = OpenAI(**billing.OPENAI)
TOOLS = {name: tool(name=name)(function) for name, function in billing.TOOLS.items()}


def complete(messages):
    return client.chat.completions.create(
        model=billing.MODEL, messages=messages, tools=billing.schemas()
    )


def run_tool(name, _call_id, arguments):
    return TOOLS[name](**arguments)


@workflow(name="billing-assistant")
def turn(question, history):
    messages = [*json.loads(history), {"role": "user", "content": question}]
    billing.loop(complete, run_tool, messages)
    return json.dumps(messages)


Traceloop.set_association_properties({"session_id": billing.SESSION})
talk = turn(billing.REQUEST, json.dumps([{"role": "system", "content": billing.SYSTEM}]))
turn(billing.FOLLOW_UP, talk)
