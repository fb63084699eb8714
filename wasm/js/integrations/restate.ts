/**
 * The entry `stepgraph/restate`: a plan as a Restate workflow.
 *
 * A call becomes `ctx.run` under its name, a timer `ctx.sleep`, an approval an awakeable. Invariant: only
 * `RestatePromise.race` awaits Restate's promises, because the SDK allows one waiter. You pass in the SDK: the types
 * below describe the used part of `@restatedev/restate-sdk` 1.17.
 */
import { internals, PlanError, type Approval, type Decision, type PlanGraph, type Report } from "stepgraph";
import type { Kinds } from "../options.js";
import { runDurable } from "./durable/driver.js";
import { assertDurable, type DurableOptions } from "./durable/options.js";
import { readDecision } from "./durable/journal-entry.js";
import { fitReport } from "./durable/report-size.js";
import { stepError, type Journal, type JournalAnswer, type JournalStep } from "./durable/journal.js";

/** A promise of Restate. */
export interface RestatePromiseLike<T> extends Promise<T> {
  /** Maps its value or error. */
  map<U>(mapper: (value?: T, failure?: Error) => U): RestatePromiseLike<U>;
}

/** Restate's retry policy, in milliseconds. */
export interface RestateRetries {
  maxRetryAttempts?: number;
  initialRetryInterval?: number;
  maxRetryInterval?: number;
  retryIntervalFactor?: number;
}

/** Used part of every handler's context. */
export interface RestateContext {
  /** Runs work once and stores its result. */
  run<T>(name: string, action: () => Promise<T>, options: RestateRetries): RestatePromiseLike<T>;
  sleep(ms: number, name?: string): RestatePromiseLike<void>;
  /** Creates a promise that is resolved from outside. */
  awakeable<T>(): { id: string; promise: RestatePromiseLike<T> };
}

/** Used part of the context of a workflow's `run`. */
export interface RestateWorkflowContext extends RestateContext {
  /** Id of the workflow. */
  key: string;
  /** Stores a value with the workflow. */
  set(name: string, value: unknown): void;
}

/** Used part of the context of other handlers. */
export interface RestateSharedContext {
  /** A value that `run` stored, or null. */
  get(name: string): Promise<unknown>;
  resolveAwakeable(id: string, payload?: unknown): void;
  /** Recorded time. */
  date: { now(): Promise<number> };
}

/** Used part of the SDK: `import * as restate from "@restatedev/restate-sdk"`. */
export interface RestateSdk {
  RestatePromise: { race(promises: never): PromiseLike<unknown> };
  /** Ends an invocation for good. */
  TerminalError: new (
    message: string,
    options?: { errorCode?: number },
  ) => Error;
}

/** An open approval. `id` is its awakeable's. */
export interface OpenApproval {
  id: string;
  approval: Approval;
}

/** Options of `restateJournal`. */
export interface RestateJournalOptions {
  /** Notifies approvers, as a step. */
  onApproval?: (open: OpenApproval) => void | Promise<void>;
  /** Receives all open approvals when one opens or closes, also on a replay. */
  onOpen?: (open: Record<string, OpenApproval>) => void;
}

type Tagged = { name: string; value: unknown } | { cancelled: true };

class RestateJournal implements Journal {
  readonly recordsWork = true;
  readonly #context: RestateContext;
  readonly #race: (promises: RestatePromiseLike<Tagged>[]) => PromiseLike<Tagged>;
  readonly #options: RestateJournalOptions;
  readonly #open = new Map<string, RestatePromiseLike<Tagged>>();
  readonly #approvals = new Map<string, OpenApproval>();
  /** The run does not wait for these steps. */
  readonly #own = new Set<string>();

  constructor(context: RestateContext, sdk: RestateSdk, options: RestateJournalOptions) {
    this.#context = context;
    this.#race = (promises) => sdk.RestatePromise.race(promises as never) as PromiseLike<Tagged>;
    this.#options = options;
  }

  begin(step: JournalStep): void {
    const { name } = step;
    switch (step.kind) {
      case "timer":
        return this.#keep(name, this.#context.sleep(step.afterMs, name), () => null);
      case "approval":
        return this.#requestApproval(name, step.approval);
      default:
        return this.#keep(name, this.#context.run(name, step.work, retriesOf(step.retry)), (value) => value);
    }
  }

  async race(pending: readonly string[]): Promise<JournalAnswer | null> {
    for (;;) {
      const promises = [...pending, ...this.#own].map((name) => this.#open.get(name)!);
      let tagged: Tagged;
      try {
        tagged = await this.#race(promises);
      } catch (error) {
        if (isCancelled(error)) return null;
        throw error;
      }
      if ("cancelled" in tagged) return null;
      this.#open.delete(tagged.name);
      if (this.#own.delete(tagged.name)) continue;
      this.#closeApproval(tagged.name);
      return tagged;
    }
  }

  abandon(name: string): void {
    this.#open.delete(name);
    this.#closeApproval(name);
  }

  #keep<T>(name: string, promise: RestatePromiseLike<T>, project: (value: T) => unknown): void {
    const tagged = promise.map((value, failure): Tagged => {
      if (failure === undefined) return { name, value: project(value as T) };
      return isCancelled(failure) ? { cancelled: true } : { name, value: stepError(failure) };
    });
    this.#open.set(name, tagged);
  }

  #requestApproval(name: string, approval: Approval): void {
    const { id, promise } = this.#context.awakeable<unknown>();
    this.#keep(name, promise, decisionOf);
    const open = { id, approval };
    this.#approvals.set(name, open);
    this.#publishApprovals();
    // A step even without `onApproval`: the journal must not depend on it.
    const asking = `${name}.asked`;
    this.#own.add(asking);
    this.#keep(
      asking,
      this.#context.run(asking, async () => void (await this.#options.onApproval?.(open)), {}),
      () => null,
    );
  }

  #closeApproval(name: string): void {
    if (this.#approvals.delete(name)) this.#publishApprovals();
  }

  #publishApprovals(): void {
    this.#options.onOpen?.(Object.fromEntries(this.#approvals));
  }
}

function retriesOf(retry: Extract<JournalStep, { kind: "call" }>["retry"]): RestateRetries {
  if (retry === undefined) return {};
  return {
    maxRetryAttempts: retry.attempts,
    initialRetryInterval: retry.backoffMs,
    maxRetryInterval: retry.maxMs,
    retryIntervalFactor: retry.factor,
  };
}

/** The payload is the decision, or an object with it. */
function decisionOf(payload: unknown): unknown {
  return typeof payload === "object" && payload !== null && "decision" in payload ? payload : { decision: payload };
}

function isCancelled(error: unknown): boolean {
  return (error as { name?: unknown } | null)?.name === "CancelledError";
}

/**
 * Creates the journal of one invocation, for a handler of your own.
 *
 * @example
 * const report = await runDurable(plan, restateJournal(ctx, restate), { input, tools, models });
 */
export function restateJournal(context: RestateContext, sdk: RestateSdk, options: RestateJournalOptions = {}): Journal {
  internals.assertOptions("restateJournal", options, { onApproval: "function", onOpen: "function" });
  return new RestateJournal(context, sdk, options);
}

/** Options of `planWorkflow`. */
export interface PlanWorkflowOptions {
  /** Name of the workflow, as in `POST /order/some-id/run`. */
  name: string;
  /** The plan. If there are several, new runs use the first, and a started run continues with its own. */
  plan: PlanGraph | readonly PlanGraph[];
  /** Options of every run. Each replay calls a function again, and it must return the same. */
  options?: Omit<DurableOptions, "input"> | ((input: unknown, key: string) => Omit<DurableOptions, "input">);
  /** Notifies approvers, as a step. */
  onApproval?: (open: OpenApproval & { key: string }) => void | Promise<void>;
  /**
   * Returns the workflow's result. Default: the report as JSON. Above 30 MiB it omits `trace`, `partial`, `outputs`,
   * `last`, until it fits. `leftOut` names them.
   */
  result?: (report: Report) => unknown;
}

const WORKFLOW: Kinds<PlanWorkflowOptions> = {
  name: "text",
  plan: "map|[]map",
  options: "function|map",
  onApproval: "function",
  result: "function",
};

/** Decision on an approval, by the name of its call. */
export interface DecideRequest {
  call: string;
  decision: Decision;
}

/** Argument of `restate.workflow`. */
export interface PlanWorkflow {
  name: string;
  handlers: {
    /** Runs the plan once for each id, with the request as input. Returns the report. */
    run: (context: RestateWorkflowContext, input: unknown) => Promise<unknown>;
    /** Returns the open approvals. */
    approvals: (context: RestateSharedContext) => Promise<OpenApproval[]>;
    /** Decides an approval. */
    decide: (context: RestateSharedContext, request: DecideRequest) => Promise<void>;
  };
}

/** Restate accepts messages of 32 MiB by default. An entry gets a third, the report most of it. */
const MAX_RESULT_BYTES = 10 << 20;
const MAX_REPORT_BYTES = 30 << 20;
const APPROVALS = "approvals";

/**
 * Creates a workflow that runs a plan once for each id. Each call is a journaled step, with its name as idempotency
 * key. The handler `approvals` lists open approvals, and `decide` decides one.
 *
 * An error such as `run/plan-changed` fails the attempt, not the run. Restate shows the code and retries until you
 * deploy the right code.
 *
 * @example
 * import * as restate from "@restatedev/restate-sdk";
 * const order = restate.workflow(planWorkflow(restate, { name: "order", plan, options: { tools, models } }));
 * restate.serve({ services: [order], port: 9080 });
 */
export function planWorkflow(sdk: RestateSdk, workflow: PlanWorkflowOptions): PlanWorkflow {
  internals.assertOptions("planWorkflow", workflow, WORKFLOW);
  const { name, plan, options = {}, onApproval, result } = workflow;
  // Restate would retry invalid options for ever.
  if (typeof options !== "function") assertDurable(options, "planWorkflow");
  const run = async (context: RestateWorkflowContext, input: unknown) => {
    const { key } = context;
    const journal = restateJournal(context, sdk, {
      onOpen: (open) => context.set(APPROVALS, open),
      ...(onApproval && { onApproval: (open: OpenApproval) => onApproval({ ...open, key }) }),
    });
    const given = input === undefined ? null : input;
    const report = await runDurable(plan, journal, {
      maxResultBytes: MAX_RESULT_BYTES,
      ...(typeof options === "function" ? options(given, key) : options),
      input: given,
    });
    return result === undefined ? fitReport(report, MAX_REPORT_BYTES) : result(report);
  };
  const terminal = ({ code, message }: PlanError, errorCode: number) =>
    new sdk.TerminalError(`${code}: ${message}`, { errorCode });
  const approvals = async (context: RestateSharedContext) =>
    ((await context.get(APPROVALS)) ?? {}) as Record<string, OpenApproval>;
  const decide = async (context: RestateSharedContext, request: DecideRequest) => {
    const { call, decision } = request ?? {};
    const open = (await approvals(context))[call];
    if (open === undefined)
      throw terminal(
        new PlanError("durable/unknown-approval", `the run does not wait for a decision on \`${call}\``),
        404,
      );
    const read = readDecision(call, { decision });
    if ("error" in read) throw terminal(new PlanError(read.error.code, read.error.message), 400);
    context.resolveAwakeable(open.id, { decision, atMs: await context.date.now() });
  };
  return { name, handlers: { run, approvals: async (context) => Object.values(await approvals(context)), decide } };
}
