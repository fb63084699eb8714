/**
 * Reports the files that a command reads, so that `--watch` need not know which options name files.
 *
 * The state belongs to the process, because a process runs one command, and one round of it at a time.
 */
let listener: ((file: string) => void) | undefined;
let rounds = 0;

/** Begins a round of a watched command. `next` receives each file before the command reads it. */
export function beginRound(next: (file: string) => void): void {
  rounds += 1;
  listener = next;
}

/** Call this before reading, also for files that may be missing. */
export function noteRead(file: string): void {
  if (file !== "-") listener?.(file);
}

/** Returns the query for a module's URL. Node caches modules by URL, and each round must load them again. */
export function moduleQuery(): string {
  return listener === undefined ? "" : `?round=${rounds}`;
}
