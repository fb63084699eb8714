/**
 * Writes a run's lines: finished ones scroll away, those of running nodes are rewritten below them.
 *
 * Knows terminals and nothing of runs. A busy run paints at most twenty times a second, so watching costs it little;
 * the lines it finishes in between are kept until then.
 */
import { isTerminal, type Stream } from "../terminal/style.js";
import { width } from "../terminal/text.js";

const PAUSE_MS = 50;
const ESCAPES = /\x1b\[\d*m/g;

/** Paints on one stream. */
export class LiveRegion {
  /** Whether it paints what is running. */
  readonly live: boolean;
  #finished: string[] = [];
  #painted: string[] = [];
  #last = -Infinity;
  #beat = 0;
  #paused = false;
  #ticker: ReturnType<typeof setInterval> | undefined;

  /** `running` gives the lines of what is running, at a time and a beat. */
  constructor(
    readonly stream: Stream,
    env: Record<string, string | undefined>,
    readonly running: (now: number, beat: number) => string[],
  ) {
    this.live = isTerminal(stream, env);
    if (this.live) this.#ticker = setInterval(() => this.#tick(), 100).unref();
  }

  /** Takes the running lines away and keeps what comes, until {@link resume}: somebody else writes. */
  pause(): void {
    if (this.live) this.#write(erase(this.#painted, this.#columns()));
    this.#painted = [];
    this.#flush();
    this.#paused = true;
  }

  /** Goes on. */
  resume(): void {
    this.#paused = false;
    this.#flush();
  }

  /** Adds finished lines. */
  add(lines: string[]): void {
    for (const line of lines) this.#finished.push(line);
    if (this.#paused) return;
    if (!this.live) this.#flush();
    else if (performance.now() - this.#last >= PAUSE_MS) this.#paint();
  }

  /** Writes what is left and takes the running lines away. */
  end(): void {
    this.#paused = false;
    clearInterval(this.#ticker);
    if (this.live) this.#write(erase(this.#painted, this.#columns()));
    this.#painted = [];
    this.#flush();
  }

  #tick(): void {
    this.#beat++;
    if (!this.#paused) this.#paint();
  }

  #paint(): void {
    const now = performance.now();
    const all = this.running(now, this.#beat);
    const max = Math.max(1, (this.stream.rows ?? 24) - 2);
    const shown = all.length > max ? [...all.slice(0, max - 1), `… and ${all.length - max + 1} more`] : all;
    // One write, so that nothing is ever seen half painted.
    this.#write(
      erase(this.#painted, this.#columns()) + [...this.#finished, ...shown].map((line) => `${line}\n`).join(""),
    );
    this.#finished = [];
    this.#painted = shown;
    this.#last = now;
  }

  #flush(): void {
    this.#write(this.#finished.map((line) => `${line}\n`).join(""));
    this.#finished = [];
  }

  #write(text: string): void {
    if (text !== "") this.stream.write(text);
  }

  #columns(): number {
    return this.stream.columns ?? 80;
  }
}

/** What takes painted lines away. A terminal that became narrower has broken them into several. */
export function erase(painted: string[], columns: number): string {
  const rows = painted.map((line) => Math.max(1, Math.ceil(width(line.replace(ESCAPES, "")) / Math.max(1, columns))));
  const up = rows.reduce((sum, number) => sum + number, 0);
  return up === 0 ? "" : `\x1b[${up}A\r\x1b[J`;
}
