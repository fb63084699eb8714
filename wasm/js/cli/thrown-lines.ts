/** What a function of the user threw: its frames in the user's code, and the errors that caused it. */
import { CallError } from "../node.js";
import { clip, visible } from "../terminal/text.js";

const MOST_FRAMES = 5;
const MOST_CAUSES = 5;
const MOST_COLUMNS = 300;
/** The folder of the package, also for bundled commands in folders of their own. */
const PACKAGE = new URL("../", import.meta.url).href;

export interface ThrownError {
  readonly message: string;
  /** Calls in the user's code, innermost first: `look (file:///app/host.mjs:2:35)`. */
  readonly frames: readonly string[];
}

/** Returns the error and its causes, outermost first. A failed call of a server or model has no frames. */
export function thrownErrors(thrown: unknown): ThrownError[] {
  const found: ThrownError[] = [];
  try {
    for (let error = thrown; found.length <= MOST_CAUSES && error !== undefined && error !== null; ) {
      const known = error instanceof Error ? error : null;
      const frames = known === null ? [] : userFrames(known);
      // The message of a failed call of a server or model has its causes.
      if (known instanceof CallError && frames.length === 0) break;
      found.push({ message: String(known?.message ?? error), frames });
      error = known?.cause;
    }
  } catch {
    // A getter threw. What was read so far is enough.
  }
  return found;
}

/** A message may have lines that look like frames, as those of a server do. */
function userFrames({ stack, message }: Error): string[] {
  if (typeof stack !== "string") return [];
  const begin = message === "" ? -1 : stack.indexOf(message);
  const frames = (begin < 0 ? stack : stack.slice(begin + message.length))
    .split("\n")
    .filter((line) => /^\s+at /.test(line));
  const own = frames.filter((frame) => !frame.includes(PACKAGE) && !/[ (]node:/.test(frame));
  return own.slice(0, MOST_FRAMES).map((frame) => visible(frame.trim().slice("at ".length)));
}

/** Renders the frames of the error, then its causes with theirs. The error's own message stands above. */
export function thrownLines(thrown: unknown): string[] {
  return thrownErrors(thrown).flatMap(({ message, frames }, depth) => [
    ...(depth === 0 ? [] : [`      caused by: ${clip(visible(message), MOST_COLUMNS)}`]),
    ...frames.map((frame) => `      at ${frame}`),
  ]);
}
