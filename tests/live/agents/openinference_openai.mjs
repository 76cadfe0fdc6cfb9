// The OpenAI client for Node under OpenInference; agent and tools are spans of its own convention.

import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
import { setSession } from "@arizeai/openinference-core";
import { context, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { NodeSDK } from "@opentelemetry/sdk-node";
import OpenAI from "openai";
import { BILLING, FOLLOW_UP, MODEL, OPENAI, REQUEST, SESSION, SYSTEM, cut, run } from "./billing.mjs";

const sdk = new NodeSDK({ traceExporter: new OTLPTraceExporter() });
sdk.start();
new OpenAIInstrumentation().manuallyInstrument(OpenAI);
const tracer = trace.getTracer("billing.agent");
const client = new OpenAI(OPENAI);
const tools = Object.entries(BILLING.tools).map(([name, { description, parameters }]) => ({
  type: "function",
  function: { name, description, parameters },
}));

function execute(call) {
  const { name, arguments: given } = call.function;
  const result = run(name);
  const attributes = {
    "openinference.span.kind": "TOOL",
    "session.id": SESSION,
    "tool.name": name,
    "tool_call.id": call.id,
    "input.value": given,
    "input.mime_type": "application/json",
    "output.value": result,
  };
  tracer.startSpan(name, { attributes }).end();
  return { role: "tool", tool_call_id: call.id, content: cut(name, result) };
}

async function turn(question, messages) {
  const attributes = {
    "openinference.span.kind": "AGENT",
    "agent.name": "billing-assistant",
    "session.id": SESSION,
    "input.value": question,
  };
  await tracer.startActiveSpan("billing-assistant", { attributes }, async (span) => {
    messages.push({ role: "user", content: question });
    for (;;) {
      const answer = await client.chat.completions.create({ model: MODEL, messages, tools });
      const [{ message }] = answer.choices;
      messages.push(message);
      if (!message.tool_calls) {
        span.setAttribute("output.value", message.content);
        break;
      }
      messages.push(...message.tool_calls.map(execute));
    }
    span.end();
  });
}

await context.with(setSession(context.active(), { sessionId: SESSION }), async () => {
  const messages = [{ role: "system", content: SYSTEM }];
  await turn(REQUEST, messages);
  await turn(FOLLOW_UP, messages);
});
await sdk.shutdown();
