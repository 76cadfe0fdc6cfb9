"""A LangChain agent under OpenInference."""

from openinference.instrumentation.langchain import LangChainInstrumentor

import exporting
import langchain_agent

provider = exporting.traced()
LangChainInstrumentor().instrument()
langchain_agent.talk()
provider.shutdown()
