// A model that writes plans by a script, in the wire format of every provider. The third-party server aimock serves it.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aimock } from "./servers.mjs";

/** Identifies each stage by its system message or last user message. */
const STAGES = {
  known: { systemMessage: "You look whether one of the workflows" },
  values: { systemMessage: "You find the values in a request" },
  mapping: { systemMessage: "You find the values that a workflow needs" },
  requirements: { systemMessage: "You say what a request asks for" },
  tools: { systemMessage: "You choose the components" },
  mend: { userMessage: "This workflow can't be run as it is" },
  plan: { userMessage: "Now write the workflow" },
  way: { userMessage: "Give the plan in words." },
};

export const values = (map) => ({ parameters: Object.entries(map).map(([name, value]) => ({ name, value })) });

export const steps = (...list) => ({
  is_clear: true,
  clarification_needed: null,
  steps: list,
  estimated_nodes: list.length,
  required_capabilities: [],
  complexity_indicators: {},
});

export const tools = (...names) => ({ node_ids: names, workflow_names: [], reasoning: "they fit" });

export const prosePlan = (chain, status = "FEASIBLE", missing = []) =>
  `## Plan\n\nOne after the other.\n\n**Status:** ${status}\n**Node Chain:** ${chain}\n${missing.length > 0 ? `**Missing Capabilities:**\n${missing.map((one) => `- ${one}\n`).join("")}` : ""}`;

/**
 * `scripts` maps a model's name to its answer at each stage, as text or JSON. `says` maps words of a question to the
 * answer for any other request.
 */
export async function scripted(scripts) {
  const folder = await mkdtemp(join(tmpdir(), "stepgraph-author-"));
  const text = (answer) => (typeof answer === "string" ? answer : JSON.stringify(answer));
  const fixtures = Object.entries(scripts).flatMap(([model, { says = {}, ...stages }]) => [
    ...Object.entries(STAGES)
      .filter(([stage]) => stages[stage] !== undefined)
      .map(([stage, match]) => ({ match: { model, ...match }, response: { content: text(stages[stage]) } })),
    ...Object.entries(says).map(([words, answer]) => ({
      match: { model, userMessage: words },
      response: { content: text(answer) },
    })),
  ]);
  await writeFile(join(folder, "answers.json"), JSON.stringify({ fixtures }));
  const server = await aimock(folder);
  const stop = () => server.stop().then(() => rm(folder, { recursive: true, force: true }));
  return { ...server, stop };
}
