"""A Haystack agent with its own tracer; the tool's own handler cuts, before anything is traced."""

from haystack import tracing
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import Tool
from haystack.tracing import OpenTelemetryTracer
from haystack.utils import Secret

import billing
import exporting

provider = exporting.traced()
tracing.enable_tracing(OpenTelemetryTracer(provider.get_tracer("haystack")))
tools = [
    Tool(
        name=name,
        description=billing.BILLING["tools"][name]["description"],
        parameters=billing.BILLING["tools"][name]["parameters"],
        function=function,
        outputs_to_string={"handler": lambda text, name=name: billing.cut(name, text)},
    )
    for name, function in billing.TOOLS.items()
]
agent = Agent(
    chat_generator=OpenAIChatGenerator(
        model=billing.MODEL,
        api_base_url=billing.OPENAI["base_url"],
        api_key=Secret.from_token("none"),
    ),
    tools=tools,
    system_prompt=billing.SYSTEM,
)
talk = [ChatMessage.from_user(billing.REQUEST)]
talk = [*agent.run(messages=talk)["messages"], ChatMessage.from_user(billing.FOLLOW_UP)]
agent.run(messages=talk[1:])
provider.shutdown()
