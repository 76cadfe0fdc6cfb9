"""An agent of the OpenAI Agents SDK, over the Responses API; who instruments it is another's.

The harness cuts in the SDK's own filter of what the model is sent.
"""

from agents import Agent, RunConfig, Runner, function_tool, set_default_openai_client
from agents.run import ModelInputData
from openai import AsyncOpenAI

import billing

# An item has no tool's name, so the harness goes by what only the invoices start with.
START = billing.fetch_invoices("")[:60]


def shorten(data):
    sent = [
        {**item, "output": billing.cut(billing.CUT, item["output"])}
        if str(item.get("output", "")).startswith(START)
        else item
        for item in data.model_data.input
    ]
    return ModelInputData(input=sent, instructions=data.model_data.instructions)


def talk():
    """Ask the question and the follow-up, each a run of its own in one group."""
    set_default_openai_client(AsyncOpenAI(**billing.OPENAI), use_for_tracing=False)
    agent = Agent(
        name="billing-assistant",
        instructions=billing.SYSTEM,
        model=billing.MODEL,
        tools=[function_tool(function) for function in billing.FUNCTIONS],
    )
    config = RunConfig(
        workflow_name="billing-assistant",
        group_id=billing.SESSION,
        call_model_input_filter=shorten,
    )
    items = []
    for question in (billing.REQUEST, billing.FOLLOW_UP):
        items.append({"role": "user", "content": question})
        items = Runner.run_sync(agent, items, run_config=config).to_input_list()
