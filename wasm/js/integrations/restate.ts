/**
 * The entry `stepgraph/restate`: a plan as a Restate workflow.
 *
 * Decides how the steps of a run become Restate's: a call is `ctx.run` under its name, a timer `ctx.sleep`, an approval
 * an awakeable, and the one wait `RestatePromise.race`. Invariant: nothing of Restate's is awaited but by `race`, for
 * its SDK allows one waiter at a time. The SDK is not imported: what is used of it is described here
 * (`@restatedev/restate-sdk` 1.17), and its users hand it over.
 */
import { internals, PlanError, type Approval, type Decision, type PlanGraph, type Report } from "stepgraph";
import type { Kinds } from "../options.js";
import { runDurable } from "./durable/driver.js";
import { assertDurable, type DurableOptions } from "./durable/options.js";
import { readDecision } from "./durable/journal-entry.js";
import { fitReport } from "./durable/report-size.js";
import { stepError, type Journal, type JournalAnswer, type JournalStep } from "./durable/journal.js";

/** A promise of Restate's. */
export interface RestatePromiseLike<T> extends Promise<T> {
  /** The same with what it gives, or fails with, made into something else. */
  map<U>(mapper: (value?: T, failure?: Error) => U): RestatePromiseLike<U>;
}

/** How Restate tries work again. */
export interface RestateRetries {
  maxRetryAttempts?: number;
  initialRetryInterval?: number;
  maxRetryInterval?: number;
  retryIntervalFactor?: number;
}

/** What is used of the context of any handler. */
export interface RestateContext {
  /** Carries out work once, and keeps what it gave. */
  run<T>(name: string, action: () => Promise<T>, options: RestateRetries): RestatePromiseLike<T>;
  /** Waits, by Restate's clock. */
  sleep(ms: number, name?: string): RestatePromiseLike<void>;
  /** Something that is answered from outside, by its id. */
  awakeable<T>(): { id: string; promise: RestatePromiseLike<T> };
}

/** What is used of the context of a workflow's `run`. */
export interface RestateWorkflowContext extends RestateContext {
  /** The workflow's id. */
  key: string;
  /** Keeps a value with the workflow. */
  set(name: string, value: unknown): void;
}

/** What is used of the context of a workflow's other handlers. */
export interface RestateSharedContext {
  /** A value that `run` has kept; null when there is none. */
  get(name: string): Promise<unknown>;
  /** Answers an awakeable. */
  resolveAwakeable(id: string, payload?: unknown): void;
  /** Restate's time, written down. */
  date: { now(): Promise<number> };
}

/** What is used of the SDK: `import * as restate from "@restatedev/restate-sdk"`. */
export interface RestateSdk {
  /** Restate's own promises: `RestatePromise.race`. */
  RestatePromise: { race(promises: never): PromiseLike<unknown> };
  /** What ends an invocation for good. */
  TerminalError: new (
    message: string,
    options?: { errorCode?: number },
  ) => Error;
}

/** An approval that a run waits for, and the awakeable that answers it. */
export interface OpenApproval {
  id: string;
  approval: Approval;
}

/** What a journal in Restate is given beside the context. */
export interface RestateJournalOptions {
  /** Tells people of an approval, in a step of its own. */
  onApproval?: (open: OpenApproval) => void | Promise<void>;
  /** Is told, on every replay too, whenever an approval is begun or over, of all that are open. */
  onOpen?: (open: Record<string, OpenApproval>) => void;
}

type Tagged = { name: string; value: unknown } | { cancelled: true };

/** The journal of one invocation. A plan can be run in any handler with it. */
class RestateJournal implements Journal {
  readonly #context: RestateContext;
  readonly #race: (promises: RestatePromiseLike<Tagged>[]) => PromiseLike<Tagged>;
  readonly #options: RestateJournalOptions;
  readonly #open = new Map<string, RestatePromiseLike<Tagged>>();
  readonly #approvals = new Map<string, OpenApproval>();
  /** Steps of the journal's own, for which the run does not wait. */
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
        return this.#ask(name, step.approval);
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

  #ask(name: string, approval: Approval): void {
    const { id, promise } = this.#context.awakeable<unknown>();
    this.#keep(name, promise, decisionOf);
    const open = { id, approval };
    this.#approvals.set(name, open);
    this.#publishApprovals();
    // A step even where nobody is told: a journal must not depend on whether somebody is.
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

/** Who answers an awakeable may say when it was decided, or nothing but the decision. */
function decisionOf(payload: unknown): unknown {
  return typeof payload === "object" && payload !== null && "decision" in payload ? payload : { decision: payload };
}

function isCancelled(error: unknown): boolean {
  return (error as { name?: unknown } | null)?.name === "CancelledError";
}

/**
 * The journal of one invocation, to run a plan in any handler of one's own.
 *
 * @example
 * const report = await runDurable(plan, restateJournal(ctx, restate), { input, tools, models });
 */
export function restateJournal(context: RestateContext, sdk: RestateSdk, options: RestateJournalOptions = {}): Journal {
  internals.assertOptions("restateJournal", options, { onApproval: "function", onOpen: "function" });
  return new RestateJournal(context, sdk, options);
}

/** What a plan's workflow is made of. */
export interface PlanWorkflowOptions {
  /** The workflow's name, by which it is called: `POST /order/some-id/run`. */
  name: string;
  /** The plan; of several the first is for new runs, and a run that began with another goes on with that one. */
  plan: PlanGraph | readonly PlanGraph[];
  /**
   * What every run is given; a function is asked with the run's input and id, on every replay, and must give the same.
   */
  options?: Omit<DurableOptions, "input"> | ((input: unknown, key: string) => Omit<DurableOptions, "input">);
  /** Tells people of an approval, in a step of its own. */
  onApproval?: (open: OpenApproval & { key: string }) => void | Promise<void>;
  /**
   * What the workflow gives of its report; the whole of it as JSON unless given. Of one over 30 MiB its trace is left
   * out, then its outputs: `leftOut` says so.
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

/** What a person answers: which approval, and what was decided. */
export interface DecideRequest {
  call: string;
  decision: Decision;
}

/** A workflow as `restate.workflow` takes it. */
export interface PlanWorkflow {
  name: string;
  handlers: {
    /** Runs the plan, once per workflow id, with the request as its input; gives the report. */
    run: (context: RestateWorkflowContext, input: unknown) => Promise<unknown>;
    /** What a person is to decide. */
    approvals: (context: RestateSharedContext) => Promise<OpenApproval[]>;
    /** Decides, by the name of the approval's call. */
    decide: (context: RestateSharedContext, request: DecideRequest) => Promise<void>;
  };
}

/**
 * Restate's server takes 32 MiB in one message, unless it is set otherwise: the largest entry is a third of that, and
 * the report most of it.
 */
const MAX_RESULT_BYTES = 10 << 20;
const MAX_REPORT_BYTES = 30 << 20;
const APPROVALS = "approvals";

/**
 * A plan as a workflow, once per id: each call a journaled step under its own name, which goes out as its idempotency
 * key; waits Restate's; what people are to decide listed by its handler `approvals`, and decided by `decide`.
 *
 * What `runDurable` throws, such as `run/plan-changed`, fails the attempt and not the run: Restate tries again until
 * the right code is there, and shows the code as the invocation's last failure.
 *
 * @example
 * import * as restate from "@restatedev/restate-sdk";
 * const order = restate.workflow(planWorkflow(restate, { name: "order", plan, options: { tools, models } }));
 * restate.serve({ services: [order], port: 9080 });
 */
export function planWorkflow(sdk: RestateSdk, workflow: PlanWorkflowOptions): PlanWorkflow {
  internals.assertOptions("planWorkflow", workflow, WORKFLOW);
  const { name, plan, options = {}, onApproval, result } = workflow;
  // Restate would try a run that refuses them again for ever.
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
