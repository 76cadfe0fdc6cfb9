"""A LangChain agent under Langfuse's callback, whose client sends to a collector in its place."""

import os

from langfuse import Langfuse, propagate_attributes
from langfuse.langchain import CallbackHandler

import billing
import langchain_agent

client = Langfuse(
    base_url=os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"], public_key="none", secret_key="none"
)
with propagate_attributes(session_id=billing.SESSION):
    langchain_agent.talk(callbacks=[CallbackHandler()])
client.shutdown()
