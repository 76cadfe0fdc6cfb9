// The billing agent of the AI SDK; who records it, and how, is another's. `prepareStep` cuts.

import { jsonSchema, stepCountIs, tool } from "ai";
import { BILLING, SYSTEM, cut, run } from "./billing.mjs";

const tools = Object.fromEntries(
  Object.entries(BILLING.tools).map(([name, { description, parameters }]) => [
    name,
    tool({ description, inputSchema: jsonSchema(parameters), execute: async () => run(name) }),
  ]),
);

const shortened = (part) =>
  part.type === "tool-result" && part.output.type === "text"
    ? { ...part, output: { ...part.output, value: cut(part.toolName, part.output.value) } }
    : part;

const shorten = (messages) =>
  messages.map((message) =>
    message.role === "tool" ? { ...message, content: message.content.map(shortened) } : message,
  );

// Asks the questions in turn. `generate` is generateText, or what stands in for it.
export async function talk(generate, model, questions, options = {}) {
  const messages = [];
  for (const content of questions) {
    messages.push({ role: "user", content });
    const { response } = await generate({
      model,
      system: SYSTEM,
      messages,
      tools,
      stopWhen: stepCountIs(6),
      prepareStep: ({ messages: sent }) => ({ messages: shorten(sent) }),
      ...options,
    });
    messages.push(...response.messages);
  }
}
