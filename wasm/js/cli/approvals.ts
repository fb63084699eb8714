/**
 * Approvals from flags or a prompt. If standard input is no terminal, the run pauses.
 *
 * Invariant: the prompt shows the whole value, hidden characters made visible.
 */
import type { PlanGraph } from "../graph.js";
import type { Approval, Decision, RunOptions, Snapshot } from "../types.js";
import { readFileSync } from "node:fs";
import { LATER } from "../package-internals.js";
import { revealHidden, revealHiddenLine } from "../terminal/reveal-hidden.js";
import { errorReason, type Io } from "./io.js";
import { closestName } from "./suggest.js";
import { UsageError, type Arguments } from "./options.js";

/** It must not paint during a prompt. */
interface PausableDisplay {
  pause(): void;
  resume(): void;
}

export function approvalOptions(
  args: Arguments,
  io: Io,
  display: PausableDisplay | null,
): Pick<RunOptions, "onApproval"> {
  const asks = process.stdin.isTTY === true && io.err.isTTY === true && !args.has("json");
  if (!asks) return {};
  let turn = Promise.resolve<unknown>(undefined);
  const onApproval = (approval: Approval, signal: AbortSignal): Promise<Decision | typeof LATER> => {
    // Parallel branches may ask at once: one prompt at a time.
    const asked = turn.then(() => askApproval(approval, signal, io, display));
    turn = asked.catch(() => undefined);
    return asked;
  };
  // The public type has no such answer.
  return { onApproval } as Pick<RunOptions, "onApproval">;
}

export function parseDecisions(args: Arguments): Record<string, Decision> {
  const given: [string, Decision][] = [
    ...args.all("approve").map((call): [string, Decision] => [call, "approved"]),
    ...args.all("reject").map((call): [string, Decision] => [call, "rejected"]),
    ...args.all("decide").map(parsePair),
  ];
  const seen = new Set<string>();
  for (const [call] of given) {
    if (seen.has(call))
      throw new UsageError("cli/extra-argument", `\`${call}\` is decided twice`, "leave one of them out");
    seen.add(call);
  }
  return Object.fromEntries(given);
}

function parsePair(text: string): [string, Decision] {
  const at = text.indexOf("=");
  if (at <= 0)
    throw new UsageError(
      "cli/bad-value",
      `\`--decide ${text}\` is not CALL=JSON`,
      "write it like `--decide 'ask:1:1={\"total\": 5}'`",
    );
  try {
    return [text.slice(0, at), { value: JSON.parse(text.slice(at + 1)) as unknown }];
  } catch {
    throw new UsageError(
      "cli/bad-value",
      `\`--decide ${text}\`: \`${text.slice(at + 1)}\` is not JSON`,
      `write \`--approve ${text.slice(0, at)}\` for yes`,
    );
  }
}

/** After a typo the run would still pause. */
export function assertDecisions(graph: PlanGraph, given: Record<string, Decision>, visits?: number): void {
  for (const call of Object.keys(given)) {
    const refusal = graph.decisionError(call, visits);
    if (refusal !== null) throw new UsageError("cli/bad-value", refusal.message, refusal.help);
  }
}

export function readSnapshot(file: string): Snapshot {
  let snapshot: Snapshot;
  try {
    snapshot = JSON.parse(readFileSync(file, "utf8")) as Snapshot;
  } catch (error) {
    throw new UsageError(
      "cli/unreadable-file",
      `can't read \`${file}\`: ${error instanceof SyntaxError ? "it is not JSON" : errorReason(error)}`,
      "name a file that `--snapshot` wrote",
    );
  }
  if (snapshot?.type !== "snapshot")
    throw new UsageError("cli/invalid-file", `\`${file}\` is not a snapshot`, "name a file that `--snapshot` wrote");
  return snapshot;
}

export function assertWaits(snapshot: Snapshot, given: Record<string, Decision>): void {
  const waiting = (snapshot as Snapshot & { waiting?: string[] }).waiting;
  for (const call of waiting ? Object.keys(given) : []) {
    if (waiting!.includes(call)) continue;
    const suggestion = closestName(call, waiting!) ?? (waiting!.length === 1 ? waiting![0] : null);
    throw new UsageError(
      "cli/not-found",
      `the run does not wait for \`${call}\``,
      suggestion
        ? `did you mean \`${suggestion}\`?`
        : waiting!.length === 0
          ? "it waits for no approval; resume it without a decision"
          : `it waits for ${waiting!.map((name) => `\`${name}\``).join(", ")}`,
    );
  }
}

async function askApproval(
  approval: Approval,
  signal: AbortSignal,
  io: Io,
  display: PausableDisplay | null,
): Promise<Decision | typeof LATER> {
  display?.pause();
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Readline swallows Ctrl-C, so it passes the signal on.
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  // Ctrl-D.
  const ended = new Promise<null>((resolve) => lines.on("close", () => resolve(null)));
  try {
    io.err.write(
      `\n${revealHiddenLine(approval.call)} asks for approval${toolOf(approval)}:\n${revealHidden(formatValue(approval.input))}\n`,
    );
    for (;;) {
      const asked = lines.question("approve? [y]es, [n]o, [l]ater, or JSON to continue with instead: ", { signal });
      const answer = (await Promise.race([asked.catch(ignoreClosing(signal)), ended]))?.trim();
      if (answer === undefined || /^(l|later)$/i.test(answer)) return LATER;
      const decision = parseDecision(answer);
      if (decision !== null) return decision;
      io.err.write("that is neither `y`, `n`, `l` nor JSON\n");
    }
  } finally {
    lines.close();
    display?.resume();
  }
}

/** A closed terminal rejects the question. An abandoned one stays an error. */
function ignoreClosing(signal: AbortSignal): (error: unknown) => null {
  return (error) => {
    if (signal.aborted) throw error;
    return null;
  };
}

function toolOf({ tool, server }: Approval): string {
  return tool === undefined || server === undefined
    ? ""
    : ` to call \`${revealHiddenLine(tool)}\` of server \`${revealHiddenLine(server)}\``;
}

/** `y`, `n` or JSON. */
export function parseDecision(answer: string): Decision | null {
  if (/^(y|yes)$/i.test(answer)) return "approved";
  if (/^(n|no)$/i.test(answer)) return "rejected";
  try {
    return { value: JSON.parse(answer) as unknown };
  } catch {
    return null;
  }
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "null");
}
