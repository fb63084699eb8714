/**
 * The entry `stepgraph/workflows`: a plan in a Cloudflare Workflow.
 *
 * Decides how the steps of a run become those of Workflows: a call is `step.do` under its name, a timer `step.sleep`,
 * an approval `step.waitForEvent`; and which answer was first, where several are waited for, a small step of its own: a
 * replay has all old answers at once and could not tell. Nothing is imported from Cloudflare: what is used is described
 * here (Workers runtime of 2026, `WorkflowStep`).
 */
import { internals, PlanError, type Approval, type PlanGraph, type Report } from "stepgraph";
import type { Kinds } from "../options.js";
import { runDurable } from "./durable/driver.js";
import { assertDurable, DURABLE, type DurableOptions } from "./durable/options.js";
import { shortHash } from "./durable/journal-entry.js";
import { fitReport } from "./durable/report-size.js";
import type { Journal, JournalStep } from "./durable/journal.js";
import { promiseJournal } from "./durable/promise-journal.js";

/** How a step is tried again, and how long a try may take. */
export interface WorkflowStepSettings {
  retries?: { limit: number; delay: number; backoff?: "constant" | "exponential" };
  /** In milliseconds, or as Workflows says it: `10 minutes`. */
  timeout?: number | `${number} ${"second" | "minute" | "hour" | "day"}${"s" | ""}`;
}

/** What is used of the `step` that a workflow's `run` is given. */
export interface WorkflowStepLike {
  /** Carries out work once, and keeps what it gave. */
  do(name: string, settings: WorkflowStepSettings, work: () => Promise<never>): Promise<unknown>;
  /** Waits so many milliseconds. */
  sleep(name: string, ms: number): Promise<void>;
  /** Waits for an event that is sent to the instance. */
  waitForEvent(
    name: string,
    options: { type: string; timeout: `${number} days` },
  ): Promise<{ payload: unknown; timestamp: Date }>;
}

/** An approval that a run waits for, and the type of the event that decides it. */
export interface AwaitedApproval {
  event: string;
  approval: Approval;
}

/** What a journal in Workflows is given beside the step. */
export interface WorkflowsJournalOptions {
  /** Tells people of an approval, in a step of its own. */
  onApproval?: (awaited: AwaitedApproval) => void | Promise<void>;
  /** How long an approval is waited for, in days: 365, the longest, unless given. Then its call fails. */
  approvalDays?: number;
  /** How Workflows tries a step again when something goes wrong on its side, and how long a step may take. */
  step?: WorkflowStepSettings;
}

const JOURNAL: Kinds<WorkflowsJournalOptions> = {
  onApproval: "function",
  approvalDays: "count",
  step: { retries: "map", timeout: "ms|text" },
};

/** The longest name of a step, and the longest type of an event. */
const [LONGEST_NAME, LONGEST_TYPE] = [256, 100];

/**
 * The type of the event that decides an approval, by the name of its call.
 *
 * @example
 * await instance.sendEvent({ type: approvalEvent("ask:1:1"), payload: "approved" });
 */
export function approvalEvent(call: string): string {
  const type = `approve-${call.replace(/[^A-Za-z0-9-]/g, (odd) => `_${odd.codePointAt(0)!.toString(16)}_`)}`;
  return type.length <= LONGEST_TYPE ? type : `approve-${shortHash(call)}`;
}

/** The journal of one instance, for `runDurable`. */
export function workflowsJournal(step: WorkflowStepLike, options: WorkflowsJournalOptions = {}): Journal {
  internals.assertOptions("workflowsJournal", options, JOURNAL);
  const { onApproval, approvalDays = 365, step: common } = options;
  const keep = (name: string, work: () => Promise<unknown>, settings: WorkflowStepSettings = {}) =>
    step.do(stepName(name), { ...common, ...settings }, work as () => Promise<never>);
  const decision = async (name: string, approval: Approval) => {
    const event = approvalEvent(name);
    if (onApproval !== undefined) await keep(`${name}.asked`, async () => void (await onApproval({ event, approval })));
    const { payload, timestamp } = await step.waitForEvent(stepName(name), {
      type: event,
      timeout: `${approvalDays} days`,
    });
    const decided =
      typeof payload === "object" && payload !== null && "decision" in payload ? payload : { decision: payload };
    const atMs = new Date(timestamp).getTime();
    return Number.isFinite(atMs) ? { atMs, ...decided } : decided;
  };
  const answer = (asked: JournalStep): Promise<unknown> => {
    switch (asked.kind) {
      case "timer":
        return step.sleep(stepName(asked.name), asked.afterMs);
      case "approval":
        return decision(asked.name, asked.approval);
      default:
        return keep(asked.name, asked.work, asked.retry && { retries: retriesOf(asked.retry) });
    }
  };
  return promiseJournal({ answer, keep });
}

/** Workflows knows waits that stay the same and waits that double; `max_ms` and other factors it does not. */
function retriesOf({
  attempts,
  backoffMs,
  factor,
}: NonNullable<Extract<JournalStep, { kind: "call" }>["retry"]>): NonNullable<WorkflowStepSettings["retries"]> {
  return { limit: attempts - 1, delay: backoffMs, backoff: factor > 1 ? "exponential" : "constant" };
}

/** The name of a step, which has no control characters and is not too long. */
function stepName(name: string): string {
  const plain = name.replace(/[\u0000-\u001f\u007f]/g, "?");
  return plain === name && name.length <= LONGEST_NAME
    ? name
    : `${plain.slice(0, LONGEST_NAME - 17)} ${shortHash(name)}`;
}

/** What a plan in a workflow is given. */
export interface RunPlanOptions extends DurableOptions, WorkflowsJournalOptions {
  /**
   * What the workflow gives of its report; all of it as JSON unless given. Of one over a megabyte its trace is left
   * out, then its outputs: `leftOut` says so.
   */
  result?: (report: Report) => unknown;
}

const OPTIONS: Kinds<RunPlanOptions> = { ...DURABLE, ...JOURNAL, result: "function" };

/** The largest result of a step that Workflows keeps is a mebibyte. */
const MAX_RESULT_BYTES = 1_000_000;
/** The event that ends a run which can't go on as the code stands. */
const GIVE_UP = "stepgraph-give-up";

/**
 * Runs a plan in the `run` of a workflow, with what the instance was created with as its input.
 *
 * A run that can't go on as the code stands, such as one of another plan, is kept: it waits in a step that is called by
 * the code, such as `run/plan-changed`. Once the right code is deployed, `pause()` and `resume()` let it go on; an
 * event of the type `stepgraph-give-up` ends it.
 *
 * @example
 * export class Order extends WorkflowEntrypoint {
 *   run(event, step) {
 *     return runPlan(event, step, plan, { tools, models });
 *   }
 * }
 */
export async function runPlan(
  event: { payload: unknown },
  step: WorkflowStepLike,
  plan: PlanGraph | readonly PlanGraph[],
  options: RunPlanOptions = {},
): Promise<unknown> {
  const input = event.payload === undefined ? null : event.payload;
  try {
    assertDurable(options, "runPlan", OPTIONS);
    const { onApproval, approvalDays, step: settings, result, ...given } = options;
    const journal = {
      ...(onApproval && { onApproval }),
      ...(approvalDays !== undefined && { approvalDays }),
      ...(settings && { step: settings }),
    };
    const report = await runDurable(plan, workflowsJournal(step, journal), {
      maxResultBytes: MAX_RESULT_BYTES,
      input,
      ...given,
    });
    return result === undefined ? fitReport(report, MAX_RESULT_BYTES) : result(report);
  } catch (error) {
    // Thrown at once it would end the instance for good.
    if (error instanceof PlanError)
      await step.waitForEvent(stepName(error.code), { type: GIVE_UP, timeout: "365 days" });
    throw error;
  }
}
