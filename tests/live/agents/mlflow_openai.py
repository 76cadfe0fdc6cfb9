"""The OpenAI client under MLflow's tracing, which exports over OTLP where it is told to."""

import os

import mlflow
import mlflow.openai
from openai import OpenAI

import billing

# An endpoint for all signals turns metrics on too, and mlflow-tracing 3.17.2, which lacks what they
# need, then ends no span at all: it is given the one for traces.
ENDPOINT = os.environ.pop("OTEL_EXPORTER_OTLP_ENDPOINT")
os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = f"{ENDPOINT}/v1/traces"

mlflow.openai.autolog()
client = OpenAI(**billing.OPENAI)
TOOLS = {name: mlflow.trace(function, span_type="TOOL") for name, function in billing.TOOLS.items()}


def complete(messages):
    return client.chat.completions.create(
        model=billing.MODEL, messages=messages, tools=billing.schemas()
    )


def run_tool(name, _call_id, arguments):
    return TOOLS[name](**arguments)


@mlflow.trace(name="billing-assistant", span_type="AGENT")
def turn(question, history):
    mlflow.update_current_trace(metadata={"mlflow.trace.session": billing.SESSION})
    return billing.loop(complete, run_tool, history)


talk = [{"role": "system", "content": billing.SYSTEM}]
for asked in (billing.REQUEST, billing.FOLLOW_UP):
    talk.append({"role": "user", "content": asked})
    turn(asked, talk)
mlflow.flush_trace_async_logging(terminate=True)
