/**
 * Reports each file that a command reads, so `--watch` needs no list of file options. The state is global: a process
 * runs one command, one round at a time.
 */
let listener: ((file: string) => void) | undefined;
let rounds = 0;

/** `next` receives each file before it is read. */
export function beginRound(next: (file: string) => void): void {
  rounds += 1;
  listener = next;
}

/** Call it before reading, also for missing files. */
export function noteRead(file: string): void {
  if (file !== "-") listener?.(file);
}

/** Each round must load modules again, and Node caches them by URL. */
export function moduleQuery(): string {
  return listener === undefined ? "" : `?round=${rounds}`;
}
