"""A Strands agent with its own telemetry; a hook cuts the result after the tool's run."""

from strands import Agent, tool
from strands.hooks import AfterToolCallEvent
from strands.models.openai import OpenAIModel

import billing
import exporting


def shorten(event):
    [block] = event.result["content"]
    text = billing.cut(event.tool_use["name"], block["text"])
    event.result = {**event.result, "content": [{"text": text}]}


provider = exporting.traced()
agent = Agent(
    model=OpenAIModel(client_args=billing.OPENAI, model_id=billing.MODEL),
    tools=[tool(function) for function in billing.FUNCTIONS],
    system_prompt=billing.SYSTEM,
    name="billing-assistant",
    callback_handler=None,
    trace_attributes={"session.id": billing.SESSION},
)
agent.add_hook(shorten, AfterToolCallEvent)
agent(billing.REQUEST)
agent(billing.FOLLOW_UP)
provider.shutdown()
