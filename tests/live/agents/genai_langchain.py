"""A LangChain agent under OpenTelemetry's own instrumentation."""

from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor

import exporting
import langchain_agent

provider = exporting.traced()
LangChainInstrumentor().instrument()
langchain_agent.talk()
provider.shutdown()
