/** Errors of user functions: frames in user code, and causes. */
import { CallError } from "../node.js";
import { clip, visible } from "../terminal/text.js";

const MOST_FRAMES = 5;
const MOST_CAUSES = 5;
const MOST_COLUMNS = 300;
/** Also for commands bundled in folders of their own. */
const PACKAGE = new URL("../", import.meta.url).href;

export interface ThrownError {
  readonly message: string;
  /** Innermost first: `look (file:///app/host.mjs:2:35)`. */
  readonly frames: readonly string[];
}

/** Outermost first. Failed calls of servers or models have no frames. */
export function thrownErrors(thrown: unknown): ThrownError[] {
  const found: ThrownError[] = [];
  try {
    for (let error = thrown; found.length <= MOST_CAUSES && error !== undefined && error !== null; ) {
      const known = error instanceof Error ? error : null;
      const frames = known === null ? [] : userFrames(known);
      // A failed call's message has its causes.
      if (known instanceof CallError && frames.length === 0) break;
      found.push({ message: String(known?.message ?? error), frames });
      error = known?.cause;
    }
  } catch {
    // A getter threw.
  }
  return found;
}

/** Message lines may look like frames, as a server's do. */
function userFrames({ stack, message }: Error): string[] {
  if (typeof stack !== "string") return [];
  const begin = message === "" ? -1 : stack.indexOf(message);
  const frames = (begin < 0 ? stack : stack.slice(begin + message.length))
    .split("\n")
    .filter((line) => /^\s+at /.test(line));
  const own = frames.filter((frame) => !frame.includes(PACKAGE) && !/[ (]node:/.test(frame));
  return own.slice(0, MOST_FRAMES).map((frame) => visible(frame.trim().slice("at ".length)));
}

/** The error's own message stands above. */
export function thrownLines(thrown: unknown): string[] {
  return thrownErrors(thrown).flatMap(({ message, frames }, depth) => [
    ...(depth === 0 ? [] : [`      caused by: ${clip(visible(message), MOST_COLUMNS)}`]),
    ...frames.map((frame) => `      at ${frame}`),
  ]);
}
