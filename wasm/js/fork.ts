/**
 * Forks recorded runs.
 *
 * Recorded answers serve equal calls whose handlers read equal values, in recorded order. Invariant: a recorded
 * approval authorizes only a recalled call.
 */
import { callLine, type CallLine, type Cassette, type EventLine, readCassette, hasSameReads } from "./cassette.js";
import { sortedText } from "./value-hash.js";
import { PlanError } from "./errors.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { closestName } from "./suggest.js";
import { hasRedacted, Redactor } from "./redact.js";
import { assertKind, assertLimits, assertOptions, type Kinds, RUN } from "./options.js";
import { feedAnswer, replayOptions, unusableCassette } from "./replay.js";
import { changedNodes, changesSinceRecording } from "./plan-changes.js";
import { rejectRun } from "./prepare-run.js";
import { assertPrices } from "./prices.js";
import { rejectUnpriced, withPricedModels } from "./run-prices.js";
import { runFrom } from "./run.js";
import type { EngineRun } from "./engine-run.js";
import { APPROVAL, type Command, TOOL } from "./command.js";
import type { Decision, Report, RunOptions } from "./types.js";

type Answer = Extract<EventLine, { call: string }>;

/** Options of `fork`. */
export interface ForkOptions extends Omit<RunOptions, "key" | "replay"> {
  /** As text or lines. */
  cassette: string | readonly string[];
  /** Such as `a:1:1`. If absent, failed calls are retried. */
  at?: string;
  /** Or the decision of an approval. */
  output?: unknown;
  error?: { code?: string; message: string };
  decision?: Decision;
}

const { key: _key, replay: _replay, ...SHARED } = RUN;
const OPTIONS: Kinds<ForkOptions> = {
  ...SHARED,
  cassette: "text|[]text",
  at: "text",
  output: "any",
  error: { code: "text", message: "text" },
  decision: "decision",
};

const ALTERNATIVES = {
  key: "cassettes have no signature; store them where only you can write",
  replay: "a fork plays its `cassette`",
};

type Edit = { call: string } & (
  | { output: unknown }
  | { error: { code?: string; message: string } }
  | { decision: Decision }
);

/**
 * Runs a plan from a cassette with one answer changed, or failed calls retried. Only calls that differ run again.
 *
 * @throws PlanError `fork/unknown-call` if the cassette has no such call, `fork/no-change` if only one of `at` and its
 * change is present, or if `decision` is for a call that is no approval.
 * @example
 * const report = await fork(graph, { cassette, at: "search:1:1", output: [], tools });
 */
export async function fork(graph: PlanGraph, options: ForkOptions): Promise<Report> {
  assertPlan("fork", graph);
  assertOptions("fork", options, OPTIONS, ALTERNATIVES);
  assertKind("fork", "cassette", options.cassette, OPTIONS.cassette as "any");
  assertLimits(options.limits, "fork");
  if (options.prices !== undefined) assertPrices("fork", options.prices);
  const { cassette, at: _at, output: _output, error: _error, decision: _decision, ...rest } = options;
  const read = readCassette(cassette);
  if (typeof read === "string") return rejectRun(graph, rest, unusableCassette(read)).report;
  const edit = editOf(options, read);
  if (rest.input === undefined && hasRedacted(read.head.input ?? null)) {
    return rejectRun(graph, rest, unusableCassette("a secret was removed from its input; pass the input again")).report;
  }
  const given: RunOptions = withPricedModels(graph, { ...rest, ...replayOptions(read.head, rest) });
  const changed = changesSinceRecording(graph, read.head, rest);
  if (changed !== null)
    return rejectRun(graph, given, { type: "failed", code: "run/plan-changed", message: changed }).report;
  const redactor = new Redactor(given.context, given);
  redactor.text(replayOptions(read.head, rest));
  const unpriced = rejectUnpriced(graph, given);
  if (unpriced !== null) return unpriced;
  return runFrom(graph, given, new RecordedAnswers(read, edit, redactor, changedNodes(graph, read.head)));
}

function editOf(options: ForkOptions, { lines }: Cassette): Edit | null {
  const { at: call } = options;
  const changes = ["output", "error", "decision"].filter(
    (name) => name in options && options[name as keyof ForkOptions] !== undefined,
  );
  if (call === undefined && changes.length === 0) return null;
  if (call === undefined || changes.length !== 1)
    throw new PlanError(
      "fork/no-change",
      "a fork needs `at` with one of `output`, `error` and `decision`, or none of them",
    );
  const asked = lines.find((line) => line.type === "asked" && line.call === call) as CallLine | undefined;
  if (asked === undefined) throw unknownCall(call, lines);
  if (options.decision !== undefined) {
    if (asked.kind === "approval") return { call, decision: options.decision };
    throw new PlanError("fork/no-change", `\`decision\` answers an approval, and \`${call}\` is a ${asked.kind} call`);
  }
  return options.error !== undefined ? { call, error: options.error } : { call, output: options.output };
}

const MAX_LISTED = 5;

function unknownCall(call: string, lines: Cassette["lines"]): PlanError {
  const known = lines.flatMap((line) => (line.type === "asked" ? [line.call] : []));
  const suggestion = closestName(call, known);
  const names = known.slice(0, MAX_LISTED).map((name) => `\`${name}\``);
  const more = known.length > MAX_LISTED ? ` and ${known.length - MAX_LISTED} more` : "";
  const help =
    suggestion !== null
      ? `did you mean \`${suggestion}\`?`
      : names.length === 0
        ? "it contains no call"
        : `it contains ${names.join(", ")}${more}`;
  return new PlanError("fork/unknown-call", `the cassette knows no call \`${call}\`; ${help}`);
}

/** @internal */
export class RecordedAnswers {
  readonly #edit: Edit | null;
  readonly #redactor: Redactor;
  readonly #callLines = new Map<string, CallLine>();
  readonly #answers = new Map<string, { order: number; line: Answer }>();
  readonly #fired = new Map<string, number>();
  readonly #recalled = new Set<string>();
  /** Attempts with a real call that was answered or missing in the recording. */
  readonly #reissued = new Set<string>();
  /** Recorded approvals, which authorize no real call. */
  readonly #allowed = new Set<string>();
  /** Timed out in the recording. Not run again. */
  readonly #timedOut = new Set<string>();
  /** Keys of nodes in the outermost graph. */
  readonly #changed: ReadonlySet<string>;
  /** Once true, unrecorded reads may differ from the recording. */
  #diverged = false;

  constructor({ lines }: Cassette, edit: Edit | null, redactor: Redactor, changed: ReadonlySet<string>) {
    this.#edit = edit;
    this.#changed = changed;
    this.#redactor = redactor;
    for (const [order, line] of lines.entries()) {
      if (line.type === "asked") this.#callLines.set(line.call, line);
      else if (line.type === "fired") this.#fired.set(line.timer, order);
      else if ("call" in line) this.#answers.set(line.call, { order, line });
    }
  }

  /** `undefined`: a real call. If `ready` is missing, it times out, as recorded. */
  recall(run: EngineRun, command: Command): { order: number; ready?: (atMs: number) => number } | undefined {
    const call = run.nameOf(command);
    const known = this.#answers.get(call);
    if (this.#edit?.call === call) {
      const edit = this.#edit;
      this.#diverged = true;
      this.#recalled.add(parseCallName(call).attempt);
      return { order: known?.order ?? Number.MAX_SAFE_INTEGER, ready: (atMs) => applyEdit(run, command, edit, atMs) };
    }
    if (!this.#isStillValid(run, command, call, known?.line)) {
      this.#diverged = true;
      if (command.op === TOOL && this.#allowed.has(call + APPROVAL_SUFFIX)) return rejectCall(run, command);
      // Calls without an answer were abandoned, and will be again.
      if (known !== undefined || !this.#callLines.has(call)) this.#reissued.add(parseCallName(call).attempt);
      return undefined;
    }
    if (known === undefined) {
      this.#timedOut.add(parseCallName(call).attempt);
      return { order: 0 };
    }
    this.#recalled.add(parseCallName(call).attempt);
    if (known.line.type === "decided") this.#allowed.add(call);
    return { order: known.order, ready: (atMs) => feedAnswer(run, command, known.line, atMs) };
  }

  /** The recorded order, if the timer means the same now. */
  timer(run: EngineRun, command: Command): number | undefined {
    const name = run.nameOf(command);
    const [kind, ...rest] = name.split(":");
    const call = rest.join(":");
    const order = this.#fired.get(name);
    if (order === undefined || kind === "run") return undefined;
    // A fork does not repeat waits.
    if (kind === "wait") return order;
    // It has the next attempt's name, and fires at once if the previous attempt was recalled.
    const before = kind === "retry" ? attemptName(call, -1) : call;
    const known = this.#timedOut.has(before) || (kind === "retry" && this.#isRecalled(before));
    return known ? order : undefined;
  }

  /** In nested graphs, all calls must be recalled. */
  #isRecalled(attempt: string): boolean {
    const within = `${attempt.replace(/:1$/, "")}/`;
    const isIn = (name: string) => name.startsWith(within);
    return this.#recalled.has(attempt) || ([...this.#recalled].some(isIn) && ![...this.#reissued].some(isIn));
  }

  #isStillValid(run: EngineRun, command: Command, call: string, line: Answer | undefined): boolean {
    const then = this.#callLines.get(call);
    if (then === undefined || (line !== undefined && line.type !== "failed" && line.type !== ANSWER_TYPES[then.kind]))
      return false;
    if (!this.#isSameCall(callLine(run, command), then)) return false;
    // A call of a tool or model is recorded whole. A handler reads its node, and a person its description.
    if ((then.kind === "handler" || then.kind === "approval") && this.#isChanged(run, command)) return false;
    if (line === undefined) {
      if (!this.#fired.has(`timeout:${parseCallName(call).attempt}`)) return false;
      // Retried unless a later attempt succeeded.
      return this.#edit === null ? this.#succeededLater(call) : then.kind !== "handler" || !this.#diverged;
    }
    if (line.type === "failed" && this.#edit === null && !this.#succeededLater(call)) return false;
    // A redacted answer is incomplete.
    if (hasRedacted(line)) return false;
    if (line.type === "decided" && command.tool !== null && line.decision !== "rejected") {
      return this.#answersCall(call.slice(0, -APPROVAL_SUFFIX.length), command, line.decision);
    }
    if (then.kind !== "handler" || (line.type !== "done" && line.type !== "failed")) return true;
    return line.reads === undefined ? !this.#diverged : hasSameReads(line.reads, run, command);
  }

  #isChanged(run: EngineRun, { node }: Command): boolean {
    const { key, scope } = run.program.nodes[node]!;
    const isIn = (changed: string) => scope === changed || scope?.startsWith(`${changed}/`);
    // As differences write it.
    return scope === undefined ? this.#changed.has(key.replaceAll(/[\n\r]/g, " ")) : [...this.#changed].some(isIn);
  }

  /** Ignores secrets. */
  #isSameCall(now: CallLine, then: CallLine): boolean {
    const [a, b] = [now, then].map((line) => sortedText(this.#redactor.plain(line)));
    return a === b;
  }

  /** One approval authorizes one call, which must be recalled too. */
  #answersCall(call: string, { tool, input }: Command, decision: Exclude<Decision, "rejected">): boolean {
    if (this.#edit?.call === call) return true;
    const then = this.#callLines.get(call);
    const line = this.#answers.get(call)?.line;
    if (then === undefined || line === undefined || hasRedacted(line)) return false;
    if (line.type !== "done" && line.type !== "failed") return false;
    const args = decision === "approved" ? (input as { arguments?: unknown }).arguments : decision.value;
    if (!this.#isSameCall({ type: "asked", call, kind: "tool", tool: tool!, arguments: args }, then)) return false;
    return line.type !== "failed" || this.#edit !== null || this.#succeededLater(call);
  }

  #succeededLater(call: string): boolean {
    const { attempt, suffix, turn } = parseCallName(call);
    // An agent's model saw the failure and continued.
    if (this.#callLines.has(`${attempt}/${turn + 1}`)) return true;
    const first = suffix === "" ? "" : "/1";
    for (let name = attemptName(attempt, 1); this.#callLines.has(name + first); name = attemptName(name, 1)) {
      const later = this.#answers.get(name + first);
      if (later && later.line.type !== "failed") return true;
    }
    return false;
  }
}

const APPROVAL_SUFFIX = "/approval";

const ANSWER_TYPES: Record<CallLine["kind"], Answer["type"]> = {
  handler: "done",
  tool: "done",
  model: "replied",
  approval: "decided",
};

function rejectCall(run: EngineRun, command: Command): { order: number; ready: (atMs: number) => number } {
  const message = "the cassette contains an approval of the call without its answer; the fork did not ask for approval";
  return { order: Number.MAX_SAFE_INTEGER, ready: (atMs) => run.failCall(command, "fork/no-leave", message, atMs) };
}

/** An agent's suffix has the turn and the call's index. */
function parseCallName(call: string): { attempt: string; turn: number; suffix: string } {
  const [, attempt = call, suffix = ""] = /^(.*:\d+:\d+)(\/.*)?$/.exec(call) ?? [];
  return { attempt, suffix, turn: Number(suffix.split("/")[1] ?? 0) };
}

function attemptName(attempt: string, after: number): string {
  const cut = attempt.lastIndexOf(":") + 1;
  return attempt.slice(0, cut) + (Number(attempt.slice(cut)) + after);
}

function applyEdit(run: EngineRun, command: Command, edit: Edit, atMs: number): number {
  // Otherwise the engine would request the decision forever.
  if ("decision" in edit && command.op !== APPROVAL)
    return run.failCall(command, "fork/failed", "a decision answers an approval only", atMs);
  if ("decision" in edit) return run.decideApproval(command, edit.decision, atMs);
  if ("error" in edit) return run.failCall(command, edit.error.code ?? "fork/failed", edit.error.message, atMs);
  if (command.op !== APPROVAL) return run.completeCall(command, edit.output, atMs);
  const { output } = edit;
  return run.decideApproval(command, output === "approved" || output === "rejected" ? output : { value: output }, atMs);
}
