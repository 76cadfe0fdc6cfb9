"""The OpenAI Agents SDK under OpenInference."""

from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

import exporting
import openai_agents_run

provider = exporting.traced()
OpenAIAgentsInstrumentor().instrument()
openai_agents_run.talk()
provider.shutdown()
