/** The command that resumes a run. */
import { programName } from "./program-name.js";
import type { RenderOptions } from "../terminal/diagnostics.js";
import { briefJson, clip, visible } from "../terminal/text.js";
import type { Report } from "../types.js";
import { keptIds } from "./kept-run.js";
import type { Arguments } from "./options.js";
import { shellQuote } from "./shell-quote.js";

/** For a paused run, and for a cancelled one with a snapshot. */
export function waitingLines(
  report: Report,
  file: string,
  snapshot: string | null,
  args: Arguments,
  { style }: RenderOptions,
): string[] {
  const asked = report.outcome.type === "paused" ? report.outcome.approvals : [];
  const questions = asked.map(
    ({ call, input }) => `  ${style.yellow("?")} ${clip(visible(call), 60)}  ${style.dim(briefJson(input, 60))}`,
  );
  const id = keptIds.get(report);
  if (id !== undefined) return [...questions, ...keptLines(id, asked[0]!.call, file, args)];
  const decision = asked.slice(0, 1).flatMap(({ call }) => ["--approve", shellQuote(call)]);
  const how =
    snapshot === null
      ? `${style.blue("=")} ${style.bold("help")}: write \`--snapshot FILE\` to save the run and resume it later`
      : `resume: ${[programName("run"), shellQuote(file), ...repeatedOptions(args), "--resume", shellQuote(snapshot), ...decision].join(" ")}`;
  const lacking =
    snapshot !== null && args.has("context")
      ? [`  ${style.blue("=")} ${style.bold("help")}: set each \`--context\` again: snapshots do not contain them`]
      : [];
  return [...questions, `  ${how}`, ...lacking];
}

function keptLines(id: string, call: string, file: string, args: Arguments): string[] {
  const store = ["--store", shellQuote(withoutKeys("store", args.single("store")!))];
  const run = [programName("run"), shellQuote(file), ...repeatedOptions(args), ...store, "--run-id", shellQuote(id)];
  return [
    `  decide: ${[programName("approvals decide"), shellQuote(id), shellQuote(call), "approve", ...store].join(" ")}`,
    `  continue: ${run.join(" ")}`,
  ];
}

/** Snapshots do not hold these. */
const REPEATED_OPTIONS = [
  "context",
  "limit",
  "max-usd",
  "prices",
  "plan-hash",
  "server",
  "mcp-config",
  "handlers",
  "header",
  "sign-in",
  "tokens",
  "retries",
  "model",
  "model-url",
  "timeout",
  "stubs",
  "allow",
  "otlp",
];

function repeatedOptions(args: Arguments): string[] {
  return [...REPEATED_OPTIONS, "snapshot", "audit", "audit-key"].flatMap((name) =>
    args
      .all(name)
      .flatMap((value) => (value === "" ? [`--${name}`] : [`--${name}`, shellQuote(withoutKeys(name, value))])),
  );
}

/** Removes parts that may hold a key. */
export function withoutKeys(option: string, value: string): string {
  // The command rejects an option without a value, so no run resumes with a wrong one.
  if (option === "context") return value.replace(/:?=.*/s, "");
  if (option === "limit" || option === "audit-key") return value;
  if (option === "header") return `${value.slice(0, value.indexOf(":"))}: ...`;
  // Passwords may contain `@` and `/`.
  return value.replace(option === "store" ? /\/\/.*@/s : /\/\/[^/]*@/, "//...@").replace(/\?.*/s, "?...");
}
