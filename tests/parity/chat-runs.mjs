/** Runs for the tests of chat streams: agents in parallel branches, retries, approvals. */
import { run } from "stepgraph";
import { plan } from "./plans.mjs";

const TOOLS = [
  { name: "rooms", input_schema: { type: "object" }, annotations: { readOnlyHint: true } },
  { name: "book", input_schema: { type: "object" }, annotations: { destructiveHint: true } },
];

export function tools(answers = {}, calls = []) {
  const call = async (name, args) => {
    calls.push([name, args]);
    const answer = answers[name] ?? "ok";
    if (answer instanceof Error) return { value: null, isError: true, message: answer.message };
    return { value: answer, isError: false };
  };
  return [{ name: "house", list: async () => TOOLS, call }];
}

/** Follows a list of replies for each node. Text streams word by word. An error among the pieces fails the call. */
export function scripted(script) {
  const left = Object.fromEntries(Object.entries(script).map(([node, replies]) => [node, [...replies]]));
  return async (_, { call, onDelta }) => {
    const node = /([^/:]+):\d+:\d+(\/\d+)?$/.exec(call)[1];
    const { say = [], think = [], calls = [], fail } = left[node].shift();
    for (const text of think) onDelta?.({ type: "reasoning", text });
    for (const text of say) {
      onDelta?.({ type: "text", text });
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (fail) throw Object.assign(new Error(fail.message), { code: fail.code });
    const tool_calls = calls.map(([name, args], at) => ({ id: `${call}-${at}`, name, arguments: args }));
    return { text: say.join(""), finish: calls.length > 0 ? "tool_calls" : "stop", usage: null, tool_calls };
  };
}

export const stream = (text, options) => run.stream(plan(text), { updates: true, ...options });

export const AGENT = "nodes: {find: {type: agent, input: hi, with: {tools: [rooms, book]}}}";
export const LLM = "nodes: {say: {type: llm, input: hi}}";
export const RETRIED = "nodes: {say: {type: llm, input: hi, retry: {attempts: 2, backoff_ms: 0}}}";
export const APPROVE = `
start: ask
nodes: {ask: {type: approve, input: {total: 5}}, done: {type: log, input: "it is \${last}"}}
edges: [{from: ask, to: done}]`;
export const PARALLEL = `
nodes:
  fan:
    type: parallel
    branches:
      a: {start: left, nodes: {left: {type: agent, input: hi, with: {tools: [rooms, book]}}}}
      b: {start: right, nodes: {right: {type: llm, input: hi, retry: {attempts: 2, backoff_ms: 0}}}}`;

export const BROKEN = { say: ["half ", "of "], fail: { code: "model/unreachable", message: "lost at host:1" } };

export async function collect(items) {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
}

/** `started` settles when it is called, `aborted` when the call is. */
export function endless(say = []) {
  let start, abort;
  const started = new Promise((resolve) => (start = resolve));
  const aborted = new Promise((resolve) => (abort = resolve));
  const model = (_, { signal, onDelta }) => {
    for (const text of say) onDelta?.({ type: "text", text });
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        reject(signal.reason);
        abort();
      });
      start();
    });
  };
  return { model, started, aborted };
}
