"""A LangChain agent under OpenLLMetry's instrumentation, without Traceloop's SDK."""

from opentelemetry.instrumentation.langchain import LangchainInstrumentor

import exporting
import langchain_agent

provider = exporting.traced()
LangchainInstrumentor().instrument()
langchain_agent.talk()
provider.shutdown()
