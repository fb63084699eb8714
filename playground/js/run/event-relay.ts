/**
 * Between the engine and the page: what happens becomes lines, and what comes at once is told at once.
 *
 * Invariants: events are told in order; what a call is held back for has been told before it is let go; time stands
 * while the run does.
 */
import type { TraceEvent } from "stepgraph/web";
import { PausableClock } from "./clock.js";
import { Debugger, type PauseReason } from "./debugger.js";
import { type CassetteLine, EventEncoder } from "./event-encoder.js";
import type { NodePaths } from "./node-paths.js";
import type { RunnerEvent, StartOptions, RunnerMessage } from "./protocol.js";

export class EventRelay {
  readonly clock = new PausableClock();
  readonly cursor: Debugger;
  readonly tell: (told: RunnerMessage) => void;
  /** By position of the event: values that were told in part only. */
  readonly #whole = new Map<number, unknown>();
  #packer: EventEncoder | null = null;
  #taken = 0;
  #lines: string[] = [];
  #due = false;

  constructor(tell: (told: RunnerMessage) => void, start: StartOptions) {
    this.tell = tell;
    this.cursor = new Debugger(this, start);
  }

  set places(places: NodePaths) {
    this.#packer = new EventEncoder(places);
  }

  /** A value of an event, as it is. */
  whole(event: number): unknown {
    return this.#whole.get(event);
  }

  event(event: TraceEvent): void {
    const { input, output, value } = event as { input?: unknown; output?: unknown; value?: unknown };
    this.#take(this.#packer?.event(event) ?? null, input !== undefined ? input : output !== undefined ? output : value);
  }

  line(text: string): void {
    this.#lines.push(text);
    const line = JSON.parse(text) as CassetteLine;
    const { output, decision, reply, input, request, arguments: args } = line;
    this.#take(this.#packer?.line(line) ?? null, output ?? decision ?? reply ?? args ?? request ?? input);
  }

  /** Tells everything that may be told. */
  flush(): void {
    this.cursor.flush();
    this.#hand();
  }

  // What the cursor asks for.

  show(events: RunnerEvent[]): void {
    this.#hand();
    this.tell({ type: "events", events });
  }

  state(state: "running" | "paused", stand?: { place: string; lane: string }, why?: PauseReason): void {
    if (state === "paused") this.clock.stop();
    else this.clock.go();
    this.#hand();
    this.tell({ type: "state", state, ...stand, ...(why && { why }) });
  }

  wait(ms: number, then: () => void): () => void {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  }

  #take(event: RunnerEvent | null, value: unknown): void {
    if (event !== null) {
      if ("value" in event && event.value?.cut) this.#whole.set(this.#taken, value);
      this.#taken++;
      this.cursor.take(event);
    }
    if (this.#due) return;
    this.#due = true;
    setTimeout(() => {
      this.#due = false;
      this.flush();
    }, 0);
  }

  #hand(): void {
    if (this.#lines.length > 0) this.tell({ type: "lines", lines: this.#lines.splice(0) });
  }
}
