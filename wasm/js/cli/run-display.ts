/**
 * A run on the terminal: takes its events, and writes their lines soon after.
 *
 * Invariant: an event is only noted when it comes, so watching a run does not make it slower; the lines are made when
 * the run waits or has ended. A run that never waits has its lines made every now and then, for what is noted takes
 * memory.
 */
import { LiveRegion } from "./live-region.js";
import type { Io } from "./io.js";
import type { CallUpdate, TraceEvent } from "../types.js";

const MAX_BUFFERED = 1000;

/** What makes lines of events. */
export interface EventRenderer {
  take(event: TraceEvent, now: number): string[];
  running(now: number, beat: number): string[];
  update(update: CallUpdate): void;
}

/** Shows one run. */
export class RunDisplay {
  readonly #renderer: EventRenderer;
  readonly #region: LiveRegion;
  #buffered: { event: TraceEvent; at: number }[] = [];
  #timer: NodeJS.Immediate | undefined;

  constructor(io: Io, renderer: EventRenderer) {
    this.#renderer = renderer;
    this.#region = new LiveRegion(io.err, io.env, (now, beat) => this.#renderer.running(now, beat));
  }

  /** Takes an event as it happens. */
  take(event: TraceEvent): void {
    this.#buffered.push({ event, at: performance.now() });
    if (this.#buffered.length >= MAX_BUFFERED) this.#show();
    else this.#timer ??= setImmediate(() => this.#show());
  }

  /** Whether what is running is shown; otherwise nobody needs to tell of it. */
  get live(): boolean {
    return this.#region.live;
  }

  /** Takes what a call under way tells of itself. */
  update(update: CallUpdate): void {
    this.#renderer.update(update);
  }

  /** Makes room for somebody else's words. */
  pause(): void {
    this.#show();
    this.#region.pause();
  }

  /** Goes on. */
  resume(): void {
    this.#region.resume();
  }

  /** Writes what is left. */
  end(): void {
    this.#show();
    this.#region.end();
  }

  #show(): void {
    clearImmediate(this.#timer);
    this.#timer = undefined;
    if (this.#buffered.length === 0) return;
    const noted = this.#buffered;
    this.#buffered = [];
    this.#region.add(noted.flatMap(({ event, at }) => this.#renderer.take(event, at)));
  }
}
