// The AI SDK 7 with its integration for OpenTelemetry, over OpenAI's Responses API.

import { createOpenAI } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { generateText, registerTelemetry } from "ai";
import { FOLLOW_UP, MODEL, OPENAI, REQUEST } from "./billing.mjs";
import { talk } from "./vercel_agent.mjs";

const sdk = new NodeSDK({ traceExporter: new OTLPTraceExporter() });
sdk.start();
registerTelemetry(new OpenTelemetry());
await talk(generateText, createOpenAI(OPENAI)(MODEL), [REQUEST, FOLLOW_UP]);
await sdk.shutdown();
