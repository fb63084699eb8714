/**
 * A run as lines for a person: one for each node that ended, one for why it went on as it did.
 *
 * Pure: events and times come in, lines go out. Where the lines are written, and which of them are rewritten, is the painter's work.
 */
import type { Outcome, Report, TraceEvent, Verdict } from "../types.js";
import type { Style } from "./style.js";
import { brief, clip, count, duration, pad, visible, width } from "./text.js";

type Event<T extends TraceEvent["type"]> = Extract<TraceEvent, { type: T }>;

/** How much is shown, and how. */
export interface ViewOptions {
  style: Style;
  /** Asked anew for every line, since terminals change their width. */
  columns: () => number;
  /** Also inputs, and every condition that was looked at. */
  verbose: boolean;
  /** The longest name of a node; others are filled up to it. */
  names: number;
}

/** What the view knows of a run: which nodes are running, and since when. */
export class View {
  readonly #running = new Map<string, { node: string; visit: number; since: number }>();
  readonly #names: number;
  #began: number | null = null;

  constructor(readonly options: ViewOptions) {
    this.#names = Math.min(options.names, 24);
  }

  /** Takes an event; gives the lines that it finishes. `now` is the time at which it came, for {@link running}. */
  take(event: TraceEvent, now: number): string[] {
    this.#began ??= event.atMs;
    const lines = this.#lines(event, now);
    const clock = this.options.verbose ? this.options.style.dim(`${duration(event.atMs - this.#began).padStart(9)}  `) : "";
    return lines.map((line) => clock + line);
  }

  /** A line for every node that is running at `now`; `beat` turns the wheel. */
  running(now: number, beat: number): string[] {
    const wheel = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
    return [...this.#running.values()].map(({ node, visit, since }) => {
      const line = `${wheel[beat % wheel.length]} ${this.#name(node, visit)}  ${duration(now - since).padStart(8)}`;
      return this.options.style.blue(clip(line, this.options.columns() - 1));
    });
  }

  #lines(event: TraceEvent, now: number): string[] {
    switch (event.type) {
      case "run-started": return this.options.verbose ? [this.#note("run", "starts with", event.input)] : [];
      case "node-started": return this.#started(event, now);
      case "node-completed": return this.#ended(event, this.options.style.green("✓"), (room) => this.options.style.dim(brief(event.output, room)));
      case "node-failed": return this.#ended(event, this.options.style.red("✗"), (room) => this.options.style.red(clip(visible(`${event.code}: ${event.message}`), room)));
      case "edge-decided": return this.#decided(event);
      case "run-ended": return [...this.#running.values()].map(({ node, visit }) => this.options.style.dim(`– ${this.#name(node, visit)}  abandoned`));
      default: return [];
    }
  }

  #started(event: Event<"node-started">, now: number): string[] {
    this.#running.set(keyOf(event), { node: event.node, visit: event.visit, since: now });
    return this.options.verbose ? [this.#note(this.#name(event.node, event.visit), "is given", event.input)] : [];
  }

  #ended(event: Event<"node-completed" | "node-failed">, mark: string, result: (room: number) => string): string[] {
    this.#running.delete(keyOf(event));
    const head = `${this.#name(event.node, event.visit)}  ${duration(event.durationMs).padStart(8)}`;
    return [`${mark} ${head}  ${result(this.#room(width(head) + 4))}`.trimEnd()];
  }

  #decided(event: Event<"edge-decided">): string[] {
    const { style, verbose } = this.options;
    const considered = verbose ? event.verdicts.map((verdict) => `    ${verdict.holds ? "yes" : "no "} ${verdictText(verdict)}`) : [];
    const lines = [...considered, `  ${why(event)}`];
    return lines.map((line) => style.dim(clip(line, this.#room(0))));
  }

  #note(name: string, verb: string, value: unknown): string {
    const head = `▸ ${name}  ${verb} `;
    return head + this.options.style.dim(brief(value, this.#room(width(head))));
  }

  #name(node: string, visit: number): string {
    const times = visit > 1 ? ` ×${visit}` : "";
    return pad(clip(visible(node), 40) + times, this.#names);
  }

  /** The columns left of a line of which `used` are taken. */
  #room(used: number): number {
    return Math.max(10, this.options.columns() - 1 - used - (this.options.verbose ? 11 : 0));
  }
}

/** Why a run went on as it did, in one sentence. */
export function why(event: Event<"edge-decided">): string {
  const held = event.verdicts.find((verdict) => verdict.holds);
  const to = `→ ${visible(event.to ?? "")}`;
  switch (event.reason) {
    case "condition": return held ? `${to}  since ${verdictText(held)}` : to;
    case "fallback": return event.verdicts.length === 0 ? to : `${to}  since no condition held${seen(event.verdicts)}`;
    case "no-match": return `■ ends, since no condition held${seen(event.verdicts)}`;
    case "terminal": return "■ ends, since no edge leaves it";
  }
}

function verdictText(verdict: Verdict): string {
  return `${visible(verdict.condition)}${seen([verdict])}`;
}

/** What conditions saw, each reference once. */
function seen(verdicts: Verdict[]): string {
  const facts = new Map(verdicts.flatMap((verdict) => verdict.saw).map((saw) => [saw.reference, saw]));
  const words = [...facts.values()].slice(0, 4).map((saw) => `${visible(saw.reference)} is ${saw.missing ? "not there" : brief(saw.value, 40)}`);
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}

/** The closing line: how it ended, how long it took, what it did. */
export function summary(report: Report, style: Style): string {
  const { steps, calls, retries, tokens } = report.counts;
  const done = [count(steps, "step"), count(calls, "call")];
  if (retries > 0) done.push(retries === 1 ? "1 retry" : `${retries} retries`);
  if (tokens) done.push(count(tokens, "token"));
  return `${style.bold(outcomeWord(report.outcome, style))} in ${duration(report.durationMs)}: ${done.join(", ")}`;
}

function outcomeWord(outcome: Outcome, style: Style): string {
  const paint = { completed: style.green, failed: style.red, cancelled: style.yellow }[outcome.type];
  return paint(outcome.type);
}

function keyOf(event: { node: string; visit: number }): string {
  return `${event.visit} ${event.node}`;
}
