/**
 * Journals whose host's steps are promises: Cloudflare Workflows, Temporal, Inngest and their like.
 *
 * Decides who is first among several, and keeps to that: on a replay a host may have all old answers at once.
 * Invariant: which was first is written down before the run is told, and only where there was a choice.
 */
import { internals, PlanError } from "stepgraph";
import { stepError, type Journal, type JournalAnswer, type JournalStep } from "./journal.js";

/** What a host of promises offers. */
export interface PromiseHost {
  /** Carries out a step as the host does, once; what it rejects with is how the host gave the step up. */
  answer: (step: JournalStep) => Promise<unknown>;
  /**
   * Keeps what the work gives as a step of the host's. Left out where the host itself settles promises in the same
   * order on every replay, as Temporal does.
   */
  keep?: (name: string, work: () => Promise<string>) => Promise<unknown>;
  /** What tells that the run is to be cancelled, among what `answer` rejects with. */
  isCancelled?: (error: unknown) => boolean;
}

/**
 * A journal on a host whose steps are promises.
 *
 * @example
 * const journal = promiseJournal({ answer: (step) => (step.kind === "timer" ? sleep(step.afterMs) : ...) });
 */
export function promiseJournal(host: PromiseHost): Journal {
  internals.assertOptions("promiseJournal", host, { answer: "function", keep: "function", isCancelled: "function" });
  const { answer, keep, isCancelled = () => false } = host;
  type Came = JournalAnswer | null;
  const open = new Map<string, Promise<Came>>();
  let choices = 0;
  const chosen = async (name: string) => {
    // What was first when this was run for the first time is first for ever.
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
      // The host may begin a step at once or never; it is not to be begun within another.
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
