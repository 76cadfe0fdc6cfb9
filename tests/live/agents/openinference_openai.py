"""The OpenAI client under OpenInference; agent and tools by its own tracer, as its pages say."""

from openai import OpenAI
from openinference.instrumentation import OITracer, TraceConfig, using_session
from openinference.instrumentation.openai import OpenAIInstrumentor
from openinference.semconv.trace import SpanAttributes
from opentelemetry.trace import Status, StatusCode

import billing
import exporting

provider = exporting.traced()
OpenAIInstrumentor().instrument()
tracer = OITracer(provider.get_tracer("billing.agent"), config=TraceConfig())
client = OpenAI(**billing.OPENAI)


def complete(messages):
    return client.chat.completions.create(
        model=billing.MODEL, messages=messages, tools=billing.schemas()
    )


def run_tool(name, call_id, arguments):
    with tracer.start_as_current_span(name, openinference_span_kind="tool") as span:
        result = billing.TOOLS[name](**arguments)
        span.set_tool(name=name, parameters=arguments)
        span.set_attribute("tool_call.id", call_id)
        span.set_input(arguments)
        span.set_output(result)
        span.set_status(Status(StatusCode.OK))
        return result


def turn(question, messages):
    with tracer.start_as_current_span("billing-assistant", openinference_span_kind="agent") as span:
        span.set_attribute(SpanAttributes.AGENT_NAME, "billing-assistant")
        span.set_input(question)
        messages.append({"role": "user", "content": question})
        reply = billing.loop(complete, run_tool, messages)
        span.set_output(reply)


with using_session(billing.SESSION):
    talk = [{"role": "system", "content": billing.SYSTEM}]
    turn(billing.REQUEST, talk)
    turn(billing.FOLLOW_UP, talk)
provider.shutdown()
