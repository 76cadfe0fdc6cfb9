"""The Anthropic client under OpenInference; agent and tools by its own tracer."""

from anthropic import Anthropic
from openinference.instrumentation import OITracer, TraceConfig, using_session
from openinference.instrumentation.anthropic import AnthropicInstrumentor

import billing
import exporting

provider = exporting.traced()
AnthropicInstrumentor().instrument()
tracer = OITracer(provider.get_tracer("billing.agent"), config=TraceConfig())
client = Anthropic(base_url=billing.MODEL_URL, api_key="none")


def complete(messages):
    return client.messages.create(
        model="claude-lab-1",
        max_tokens=500,
        system=billing.SYSTEM,
        messages=messages,
        tools=billing.anthropic_schemas(),
    )


def run_tool(call):
    with tracer.start_as_current_span(call.name, openinference_span_kind="tool") as span:
        result = billing.TOOLS[call.name](**call.input)
        span.set_tool(name=call.name, parameters=call.input)
        span.set_attribute("tool_call.id", call.id)
        span.set_input(call.input)
        span.set_output(result)
    delivered = billing.cut(call.name, result)
    return {"type": "tool_result", "tool_use_id": call.id, "content": delivered}


def turn(question, messages):
    with tracer.start_as_current_span("billing-assistant", openinference_span_kind="agent") as span:
        span.set_attribute("agent.name", "billing-assistant")
        span.set_input(question)
        messages.append({"role": "user", "content": question})
        while True:
            message = complete(messages)
            content = [block.model_dump(exclude_none=True) for block in message.content]
            messages.append({"role": "assistant", "content": content})
            calls = [block for block in message.content if block.type == "tool_use"]
            if not calls:
                break
            messages.append({"role": "user", "content": [run_tool(call) for call in calls]})
        span.set_output(message.content[0].text)


with using_session(billing.SESSION):
    talk = []
    turn(billing.REQUEST, talk)
    turn(billing.FOLLOW_UP, talk)
provider.shutdown()
