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


billing.talk(tracer, complete)
logs.shutdown()
provider.shutdown()
