"""A LangChain agent whose middleware cuts what the model is sent; who instruments it is another's.

Tools and their results are the agent's own; the cut stands between the tool's run and the model.
"""

from langchain.agents import create_agent
from langchain.agents.middleware import wrap_model_call
from langchain_core.messages import ToolMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

import billing


@wrap_model_call
def shorten(request, handler):
    """Send the model the cut texts; what the agent keeps stays whole."""
    sent = [
        message.model_copy(update={"content": billing.cut(message.name, message.content)})
        if isinstance(message, ToolMessage)
        else message
        for message in request.messages
    ]
    return handler(request.override(messages=sent))


def agent():
    """Return the agent with a memory for its conversation."""
    return create_agent(
        ChatOpenAI(model=billing.MODEL, **billing.OPENAI),
        tools=[StructuredTool.from_function(function) for function in billing.FUNCTIONS],
        system_prompt=billing.SYSTEM,
        middleware=[shorten],
        checkpointer=InMemorySaver(),
        name="billing-assistant",
    )


def talk(**config):
    """Ask the question and the follow-up. `config` goes to each run beside the thread's id."""
    configurable = {"thread_id": billing.SESSION}
    asked = agent()
    for question in (billing.REQUEST, billing.FOLLOW_UP):
        message = {"role": "user", "content": question}
        asked.invoke({"messages": [message]}, {"configurable": configurable, **config})
