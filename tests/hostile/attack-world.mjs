/**
 * A world for attacks: servers, scripted models and a person, who record everything and make no decisions about a run.
 *
 * One approval covers one call, with exactly the shown arguments.
 */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { CallError, PlanGraph, readYaml } from "../../dist/node.js";

export function table(name) {
  const { value, diagnostics } = readYaml(readFileSync(new URL(name, import.meta.url), "utf8"));
  if (diagnostics.length > 0) throw new Error(`${name}: ${diagnostics[0].message}`);
  return value;
}

export function parsed(plan) {
  const { graph, diagnostics } = PlanGraph.parse(typeof plan === "string" ? plan : JSON.stringify(plan));
  if (!graph?.valid) throw new Error(diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"));
  return graph;
}

export const tool = (name, more = {}) => ({ name, description: name, input_schema: { type: "object" }, ...more });
export const destroys = { destructiveHint: true };
export const reads = { readOnlyHint: true };

/**
 * `servers` maps server names to tools. `say` lists the models' replies. `decide` returns the person's decision,
 * `answer` a tool's result.
 */
export function worldOf({ servers, say = [], decide, answer = () => ({ ok: true }) }) {
  const called = [];
  const asked = [];
  const clients = Object.entries(servers).map(([name, tools]) => ({
    name,
    list: async () => tools,
    call: async (of, args, options = {}) => {
      const { call, run } = options;
      called.push({ server: name, tool: of, args: structuredClone(args), call, run });
      return { value: await answer(of, args, called.length), isError: false };
    },
    close: async () => {},
  }));
  let turn = 0;
  const model = () => say[Math.min(turn++, say.length - 1)] ?? "done";
  const onApproval = (approval) => {
    const question = { ...structuredClone(approval), decision: undefined };
    asked.push(question);
    const decision = decide(approval);
    if (!(decision instanceof Promise)) question.decision = decision;
    return decision;
  };
  const host = { tools: clients, models: { default: model }, handlers: { fails } };
  return { called, asked, clients, host, onApproval };
}

function fails() {
  throw new CallError("handler/failed", "it fails");
}

export function calling(...calls) {
  const tool_calls = calls.map(({ name, arguments: args }, at) => ({ id: `c${at}`, name, arguments: args }));
  return { text: "", finish: "tool_calls", usage: null, tool_calls };
}

export function broken({ called, asked }, isDestructive) {
  const left = [...asked];
  const wrong = [];
  for (const made of called.filter(isDestructive)) {
    const at = left.findIndex((question) => covers(question, made));
    if (at < 0) wrong.push(`${made.server}.${made.tool}(${JSON.stringify(made.args)}) as ${made.call}`);
    else left.splice(at, 1);
  }
  return wrong;
}

function covers({ call, input, tool: named, decision }, made) {
  if (call !== `${made.call}/approval` || named !== input.tool) return false;
  if (made.tool !== named && `${made.server}.${made.tool}` !== named) return false;
  if (decision === "approved") return isDeepStrictEqual(input.arguments, made.args);
  return typeof decision === "object" && decision !== null && isDeepStrictEqual(decision.value, made.args);
}
