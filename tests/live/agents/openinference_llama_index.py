"""A LlamaIndex agent under OpenInference; the harness cuts in the agent's own step."""

import asyncio

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import ChatMessage, TextBlock
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context
from llama_index.llms.openai_like import OpenAILike
from openinference.instrumentation import using_session
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

import billing
import exporting

START = billing.fetch_invoices("")[:60]


class Shortening(FunctionAgent):
    """Cuts the messages of tools on their way to the model; the agent's memory stays whole."""

    async def _get_response(self, current_llm_input, tools):
        sent = [
            ChatMessage(
                role=message.role,
                blocks=[TextBlock(text=billing.cut(billing.CUT, message.content))],
                additional_kwargs=message.additional_kwargs,
            )
            if (message.content or "").startswith(START)
            else message
            for message in current_llm_input
        ]
        return await super()._get_response(sent, tools)


async def talk():
    llm = OpenAILike(
        model=billing.MODEL,
        api_base=billing.OPENAI["base_url"],
        api_key="none",
        is_chat_model=True,
        is_function_calling_model=True,
    )
    agent = Shortening(
        name="billing-assistant",
        system_prompt=billing.SYSTEM,
        tools=[FunctionTool.from_defaults(function) for function in billing.FUNCTIONS],
        llm=llm,
        streaming=False,
    )
    context = Context(agent)
    for question in (billing.REQUEST, billing.FOLLOW_UP):
        await agent.run(question, ctx=context)


provider = exporting.traced()
LlamaIndexInstrumentor().instrument()
with using_session(billing.SESSION):
    asyncio.run(talk())
provider.shutdown()
