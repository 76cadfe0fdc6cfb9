"""A LangChain agent under OpenLLMetry's instrumentation, without Traceloop's SDK."""

import exporting
import langchain_agent
from opentelemetry.instrumentation.langchain import LangchainInstrumentor

provider = exporting.traced()
LangchainInstrumentor().instrument()
langchain_agent.talk()
provider.shutdown()
