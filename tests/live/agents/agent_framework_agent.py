"""An agent of Microsoft's Agent Framework; a function middleware cuts what a tool returned."""

import asyncio

from agent_framework import Agent, function_middleware, tool
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatCompletionClient

import billing
import exporting


@function_middleware
async def shorten(context, call_next):
    await call_next()
    [content] = context.result
    context.result = billing.cut(context.function.name, content.text)


async def talk():
    agent = Agent(
        OpenAIChatCompletionClient(model=billing.MODEL, **billing.OPENAI),
        name="billing-assistant",
        instructions=billing.SYSTEM,
        tools=[tool(function) for function in billing.FUNCTIONS],
        middleware=[shorten],
    )
    session = agent.create_session()
    for question in (billing.REQUEST, billing.FOLLOW_UP):
        await agent.run(question, session=session)


provider, logs = exporting.traced(), exporting.logged()
enable_instrumentation(enable_sensitive_data=True)
asyncio.run(talk())
logs.shutdown()
provider.shutdown()
