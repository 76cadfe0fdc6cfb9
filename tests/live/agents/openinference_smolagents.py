"""A smolagents agent under OpenInference; the harness cuts its memory after each step."""

from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from smolagents import OpenAIServerModel, ToolCallingAgent, tool

import billing
import exporting

START = billing.fetch_invoices("")[:60]


def shorten(step, agent):
    del agent
    seen = getattr(step, "observations", None) or ""
    if seen.startswith(START):
        whole = billing.fetch_invoices("")
        step.observations = seen.replace(whole, billing.cut(billing.CUT, whole))


provider = exporting.traced()
SmolagentsInstrumentor().instrument()
agent = ToolCallingAgent(
    tools=[tool(function) for function in billing.FUNCTIONS],
    model=OpenAIServerModel(
        billing.MODEL, api_base=billing.OPENAI["base_url"], api_key=billing.OPENAI["api_key"]
    ),
    name="billing_assistant",
    description="Answers questions about invoices.",
    step_callbacks=[shorten],
    verbosity_level=0,
)
agent.run(billing.REQUEST)
agent.run(billing.FOLLOW_UP, reset=False)
provider.shutdown()
