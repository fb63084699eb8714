/**
 * All drivers of a run as functions `(graph, world, options) → report`.
 *
 * If the person never answers, a driver cancels the run, or leaves it paused, once it has no other work.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as idle } from "node:timers/promises";
import { audited } from "../../dist/integrations/audit/node.js";
import { fileJournal, MemoryJournal, runDurable } from "../../dist/integrations/durable/node.js";
import { fork, Run, run } from "../../dist/node.js";
import { byHand } from "./machine.mjs";

/** After so many turns of the event loop a run without an answer has no other work. */
const TURNS = 50;

/** If the person never answers, calls `stop` some turns later. */
function stopWithoutAnswer(onApproval, stop) {
  return (approval, signal) => {
    const decision = onApproval(approval, signal);
    if (decision instanceof Promise) void decision.catch(() => {});
    if (decision === NEVER) void later(stop);
    return decision;
  };
}

async function later(then) {
  for (let turn = 0; turn < TURNS; turn++) await idle();
  then();
}

export const NEVER = new Promise(() => {});

const direct = async (graph, world, options) => {
  const controller = new AbortController();
  const onApproval = stopWithoutAnswer(world.onApproval, () => controller.abort());
  return run(graph, { ...world.host, onApproval, signal: controller.signal, ...options });
};

async function recorded(graph, world, options) {
  const cassette = [];
  const report = await direct(graph, world, { ...options, record: (line) => cassette.push(line) });
  return { report, cassette };
}

async function durable(journal, stop, graph, world, { runId, ...options }) {
  const { handlers, models, tools } = world.host;
  const given = { handlers, models, tools, ...(runId !== undefined && { runId }), ...options };
  try {
    return await runDurable(graph, journal(stopWithoutAnswer(world.onApproval, stop)), given);
  } finally {
    stop();
  }
}

/** A decision that is none is refused before the run goes on. */
function refused(error) {
  if (error.code !== "api/bad-option") throw error;
  return { outcome: { type: "failed", code: error.code } };
}

export const DRIVERS = {
  run: direct,

  "run with record": async (graph, world, options) => (await recorded(graph, world, options)).report,

  replay: async (graph, world, options) => {
    const { report, cassette } = await recorded(graph, world, options);
    const before = [world.called.length, world.asked.length];
    const { input, context } = options;
    const again = await run(graph, {
      replay: cassette,
      ...(context && { context }),
      ...(input !== undefined && { input }),
    });
    if (again.outcome.type !== report.outcome.type) throw new Error(`the replay ${JSON.stringify(again.outcome)}`);
    if (world.called.length !== before[0] || world.asked.length !== before[1]) throw new Error("the replay called");
    return again;
  },

  /** Every repeated call needs a new approval. */
  fork: async (graph, world, options) => {
    const { cassette } = await recorded(graph, world, options);
    const controller = new AbortController();
    const onApproval = stopWithoutAnswer(world.onApproval, () => controller.abort());
    return fork(graph, { cassette, ...world.host, onApproval, signal: controller.signal, ...options });
  },

  "runDurable in memory": async (graph, world, options) => {
    let journal;
    const open = (onApproval) => (journal = new MemoryJournal({ onApproval }));
    return durable(open, () => journal?.cancel(), graph, world, options);
  },

  "runDurable in a file": async (graph, world, options) => {
    const folder = mkdtempSync(join(tmpdir(), "hostile-"));
    let ask;
    const journal = await fileJournal(join(folder, "run.journal"), {
      fsync: false,
      onApproval: (approval) => ask(approval),
    });
    try {
      return await durable(
        (asks) => ((ask = asks), journal),
        () => journal.cancel(),
        graph,
        world,
        options,
      );
    } finally {
      await journal.close();
      rmSync(folder, { recursive: true });
    }
  },

  "the synchronous Run": (graph, world, options) => byHand(Run, graph, world, options, NEVER),

  audited: async (graph, world, options) => {
    const parts = [];
    const sink = { write: (part) => void parts.push(part) };
    const controller = new AbortController();
    const onApproval = stopWithoutAnswer(world.onApproval, () => controller.abort());
    const given = { ...world.host, onApproval, signal: controller.signal, ...options };
    const audit = audited(graph, given, sink, { delayMs: 1 });
    const report = await audit.end(run(graph, audit.options));
    if (audit.unwritten !== null) throw new Error("the audit was not written");
    return report;
  },

  "resume from snapshots": async (graph, world, options) => {
    let report = await run(graph, { ...world.host, ...options });
    while (report.outcome.type === "paused") {
      const decisions = {};
      for (const approval of report.outcome.approvals) {
        const said = await answered(world, approval);
        if (said === null) return report;
        decisions[approval.call] = said.decision;
      }
      const snapshot = JSON.parse(JSON.stringify(report.snapshot));
      const { allow, context } = options;
      const silent = Object.values(decisions).includes(undefined);
      const resumed = run(graph, {
        ...world.host,
        ...(allow !== undefined && { allow }),
        ...(context && { context }),
        snapshot,
        decisions,
        // The same question must not repeat endlessly.
        ...(silent && { onApproval: (approval) => decisions[approval.call] }),
      });
      report = await resumed.catch(refused);
    }
    return report;
  },
};

/** Null if the person never answers. An exception is no decision. */
async function answered(world, approval) {
  try {
    const decision = world.onApproval(approval);
    return decision === NEVER ? null : { decision: await decision };
  } catch {
    return { decision: undefined };
  }
}
