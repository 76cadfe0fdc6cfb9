"""The OpenAI Agents SDK under Logfire, which sends to a collector in place of its own service."""

import logfire

import openai_agents_run

logfire.configure(send_to_logfire=False, console=False, service_version="1.4.2")
logfire.instrument_openai_agents()
openai_agents_run.talk()
logfire.shutdown()
