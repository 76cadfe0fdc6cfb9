"""A Semantic Kernel agent, whose content goes out through Python's logging; a filter cuts."""

import asyncio
import logging

from openai import AsyncOpenAI
from opentelemetry.sdk._logs import LoggingHandler
from semantic_kernel import Kernel
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.filters import FilterTypes
from semantic_kernel.functions import FunctionResult, kernel_function

import billing
import exporting


async def shorten(context, next):  # noqa: A002 - the framework passes it by this name
    await next(context)
    result = context.function_result
    text = billing.cut(context.function.name, str(result))
    context.function_result = FunctionResult(function=result.function, value=text)


async def talk():
    kernel = Kernel()
    kernel.add_service(
        OpenAIChatCompletion(ai_model_id=billing.MODEL, async_client=AsyncOpenAI(**billing.OPENAI))
    )
    functions = [kernel_function(function) for function in billing.FUNCTIONS]
    kernel.add_functions(plugin_name="billing", functions=functions)
    kernel.add_filter(FilterTypes.AUTO_FUNCTION_INVOCATION, shorten)
    agent = ChatCompletionAgent(
        kernel=kernel, name="billing_assistant", instructions=billing.SYSTEM
    )
    thread = None
    for question in (billing.REQUEST, billing.FOLLOW_UP):
        response = await agent.get_response(messages=question, thread=thread)
        thread = response.thread


provider, logs = exporting.traced(), exporting.logged()
logging.getLogger().addHandler(LoggingHandler(logger_provider=logs))
logging.getLogger("semantic_kernel").setLevel(logging.INFO)
asyncio.run(talk())
logs.shutdown()
provider.shutdown()
