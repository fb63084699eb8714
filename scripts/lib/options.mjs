/**
 * Parses the options of the project's programs, and prints their help.
 *
 * In a table `{ usage, about, options }`, `options` maps `--name` to `{ value, about }`. `value` names its argument.
 * Unknown options are errors.
 */
import { UsageError } from "./command.mjs";

const HELP = ["--help", "-h"];

/** Options without an argument are `true`. `--help` exits. */
export function readOptions(args, table) {
  if (args.some((arg) => HELP.includes(arg))) {
    process.stdout.write(help(table));
    process.exit(0);
  }
  const options = {};
  const words = [];
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (!arg.startsWith("-")) {
      words.push(arg);
      continue;
    }
    const [name, value] = arg.split(/=(.*)/s);
    const known = Object.hasOwn(table.options, name) ? table.options[name] : undefined;
    if (known === undefined) throw unknownOption(name, table);
    if (value !== undefined && !known.value)
      throw new UsageError(`\`${name}\` takes no value: write it without \`=\`.`);
    options[name.slice(2)] = known.value ? (value ?? nextValue(name, known, left)) : true;
  }
  if (words.length > 0 && !table.words) throw unknownOption(words[0], table);
  return { options, words };
}

export function help({ usage, about, options, words = {} }) {
  const optionUsage = ([name, { value }]) => (value ? `${name} ${value}` : name);
  const rows = [
    ...Object.entries(words),
    ...Object.entries(options).map((entry) => [optionUsage(entry), entry[1].about]),
    ["--help", "prints this"],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return `usage: ${usage}\n\n${about}\n\n${rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join("")}`;
}

/** Another option is no value. */
function nextValue(name, { value }, left) {
  const [next = "-"] = left;
  if (next.startsWith("-")) throw new UsageError(`\`${name}\` needs a value: write \`${name} ${value}\`.`);
  return left.shift();
}

function unknownOption(arg, { usage, options }) {
  const program = usage.split(/ (?:-- )?\[/)[0];
  return unknownName(`\`${arg}\` is no option of \`${program}\``, arg, [...Object.keys(options), "--help"]);
}

export function unknownName(problem, name, names) {
  const meant = closestName(name, names);
  return new UsageError(`${problem}: ${meant ? `did you mean \`${meant}\`?` : `choose from ${names.join(", ")}.`}`);
}

/** At most two edits, and half of the letters. */
function closestName(wrong, names) {
  const letters = wrong.replace(/^-+/, "").length;
  const [best] = names
    .map((name) => ({ name, changes: editDistance(wrong, name) }))
    .filter(({ changes }) => changes <= 2 && changes * 2 <= letters)
    .sort((a, b) => a.changes - b.changes);
  return best?.name;
}

function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const letter of a) {
    const next = [row[0] + 1];
    for (let at = 1; at <= b.length; at++)
      next.push(Math.min(row[at - 1] + (letter === b[at - 1] ? 0 : 1), row[at] + 1, next[at - 1] + 1));
    row = next;
  }
  return row[b.length];
}

export const PORT_OPTION = { value: "PORT", about: "takes this port, or a free one if it is taken" };

export function readPort(text, usual) {
  const port = text === undefined ? usual : /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port >= 0 && port < 65_536) return port;
  throw new UsageError(`\`${text}\` is no port: write a number up to 65535, such as \`--port 8080\`.`);
}
