// A model that writes plans, in the form of every provider: what it answers at each stage on the way from a request to
// a plan is said by a script, and given by a server of others.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aimock } from "./servers.mjs";

/** What each stage is told, or asked last: by that it is known. */
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

/** Parameters as the stages that find values answer. */
export const values = (map) => ({ parameters: Object.entries(map).map(([name, value]) => ({ name, value })) });

/** What is to be done, as its stage answers. */
export const steps = (...list) => ({
  is_clear: true,
  clarification_needed: null,
  steps: list,
  estimated_nodes: list.length,
  required_capabilities: [],
  complexity_indicators: {},
});

/** Components, as their stage answers. */
export const tools = (...names) => ({ node_ids: names, workflow_names: [], reasoning: "they fit" });

/** A way in words, as planning answers. */
export const way = (chain, status = "FEASIBLE", missing = []) =>
  `## Plan\n\nOne after the other.\n\n**Status:** ${status}\n**Node Chain:** ${chain}\n${missing.length > 0 ? `**Missing Capabilities:**\n${missing.map((one) => `- ${one}\n`).join("")}` : ""}`;

/**
 * Starts it. `scripts` has by the name of a model what it answers at each stage, text or JSON; under `says` by words of
 * the question what it answers to any other.
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
