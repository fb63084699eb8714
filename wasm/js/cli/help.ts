/** Help, generated from the command table. */
import { COMMANDS, type Command, type Option } from "./options.js";
import type { RenderOptions } from "../terminal/diagnostics.js";
import { pad, width, wrap } from "../terminal/text.js";

export function overview({ style, columns }: RenderOptions): string {
  const rows = COMMANDS.map((command): [string, string] => [command.name, command.summary]);
  const lines = [
    `${style.bold("stepgraph")}: plans for agents, checked before they run`,
    "",
    `${style.bold("usage")}: stepgraph COMMAND [options]`,
    "",
    ...table(rows, columns),
    "",
    style.bold("examples"),
    "  stepgraph check plan.yaml",
    '  stepgraph run plan.yaml --prompt "hola"',
    "",
    "`stepgraph COMMAND --help` shows details; `stepgraph --version` prints the version.",
  ];
  return `${lines.join("\n")}\n`;
}

export function commandHelp(command: Command, { style, columns }: RenderOptions): string {
  const space = Math.min(columns, 100);
  const lines = [
    `${style.bold(`stepgraph ${command.name}`)}: ${command.summary}`,
    "",
    `${style.bold("usage")}: ${command.usage}`,
    "",
    ...table(
      command.options.map((option) => [optionColumn(option), option.help]),
      space,
    ),
    ...(command.notes ?? []).flatMap((note) => ["", ...wrap(note, space)]),
    "",
    style.bold("examples"),
    ...command.examples.flatMap(([purpose, line]) => [`  ${style.dim(`# ${purpose}`)}`, `  ${line}`]),
  ];
  return `${lines.join("\n")}\n`;
}

function optionColumn(option: Option): string {
  const names = `${option.short ? `-${option.short}, ` : "    "}--${option.name}`;
  return option.value ? `${names} ${option.value}` : names;
}

/** On narrow terminals the right column moves below. */
function table(rows: [string, string][], columns: number): string[] {
  const widest = Math.max(...rows.map(([name]) => width(name)));
  const narrow = columns - widest - 4 < 24;
  const indent = narrow ? 8 : widest + 4;
  return rows.flatMap(([name, text]) => {
    const lines = wrap(text, Math.max(24, columns - indent)).map((line) => " ".repeat(indent) + line);
    const head = `  ${pad(name, widest)}  `;
    return narrow ? [`  ${name}`, ...lines] : [head + (lines[0] ?? "").slice(indent), ...lines.slice(1)];
  });
}
