"""LiteLLM's own callback for OpenTelemetry: model calls, and nothing of the tools."""

import litellm
from litellm.integrations.opentelemetry import OpenTelemetry
from litellm.litellm_core_utils.thread_pool_executor import executor

import billing
import exporting

provider = exporting.traced()
litellm.callbacks = [OpenTelemetry(tracer_provider=provider)]
tracer = provider.get_tracer("billing.agent")


def complete(messages):
    return litellm.completion(
        model=f"openai/{billing.MODEL}",
        messages=messages,
        tools=billing.schemas(),
        api_base=billing.OPENAI["base_url"],
        api_key="none",
    )


billing.talk(tracer, complete)
executor.shutdown(wait=True)  # spans are written on a thread of its own, after the call
provider.shutdown()
