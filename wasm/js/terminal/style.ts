/**
 * Colours, and whether there are any.
 */

/** Marks up text for one stream; without colours every function gives its text as it is. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
  blue(text: string): string;
}

/** What the command knows of an output stream. */
export interface Stream {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

const sgr = (code: number) => (text: string) => (text === "" ? "" : `\x1b[${code}m${text}\x1b[0m`);
const same = (text: string) => text;

/** Colours of the sixteen that every terminal has and that people set to what they can read. */
export const coloured: Style = {
  bold: sgr(1),
  dim: sgr(2),
  red: sgr(31),
  yellow: sgr(33),
  green: sgr(32),
  blue: sgr(34),
};
/** No colours. */
export const plain: Style = { bold: same, dim: same, red: same, yellow: same, green: same, blue: same };

/** Colours for a terminal, unless the person asked otherwise by `NO_COLOR` or `FORCE_COLOR`. */
export function styleOf(stream: Stream, env: Record<string, string | undefined>): Style {
  if (env.NO_COLOR) return plain;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== "0") return coloured;
  return isTerminal(stream, env) ? coloured : plain;
}

/** Whether lines of this stream can be rewritten. */
export function isTerminal(stream: Stream, env: Record<string, string | undefined>): boolean {
  return stream.isTTY === true && env.TERM !== "dumb";
}

/** The columns of a stream; what is not a terminal has room for long lines. */
export function columnsOf(stream: Stream): number {
  return stream.isTTY === true && stream.columns ? stream.columns : 120;
}
