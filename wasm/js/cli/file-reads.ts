/**
 * Reports files that a command reads, so `--watch` needs no list of file options. State is global, because a process
 * runs one command.
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

/** Node caches modules by URL, so each round needs another. */
export function moduleQuery(): string {
  return listener === undefined ? "" : `?round=${rounds}`;
}
