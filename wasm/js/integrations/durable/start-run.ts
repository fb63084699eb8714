/** Starts a durable run: records plan, host and start values, or checks the recorded ones. */
import { internals, PlanError, Run, type PlanGraph, type Report, type RunOptions, type Snapshot } from "stepgraph";
import { Calls, toolsEntry } from "./calls.js";
import {
  FORMAT,
  HEAD,
  type Head,
  type HostNames,
  encodeEntry,
  type EntryEncoding,
  readHead,
  readTools,
  shortHash,
  type ToolsEntry,
  decodeEntry,
} from "./journal-entry.js";
import type { Recording } from "../../machine-options.js";
import type { Journal, JournalAnswer } from "./journal.js";
import { newHostPart } from "./new-host-parts.js";
import type { DurableOptions } from "./options.js";
import { PlanMoves } from "./plan-moves.js";

const TOOLS_STEP = "tools";
const DIFFERS = "tool/differs-from-lock";

/** A run of one plan with its host. */
export interface BoundRun {
  run: Run;
  calls: Calls;
  /** Binds another plan, at the start or at a snapshot. */
  bind: (graph: PlanGraph, snapshot?: Snapshot) => BoundRun | { report: Report };
}

export interface StartedRun extends BoundRun {
  atMs: number;
  /** Null without `acceptChangedPlan`, or if the journal can be changed. */
  moves: PlanMoves | null;
}

export async function startRun(
  plans: readonly PlanGraph[],
  journal: Journal,
  options: DurableOptions,
  encoding: EntryEncoding,
  recording?: Recording,
): Promise<StartedRun | { report: Report }> {
  // An invalid snapshot could never continue.
  if (options.snapshot !== undefined) internals.planChanges(plans[0]!, { snapshot: options.snapshot });
  const given = inputHash(options);
  const cancelled = () => internals.rejectRun(plans[0]!, {}, { type: "cancelled" });
  journal.begin({
    kind: "call",
    name: HEAD,
    work: async () => encodeEntry(HEAD, headOf(plans[0]!, options, given, journal), { maxBytes: Infinity }),
  });
  const entry = await readOwnStep(journal, HEAD, encoding);
  if (entry === null) return cancelled();
  const head = readHead(HEAD, entry);
  const graph = plans.find(({ hash }) => hash === head.plan.hash);
  if (graph === undefined)
    throw new PlanError(
      "run/plan-changed",
      `the plan has changed since the run began: ${internals.listSome(plans[0]!.differences(head.plan))}`,
    );
  const { planHash } = options;
  const other = planHash === undefined ? null : internals.planChanges(graph, { planHash });
  if (other !== null)
    return internals.rejectRun(graph, {}, { type: "failed", code: "run/plan-changed", message: other });
  if (given !== head.given)
    throw new PlanError(
      "durable/diverged",
      "the run was begun with another input, or with other outputs, memory or snapshot",
    );
  assertHost(head, options);
  const started = (listed: ToolsEntry) => {
    const bound = bindRun(graph, { head, listed, options, encoding, recording });
    if ("report" in bound) return bound;
    const isHosted = (plan: PlanGraph) => newHostPart(plan, head.host, options) === null;
    const moves = head.moves === true ? new PlanMoves({ plans, current: graph, isHosted }, bound.bind) : null;
    return { ...bound, moves, atMs: Math.max(head.atMs, listed.atMs ?? 0) };
  };
  if (head.host.clients === 0) return started({ tools: [] });
  journal.begin({
    kind: "call",
    name: TOOLS_STEP,
    work: async () => encodeEntry(TOOLS_STEP, await lockedEntry(graph, options), encoding),
    remote: () => ({ type: "list-tools", call: TOOLS_STEP }),
  });
  const tools = await readOwnStep(journal, TOOLS_STEP, encoding);
  return tools === null ? cancelled() : started(readTools(TOOLS_STEP, tools));
}

/** A replay without the lock repeats the refusal. */
async function lockedEntry(graph: PlanGraph, options: DurableOptions): ReturnType<typeof toolsEntry> {
  const listed = await toolsEntry(options);
  if ("error" in listed || options.lock === undefined) return listed;
  const { refusal: message } = lockedTools(graph, listed, options);
  return message === null ? listed : { error: { code: DIFFERS, message }, atMs: listed.atMs };
}

function lockedTools(graph: PlanGraph, listed: Extract<ToolsEntry, { tools: unknown }>, options: DurableOptions) {
  const tools = internals.toolRegistry(internals.toolClients(options.tools) ?? [], listed.tools);
  return { tools, refusal: options.lock?.refusal(graph, tools.list, new Set()) ?? null };
}

/** Waits for a step of the driver itself. Null if the run was cancelled meanwhile. */
export async function readOwnStep(
  journal: Journal,
  name: string,
  { store }: EntryEncoding,
): Promise<Record<string, unknown> | null> {
  const answer = await journal.race([name]);
  // Only approvals pause a run.
  return answer === null || answer === "paused" ? null : decodeEntry(name, answerOf(answer, new Set([name])), store);
}

interface RunParts {
  head: Head;
  listed: ToolsEntry;
  options: DurableOptions;
  encoding: EntryEncoding;
  recording: Recording | undefined;
}

function bindRun(graph: PlanGraph, parts: RunParts): BoundRun | { report: Report } {
  const { head, listed, options, encoding, recording } = parts;
  const { input, outputs, memory, context, snapshot, trace } = options;
  const { types, ids, models, allow, limits, retries } = head.host;
  const given = { input, outputs, memory, context, snapshot, trace } as RunOptions;
  if ("error" in listed) return internals.rejectRun(graph, given, { type: "failed", ...listed.error });
  const changed = snapshot === undefined ? null : internals.planChanges(graph, { snapshot });
  if (changed !== null)
    return internals.rejectRun(graph, given, { type: "failed", code: "run/plan-changed", message: changed });
  const { tools, refusal } = lockedTools(graph, listed, options);
  // Another process listed the tools, or the run began with another lock: the lock that fits may continue it.
  if (refusal !== null) throw new PlanError(DIFFERS, refusal);
  const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, () => null]));
  const host = { handlers: named(types), byId: named(ids), models: named(models), allow, outputs, snapshot };
  const program = graph.bind(internals.hostCapabilities(host as never, tools, retries === "host"));
  if (!program.ready) return internals.rejectUnbound(graph, program, given);
  const unpriced = internals.rejectUnpriced(graph, {
    ...given,
    limits,
    ...(options.models && { models: options.models }),
  });
  if (unpriced !== null) return { report: unpriced };
  const machine = { types, ids, models, tools: tools.list, servers: tools.servers, allow, retries };
  // `now` counts from 1970.
  const run = new Run(graph, { ...given, limits, epochMs: 0, ...machine }, recording);
  const bind = (plan: PlanGraph, from?: Snapshot) => {
    if (from === undefined) return bindRun(plan, parts);
    const { input: _input, outputs: _outputs, memory: _memory, ...rest } = options;
    return bindRun(plan, { ...parts, options: { ...rest, snapshot: { ...from, plan: plan.fingerprint } } });
  };
  return {
    run,
    bind,
    calls: new Calls(run, options, { id: head.run, tools, encoding, now: options.now ?? internals.now }),
  };
}

/** A run continues with the same start values only. */
function inputHash({ input, outputs, memory, snapshot }: DurableOptions): string {
  try {
    return shortHash([input ?? null, outputs ?? null, memory ?? null, snapshot ?? null]);
  } catch (error) {
    const { message } = internals.toFailure(error, "");
    throw new PlanError("durable/not-json", `the initial values of the run can't be written as JSON: ${message}`);
  }
}

function headOf(graph: PlanGraph, options: DurableOptions, given: string, { recordsWork }: Journal): Head {
  const { handlers, byId, models, allow, limits, retries, now = internals.now } = options;
  const tools = internals.toolClients(options.tools);
  const host: HostNames = {
    types: Object.keys(handlers ?? {}),
    ids: Object.keys(byId ?? {}),
    models: Object.keys(models ?? {}),
    clients: tools?.length ?? 0,
    ...(tools?.length && { servers: tools.map(({ name }) => name) }),
    allow: allow ?? false,
    limits: (models && internals.withCallPrices(graph, limits, models)) ?? limits ?? {},
    retries: retries ?? "plan",
  };
  // A sandbox without `crypto` has no random values that a replay repeats.
  const random = (globalThis as { crypto?: unknown }).crypto === undefined ? undefined : internals.randomId();
  const run = options.runId ?? options.snapshot?.run ?? random;
  const moves = options.acceptChangedPlan !== undefined && recordsWork === true && { moves: true as const };
  const named = run !== undefined && { run };
  return { format: FORMAT, plan: graph.fingerprint, given, host, ...named, ...moves, atMs: now() };
}

/** Earlier decisions depend on these. */
function assertHost({ host }: Head, options: DurableOptions): void {
  const missing = [
    ...host.types.filter((name) => !options.handlers?.[name]).map((name) => `handler \`${name}\``),
    ...host.ids.filter((name) => !options.byId?.[name]).map((name) => `handler \`${name}\` by id`),
    ...host.models.filter((name) => !options.models?.[name]).map((name) => `model \`${name}\``),
  ];
  missing.push(...revokedApprovals(host.allow, options.allow ?? false).map((name) => `permission to call ${name}`));
  const tools = internals.toolClients(options.tools) ?? [];
  const clients = tools.length;
  if (host.clients > clients) missing.push(`${host.clients - clients} of ${host.clients} tool clients`);
  const isOtherClient = (name: string, at: number) => at < clients && tools[at]!.name !== name;
  missing.push(...(host.servers ?? []).filter(isOtherClient).map((name) => `tool client \`${name}\` in its place`));
  if (missing.length > 0)
    throw new PlanError(
      "durable/host-changed",
      `the host no longer has what the run began with: ${internals.listSome(missing)}`,
    );
}

function revokedApprovals(then: boolean | readonly string[], now: boolean | readonly string[]): string[] {
  if (then === false || now === true || (Array.isArray(now) && now.includes("*"))) return [];
  if (then === true) return ["any tool"];
  const given = now === false ? [] : now;
  return then.filter((name) => !given.includes(name)).map((name) => `\`${name}\``);
}

export function answerOf(
  { name, value }: JournalAnswer,
  pending: Pick<ReadonlyMap<string, unknown>, "has" | "keys">,
): unknown {
  if (pending.has(name)) return value;
  throw new PlanError(
    "durable/diverged",
    `the journal answers \`${name}\`, and the run waits for ${internals.listSome([...pending.keys()].map((one) => `\`${one}\``))}`,
  );
}
