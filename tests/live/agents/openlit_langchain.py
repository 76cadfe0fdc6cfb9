"""A LangChain agent under OpenLIT."""

import openlit
from opentelemetry import trace

import langchain_agent

openlit.init(application_name="billing-assistant", disable_metrics=True)
langchain_agent.talk()
trace.get_tracer_provider().shutdown()
