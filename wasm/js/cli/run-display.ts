/**
 * Shows a run live.
 *
 * Invariant: arriving events are only buffered, so watching does not slow the run. Lines are rendered while it waits,
 * or when the buffer is full.
 */
import { LiveRegion } from "./live-region.js";
import type { Io } from "./io.js";
import type { CallUpdate, TraceEvent } from "../types.js";

const MAX_BUFFERED = 1000;

export interface EventRenderer {
  take(event: TraceEvent, now: number): string[];
  running(now: number, beat: number): string[];
  update(update: CallUpdate): void;
}

export class RunDisplay {
  readonly #renderer: EventRenderer;
  readonly #region: LiveRegion;
  #buffered: { event: TraceEvent; at: number }[] = [];
  #timer: NodeJS.Immediate | undefined;

  constructor(io: Io, renderer: EventRenderer) {
    this.#renderer = renderer;
    this.#region = new LiveRegion(io.err, io.env, (now, beat) => this.#renderer.running(now, beat));
  }

  take(event: TraceEvent): void {
    this.#buffered.push({ event, at: performance.now() });
    if (this.#buffered.length >= MAX_BUFFERED) this.#show();
    else this.#timer ??= setImmediate(() => this.#show());
  }

  get live(): boolean {
    return this.#region.live;
  }

  update(update: CallUpdate): void {
    this.#renderer.update(update);
  }

  /** Call it while other code writes to the terminal. */
  pause(): void {
    this.#show();
    this.#region.pause();
  }

  resume(): void {
    this.#region.resume();
  }

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
