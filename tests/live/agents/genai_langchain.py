"""A LangChain agent under OpenTelemetry's own instrumentation."""

import exporting
import langchain_agent
from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor

provider = exporting.traced()
LangChainInstrumentor().instrument()
langchain_agent.talk()
provider.shutdown()
