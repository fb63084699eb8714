/**
 * Reads the options of the project's programs, and writes their help.
 *
 * One table describes a program, so what it accepts and what `--help` prints are the same. An option that is not in
 * the table is refused: a misspelt one must not be ignored.
 *
 * A table: `{ usage, about, options }`, where `options` maps `--name` to `{ value, about }`. `value` names what follows
 * the option, if anything does.
 */
import { Trouble } from "./command.mjs";

const HELP = ["--help", "-h"];

/**
 * Returns `{ options, words }`: each option with its value, or `true`, and the arguments that are no options. Prints
 * the help and ends the process where it is asked for.
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
    if (known === undefined || (value !== undefined && !known.value)) throw new Trouble(unknown(arg, table));
    options[name.slice(2)] = known.value ? (value ?? left.shift() ?? "") : true;
  }
  if (words.length > 0 && !table.words) throw new Trouble(unknown(words[0], table));
  return { options, words };
}

/** The help of a program. */
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

function unknown(arg, { usage, options }) {
  const names = [...Object.keys(options), "--help"];
  return `\`${arg}\` is no option of \`${usage.split(/ (?:-- )?\[/)[0]}\`: choose from ${names.join(", ")}.`;
}

/** The option that chooses a port. */
export const PORT_OPTION = { value: "PORT", about: "takes this port, or a free one if it is taken" };

/** Reads a port. Without text it is `usual`. */
export function readPort(text, usual) {
  const port = text === undefined ? usual : /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port >= 0 && port < 65_536) return port;
  throw new Trouble(`\`${text}\` is no port: write a number up to 65535, such as \`npm start -- --port 8080\`.`);
}
