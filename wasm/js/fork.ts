/**
 * Fork: goes on from a recorded run with one answer changed, or from where it failed.
 *
 * Decides which recorded answers still hold: those to a call of the same name that asks for the very same thing, and
 * whose handler read the same of the run. Everything else is asked anew. Invariants: recorded answers come in the order
 * in which they were recorded; a recorded decision allows no call that is really made, whatever the cassette says.
 */
import { callLine, type CallLine, type Cassette, type EventLine, readCassette, hasSameReads } from "./cassette.js";
import { sortedText } from "./value-diff.js";
import { PlanError } from "./errors.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { closestName } from "./suggest.js";
import { hasRedacted, Redactor } from "./redact.js";
import { assertKind, assertLimits, assertOptions, type Kinds, RUN } from "./options.js";
import { feedAnswer, replayOptions, unusableCassette } from "./replay.js";
import { changesSinceRecording } from "./plan-changes.js";
import { rejectRun, runFrom } from "./run.js";
import type { EngineRun } from "./engine-run.js";
import { APPROVAL, type Command, TOOL } from "./command.js";
import type { Decision, Report, RunOptions } from "./types.js";

type Answer = Extract<EventLine, { call: string }>;

/** What a fork is given: a cassette, what is to be different, and all that a run is given. */
export interface ForkOptions extends Omit<RunOptions, "key" | "replay"> {
  /** The recorded run, as text or lines. */
  cassette: string | readonly string[];
  /** The name of the call whose answer is changed: `a:1:1`. Without it only what failed is asked again. */
  at?: string;
  /** What that call gave instead; what was decided, when it asked a person. */
  output?: unknown;
  /** How it failed instead. */
  error?: { code?: string; message: string };
  /** What was decided instead. */
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
  key: "nobody signs cassettes; keep them where only you can write",
  replay: "a fork plays its `cassette`",
};

/** One answer in the place of a recorded one. */
type Edit = { call: string } & (
  | { output: unknown }
  | { error: { code?: string; message: string } }
  | { decision: Decision }
);

/**
 * Runs a plan from a cassette with one answer changed: recorded answers are used where the same call asks for the very
 * same thing, all others are asked for. Without a change what failed is asked again.
 *
 * @throws PlanError `fork/unknown-call` when the cassette knows no such call, `fork/no-change` when `at` stands without
 * what is to be different or the other way round, and when `decision` is for a call that asks no person.
 * @example
 * const report = await fork(graph, { cassette, at: "search:1:1", output: [], tools });
 */
export async function fork(graph: PlanGraph, options: ForkOptions): Promise<Report> {
  assertPlan("fork", graph);
  assertOptions("fork", options, OPTIONS, ALTERNATIVES);
  assertKind("fork", "cassette", options.cassette, OPTIONS.cassette as "any");
  assertLimits(options.limits, "fork");
  const { cassette, at: _at, output: _output, error: _error, decision: _decision, ...rest } = options;
  const read = readCassette(cassette);
  if (typeof read === "string") return rejectRun(graph, rest, unusableCassette(read)).report;
  const edit = editOf(options, read);
  if (rest.input === undefined && hasRedacted(read.head.input ?? null)) {
    return rejectRun(graph, rest, unusableCassette("a secret was taken out of its input; give the input again")).report;
  }
  const given: RunOptions = { ...rest, ...replayOptions(read.head, rest) };
  const changed = changesSinceRecording(graph, read.head, rest);
  if (changed !== null)
    return rejectRun(graph, given, { type: "failed", code: "run/plan-changed", message: changed }).report;
  const redactor = new Redactor(given.context, given);
  redactor.text(replayOptions(read.head, rest));
  return runFrom(graph, given, new RecordedAnswers(read, edit, redactor));
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
      "a fork is given `at` and one of `output`, `error` and `decision`, or none of them",
    );
  const asked = lines.find((line) => line.type === "asked" && line.call === call) as CallLine | undefined;
  if (asked === undefined) throw unknownCall(call, lines);
  if (options.decision !== undefined) {
    if (asked.kind === "approval") return { call, decision: options.decision };
    throw new PlanError("fork/no-change", `\`decision\` answers an approval, and \`${call}\` is a ${asked.kind} call`);
  }
  return options.error !== undefined ? { call, error: options.error } : { call, output: options.output };
}

/** How many calls are named before the rest is only counted. */
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
        ? "it holds no call"
        : `it holds ${names.join(", ")}${more}`;
  return new PlanError("fork/unknown-call", `the cassette knows no call \`${call}\`; ${help}`);
}

/** @internal What an earlier run knows. */
export class RecordedAnswers {
  readonly #edit: Edit | null;
  readonly #redactor: Redactor;
  readonly #callLines = new Map<string, CallLine>();
  readonly #answers = new Map<string, { order: number; line: Answer }>();
  readonly #fired = new Map<string, number>();
  /** Tries of which a call is recalled in this run, by name. */
  readonly #recalled = new Set<string>();
  /** Tries of which a call is really made, though it was answered when it was recorded, or was not asked then. */
  readonly #reissued = new Set<string>();
  /** Approvals that a recorded decision answered: none of them is leave for a call that this run makes. */
  readonly #allowed = new Set<string>();
  /** Tries that took too long when they were recorded; what they asked is not asked again. */
  readonly #timedOut = new Set<string>();
  /**
   * Whether this run has left the recorded one: then what a handler may have read is no longer known to be the same.
   */
  #diverged = false;

  constructor({ lines }: Cassette, edit: Edit | null, redactor: Redactor) {
    this.#edit = edit;
    this.#redactor = redactor;
    for (const [order, line] of lines.entries()) {
      if (line.type === "asked") this.#callLines.set(line.call, line);
      else if (line.type === "fired") this.#fired.set(line.timer, order);
      else if ("call" in line) this.#answers.set(line.call, { order, line });
    }
  }

  /**
   * What is known of a call: its answer and when its turn is, or nothing where it must be asked. Without an answer it
   * is held: it took too long when it was recorded.
   */
  recall(run: EngineRun, command: Command): { order: number; ready?: (atMs: number) => number } | undefined {
    const call = run.nameOf(command);
    const known = this.#answers.get(call);
    if (this.#edit?.call === call) {
      const edit = this.#edit;
      this.#diverged = true;
      this.#recalled.add(parseCallName(call).tried);
      return { order: known?.order ?? Number.MAX_SAFE_INTEGER, ready: (atMs) => applyEdit(run, command, edit, atMs) };
    }
    if (!this.#isStillValid(run, command, call, known?.line)) {
      this.#diverged = true;
      if (command.op === TOOL && this.#allowed.has(call + APPROVAL_SUFFIX)) return rejectCall(run, command);
      // What was abandoned when it was recorded decided nothing then, and is abandoned again.
      if (known !== undefined || !this.#callLines.has(call)) this.#reissued.add(parseCallName(call).tried);
      return undefined;
    }
    if (known === undefined) {
      this.#timedOut.add(parseCallName(call).tried);
      return { order: 0 };
    }
    this.#recalled.add(parseCallName(call).tried);
    if (known.line.type === "decided") this.#allowed.add(call);
    return { order: known.order, ready: (atMs) => feedAnswer(run, command, known.line, atMs) };
  }

  /** When it is the turn of a timer that fired when it was recorded, and means the same now. */
  timer(run: EngineRun, command: Command): number | undefined {
    const name = run.nameOf(command);
    const [kind, ...rest] = name.split(":");
    const call = rest.join(":");
    const order = this.#fired.get(name);
    if (order === undefined || kind === "run") return undefined;
    // A wait is over at once when the try before it was recalled; it goes by the name of the next.
    const before = kind === "retry" ? attemptName(call, -1) : call;
    const known = this.#timedOut.has(before) || (kind === "retry" && this.#isRecalled(before));
    return known ? order : undefined;
  }

  /** Whether a try is recalled: its call or, of a node that runs graphs, all calls in them. */
  #isRecalled(tried: string): boolean {
    const within = `${tried.replace(/:1$/, "")}/`;
    const isIn = (name: string) => name.startsWith(within);
    return this.#recalled.has(tried) || ([...this.#recalled].some(isIn) && ![...this.#reissued].some(isIn));
  }

  /** Whether a recorded answer still answers what is asked. */
  #isStillValid(run: EngineRun, command: Command, call: string, line: Answer | undefined): boolean {
    const then = this.#callLines.get(call);
    if (then === undefined || (line !== undefined && line.type !== "failed" && line.type !== ANSWER_TYPES[then.kind]))
      return false;
    if (!this.#isSameCall(callLine(run, command), then)) return false;
    if (line === undefined) {
      if (!this.#fired.has(`timeout:${parseCallName(call).tried}`)) return false;
      // A try that took too long failed, and is asked again like one that did unless a later one made it good.
      return this.#edit === null ? this.#succeededLater(call) : then.kind !== "handler" || !this.#diverged;
    }
    // Who goes on from a failure wants it tried again; a try that a later one made good is past.
    if (line.type === "failed" && this.#edit === null && !this.#succeededLater(call)) return false;
    // What was taken out of an answer can't be given again.
    if (hasRedacted(line)) return false;
    if (line.type === "decided" && command.tool !== null && line.decision !== "rejected") {
      return this.#answersCall(call.slice(0, -APPROVAL_SUFFIX.length), command, line.decision);
    }
    if (then.kind !== "handler" || (line.type !== "done" && line.type !== "failed")) return true;
    return line.reads === undefined ? !this.#diverged : hasSameReads(line.reads, run, command);
  }

  /** Whether two questions are the same, but for secrets. */
  #isSameCall(now: CallLine, then: CallLine): boolean {
    const [a, b] = [now, then].map((line) => sortedText(this.#redactor.plain(line)));
    return a === b;
  }

  /** Whether the call that a person allowed is recalled. Who allowed one call has not allowed a second. */
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

  /** Whether a later try of the same visit gave something. */
  #succeededLater(call: string): boolean {
    const { tried, own, turn } = parseCallName(call);
    // What an agent's tool failed with its model was told of, and went on.
    if (this.#callLines.has(`${tried}/${turn + 1}`)) return true;
    const first = own === "" ? "" : "/1";
    for (let name = attemptName(tried, 1); this.#callLines.has(name + first); name = attemptName(name, 1)) {
      const later = this.#answers.get(name + first);
      if (later && later.line.type !== "failed") return true;
    }
    return false;
  }
}

/** What stands behind the name of a call in the name of its approval. */
const APPROVAL_SUFFIX = "/approval";

/** What answers each kind of call, where it did not fail. */
const ANSWER_TYPES: Record<CallLine["kind"], Answer["type"]> = {
  handler: "done",
  tool: "done",
  model: "replied",
  approval: "decided",
};

/** A call that nobody allowed in this run. */
function rejectCall(run: EngineRun, command: Command): { order: number; ready: (atMs: number) => number } {
  const message = "the cassette says that a person allowed the call, and does not hold its answer; nobody was asked";
  return { order: Number.MAX_SAFE_INTEGER, ready: (atMs) => run.failCall(command, "fork/no-leave", message, atMs) };
}

/**
 * A call's name as that of its try, and what of it is only its own: of an agent the turn, and the place among the calls
 * of that turn.
 */
function parseCallName(call: string): { tried: string; turn: number; own: string } {
  const [, tried = call, own = ""] = /^(.*:\d+:\d+)(\/.*)?$/.exec(call) ?? [];
  return { tried, own, turn: Number(own.split("/")[1] ?? 0) };
}

/** The name of a try so many after that one. */
function attemptName(tried: string, after: number): string {
  const cut = tried.lastIndexOf(":") + 1;
  return tried.slice(0, cut) + (Number(tried.slice(cut)) + after);
}

function applyEdit(run: EngineRun, command: Command, edit: Edit, atMs: number): number {
  // The cassette says what kind of call it was; the engine would ask again and again.
  if ("decision" in edit && command.op !== APPROVAL)
    return run.failCall(command, "fork/failed", "a decision answers an approval only", atMs);
  if ("decision" in edit) return run.decideApproval(command, edit.decision, atMs);
  if ("error" in edit) return run.failCall(command, edit.error.code ?? "fork/failed", edit.error.message, atMs);
  if (command.op !== APPROVAL) return run.completeCall(command, edit.output, atMs);
  const { output } = edit;
  return run.decideApproval(command, output === "approved" || output === "rejected" ? output : { value: output }, atMs);
}
