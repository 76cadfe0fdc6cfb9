// The billing agent for drivers that run under Node: see billing.py.

import { readFileSync } from "node:fs";

export const BILLING = JSON.parse(readFileSync(new URL("billing.json", import.meta.url), "utf8"));
export const { system: SYSTEM, request: REQUEST, follow_up: FOLLOW_UP, session: SESSION } = BILLING;
export const MODEL = "lab-model-1";
export const OPENAI = { baseURL: `${process.env.MODEL_URL}/v1`, apiKey: "none" };

// What a tool returns, whatever it is asked.
export const run = (name) => BILLING.tools[name].result;

// What the harness lets through of a tool's result.
export const cut = (name, text) => (name === "fetch_invoices" ? text.slice(0, BILLING.limit) : text);
