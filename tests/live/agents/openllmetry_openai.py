"""The OpenAI client, streaming, under OpenLLMetry's instrumentation alone: no span for a tool."""

from types import SimpleNamespace

from openai import OpenAI
from opentelemetry.instrumentation.openai import OpenAIInstrumentor

import billing
import exporting

provider = exporting.traced()
OpenAIInstrumentor().instrument()
tracer = provider.get_tracer("billing.agent")
client = OpenAI(**billing.OPENAI)


def complete(messages):
    chunks = client.chat.completions.create(
        model=billing.MODEL,
        messages=messages,
        tools=billing.schemas(),
        stream=True,
        stream_options={"include_usage": True},
    )
    text, calls = "", {}
    for chunk in chunks:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            for part in choice.delta.tool_calls or ():
                call = calls.setdefault(part.index, SimpleNamespace(id=part.id, function=None))
                if call.function is None:
                    call.function = SimpleNamespace(name=part.function.name, arguments="")
                call.function.arguments += part.function.arguments or ""
    message = SimpleNamespace(content=text or None, tool_calls=list(calls.values()))
    return SimpleNamespace(choices=[SimpleNamespace(message=message)])


billing.talk(tracer, complete)
provider.shutdown()
