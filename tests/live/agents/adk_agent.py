"""An agent of Google's ADK with its own telemetry; a callback cuts what the model is sent."""

import asyncio

from google.adk.agents import LlmAgent
from google.adk.models.google_llm import Gemini
from google.adk.runners import InMemoryRunner
from google.genai import types

import billing
import exporting


def shorten(callback_context, llm_request):
    del callback_context
    llm_request.contents = [content.model_copy(deep=True) for content in llm_request.contents]
    for content in llm_request.contents:
        for part in content.parts or ():
            answer = part.function_response
            if answer:
                answer.response = {"result": billing.cut(answer.name, answer.response["result"])}


async def talk():
    agent = LlmAgent(
        name="billing_assistant",
        model=Gemini(model="gemini-lab-1", base_url=billing.MODEL_URL),
        instruction=billing.SYSTEM,
        tools=list(billing.FUNCTIONS),
        before_model_callback=shorten,
    )
    runner = InMemoryRunner(agent=agent, app_name="billing")
    await runner.session_service.create_session(
        app_name="billing", user_id="user-1", session_id=billing.SESSION
    )
    for question in (billing.REQUEST, billing.FOLLOW_UP):
        message = types.Content(role="user", parts=[types.Part(text=question)])
        run = runner.run_async(user_id="user-1", session_id=billing.SESSION, new_message=message)
        async for _ in run:
            pass


provider = exporting.traced()
asyncio.run(talk())
provider.shutdown()
