/**
 * Relays events to the page in batches.
 *
 * Invariants: events stay in order. Calls follow their earlier events. Pauses stop the clock.
 */
import type { TraceEvent } from "stepgraph/web";
import { PausableClock } from "./clock.js";
import { Debugger, type PauseReason } from "./debugger.js";
import { type CassetteLine, EventEncoder } from "./event-encoder.js";
import type { NodePaths } from "./node-paths.js";
import type { RunnerEvent, StartOptions, RunnerMessage } from "./protocol.js";

export class EventRelay {
  readonly clock = new PausableClock();
  readonly debug: Debugger;
  readonly send: (message: RunnerMessage) => void;
  /** Full values of truncated events, by index. */
  readonly #fullValues = new Map<number, unknown>();
  #encoder: EventEncoder | null = null;
  #count = 0;
  #lines: string[] = [];
  #isScheduled = false;

  constructor(send: (message: RunnerMessage) => void, start: StartOptions) {
    this.send = send;
    this.debug = new Debugger(this, start);
  }

  set paths(paths: NodePaths) {
    this.#encoder = new EventEncoder(paths);
  }

  fullValue(event: number): unknown {
    return this.#fullValues.get(event);
  }

  event(event: TraceEvent): void {
    const { input, output, value } = event as { input?: unknown; output?: unknown; value?: unknown };
    this.#push(
      this.#encoder?.encodeEvent(event) ?? null,
      input !== undefined ? input : output !== undefined ? output : value,
    );
  }

  line(text: string): void {
    this.#lines.push(text);
    const line = JSON.parse(text) as CassetteLine;
    const { output, decision, reply, input, request, arguments: args } = line;
    this.#push(this.#encoder?.encodeLine(line) ?? null, output ?? decision ?? reply ?? args ?? request ?? input);
  }

  flush(): void {
    this.debug.flush();
    this.#sendLines();
  }

  show(events: RunnerEvent[]): void {
    this.#sendLines();
    this.send({ type: "events", events });
  }

  state(state: "running" | "paused", where?: { nodePath: string; lane: string }, why?: PauseReason): void {
    if (state === "paused") this.clock.pause();
    else this.clock.resume();
    this.#sendLines();
    this.send({ type: "state", state, ...where, ...(why && { why }) });
  }

  wait(ms: number, then: () => void): () => void {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  }

  #push(event: RunnerEvent | null, value: unknown): void {
    if (event !== null) {
      if ("value" in event && event.value?.cut) this.#fullValues.set(this.#count, value);
      this.#count++;
      this.debug.push(event);
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      this.flush();
    }, 0);
  }

  #sendLines(): void {
    if (this.#lines.length > 0) this.send({ type: "lines", lines: this.#lines.splice(0) });
  }
}
