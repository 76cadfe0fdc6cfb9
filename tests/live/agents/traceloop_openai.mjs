// Traceloop's SDK for Node around the OpenAI client: the turn and each tool are its own wrappers.

import * as traceloop from "@traceloop/node-server-sdk";
import OpenAI from "openai";
import { BILLING, FOLLOW_UP, MODEL, OPENAI, REQUEST, SESSION, SYSTEM, cut, run } from "./billing.mjs";

traceloop.initialize({
  appName: "billing-assistant",
  baseUrl: process.env.OTEL_EXPORTER_OTLP_ENDPOINT,
  apiKey: "none",
  silenceInitializationMessage: true,
  tracingEnabled: true,
  instrumentModules: { openAI: OpenAI },
});
const client = new OpenAI(OPENAI);
const tools = Object.entries(BILLING.tools).map(([name, { description, parameters }]) => ({
  type: "function",
  function: { name, description, parameters },
}));

async function execute(call) {
  const { name, arguments: given } = call.function;
  const result = await traceloop.withTool({ name }, async () => run(name), JSON.parse(given));
  return { role: "tool", tool_call_id: call.id, content: cut(name, result) };
}

async function answer(messages) {
  for (;;) {
    const reply = await client.chat.completions.create({ model: MODEL, messages, tools });
    const [{ message }] = reply.choices;
    messages.push(message);
    if (!message.tool_calls) return message.content;
    for (const call of message.tool_calls) messages.push(await execute(call));
  }
}

const messages = [{ role: "system", content: SYSTEM }];
for (const content of [REQUEST, FOLLOW_UP]) {
  messages.push({ role: "user", content });
  const turn = { name: "billing-assistant", associationProperties: { session_id: SESSION } };
  await traceloop.withWorkflow(turn, () => answer(messages));
}
await traceloop.forceFlush();
