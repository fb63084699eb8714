/**
 * `explain_run`: the path of a run.
 *
 * Invariant: every answer has a size limit. Large values are read in slices.
 */
import type { Outcome, TraceEvent, Verdict } from "../../types.js";
import { pluralize, formatDuration, visibleLines } from "../../terminal/text.js";
import { CallerError, errorText } from "./caller-error.js";
import { truncateValue, truncateMap, inlineValue, jsonOf } from "./render.js";
import type { RunRecord } from "./run-record.js";

/** Characters of JSON in an answer. */
const MAX_SLICE = 16_000;
const MAX_EXPLANATION = 24_000;
/** Decisions and visits in an answer. The last ones stay. */
const MAX_LISTED = 60;
/** Right after a run. */
export const MAX_SUMMARIZED = 12;

/** Differs in this server. */
const FAILURE_HELP: Record<string, string> = {
  "tool/unreachable": "check that the tool's server runs; `describe_tools` lists the servers that do not respond",
  "tool/unauthorized": "the operator of this server must set the tool server's key",
  "tool/invalid-arguments": "look at the tool's schema by `describe_tools`, and fix the node's `input`",
  "tool/failed": "the tool failed: fix its arguments, or add an edge with `condition: error.exists` that handles it",
  "tool/timeout": "give the node a larger `timeout_ms`, or a `retry`",
  "template/missing": "use `${a ?? b}` for values that may be missing, or fix the path",
  "run/visit-limit": "the loop runs too often: fix the condition that leaves it, or raise `visits` of the node",
  "run/step-limit":
    "the server limits the steps of a run: fix the loop, or start the server with a larger `--limit steps=N`",
  "run/call-limit": "the server limits the calls of a run: start it with a larger `--limit calls=N`",
  "run/unknown-price":
    "start the server with `--prices FILE` that has the model's price, or leave `usd` out of the limits and set `tokens`",
  "run/timeout": "the run exceeded its limit: start the server with a larger `--limit timeout_ms=N`",
  "serve/frozen": "look for a slow pattern, or for values that grow at every step",
  "serve/out-of-memory": "make values smaller: look for values that double at every step, or lists of large values",
  "run/invalid-input": "pass an `input` that matches the plan's `inputs`",
  "model/unauthorized": "the operator of this server must set the model's key, as in OPENAI_API_KEY",
  "model/unreachable": "check that the model's server runs, and that `--model-url` has its address",
  "model/rate-limited": "wait a while, then resume or run it again; `retry` does this in the plan",
  "model/overloaded": "wait a while, then resume or run it again; `retry` does this in the plan",
  "model/context-length": "shorten the node's `input`, or use a model with a larger context",
  "model/bad-reply": "run it again, or start the server with another `--model`",
  "model/unknown": "start the server with `--model`, or use a client that offers sampling",
};

/** Null if the message is enough. */
export function helpFor(code: string): string | null {
  return Object.hasOwn(FAILURE_HELP, code) ? FAILURE_HELP[code]! : null;
}

/** Part of every answer about a run. */
export function summaryOf(run: RunRecord): Record<string, unknown> {
  const { id, status, name, path, planHash, outcome, way, counts, durationMs, asked, startedAt } = run;
  return {
    run: id,
    status,
    plan: name ?? path,
    plan_hash: planHash,
    started_at: startedAt,
    duration_ms: Math.round(durationMs),
    path: way.slice(-200),
    counts,
    ...(outcome?.type === "failed" ? { failure: failureOf(outcome) } : {}),
    ...(outcome?.type === "completed" ? { reason: outcome.reason } : {}),
    asks: asked.slice(0, 50).map(({ call, node, scope, tool, input }) => ({
      call,
      node: scope === "" ? node : `${scope}/${node}`,
      tool: tool ?? null,
      input: truncateValue(input, 2000, `explain_run with value \`/asked\``),
    })),
  };
}

function failureOf({ code, message, node, scope }: Extract<Outcome, { type: "failed" }>): object {
  return {
    code,
    message: message.slice(0, 2000),
    node: node === undefined ? null : scope ? `${scope}/${node}` : node,
    help: helpFor(code),
  };
}

export function valuesOf(run: RunRecord): Record<string, unknown> {
  const valueHint = (name: string) =>
    `explain_run with run \`${run.id}\` and value \`/outputs/${escapePointer(name)}\``;
  const { input: _input, ...outputs } = run.outputs;
  return {
    last: truncateValue(run.last, 8000, `explain_run with run \`${run.id}\` and value \`/last\``),
    outputs: truncateMap(outputs, MAX_EXPLANATION - 8000, valueHint),
  };
}

interface EdgeDecision {
  from: string;
  to: string | null;
  why: string;
  looked_at: { condition: string; holds: boolean; failed?: true; saw: string }[];
}

export function decisionsOf({ events }: RunRecord, node?: string, max = MAX_LISTED): EdgeDecision[] {
  const all = events.filter(
    (event): event is Extract<TraceEvent, { type: "edge-decided" }> =>
      event.type === "edge-decided" && (node === undefined || isAtNode(event, node) || event.from === node),
  );
  return all.slice(-max).map(({ from, to, reason, verdicts, scope }) => {
    const taken = verdicts.findLast(({ holds }) => holds);
    const why = {
      condition: taken ? `\`${taken.condition}\` held: ${comparedText(taken)}` : "its condition held",
      fallback: verdicts.length > 0 ? "no condition held, and this edge has none" : "the edge has no condition",
      "no-match": "no condition held, and there is no edge without one: the run ends here",
      terminal: "no edge leaves this node: the run ends here",
    }[reason];
    const nodePath = (name: string) => (scope ? `${scope}/${name}` : name);
    return {
      from: nodePath(from),
      to: to === null ? null : nodePath(to),
      why,
      looked_at: verdicts.map((verdict) => ({
        condition: verdict.condition,
        holds: verdict.holds,
        ...(verdict.failed && { failed: true as const }),
        saw: comparedText(verdict),
      })),
    };
  });
}

function comparedText({ saw }: Verdict): string {
  return saw
    .map(({ reference, value, missing }) => `${reference} was ${missing ? "missing" : inlineValue(value, 200)}`)
    .join(", ");
}

interface NodeVisit {
  node: string;
  visit: number;
  status: "running" | "completed" | "failed";
  duration_ms: number | null;
  input: unknown;
  output: unknown;
  failure: { code: string; message: string; help: string | null } | null;
  tries: { attempt: number; code: string; message: string }[];
  tokens: number;
}

export function visitsOf({ id, events }: RunRecord, node?: string, max = MAX_LISTED): NodeVisit[] {
  const visits = new Map<string, NodeVisit>();
  const space = node === undefined ? 300 : 4000;
  const keyOf = (event: { node: string; visit: number; scope?: string }) =>
    `${event.scope ?? ""}/${event.node}:${event.visit}`;
  const latest = new Map<string, NodeVisit>();
  for (const event of events) {
    if (!("node" in event) || (node !== undefined && !isAtNode(event, node))) continue;
    const place = event.scope ? `${event.scope}/${event.node}` : event.node;
    const more = `explain_run with run \`${id}\` and value \`/outputs/${escapePointer(event.node)}\``;
    if (event.type === "node-started") {
      const visit: NodeVisit = {
        node: place,
        visit: event.visit,
        status: "running",
        duration_ms: null,
        input: truncateValue(event.input, space, more),
        output: null,
        failure: null,
        tries: [],
        tokens: 0,
      };
      visits.set(keyOf(event), visit);
      latest.set(place, visit);
    }
    const visit = "visit" in event ? visits.get(keyOf(event)) : latest.get(place);
    if (visit === undefined) continue;
    if (event.type === "node-completed")
      Object.assign(visit, {
        status: "completed",
        duration_ms: Math.round(event.durationMs),
        output: truncateValue(event.output, space, more),
      });
    if (event.type === "node-failed")
      Object.assign(visit, {
        status: "failed",
        duration_ms: Math.round(event.durationMs),
        failure: { code: event.code, message: event.message.slice(0, 2000), help: helpFor(event.code) },
      });
    if (event.type === "node-retried")
      visit.tries.push({ attempt: event.attempt, code: event.code, message: event.message.slice(0, 500) });
    if (event.type === "model-replied" && event.reply.usage)
      visit.tokens += event.reply.usage.input + event.reply.usage.output;
  }
  return [...visits.values()].slice(-max);
}

function isAtNode({ node, scope }: { node?: string; scope?: string }, name: string): boolean {
  return node === name || (scope !== undefined && `${scope}/${node}` === name);
}

export function explanation(run: RunRecord, node: string | undefined, why: boolean, max = MAX_LISTED): string {
  const { id, status, way, counts, durationMs, outcome, asked, lost } = run;
  const visits = visitsOf(run, node, max);
  const decisions = decisionsOf(run, node, max);
  if (node !== undefined && visits.length === 0)
    throw new CallerError(
      "serve/unknown-value",
      `the run \`${id}\` did not reach the node \`${node.slice(0, 100)}\``,
      way.length > 0
        ? `it reached ${[...new Set(way)]
            .slice(0, 40)
            .map((one) => `\`${one}\``)
            .join(", ")}`
        : "it reached no node",
    );
  const tokens = counts.tokens === undefined ? "" : `, ${counts.tokens} tokens`;
  const retries = counts.retries === 1 ? "1 retry" : `${counts.retries} retries`;
  const counted = `${pluralize(counts.steps, "step")}, ${pluralize(counts.calls, "call")}, ${retries}${tokens}`;
  return [
    `run ${id}: ${status} after ${formatDuration(durationMs)}: ${counted}`,
    ...(way.length > 0 ? [`path: ${pathText(way)}`] : []),
    ...(outcome?.type === "failed"
      ? [
          errorText(
            outcome.code,
            `${outcome.node === undefined ? "" : `node \`${outcome.node}\`: `}${visibleLines(outcome.message).slice(0, 2000)}`,
            helpFor(outcome.code),
          ),
        ]
      : []),
    ...asked
      .slice(0, 50)
      .map(
        (approval) =>
          `requires approval: \`${approval.call}\`${approval.tool === undefined ? "" : ` to call \`${approval.tool}\``}: ${inlineValue(approval.input)}`,
      ),
    "",
    ...visits.flatMap((visit) =>
      visitText(
        visit,
        node !== undefined,
        status === "running" ? "is running" : status === "paused" ? "waits" : "was abandoned",
      ),
    ),
    ...decisions.flatMap(({ from, to, why: reason, looked_at: looked }) => [
      `${from} -> ${to ?? "(end)"}: ${reason}`,
      ...(why || node !== undefined
        ? looked.map(
            ({ condition, holds, failed, saw }) =>
              `  ${failed ? "failed" : holds ? "held" : "did not hold"}: \`${condition}\`: ${saw}`,
          )
        : []),
    ]),
    ...(lost > 0 ? [`(${lost} further events were dropped)`] : []),
  ]
    .join("\n")
    .trimEnd();
}

/** Merges repeated visits. */
function pathText(way: string[]): string {
  const parts: { node: string; times: number }[] = [];
  for (const node of way.slice(-2000)) {
    const last = parts.at(-1);
    if (last?.node === node) last.times++;
    else parts.push({ node, times: 1 });
  }
  return `${parts.length > MAX_LISTED || way.length > 2000 ? "... -> " : ""}${parts
    .slice(-MAX_LISTED)
    .map(({ node, times }) => (times > 1 ? `${node} (${times} times)` : node))
    .join(" -> ")}`;
}

function visitText(
  { node, visit, status, duration_ms: ms, input, output, failure, tries, tokens }: NodeVisit,
  full: boolean,
  open: string,
): string[] {
  const which = visit > 1 ? `${node} (visit ${visit})` : node;
  const stands = status === "running" ? open : status;
  const cost = `${ms === null ? "" : ` in ${formatDuration(ms)}`}${tokens > 0 ? `, ${tokens} tokens` : ""}`;
  const head = `${which}: ${stands}${cost}`;
  return [
    head,
    ...tries.map(({ attempt, code, message }) => `  attempt ${attempt} failed: ${code}: ${visibleLines(message)}`),
    ...(failure === null
      ? []
      : [
          `  ${failure.code}: ${visibleLines(failure.message)}`,
          ...(failure.help === null ? [] : [`  help: ${failure.help}`]),
        ]),
    ...(full
      ? [
          `  input: ${inlineValue(input, 4500)}`,
          ...(status === "completed" ? [`  output: ${inlineValue(output, 4500)}`] : []),
        ]
      : []),
  ];
}

export interface ValueSlice {
  value: string;
  from: number;
  characters: number;
  next_offset: number | null;
  text: string;
}

/** `pointer` leads into `last`, `input`, `outputs`, `asked`, `plan` or `outcome`. Throws {@link CallerError}. */
export function sliceValue(run: RunRecord, pointer: string, offset: number): ValueSlice {
  const { last, input, outputs, asked, plan, outcome } = run;
  let at: unknown = { last, input, outputs, asked, plan, outcome };
  const parts = pointer
    .replace(/^\//, "")
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  parts.forEach((part, i) => {
    const own: string[] = typeof at === "object" && at !== null ? Object.keys(at) : [];
    if (!own.includes(part)) {
      const there = own
        .slice(0, 30)
        .map((key) => `\`/${[...parts.slice(0, i), key].map(escapePointer).join("/")}\``)
        .join(", ");
      throw new CallerError(
        "serve/unknown-value",
        `the run \`${run.id}\` has no value at \`${pointer.slice(0, 200)}\``,
        there === "" ? undefined : `there is ${there}`,
      );
    }
    at = (at as Record<string, unknown>)[part];
  });
  // Most large values are strings, so they are not encoded.
  const text = typeof at === "string" ? at : jsonOf(at);
  const end = Math.min(text.length, offset + MAX_SLICE);
  return {
    value: pointer,
    from: offset,
    characters: text.length,
    next_offset: end < text.length ? end : null,
    text: text.slice(offset, end),
  };
}

function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
