/**
 * Journal for hosts whose steps are promises, such as Cloudflare Workflows, Temporal and Inngest.
 *
 * If several steps are pending, the first answer is recorded before the run gets it: a replay may have all old answers
 * at once.
 */
import { internals, PlanError } from "stepgraph";
import { stepError, type Journal, type JournalAnswer, type JournalStep } from "./journal.js";

/** A host whose steps are promises. */
export interface PromiseHost {
  /** Executes a step once. A rejection fails it for good. */
  answer: (step: JournalStep) => Promise<unknown>;
  /** Stores `work` as a step, unless promises settle in the same order on every replay, as in Temporal. */
  keep?: (name: string, work: () => Promise<string>) => Promise<unknown>;
  /** Whether an error of `answer` cancels the run. */
  isCancelled?: (error: unknown) => boolean;
}

/**
 * Creates a journal.
 *
 * @example
 * const journal = promiseJournal({ answer: (step) => (step.kind === "timer" ? sleep(step.afterMs) : ...) });
 */
export function promiseJournal(host: PromiseHost): Journal {
  internals.assertOptions("promiseJournal", host, { answer: "function", keep: "function", isCancelled: "function" });
  const { answer, keep, isCancelled = () => false } = host;
  type JournalResult = JournalAnswer | null;
  const open = new Map<string, Promise<JournalResult>>();
  let choices = 0;
  const chosen = async (name: string) => {
    const recorded = await keep!(`first ${++choices}`, async () => name);
    const promise = typeof recorded === "string" ? open.get(recorded) : undefined;
    if (promise === undefined)
      throw new PlanError(
        "durable/diverged",
        `the journal answers ${JSON.stringify(recorded)}, and the run does not wait for that`,
      );
    return promise;
  };
  return {
    begin(step) {
      const { name } = step;
      // Steps must not nest.
      open.set(
        name,
        answer(step).then(
          (value) => ({ name, value }),
          (error: unknown) => (isCancelled(error) ? null : { name, value: stepError(error) }),
        ),
      );
    },
    async race(pending) {
      let answer = await Promise.race(pending.map((name) => open.get(name)!));
      if (answer !== null && keep !== undefined && pending.length > 1) answer = await chosen(answer.name);
      if (answer !== null) open.delete(answer.name);
      return answer;
    },
    abandon: (name) => void open.delete(name),
  };
}
