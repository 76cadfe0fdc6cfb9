"""The OpenAI Agents SDK under OpenInference."""

import exporting
import openai_agents_run
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

provider = exporting.traced()
OpenAIAgentsInstrumentor().instrument()
openai_agents_run.talk()
provider.shutdown()
