/**
 * Asking a person: on the terminal, or by what was decided beforehand.
 *
 * Decides what `y`, `n` and JSON mean. Nobody is asked where standard input is no terminal: then the run pauses.
 *
 * Invariant: whatever is approved on the terminal was shown there as a whole, and nothing of it hides.
 */
import { createInterface } from "node:readline/promises";
import type { PlanGraph } from "../graph.js";
import type { Approval, Decision, RunOptions, Snapshot } from "../types.js";
import { readFileSync } from "node:fs";
import { revealHidden, revealHiddenLine } from "./reveal-hidden.js";
import { errorReason, type Io } from "./io.js";
import { closestName } from "./suggest.js";
import { UsageError, type Arguments } from "./options.js";

/** The view, which makes room for a question. */
interface PausableDisplay {
  pause(): void;
  resume(): void;
}

/** Who is asked for what the flags did not decide. */
export function approvalOptions(
  args: Arguments,
  io: Io,
  display: PausableDisplay | null,
): Pick<RunOptions, "onApproval"> {
  const asks = process.stdin.isTTY === true && io.err.isTTY === true && !args.has("json");
  if (!asks) return {};
  let turn = Promise.resolve<unknown>(undefined);
  const onApproval = (approval: Approval, signal: AbortSignal): Promise<Decision> => {
    // One question at a time: branches may ask at once.
    const asked = turn.then(() => askApproval(approval, signal, io, display));
    turn = asked.catch(() => undefined);
    return asked;
  };
  return { onApproval };
}

/** What the flags decide, by the name of the call. */
export function parseDecisions(args: Arguments): Record<string, Decision> {
  const given: [string, Decision][] = [
    ...args.all("approve").map((call): [string, Decision] => [call, "approved"]),
    ...args.all("reject").map((call): [string, Decision] => [call, "rejected"]),
    ...args.all("decide").map(parsePair),
  ];
  const seen = new Set<string>();
  for (const [call] of given) {
    if (seen.has(call)) throw new UsageError(`\`${call}\` is decided twice`, "leave one of them out");
    seen.add(call);
  }
  return Object.fromEntries(given);
}

function parsePair(text: string): [string, Decision] {
  const at = text.indexOf("=");
  if (at <= 0)
    throw new UsageError(`\`--decide ${text}\` is not CALL=JSON`, "write it like `--decide 'ask:1:1={\"total\": 5}'`");
  try {
    return [text.slice(0, at), { value: JSON.parse(text.slice(at + 1)) as unknown }];
  } catch {
    throw new UsageError(
      `\`--decide ${text}\`: \`${text.slice(at + 1)}\` is not JSON`,
      `write \`--approve ${text.slice(0, at)}\` for yes`,
    );
  }
}

/** Refuses decisions on calls that no run of the plan makes: misspelt, the run would wait for another. */
export function assertDecisions(graph: PlanGraph, given: Record<string, Decision>, visits?: number): void {
  for (const call of Object.keys(given)) {
    const refusal = graph.decisionError(call, visits);
    if (refusal !== null) throw new UsageError(refusal.message, refusal.help);
  }
}

/** A snapshot that decisions are for. What they name must be waited for. */
export function readSnapshot(file: string, given: Record<string, Decision>): Snapshot {
  let snapshot: Snapshot;
  try {
    snapshot = JSON.parse(readFileSync(file, "utf8")) as Snapshot;
  } catch (error) {
    throw new UsageError(
      `can't read \`${file}\`: ${error instanceof SyntaxError ? "it is no JSON" : errorReason(error)}`,
      "name a file that `--snapshot` wrote",
    );
  }
  if (snapshot?.type !== "snapshot")
    throw new UsageError(`\`${file}\` is no snapshot`, "name a file that `--snapshot` wrote");
  const waiting = (snapshot as Snapshot & { waiting?: string[] }).waiting;
  for (const call of waiting ? Object.keys(given) : []) {
    if (waiting!.includes(call)) continue;
    const suggestion = closestName(call, waiting!) ?? (waiting!.length === 1 ? waiting![0] : null);
    throw new UsageError(
      `the run does not wait for \`${call}\``,
      suggestion
        ? `did you mean \`${suggestion}\`?`
        : `it waits for ${waiting!.map((name) => `\`${name}\``).join(", ")}`,
    );
  }
  return snapshot;
}

async function askApproval(
  approval: Approval,
  signal: AbortSignal,
  io: Io,
  display: PausableDisplay | null,
): Promise<Decision> {
  display?.pause();
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // While the question stands, the terminal gives Ctrl-C to who asks it.
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    io.err.write(
      `\n${revealHiddenLine(approval.call)} asks for approval${toolOf(approval)}:\n${revealHidden(formatValue(approval.input))}\n`,
    );
    for (;;) {
      const answer = (await lines.question("approve? [y]es, [n]o, or JSON to go on with instead: ", { signal })).trim();
      const decision = parseDecision(answer);
      if (decision !== null) return decision;
      io.err.write("that is neither `y`, `n` nor JSON\n");
    }
  } finally {
    lines.close();
    display?.resume();
  }
}

function toolOf({ tool, server }: Approval): string {
  return tool === undefined || server === undefined
    ? ""
    : ` to call \`${revealHiddenLine(tool)}\` of server \`${revealHiddenLine(server)}\``;
}

/** What an answer means; null where it means nothing. */
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
