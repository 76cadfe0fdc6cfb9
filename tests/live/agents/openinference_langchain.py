"""A LangChain agent under OpenInference."""

import exporting
import langchain_agent
from openinference.instrumentation.langchain import LangChainInstrumentor

provider = exporting.traced()
LangChainInstrumentor().instrument()
langchain_agent.talk()
provider.shutdown()
