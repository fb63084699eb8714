/** Connects the wire's glue, which is a script of its own, to the library. */

/** What the library does for the glue. */
export interface GlueHost {
  load(part: number): void;
  /** Gives an error a code. */
  error(message: string): Error;
}

let host: GlueHost;

export function setHost(given: GlueHost): void {
  host = given;
}

export function load_part(part: number): void {
  host.load(part);
}

export function glueError(message: string): Error {
  return host.error(message);
}
