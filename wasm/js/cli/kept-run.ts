/** `stepgraph run --store` */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { OpenStoreOptions, PostgresPool, RunStore, StoreRunOptions } from "../integrations/store/node.js";
import { type PlanGraph, priceModels } from "../node.js";
import { randomId } from "../package-internals.js";
import { headline } from "../terminal/diagnostics.js";
import { visible } from "../terminal/text.js";
import type { Limits, Report, RunOptions } from "../types.js";
import { EXIT_INVALID, helpLine, LOCK_HELP, NO_SQLITE_HELP } from "./failure-report.js";
import { errorReason, renderOptions, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { PRICED_LIMITS } from "./parse-values.js";
import { readPrices } from "./prices.js";
import { withoutSqliteWarning } from "./sqlite-warning.js";

export interface KeptRun {
  readonly id: string;
  run(graph: PlanGraph, options: RunOptions): Promise<Report>;
  close(): Promise<void>;
}

export const keptIds = new WeakMap<Report, string>();

const POSTGRES = /^postgres(ql)?:\/\//;

export function isStoreUrl(place: string): boolean {
  return POSTGRES.test(place);
}

/** The store replaces these options, or can't offer them. */
const REPLACED: Record<string, string> = {
  snapshot: "`stepgraph runs export RUN --store FILE --as snapshot` writes the snapshot",
  resume: "name the run by `--run-id`",
  "restart-at":
    "write the snapshot by `stepgraph runs export RUN --store FILE --as snapshot -o run.json`, and continue it without " +
    "the store: `--resume run.json --restart-at NODE`",
  replay: "a run of the store continues by `--run-id`",
  fork: "fork the cassette that `stepgraph runs export RUN --store FILE --as cassette` writes, without `--store`",
  record: "`stepgraph runs export RUN --store FILE --as cassette` writes the cassette",
  audit: "the store has the events: `stepgraph runs show RUN --store FILE`",
  stubs: "a store keeps real answers; write the stubs as handlers of `--handlers`",
  otlp: "leave one of them out",
};

export function checkStoreOptions(args: Arguments): void {
  const [odd] = args.has("store")
    ? Object.keys(REPLACED).filter((name) => args.has(name))
    : ["run-id", "take-over"].filter((name) => args.has(name));
  if (odd === undefined) return;
  if (!args.has("store"))
    throw new UsageError("cli/missing-argument", `\`--${odd}\` is for a run in a store`, "add `--store FILE`");
  throw new UsageError("cli/conflicting-options", `\`--store\` and \`--${odd}\` can't be combined`, REPLACED[odd]!);
}

/** Null without `--store`. */
export async function openKeptRun(args: Arguments, io: Io): Promise<KeptRun | null> {
  const place = storePlace(args, io);
  if (place === undefined) return null;
  const id = args.single("run-id") ?? randomId();
  const { store, close } = await openStorePlace(place);
  const run = async (graph: PlanGraph, options: RunOptions) => {
    const given = { ...keptOptions(await continuedOptions(store, id, options, args)), runId: id };
    await tellOwnPlan(store, id, graph, args, io);
    const report = await decideAndRun(store, graph, given, options.decisions ?? {}, args);
    keptIds.set(report, id);
    return report;
  };
  return { id, run, close };
}

/** A refused run takes no decision. */
async function decideAndRun(
  store: RunStore,
  graph: PlanGraph,
  given: StoreRunOptions & { runId: string },
  decisions: NonNullable<RunOptions["decisions"]>,
  args: Arguments,
): Promise<Report> {
  if (Object.keys(decisions).length > 0) {
    const { signal: _signal, ...durable } = given;
    const refused = await store.refusal(graph, durable);
    if (refused !== null) return refused;
    await decideAll(store, given.runId, decisions);
  }
  return store.run(graph, { ...given, takeOver: args.has("take-over") });
}

/** A known run keeps its limits, and dollar limits need prices. */
async function continuedOptions(store: RunStore, id: string, options: RunOptions, args: Arguments) {
  const begun = await store.limits(id);
  if (begun === null) return options;
  const own = Object.entries(begun);
  const differs = Object.entries(options.limits ?? {}).some(([name, limit]) => begun[name as keyof Limits] !== limit);
  if (differs)
    throw new UsageError(
      "cli/not-possible",
      `the run \`${visible(id)}\` keeps the limits that it began with: ${
        own
          .filter(([name]) => PRICED_LIMITS.includes(name))
          .map(([name, limit]) => `${name}=${limit}`)
          .join(", ") || "none"
      }`,
      "leave `--limit` and `--max-usd` out, or begin a new run with another `--run-id`",
    );
  if (begun.usd === undefined || options.models === undefined) return options;
  return { ...options, models: priceModels(options.models, readPrices(args)) };
}

async function tellOwnPlan(store: RunStore, id: string, graph: PlanGraph, args: Arguments, io: Io): Promise<void> {
  if (args.has("json") || args.has("quiet") || args.has("upgrade")) return;
  const known = await store.get(id);
  if (known === null || known.planHash === graph.hash) return;
  const { style } = renderOptions(io.err, io);
  const note = "the run continues with the plan of the store, which differs from the file; move it with `--upgrade`";
  io.err.write(`${style.blue(style.bold("note"))}: ${note}\n`);
}

/** Decides nothing if a call is unknown. */
async function decideAll(store: RunStore, run: string, decisions: NonNullable<RunOptions["decisions"]>): Promise<void> {
  const calls = Object.keys(decisions);
  if (calls.length === 0) return;
  const known = (await store.approvals({ run, open: false })).map(({ call }) => call);
  const unknown = calls.find((call) => !known.includes(call));
  // The store says why.
  const order = unknown === undefined ? calls : [unknown];
  for (const call of order) await store.decide(run, call, decisions[call]!);
}

/** `run` needs the option, because most runs are not kept. */
export function storePlace(args: Arguments, io: Io, variable = false): string | undefined {
  const place = args.single("store") ?? (variable ? io.env.STEPGRAPH_STORE : undefined);
  if (place === "")
    throw new UsageError("cli/missing-argument", "`--store` needs a file or a URL", "write `--store runs.db`");
  return place;
}

export interface OpenedStore {
  store: RunStore;
  close(): Promise<void>;
}

/** A SQLite file, or PostgreSQL by `pg` of the current folder. */
export async function openStorePlace(place: string, options: OpenStoreOptions = {}): Promise<OpenedStore> {
  const { openStore } = await import("../integrations/store/node.js");
  if (!isStoreUrl(place)) {
    const store = await withoutSqliteWarning(() => openStore(place, options));
    return { store, close: () => store.close() };
  }
  const pool = await openPool(place);
  const close = async () => {
    await pool.end();
  };
  try {
    return { store: await openStore({ pool }, options), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPool(connectionString: string): Promise<PostgresPool & { end(): Promise<void> }> {
  type Pg = {
    Pool: new (options: object) => PostgresPool & { end(): Promise<void>; on(event: string, then: () => void): void };
  };
  let pg: Pg;
  try {
    const file = createRequire(join(process.cwd(), "package.json")).resolve("pg");
    const module = (await import(pathToFileURL(file).href)) as { default: Pg };
    pg = module.default;
  } catch (error) {
    throw new UsageError(
      "cli/missing-setup",
      `can't load the package \`pg\`: ${errorReason(error)}`,
      "install it here: `npm install pg`",
    );
  }
  const pool = new pg.Pool({ connectionString });
  // A lost connection fails the next statement.
  pool.on("error", () => {});
  return pool;
}

function keptOptions(options: RunOptions): StoreRunOptions {
  const { context, handlers, byId, tools, models, limits, allow, lock } = options;
  const { onEvent, onUpdate, planHash, signal, memory } = options;
  const host = { context, handlers, byId, tools, models, limits, allow, lock };
  const given = { ...host, onEvent, onUpdate, planHash, signal, memory };
  const upgrades = options.acceptChangedPlan === "proved";
  // A known run has its input.
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...inputOf(options),
    ...(upgrades && { acceptChangedPlan: "proved" }),
  };
}

function inputOf(options: RunOptions): Pick<RunOptions, "input"> {
  return "input" in options ? { input: options.input } : {};
}

/** The library's messages know no flags. */
const STORE_HELP: Readonly<Record<string, string>> = {
  "durable/no-driver": NO_SQLITE_HELP,
  "run/plan-changed": "compare the plans by `stepgraph diff`, then move the run by `--upgrade`",
  "tool/differs-from-lock": LOCK_HELP,
  "store/busy": "wait until its process has ended, or take the run by `--take-over`",
  "store/decided": "`stepgraph approvals` lists what is open",
  "store/failed": "check the file or the database, then continue the run by `--run-id`: it repeats no finished call",
  "store/not-found": "check the name; `stepgraph run --store FILE` makes a store",
  "store/taken": "`stepgraph runs show RUN` shows how far it is",
  "store/unknown-approval": "`stepgraph approvals` lists what is open",
  "store/unknown-run": "`stepgraph runs` lists the runs of the store",
  "store/version": "install a later release of the package",
};

/** Returns the exit code, or null for other errors. */
export function reportStoreFailure(error: unknown, io: Io): number | null {
  const { code, message = "" } = (error ?? {}) as { code?: unknown; message?: string };
  if (typeof code !== "string" || !/^(store|durable)\/|^(run\/plan-changed|tool\/differs-from-lock)$/.test(code))
    return null;
  const options = renderOptions(io.err, io);
  // Advice for programs follows.
  const [shown = ""] = message.split(/; if it has ended|: use Node /);
  const lines = headline({ severity: "error", code, message: visible(shown) }, options);
  const help = STORE_HELP[code];
  io.err.write(`${[...lines, ...(help ? [helpLine(help, options)] : [])].join("\n")}\n`);
  return /^(run|tool)\//.test(code) ? EXIT_INVALID : 1;
}
