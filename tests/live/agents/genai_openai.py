"""The OpenAI client under OpenTelemetry's own instrumentation, with the README's two spans."""

import json

from openai import OpenAI
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor

import billing
import exporting

provider = exporting.traced()
OpenAIInstrumentor().instrument()
tracer = provider.get_tracer("billing-assistant")
client = OpenAI(**billing.OPENAI)


def complete(messages):
    return client.chat.completions.create(
        model=billing.MODEL, messages=messages, tools=billing.schemas()
    )


def run_tool(name, call_id, arguments):
    with tracer.start_as_current_span(f"execute_tool {name}") as span:
        result = billing.TOOLS[name](**arguments)
        span.set_attributes(
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
                "gen_ai.tool.call.id": call_id,
                "gen_ai.tool.call.arguments": json.dumps(arguments),
                "gen_ai.tool.call.result": result,
            }
        )
    return result


def turn(question, messages):
    with tracer.start_as_current_span("invoke_agent billing-assistant") as span:
        span.set_attributes(
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": "billing-assistant",
                "gen_ai.conversation.id": billing.SESSION,
            }
        )
        messages.append({"role": "user", "content": question})
        billing.loop(complete, run_tool, messages)


talk = [{"role": "system", "content": billing.SYSTEM}]
turn(billing.REQUEST, talk)
turn(billing.FOLLOW_UP, talk)
provider.shutdown()
