/** Colours of a terminal. */

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
  blue(text: string): string;
}

export interface Stream {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

const sgr = (code: number) => (text: string) => (text === "" ? "" : `\x1b[${code}m${text}\x1b[0m`);
const same = (text: string) => text;

/** The 16 colours that users can adapt. */
export const coloured: Style = {
  bold: sgr(1),
  dim: sgr(2),
  red: sgr(31),
  yellow: sgr(33),
  green: sgr(32),
  blue: sgr(34),
};
export const plain: Style = { bold: same, dim: same, red: same, yellow: same, green: same, blue: same };

/** `NO_COLOR` and `FORCE_COLOR` override the terminal. */
export function styleOf(stream: Stream, env: Record<string, string | undefined>): Style {
  if (env.NO_COLOR) return plain;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== "0") return coloured;
  return isTerminal(stream, env) ? coloured : plain;
}

/** Whether lines can be rewritten. */
export function isTerminal(stream: Stream, env: Record<string, string | undefined>): boolean {
  return stream.isTTY === true && env.TERM !== "dumb";
}

/** 120 if not a terminal. */
export function columnsOf(stream: Stream): number {
  return stream.isTTY === true && stream.columns ? stream.columns : 120;
}
