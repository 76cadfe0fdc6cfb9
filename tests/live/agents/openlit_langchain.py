"""A LangChain agent under OpenLIT."""

import langchain_agent
import openlit
from opentelemetry import trace

openlit.init(application_name="billing-assistant", disable_metrics=True)
langchain_agent.talk()
trace.get_tracer_provider().shutdown()
