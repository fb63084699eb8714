/** Parses the command line by the table in `options/`, which help also uses. */
import { parseArgs } from "node:util";
import { closestName } from "./suggest.js";
import { driftCommand, lockCommand } from "./options/locks.js";
import { costCommand } from "./options/cost.js";
import { checkCommand, formatCommand, planCommand, schemaCommand, typesCommand } from "./options/plans.js";
import { examplesCommand, initCommand } from "./options/projects.js";
import { approvalsCommand, runCommand, runsCommand, testCommand, upgradeCommand } from "./options/running.js";
import { lspCommand, serveCommand, toolsCommand } from "./options/servers.js";
import { diffCommand, graphCommand, importCommand, mergeCommand, reviewCommand } from "./options/versions.js";
import type { Command } from "./options/shared.js";
import { pluralize } from "../terminal/text.js";
import { UsageError } from "./usage-error.js";

export { DEFAULT_TEMPLATE, EXAMPLE_NAMES } from "./options/projects.js";
export type { Command, Option } from "./options/shared.js";
export { UsageError } from "./usage-error.js";

export const COMMANDS: Command[] = [
  initCommand,
  examplesCommand,
  runCommand,
  runsCommand,
  approvalsCommand,
  upgradeCommand,
  checkCommand,
  testCommand,
  lockCommand,
  driftCommand,
  planCommand,
  costCommand,
  diffCommand,
  reviewCommand,
  mergeCommand,
  typesCommand,
  graphCommand,
  importCommand,
  toolsCommand,
  formatCommand,
  schemaCommand,
  serveCommand,
  lspCommand,
];

/** Throws with a suggestion. */
export function findCommand(name: string): Command {
  const found = COMMANDS.find((command) => command.name === name);
  if (found) return found;
  const suggestion = closestName(
    name,
    COMMANDS.map((command) => command.name),
  );
  if (name.startsWith("-")) throw misplacedOption(name);
  const isPlan = /\.(ya?ml|json)$/.test(name);
  const advice = suggestion
    ? `did you mean \`stepgraph ${suggestion}\`?`
    : isPlan
      ? `did you mean \`stepgraph run ${name}\`?`
      : "see `stepgraph --help`";
  throw new UsageError("cli/unknown-command", `there is no command \`${name}\``, advice);
}

function misplacedOption(name: string): UsageError {
  const suggestion = closestName(name, ["--version", "--help"]);
  const advice =
    name === "-v"
      ? "write `stepgraph --version` for the version, or `-v` after a command that has `--verbose`"
      : suggestion
        ? `did you mean \`stepgraph ${suggestion}\`?`
        : `write the command first, as in \`stepgraph run PLAN ${name}\``;
  return new UsageError("cli/unknown-option", `\`${name}\` stands before the command`, advice);
}

export class Arguments {
  readonly operands: string[] = [];
  readonly #values = new Map<string, string[]>();

  /** Flags have empty text. */
  add(name: string, value: string): void {
    this.#values.set(name, [...this.all(name), value]);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  single(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  all(name: string): string[] {
    return this.#values.get(name) ?? [];
  }
}

/** Throws {@link UsageError}, but `--help` takes precedence. */
export function readArguments(command: Command, argv: string[]): Arguments {
  const options = Object.fromEntries(
    command.options.map((option) => [
      option.name,
      {
        type: option.value ? ("string" as const) : ("boolean" as const),
        ...(option.short ? { short: option.short } : {}),
      },
    ]),
  );
  const { tokens } = parseArgs({ args: argv, options, strict: false, allowPositionals: true, tokens: true });
  const read = new Arguments();
  if (tokens.some((token) => token.kind === "option" && token.name === "help")) {
    read.add("help", "");
    return read;
  }
  for (const token of tokens) {
    if (token.kind === "positional") read.operands.push(token.value);
    else if (token.kind === "option") readOption(command, token, read);
  }
  checkOperands(command, read.operands);
  return read;
}

/** `--json` is short for `--output json`. */
export function outputFormat(args: Arguments): string {
  const form = args.single("output");
  if (!args.has("json")) return form ?? "text";
  if (form === undefined || form === "json") return "json";
  throw new UsageError(
    "cli/conflicting-options",
    `\`--json\` and \`--output ${form}\` are two forms`,
    "leave one of them out",
  );
}

interface OptionToken {
  name: string;
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

function readOption(command: Command, token: OptionToken, read: Arguments): void {
  const option = command.options.find(({ name }) => name === token.name);
  if (!option) throw unknownOption(command, token.rawName, token.name);
  const { rawName, value } = token;
  if (!option.value) {
    if (value !== undefined)
      throw new UsageError("cli/extra-argument", `\`${rawName}\` takes no value`, `write \`${rawName}\` alone`);
  } else if (value === undefined) {
    throw new UsageError(
      "cli/missing-argument",
      `\`${rawName}\` needs a value`,
      `write \`${rawName} ${option.value}\``,
    );
  } else if (!token.inlineValue && value.length > 1 && value.startsWith("-")) {
    throw new UsageError(
      "cli/missing-argument",
      `\`${rawName}\` needs a value before \`${value}\``,
      `write \`${rawName}=${value}\` if that is its value`,
    );
  }
  if (option.value && value === "" && !option.mayBeEmpty)
    throw new UsageError(
      "cli/bad-value",
      `the value of \`${rawName}\` is empty`,
      `write \`${rawName} ${option.value}\`, or leave it out`,
    );
  if (option.choices && !option.choices.includes(value!)) throw invalidChoice(rawName, value!, option.choices);
  if (read.has(option.name) && !option.many && option.value) {
    throw new UsageError("cli/extra-argument", `\`${rawName}\` appears twice`, "leave one of them out");
  }
  read.add(option.name, value ?? "");
}

function invalidChoice(rawName: string, value: string, choices: readonly string[]): UsageError {
  const suggestion = closestName(value, [...choices]);
  const advice = suggestion
    ? `did you mean \`${rawName} ${suggestion}\`?`
    : `use ${choices.map((one) => `\`${one}\``).join(", ")}`;
  return new UsageError("cli/bad-value", `\`${rawName}\` does not accept \`${value}\``, advice);
}

function unknownOption(command: Command, rawName: string, name: string): UsageError {
  const names = command.options.map((option) => option.name);
  const longer = rawName.startsWith("--") ? names.filter((known) => known.startsWith(name)) : [];
  const suggestion = longer.length === 1 ? longer[0] : closestName(name, names);
  const advice = suggestion ? `did you mean \`--${suggestion}\`?` : `see \`stepgraph ${command.name} --help\``;
  return new UsageError("cli/unknown-option", `\`stepgraph ${command.name}\` knows no \`${rawName}\``, advice);
}

function checkOperands(command: Command, operands: readonly string[]): void {
  const [least, most, noun] = command.operands;
  const number = operands.length;
  const advice = `write \`${command.usage}\``;
  if (number < least) {
    const needed = least > 1 ? pluralize(least, noun) : `${most > 1 ? "at least one" : "a"} ${noun}`;
    throw new UsageError("cli/missing-argument", `\`stepgraph ${command.name}\` needs ${needed}`, advice);
  }
  if (number > most) {
    const taken = most === 0 ? `no ${noun}` : most === 1 ? `one ${noun}` : atMost(least, most, noun);
    throw new UsageError("cli/extra-argument", `\`stepgraph ${command.name}\` takes ${taken}, not ${number}`, advice);
  }
  if (operands.includes("") && ["plan", "file"].includes(noun))
    throw new UsageError(
      "cli/bad-value",
      `a ${noun} is an empty text`,
      `${advice}; perhaps a variable of your shell is not set`,
    );
}

function atMost(least: number, most: number, noun: string): string {
  return least === most ? pluralize(most, noun) : `at most ${pluralize(most, noun)}`;
}
