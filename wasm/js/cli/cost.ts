/** `stepgraph cost` makes no call and needs no key. */
import { existsSync } from "node:fs";
import { estimateCost, examplePrices, type CostEstimate, type PlanGraph, type Prices } from "../node.js";
import { hasErrors, renderDiagnostics, tally } from "../terminal/diagnostics.js";
import { visible } from "../terminal/text.js";
import { openDatabase, reportAuditFailure } from "./audit.js";
import type { RunStore, StoredRun } from "../integrations/store/node.js";
import { openStorePlace, reportStoreFailure } from "./kept-run.js";
import { costLines } from "./cost-report.js";
import { decode, displayName, readBytes, renderOptions, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { readPrices } from "./prices.js";
import { checkedPlan, isStubs } from "./read-plan.js";

interface Plan {
  file: string;
  graph: PlanGraph;
}

type Cassette = string | readonly string[];

/** Per plan and database. */
const MAX_RUNS = 10_000;

export async function costCommand(args: Arguments, io: Io): Promise<number> {
  const files = args.operands.filter((file) => !isStubs(file));
  if (files.length === 0) throw new UsageError("cli/missing-argument", "the files are all stubs", "name a plan");
  if (files.filter((file) => file === "-").length > 1)
    throw new UsageError("cli/extra-argument", "standard input is named twice", "name it once");
  const prices = readPrices(args);
  const read = files.map((file) => readPlan(file, io));
  const plans = read.filter((plan): plan is Plan => plan !== null);
  if (plans.length < read.length) return 2;
  try {
    const cassettes = readCassettes(plans, args);
    for (const file of args.all("audit")) await addAudited(file, plans, cassettes, io);
    for (const place of args.all("store")) await addStored(place, plans, cassettes, io);
    const all = plans.map((plan) => ({ plan, cost: estimate(plan, prices, cassettes.get(plan) ?? [], args, io) }));
    // The examples have no prices of tools.
    if (args.has("prices") || all.some(({ cost }) => asksModel(cost))) warnOfAge(prices, args, io);
    report(all, { prices, args, io });
  } catch (error) {
    const code = reportAuditFailure(error, io) ?? reportStoreFailure(error, io);
    if (code === null) throw error;
    return code;
  }
  return 0;
}

/** Null after it reported errors. */
function readPlan(file: string, io: Io): Plan | null {
  const { graph, diagnostics, source } = checkedPlan(file);
  if (graph !== null && !hasErrors(diagnostics)) return { file, graph };
  const shown = renderDiagnostics(diagnostics, source, renderOptions(io.err, io));
  io.err.write(`${shown}\nno cost: ${visible(displayName(file))} has ${tally(diagnostics)}\n`);
  return null;
}

/** Assigns each cassette to the plan it recorded, if there are several. */
function readCassettes(plans: readonly Plan[], args: Arguments): Map<Plan, Cassette[]> {
  const found = new Map(plans.map((plan): [Plan, Cassette[]] => [plan, []]));
  for (const file of args.all("cassette")) {
    const text = decode(readBytes(file));
    const plan = plans.length === 1 ? plans[0] : plans.find(({ graph }) => graph.hash === planOf(text));
    if (plan === undefined)
      throw new UsageError(
        "cli/invalid-file",
        `\`${file}\` is no recorded run of these plans as they are now`,
        "name its plan alone, or record it again by `stepgraph run --record FILE`",
      );
    found.get(plan)!.push(text);
  }
  return found;
}

function planOf(cassette: string): string | undefined {
  try {
    return (JSON.parse(cassette.split("\n", 1)[0]!) as { plan?: { hash?: string } } | null)?.plan?.hash;
  } catch {
    return undefined;
  }
}

async function addAudited(file: string, plans: readonly Plan[], found: Map<Plan, Cassette[]>, io: Io): Promise<void> {
  // Throws the usual error for a missing file.
  if (!existsSync(file)) readBytes(file);
  const store = await openDatabase(file, io, { create: false });
  try {
    for (const plan of plans) {
      const { runs } = store.runs({ plan: plan.graph.hash, limit: MAX_RUNS });
      const cassettes = runs.map(({ id }) => store.cassette(id)).filter((lines) => lines.length > 0);
      found.get(plan)!.push(...cassettes);
      if (cassettes.length === 0)
        io.err.write(`${visible(file)} has no recorded run of ${visible(displayName(plan.file))} as it is now\n`);
    }
  } finally {
    store.close();
  }
}

async function addStored(place: string, plans: readonly Plan[], found: Map<Plan, Cassette[]>, io: Io): Promise<void> {
  if (place === "")
    throw new UsageError("cli/missing-argument", "`--store` needs a file or a URL", "write `--store runs.db`");
  const { store, close } = await openStorePlace(place, { create: false });
  try {
    for (const plan of plans) {
      const before = found.get(plan)!.length;
      for await (const { id } of firstRuns(store, plan.graph.hash)) found.get(plan)!.push(await store.cassette(id));
      if (found.get(plan)!.length === before)
        io.err.write(`${visible(place)} has no run of ${visible(displayName(plan.file))} as it is now\n`);
    }
  } finally {
    await close();
  }
}

/** Newest first. */
async function* firstRuns(store: RunStore, plan: string): AsyncGenerator<StoredRun> {
  let after: string | undefined;
  for (let seen = 0; seen < MAX_RUNS; ) {
    const page = await store.runs({ plan, limit: 100, ...(after !== undefined && { after }) });
    yield* page.runs;
    if (page.next === null) return;
    seen += page.runs.length;
    after = page.next;
  }
}

function estimate({ graph, file }: Plan, prices: Prices, runs: Cassette[], args: Arguments, io: Io): CostEstimate {
  const model = pricedModel(args, io);
  try {
    return estimateCost(graph, { prices, runs, ...(model && { models: { default: model } }) });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== "cost/unusable-run") throw error;
    throw new UsageError(
      "cli/invalid-file",
      `${displayName(file)}: ${message}`,
      "record it again by `stepgraph run --record FILE`",
    );
  }
}

function pricesLine({ date }: Prices, args: Arguments): string {
  const file = args.single("prices");
  if (file === undefined) return `prices: examples of ${examplePrices.date}; pass your own by --prices FILE`;
  const own = `${visible(displayName(file))}${date === undefined ? "" : ` of ${visible(date)}`}`;
  return `prices: ${own}, and examples of ${examplePrices.date} for other models`;
}

function asksModel({ total, nodes }: CostEstimate): boolean {
  return [total, ...nodes].some(({ bound }) => bound.modelTurns.most !== 0);
}

/** Prices change a few times a year. */
const MAX_DAYS = 180;

function warnOfAge(prices: Prices, args: Arguments, io: Io): void {
  const days = daysSince(prices.date, Date.now());
  if (days === null || days <= MAX_DAYS) return;
  const file = args.single("prices");
  const name = file === undefined ? "the example prices" : `the prices of ${visible(displayName(file))}`;
  const help = file === undefined ? "pass your own by `--prices FILE`" : "update the file and its `date`";
  const { style } = renderOptions(io.err, io);
  io.err.write(
    `${style.yellow(style.bold("warning"))}: ${name} are ${days} days old (${visible(prices.date!)})\n= help: ${help}\n`,
  );
}

/** Null for other forms than `2026-01-31`. */
function daysSince(date: string | undefined, nowMs: number): number | null {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(date ?? "") ? Date.parse(date!) : NaN;
  return Number.isNaN(ms) ? null : Math.floor((nowMs - ms) / 86_400_000);
}

interface Output {
  prices: Prices;
  args: Arguments;
  io: Io;
}

function report(all: readonly { plan: Plan; cost: CostEstimate }[], { prices, args, io }: Output): void {
  if (args.has("json")) {
    const { date = null, source = null } = prices;
    const shown = all.map(({ plan, cost }) => ({ plan: displayName(plan.file), hash: plan.graph.hash, ...cost }));
    io.out.write(`${JSON.stringify({ prices: { date, source }, plans: shown })}\n`);
    return;
  }
  const options = renderOptions(io.out, io);
  const parts = all.map(({ plan, cost }) =>
    [options.style.bold(visible(displayName(plan.file))), ...costLines(cost, options)].join("\n"),
  );
  io.out.write(`${[...parts, options.style.dim(pricesLine(prices, args))].join("\n\n")}\n`);
}

/** A bare name means OpenAI, as in `run`. */
export function pricedModel(args: Arguments, io: Io): string | undefined {
  const named = args.single("model") ?? io.env.STEPGRAPH_MODEL;
  return named === undefined || named.includes(":") ? named : `openai:${named}`;
}
