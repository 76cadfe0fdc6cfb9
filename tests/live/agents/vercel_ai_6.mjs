// The AI SDK 6 with its own spans, over chat completions, sent as OTLP/JSON.

import { createOpenAI } from "@ai-sdk/openai";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { generateText } from "ai";
import { FOLLOW_UP, MODEL, OPENAI, REQUEST, SESSION } from "./billing.mjs";
import { talk } from "./vercel_agent.mjs";

const sdk = new NodeSDK({ traceExporter: new OTLPTraceExporter() });
sdk.start();
await talk(generateText, createOpenAI(OPENAI).chat(MODEL), [REQUEST, FOLLOW_UP], {
  experimental_telemetry: {
    isEnabled: true,
    functionId: "billing-assistant",
    metadata: { sessionId: SESSION },
  },
});
await sdk.shutdown();
