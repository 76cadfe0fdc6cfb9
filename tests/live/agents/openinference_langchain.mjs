// A LangChain agent for Node under OpenInference; a middleware cuts what the model is sent.

import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as CallbackManagerModule from "@langchain/core/callbacks/manager";
import { ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { createAgent, createMiddleware, tool } from "langchain";
import { BILLING, FOLLOW_UP, MODEL, OPENAI, REQUEST, SESSION, SYSTEM, cut, run } from "./billing.mjs";

const sdk = new NodeSDK({ traceExporter: new OTLPTraceExporter() });
sdk.start();
new LangChainInstrumentation().manuallyInstrument(CallbackManagerModule);

const shortened = (message) =>
  ToolMessage.isInstance(message)
    ? new ToolMessage({ ...message, content: cut(message.name, message.content) })
    : message;

const shorten = createMiddleware({
  name: "shorten",
  wrapModelCall: (request, handler) =>
    handler({ ...request, messages: request.messages.map(shortened) }),
});

const agent = createAgent({
  name: "billing-assistant",
  model: new ChatOpenAI({
    model: MODEL,
    apiKey: OPENAI.apiKey,
    configuration: { baseURL: OPENAI.baseURL },
  }),
  tools: Object.entries(BILLING.tools).map(([name, { description, parameters }]) =>
    tool(async () => run(name), { name, description, schema: parameters }),
  ),
  systemPrompt: SYSTEM,
  middleware: [shorten],
  checkpointer: new MemorySaver(),
});

for (const content of [REQUEST, FOLLOW_UP]) {
  const messages = [{ role: "user", content }];
  await agent.invoke({ messages }, { configurable: { thread_id: SESSION } });
}
await sdk.shutdown();
