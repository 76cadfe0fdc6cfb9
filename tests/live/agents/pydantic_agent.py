"""A Pydantic AI agent with its own instrumentation; a history processor cuts what is sent."""

import dataclasses

from pydantic_ai import Agent
from pydantic_ai.capabilities import Instrumentation, ProcessHistory
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

import billing
import exporting


def shorten(messages):
    return [
        dataclasses.replace(message, parts=[shortened(part) for part in message.parts])
        for message in messages
    ]


def shortened(part):
    if not isinstance(part, ToolReturnPart):
        return part
    return dataclasses.replace(part, content=billing.cut(part.tool_name, part.content))


provider = exporting.traced()
agent = Agent(
    OpenAIChatModel(billing.MODEL, provider=OpenAIProvider(**billing.OPENAI)),
    name="billing_assistant",
    instructions=billing.SYSTEM,
    tools=billing.FUNCTIONS,
    capabilities=[Instrumentation(), ProcessHistory(shorten)],
)
first = agent.run_sync(billing.REQUEST, conversation_id=billing.SESSION)
agent.run_sync(
    billing.FOLLOW_UP, message_history=first.all_messages(), conversation_id=billing.SESSION
)
provider.shutdown()
