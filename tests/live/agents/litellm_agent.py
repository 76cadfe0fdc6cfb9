"""LiteLLM's own callback for OpenTelemetry: model calls, and nothing of the tools."""

import exporting
import litellm
from litellm.integrations.opentelemetry import OpenTelemetry, OpenTelemetryConfig

import billing

provider = exporting.traced()
litellm.callbacks = [
    OpenTelemetry(config=OpenTelemetryConfig(exporter="console"), tracer_provider=provider)
]
tracer = provider.get_tracer("billing.agent")


def complete(messages):
    return litellm.completion(
        model=f"openai/{billing.MODEL}",
        messages=messages,
        tools=billing.schemas(),
        api_base=billing.OPENAI["base_url"],
        api_key="none",
    )


def run_tool(name, _call_id, arguments):
    return billing.TOOLS[name](**arguments)


talk = [{"role": "system", "content": billing.SYSTEM}]
for question in (billing.REQUEST, billing.FOLLOW_UP):
    with tracer.start_as_current_span("turn"):
        talk.append({"role": "user", "content": question})
        billing.loop(complete, run_tool, talk)
provider.shutdown()
