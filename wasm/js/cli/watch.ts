/**
 * `--watch` runs a command again when a file changes.
 *
 * Invariants: a change cancels the current round. Each round watches the files that it reads. A failed round waits for
 * the next change. Only Ctrl-C or a mistake in the command line ends the command.
 */
import { beginRound } from "./file-reads.js";
import { renderOptions, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { WatchedFiles } from "./watched-files.js";
import { pluralize, visible } from "../terminal/text.js";

const EXIT_INTERRUPTED = 130;
const MAX_NAMES = 3;

const REFUSED = {
  resume: "a snapshot belongs to one run",
  snapshot: "a snapshot belongs to one run",
  record: "a cassette belongs to one run",
  replay: "a cassette belongs to the plan that it was recorded with",
  fork: "a cassette belongs to the plan that it was recorded with",
  "plan-hash": "it rejects a plan that has changed",
};

export interface WatchedCommand {
  work: (io: Io) => Promise<number>;
  /** For a failure before the work could report. */
  report: (error: unknown, io: Io) => Promise<number>;
  /** The work ends soon after `io.signal` aborts, so Ctrl-C waits for its last words. */
  cancellable: boolean;
}

/** Throws {@link UsageError}. */
export async function watchCommand(command: WatchedCommand, args: Arguments, io: Io): Promise<number> {
  assertWatchable(args);
  const interrupt = new AbortController();
  const onSignal = () => {
    if (interrupt.signal.aborted) process.exit(EXIT_INTERRUPTED);
    interrupt.abort();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  const status = isSilent(args) ? () => {} : (text: string) => void io.err.write(text);
  try {
    for (;;) {
      const end = await playRound(command, io, interrupt.signal, status);
      if (interrupt.signal.aborted) return EXIT_INTERRUPTED;
      if (end.code !== undefined) return end.code;
      status(separator(end.changed, io));
    }
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

function assertWatchable(args: Arguments): void {
  for (const [name, reason] of Object.entries(REFUSED))
    if (args.has(name))
      throw new UsageError(
        "cli/conflicting-options",
        `\`--watch\` and \`--${name}\` can't be combined: ${reason}`,
        "leave one of them out",
      );
  const form = args.single("output") ?? "text";
  if (form !== "text" && form !== "json")
    throw new UsageError(
      "cli/conflicting-options",
      `\`--watch\` and \`--output ${form}\` can't be combined: it is one document`,
      "leave one of them out",
    );
  const values = [...args.operands, ...["plan", "prompt", "stubs", "handlers"].flatMap((name) => args.all(name))];
  if (values.includes("-"))
    throw new UsageError(
      "cli/conflicting-options",
      "`--watch` can't read standard input again",
      "name a file, or write the prompt in the command",
    );
}

/** Programs, and users who want only results, get no status. */
function isSilent(args: Arguments): boolean {
  return args.has("json") || args.has("quiet") || args.single("output") === "json";
}

interface RoundEnd {
  changed: string[];
  /** Set if no file was read, so the command must end. */
  code?: number;
}

/** Returns after a change or Ctrl-C. */
async function playRound(
  command: WatchedCommand,
  io: Io,
  interrupt: AbortSignal,
  status: (text: string) => void,
): Promise<RoundEnd> {
  const cancel = new AbortController();
  let changed: string[] = [];
  const files = new WatchedFiles((names) => {
    changed = names;
    cancel.abort();
  });
  const cancelled = new Promise<void>((resolve) => cancel.signal.addEventListener("abort", () => resolve()));
  let onInterrupt = () => {};
  const interrupted = new Promise<number>((resolve) => {
    onInterrupt = () => {
      cancel.abort();
      resolve(EXIT_INTERRUPTED);
    };
  });
  interrupt.addEventListener("abort", onInterrupt);
  beginRound((file) => files.add(file));
  try {
    const working = finish(command, { ...io, signal: cancel.signal }, files);
    const code = await (command.cancellable ? working : Promise.race([working, interrupted]));
    if (files.names.length === 0) return { changed, code };
    if (!cancel.signal.aborted) status(waitingLine(files.names, io));
    await cancelled;
    return { changed };
  } finally {
    files.close();
    interrupt.removeEventListener("abort", onInterrupt);
  }
}

/** A failure before the first file can't be about one, so it is thrown. */
async function finish({ work, report }: WatchedCommand, io: Io, files: WatchedFiles): Promise<number> {
  try {
    return await work(io);
  } catch (error) {
    if (files.names.length === 0) throw error;
    return await report(error, io);
  }
}

function waitingLine(names: string[], io: Io): string {
  return `${renderOptions(io.err, io).style.dim(`watching ${listed(names)}; Ctrl-C ends`)}\n`;
}

function separator(changed: string[], io: Io): string {
  const { style, columns } = renderOptions(io.err, io);
  const words = `── ${new Date().toTimeString().slice(0, 8)}  ${listed(changed)} changed `;
  return `\n${style.blue(words.padEnd(Math.min(columns, 100), "─"))}\n\n`;
}

function listed(names: string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(visible).join(", ");
  return names.length > MAX_NAMES ? `${shown} and ${pluralize(names.length - MAX_NAMES, "more file")}` : shown;
}
