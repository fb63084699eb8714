#!/usr/bin/env node
/** The command. Only subcommands that need the engine load it. */
import { StubsError, reportStubsError } from "./stubs-error.js";
import { markDone } from "./exit-guard.js";
import { commandOutput } from "./module-output.js";
import { isEndedByError } from "./stray-errors.js";
import { commandHelp, overview } from "./help.js";
import { renderOptions, reportFailure, type Io } from "./io.js";
import { findCommand, readArguments, type Arguments, type Command } from "./options.js";

type CommandFunction = (args: Arguments, io: Io) => Promise<number>;

const COMMAND_LOADERS: Record<string, () => Promise<CommandFunction>> = {
  init: async () => (await import("./init.js")).initCommand,
  examples: async () => (await import("./examples.js")).examplesCommand,
  run: async () => (await import("./run.js")).runCommand,
  approvals: async () => (await import("./inbox.js")).approvalsCommand,
  runs: async () => (await import("./runs.js")).runsCommand,
  lock: async () => (await import("./lock.js")).lockCommand,
  drift: async () => (await import("./drift.js")).driftCommand,
  upgrade: async () => (await import("./upgrade.js")).upgradeCommand,
  check: async () => (await import("./check.js")).checkCommand,
  test: async () => (await import("./test.js")).testCommand,
  plan: async () => (await import("./plan.js")).planCommand,
  cost: async () => (await import("./cost.js")).costCommand,
  diff: async () => (await import("./diff.js")).diffCommand,
  review: async () => (await import("./review.js")).reviewCommand,
  merge: async () => (await import("./merge.js")).mergeCommand,
  types: async () => (await import("./types.js")).typesCommand,
  graph: async () => (await import("./graph.js")).graphCommand,
  import: async () => (await import("./import.js")).importCommand,
  tools: async () => (await import("./tools.js")).toolsCommand,
  format: async () => (await import("./format.js")).formatCommand,
  schema: async () => (await import("./schema.js")).schemaCommand,
  serve: async () => (await import("./serve/main.js")).serveCommand,
  lsp: async () => (await import("./lsp/main.js")).lspCommand,
};

export async function main(argv: string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    return reportFailure(error, io);
  }
}

async function dispatch(argv: string[], io: Io): Promise<number> {
  const [first, ...rest] = argv;
  if (first === undefined) {
    io.err.write(overview(renderOptions(io.err, io)));
    return 2;
  }
  if (["--version", "-V", "version"].includes(first))
    return printText(`${(await import("./version.js")).version()}\n`, io);
  const [name, args] = first === "help" && rest[0] !== undefined ? [rest[0], ["--help"]] : [first, rest];
  if (["--help", "-h", "help"].includes(name)) return printText(overview(renderOptions(io.out, io)), io);
  let command: Command | undefined;
  try {
    command = findCommand(name);
    return await runCommand(command, args, io);
  } catch (error) {
    return reportCommandFailure(error, command, args, io);
  }
}

/** Returns the exit code. */
async function reportCommandFailure(
  error: unknown,
  command: Command | undefined,
  args: string[],
  io: Io,
): Promise<number> {
  const { asksForJson, writeJsonFailure } = await import("./empty-report.js");
  if (asksForJson(command, args)) writeJsonFailure(error, command, io);
  return reportFailure(error, io);
}

async function runCommand(command: Command, args: string[], io: Io): Promise<number> {
  const read = readArguments(command, args);
  if (read.has("help")) return printText(commandHelp(command, renderOptions(io.out, io)), io);
  const work = await COMMAND_LOADERS[command.name]!();
  if (!read.has("watch")) return perform(work, read, io);
  const { watchCommand } = await import("./watch.js");
  const watched = {
    work: (io: Io) => perform(work, read, io),
    report: (error: unknown, io: Io) => reportCommandFailure(error, command, args, io),
    cancellable: command.name === "run",
  };
  return watchCommand(watched, read, io);
}

async function perform(work: CommandFunction, read: Arguments, io: Io): Promise<number> {
  try {
    return await work(read, io);
  } catch (error) {
    if (error instanceof StubsError) return reportStubsError(error, read, io);
    throw error;
  }
}

function printText(text: string, io: Io): number {
  io.out.write(text);
  return 0;
}

const IO: Io = { out: commandOutput, err: process.stderr, env: process.env };

/** A pipe may be slow. */
async function exitWhenWritten(code: number): Promise<never> {
  for (const stream of [commandOutput, process.stderr])
    await new Promise<void>((done) => {
      stream.write("", () => done());
    });
  markDone();
  process.exit(isEndedByError() ? 1 : code);
}

// A pipe's reader may stop early, as `head` does.
commandOutput.on("error", (error: { code?: string }) => {
  markDone();
  process.exit(error.code === "EPIPE" ? 0 : 1);
});
await exitWhenWritten(await main(process.argv.slice(2), IO));
