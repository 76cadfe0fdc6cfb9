"""The OpenAI client under the older instrumentation of OpenTelemetry: content in log records."""

from openai import OpenAI
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

import billing
import exporting

provider, logs = exporting.traced(), exporting.logged()
OpenAIInstrumentor().instrument()
tracer = provider.get_tracer("billing.agent")
client = OpenAI(**billing.OPENAI)


def complete(messages):
    return client.chat.completions.create(
        model=billing.MODEL, messages=messages, tools=billing.schemas()
    )


def run_tool(name, _call_id, arguments):
    return billing.TOOLS[name](**arguments)


talk = [{"role": "system", "content": billing.SYSTEM}]
for question in (billing.REQUEST, billing.FOLLOW_UP):
    with tracer.start_as_current_span("turn"):
        talk.append({"role": "user", "content": question})
        billing.loop(complete, run_tool, talk)
logs.shutdown()
provider.shutdown()
