// Plans the requests of `request-kinds.yaml` and counts what the page's review misses.
//
//   node tests/playground/measure-requests.mjs                            the demonstration model
//   node tests/playground/measure-requests.mjs --url URL --save FILE      a model behind an OpenAI-compatible server
//   node tests/playground/measure-requests.mjs --from FILE                planned earlier; only the review is new
//
// `--stage NODE` lets that model serve one stage of the planner, and the demonstration model the others.
// `--save` appends one line of JSON per request, and skips requests that the file has. `--seconds N` starts no request
// after N seconds. `--hard` takes `hard-requests.yaml` instead. `--list` prints each sentence.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import * as engine from "../../dist/node.js";
import { root } from "../../scripts/lib/paths.mjs";
import { isMet } from "./request-judge.mjs";
import { load } from "./scripts.mjs";

const { DemoTools } = await load("connect/demo-tools.ts");
const { demoModel } = await load("connect/demo-model.ts");
const { DEMO_TOOLS } = await load("connect/demo-tool-list.ts");
const { demandsOf } = await load("../../wasm/js/request-review/demands.ts");

const read = (name) => parse(readFileSync(join(root, "tests", "playground", name), "utf8"));
export const requests = read("request-kinds.yaml");
export const hardRequests = read("hard-requests.yaml");
export const demo = demoModel({ pace: 0 });

/** Plans a request as the page does, with the part that is possible if the planner offers one. */
export async function planRequest(request, models) {
  const first = await author({ user_input: request }, models);
  if (first.status !== "partial_solution") return { request, ...first };
  return { request, ...first, partial: await author({ user_input: request, partial: "continue" }, models) };
}

async function author(input, models) {
  const from = performance.now();
  let calls = 0;
  const counted = (one) => ({ ...one, chat: (...asked) => (calls++, one.chat(...asked)) });
  const tools = [new DemoTools({ pace: 0 })];
  const host = { tools, models: Object.fromEntries(Object.entries(models).map(([name, one]) => [name, counted(one)])) };
  const result = await engine.flows.author(input, host);
  const base = { status: result.status, calls, ms: Math.round(performance.now() - from) };
  if (result.status === "unfinished") return { ...base, outcome: result.outcome };
  const { report, ...rest } = result;
  return { ...base, ...rest, steps: report.outputs.requirements_result?.steps ?? [] };
}

/** What the review shows for a record, and whether each sentence is in the plan by its hand-made needs. */
export function judge(record, { needs }) {
  const plan = record.status === "partial_solution" ? record.partial : record;
  if (plan.status !== "planned") return { green: false, sentences: [] };
  const missing = plan === record ? [] : plan.missing_capabilities;
  const demands = demandsOf(record.request, plan, DEMO_TOOLS, missing);
  const sentences = Object.entries(needs).map(([text, words]) => {
    const own = demands.filter((demand) => demand.text.includes(text) || text.includes(demand.text));
    const open = own.filter(({ why }) => why !== undefined);
    const shown = open.length === 0 ? "green" : open.every(({ isLeftOut }) => isLeftOut) ? "left out" : "red";
    const why = own.flatMap((one) => one.why ?? []).join(", ");
    return {
      text,
      why,
      met: isMet(words, plan.workflow, plan.params),
      shown: own.length === 0 ? "lost" : shown,
      asks: words.some((word) => /^(approval|guarded)/.test(word)),
    };
  });
  return { green: demands.every(({ why, isLeftOut }) => why === undefined || isLeftOut), sentences };
}

/** Sums of all judgements. `false green`: shown as met, or not shown at all, and not in the plan. */
export function count(judged) {
  const all = judged.flatMap(({ sentences }) => sentences);
  const of = (test) => all.filter(test).length;
  const isOpen = ({ shown }) => shown === "red" || shown === "left out";
  return {
    plans: judged.filter(({ sentences }) => sentences.length > 0).length,
    green: judged.filter(({ green }) => green).length,
    "green plans with a sentence unmet": judged.filter(
      ({ green, sentences }) => green && sentences.some((one) => !one.met && one.shown !== "left out"),
    ).length,
    sentences: all.length,
    met: of(({ met }) => met),
    "false green": of((one) => !one.met && !isOpen(one)),
    "false red": of((one) => one.met && isOpen(one)),
    "approvals asked": of(({ asks }) => asks),
    "approvals in the plan": of(({ asks, met }) => asks && met),
    "approvals missing and not red": of((one) => one.asks && !one.met && !isOpen(one)),
  };
}

async function main() {
  const { values } = parseArgs({
    options: {
      url: { type: "string" },
      save: { type: "string" },
      from: { type: "string" },
      seconds: { type: "string", default: "3600" },
      tokens: { type: "string", default: "400" },
      stage: { type: "string" },
      list: { type: "boolean" },
      hard: { type: "boolean" },
    },
  });
  const asked = values.hard ? hardRequests : requests;
  const file = values.from ?? values.save;
  const lines = file !== undefined && existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const records = new Map(lines.map((line) => JSON.parse(line)).map((record) => [record.request, record]));
  if (values.from === undefined) await planAll(asked, records, values);
  report(asked, records, values.list);
}

async function planAll(asked, records, { url, save, seconds, tokens, stage }) {
  const small = url === undefined ? null : smallModel(url, Number(tokens));
  const models = stage === undefined ? { default: small ?? demo } : { default: demo, [stage]: small };
  const end = performance.now() + Number(seconds) * 1000;
  for (const { request, kind } of asked) {
    if (records.has(request) || performance.now() > end) continue;
    const record = { kind, ...(await planRequest(request, models)) };
    records.set(request, record);
    if (save !== undefined) appendFileSync(save, `${JSON.stringify(record)}\n`);
    if (url !== undefined) console.log(`${record.status}, ${record.calls} calls, ${record.ms} ms: ${request}`);
  }
}

/** A small model repeats itself without end, so its answers are short and its lists have few entries. */
function smallModel(baseUrl, max_tokens) {
  const model = engine.openai({ baseUrl, model: "small" });
  const chat = ({ schema, ...request }, options) =>
    model.chat({ ...request, ...(schema && { schema: limited(schema) }), max_tokens, temperature: 0 }, options);
  return { ...model, name: model.name, chat };
}

function limited(schema) {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(limited);
  const own = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, limited(value)]));
  const isText = [own.type].flat().includes("string") && !own.enum;
  return { ...own, ...(isText && { maxLength: 60 }), ...(own.type === "array" && { maxItems: 4 }) };
}

function report(asked, records, isLong) {
  const judged = asked.flatMap((one) => {
    const record = records.get(one.request);
    return record === undefined ? [] : [{ ...one, record, ...judge(record, one) }];
  });
  for (const { request, kind, record, sentences } of isLong ? judged : []) {
    console.log(
      `${kind ?? "hard"}: ${request}\n  ${record.status}${record.partial ? `, then ${record.partial.status}` : ""}`,
    );
    const plan = (record.partial ?? record).workflow;
    if (plan)
      console.log(
        `  ${Object.entries(plan.nodes)
          .map(([id, { type, metadata }]) => `${id}:${type}[${metadata?.step ?? ""}]`)
          .join(" ")}`,
      );
    for (const { text, met, shown, why } of sentences) {
      const mark = met === (shown === "green") || (!met && shown === "left out") ? " " : met ? "r" : "G";
      console.log(`  ${mark} ${shown}, ${met ? "met" : "unmet"}: ${text}${why ? ` (${why})` : ""}`);
    }
  }
  const statuses = judged.map(({ record }) => record.partial?.status ?? record.outcome?.code ?? record.status);
  console.log(
    Object.fromEntries([...new Set(statuses)].map((one) => [one, statuses.filter((other) => other === one).length])),
  );
  console.log(count(judged));
}

if (process.argv[1] === import.meta.filename) await main();
