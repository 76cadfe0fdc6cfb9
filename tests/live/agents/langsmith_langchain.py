"""A LangChain agent whose runs LangSmith writes as OpenTelemetry spans (LANGSMITH_OTEL_ONLY)."""

from langchain_core.tracers.langchain import wait_for_all_tracers

import billing
import exporting
import langchain_agent

provider = exporting.traced()
langchain_agent.talk(metadata={"session_id": billing.SESSION})
wait_for_all_tracers()
provider.shutdown()
