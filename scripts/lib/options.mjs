/**
 * Parses the options of the project's programs, and prints their help.
 *
 * One table describes a program, so its options and its `--help` agree. An option that is not in the table is an error,
 * since a misspelt one must not be ignored.
 *
 * A table: `{ usage, about, options }`, where `options` maps `--name` to `{ value, about }`. `value` names the argument
 * of the option, if it has one. `words` maps the names of other arguments to their descriptions.
 */
import { UsageError } from "./command.mjs";

const HELP = ["--help", "-h"];

/**
 * Returns `{ options, words }`: options with their values, or `true`, and other arguments. For `--help` it prints the
 * help and exits.
 */
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

/** Returns the help of a program. */
export function help({ usage, about, options, words = {} }) {
  const called = ([name, { value }]) => (value ? `${name} ${value}` : name);
  const rows = [
    ...Object.entries(words),
    ...Object.entries(options).map((entry) => [called(entry), entry[1].about]),
    ["--help", "prints this"],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return `usage: ${usage}\n\n${about}\n\n${rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join("")}`;
}

/** Returns the value of an option: the next argument, which must not be an option. */
function nextValue(name, { value }, left) {
  const [next = "-"] = left;
  if (next.startsWith("-")) throw new UsageError(`\`${name}\` needs a value: write \`${name} ${value}\`.`);
  return left.shift();
}

function unknownOption(arg, { usage, options }) {
  const program = usage.split(/ (?:-- )?\[/)[0];
  return unknownName(`\`${arg}\` is no option of \`${program}\``, arg, [...Object.keys(options), "--help"]);
}

/** Returns a {@link UsageError} for a name that is not in `names`. It suggests the closest one, or lists all. */
export function unknownName(problem, name, names) {
  const meant = closestName(name, names);
  return new UsageError(`${problem}: ${meant ? `did you mean \`${meant}\`?` : `choose from ${names.join(", ")}.`}`);
}

/** Returns the closest name to `wrong`: at most two edits, and at most half of its letters. */
function closestName(wrong, names) {
  const letters = wrong.replace(/^-+/, "").length;
  const [best] = names
    .map((name) => ({ name, changes: editDistance(wrong, name) }))
    .filter(({ changes }) => changes <= 2 && changes * 2 <= letters)
    .sort((a, b) => a.changes - b.changes);
  return best?.name;
}

/** Returns the edit distance of two texts. */
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

/** Parses a port. The default is `usual`. */
export function readPort(text, usual) {
  const port = text === undefined ? usual : /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port >= 0 && port < 65_536) return port;
  throw new UsageError(`\`${text}\` is no port: write a number up to 65535, such as \`--port 8080\`.`);
}
