/**
 * The entry `stepgraph/workflows`: a plan in a Cloudflare Workflow.
 *
 * A call becomes `step.do` under its name, a timer `step.sleep`, an approval `step.waitForEvent`. If several steps are
 * pending, another step records the first answer: a replay has all old ones at once. The types below describe the used
 * part of `WorkflowStep` (Workers runtime of 2026), so no module is imported.
 */
import { internals, PlanError, type Approval, type PlanGraph, type Report } from "stepgraph";
import type { Kinds } from "../options.js";
import { runDurable } from "./durable/driver.js";
import { assertDurable, DURABLE, type DurableOptions } from "./durable/options.js";
import { shortHash } from "./durable/journal-entry.js";
import { fitReport } from "./durable/report-size.js";
import type { Journal, JournalStep } from "./durable/journal.js";
import { promiseJournal } from "./durable/promise-journal.js";

/** Retries and timeout of a step. `delay` is in milliseconds. */
export interface WorkflowStepSettings {
  retries?: { limit: number; delay: number; backoff?: "constant" | "exponential" };
  /** Milliseconds, or text such as `10 minutes`. */
  timeout?: number | `${number} ${"second" | "minute" | "hour" | "day"}${"s" | ""}`;
}

/** Used part of a workflow's `step`. */
export interface WorkflowStepLike {
  /** Executes work once and stores its result. */
  do(name: string, settings: WorkflowStepSettings, work: () => Promise<never>): Promise<unknown>;
  sleep(name: string, ms: number): Promise<void>;
  /** Waits for an event sent to the instance. */
  waitForEvent(
    name: string,
    options: { type: string; timeout: `${number} days` },
  ): Promise<{ payload: unknown; timestamp: Date }>;
}

/** An open approval, and the type of the event that decides it. */
export interface AwaitedApproval {
  event: string;
  approval: Approval;
}

/** Options of `workflowsJournal`. */
export interface WorkflowsJournalOptions {
  /** Notifies approvers, as a step. */
  onApproval?: (awaited: AwaitedApproval) => void | Promise<void>;
  /** Days to wait for a decision. Default and maximum 365. Then the call fails. */
  approvalDays?: number;
  /** Retries after a failure on Workflows' side, and timeout of a step. */
  step?: WorkflowStepSettings;
}

const JOURNAL: Kinds<WorkflowsJournalOptions> = {
  onApproval: "function",
  approvalDays: "count",
  step: { retries: "map", timeout: "ms|text" },
};

/** Limits of Workflows, in characters. */
const [LONGEST_NAME, LONGEST_TYPE] = [256, 100];

/**
 * Returns the type of the event that decides an approval.
 *
 * @example
 * await instance.sendEvent({ type: approvalEvent("ask:1:1"), payload: "approved" });
 */
export function approvalEvent(call: string): string {
  const type = `approve-${call.replace(/[^A-Za-z0-9-]/g, (odd) => `_${odd.codePointAt(0)!.toString(16)}_`)}`;
  return type.length <= LONGEST_TYPE ? type : `approve-${shortHash(call)}`;
}

/** Creates the journal of one instance, for `runDurable`. */
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
  return { ...promiseJournal({ answer, keep }), recordsWork: true };
}

/** Workflows has constant and doubling delays, but no `max_ms` or other factors. */
function retriesOf({
  attempts,
  backoffMs,
  factor,
}: NonNullable<Extract<JournalStep, { kind: "call" }>["retry"]>): NonNullable<WorkflowStepSettings["retries"]> {
  return { limit: attempts - 1, delay: backoffMs, backoff: factor > 1 ? "exponential" : "constant" };
}

function stepName(name: string): string {
  const plain = name.replace(/[\u0000-\u001f\u007f]/g, "?");
  return plain === name && name.length <= LONGEST_NAME
    ? name
    : `${plain.slice(0, LONGEST_NAME - 17)} ${shortHash(name)}`;
}

/** Options of `runPlan`. */
export interface RunPlanOptions extends DurableOptions, WorkflowsJournalOptions {
  /**
   * Returns the workflow's result. Default: the report as JSON. Above 1 MB it omits `trace`, `partial`, `outputs`,
   * `last`, until it fits. `leftOut` names them.
   */
  result?: (report: Report) => unknown;
}

const OPTIONS: Kinds<RunPlanOptions> = { ...DURABLE, ...JOURNAL, result: "function" };

/** Workflows stores results up to one mebibyte. */
const MAX_RESULT_BYTES = 1_000_000;
/** Type of the event that ends a waiting run. */
const GIVE_UP = "stepgraph-give-up";

/**
 * Runs a plan in a workflow's `run`, with the instance's payload as input.
 *
 * A run that does not fit the deployed code waits in a step named after the error, such as `run/plan-changed`. Deploy
 * the right code, then call `pause()` and `resume()`. An event of type `stepgraph-give-up` ends the run.
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
    // Throwing at once would end the instance for good.
    if (error instanceof PlanError)
      await step.waitForEvent(stepName(error.code), { type: GIVE_UP, timeout: "365 days" });
    throw error;
  }
}
