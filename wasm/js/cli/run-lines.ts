/**
 * A run as lines for a person: one for each node that ended, one for why it went on as it did.
 *
 * Pure: events and times come in, lines go out. Where the lines are written, and which of them are rewritten, is the
 * painter's work.
 */
import type { CallUpdate, Outcome, Report, TraceEvent, Verdict } from "../types.js";
import type { Style } from "../terminal/style.js";
import { briefJson, clip, pluralize, formatDuration, pad, visible, width } from "../terminal/text.js";

type Event<T extends TraceEvent["type"]> = Extract<TraceEvent, { type: T }>;

/** Of a huge plan the first nodes say enough of how long names are. */
const MAX_MEASURED = 1000;

/** How much is shown, and how. */
export interface RunLinesOptions {
  style: Style;
  /** Asked anew for every line, since terminals change their width. */
  columns: () => number;
  /** Also inputs, and every condition that was looked at. */
  verbose: boolean;
  /** The longest name of a node; others are filled up to it. */
  names: number;
}

/** A node that is running, in which graph, and on which try. */
interface RunningNode {
  node: string;
  scope: string;
  visit: number;
  attempt: number;
  since: number;
  progress: CallProgress | null;
}
/** What a call of it told last: so much of a text, or how far a tool has come. */
interface CallProgress {
  call: string;
  text: string;
}

/** Of an answer that comes in pieces only the end is shown. */
const MAX_TAIL = 200;

/** What the view knows of a run: which nodes are running, and since when. */
export class RunLines {
  readonly #running = new Map<string, RunningNode>();
  readonly #names: number;
  #startedMs: number | null = null;
  #clock = "";

  constructor(readonly options: RunLinesOptions) {
    this.#names = Math.min(options.names, 24);
  }

  /** Takes an event; gives the lines that it finishes. `now` is the time at which it came, for {@link running}. */
  take(event: TraceEvent, now: number): string[] {
    this.#startedMs ??= event.atMs;
    const scope = ("scope" in event ? event.scope : undefined) ?? "";
    // The lines that open and close a graph stand outside of it.
    const before = event.type.startsWith("scope-") ? indent(scope).slice(2) : indent(scope);
    const lines = this.#lines(event, now).map((line) => before + line);
    if (!this.options.verbose) return lines;
    return lines.map((line) => this.#time(event.atMs - this.#startedMs!) + line);
  }

  /** A line for every node that is running at `now`; `beat` turns the wheel. */
  running(now: number, beat: number): string[] {
    const wheel = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
    // A node that runs graphs stands above what runs in them.
    return [...this.#running.values()].map(({ node, scope, visit, attempt, since, progress }) => {
      const tries = attempt > 1 ? `  try ${attempt}` : "";
      const line = `${indent(scope)}${wheel[beat % wheel.length]} ${this.#name(node, visit, scope)}  ${formatDuration(now - since).padStart(8)}${tries}`;
      const space = this.options.columns() - 3 - width(line);
      const suffix = progress === null || space < 10 ? "" : `  ${tail(progress.text, space)}`;
      return this.options.style.blue(clip(line, this.options.columns() - 1)) + this.options.style.dim(suffix);
    });
  }

  /** Takes what a call under way tells of itself, to be shown on its node's line. */
  update(update: CallUpdate): void {
    const running = [...this.#running.values()].findLast(
      ({ node, scope }) => node === update.node && scope === (update.scope ?? ""),
    );
    if (running === undefined) return;
    if (update.type === "tool-progress") {
      const { tool, progress, total, message } = update;
      const far = total ? `${Math.floor((100 * progress) / total)} %` : `${progress}`;
      running.progress = { call: update.call, text: [tool, far, message ?? ""].filter(Boolean).join(" ") };
    } else if (update.delta.type !== "tool-call") {
      const before = running.progress?.call === update.call ? running.progress.text : "";
      running.progress = { call: update.call, text: (before + update.delta.text).slice(-MAX_TAIL) };
    }
  }

  /** When it was; left out where it says the same as on the line before. */
  #time(ms: number): string {
    const clock = formatDuration(ms).padStart(9);
    const same = clock === this.#clock;
    this.#clock = clock;
    return this.options.style.dim(`${same ? " ".repeat(9) : clock}  `);
  }

  #lines(event: TraceEvent, now: number): string[] {
    switch (event.type) {
      case "run-started":
        return this.options.verbose ? [this.#note("run", "starts with", event.input)] : [];
      case "node-started":
        return this.#started(event, now);
      case "node-completed":
        return this.#ended(event, this.options.style.green("✓"), (space) =>
          this.options.style.dim(briefJson(event.output, space)),
        );
      case "node-failed":
        return this.#ended(event, this.options.style.red("✗"), (space) =>
          this.options.style.red(clip(visible(`${event.code}: ${event.message}`), space)),
        );
      case "node-retried":
        return this.#retried(event);
      case "edge-decided":
        return this.#decided(event);
      case "model-replied":
        return this.options.verbose && event.reply.text !== "" ? [this.#within(event.call, event.reply.text)] : [];
      case "tool-asked":
        return this.options.verbose || event.approval
          ? [this.#within(`${event.tool}${event.approval ? " needs leave" : ""}`, event.arguments)]
          : [];
      case "tool-answered":
        return [this.#within(event.tool, event.output, event.error)];
      case "scope-started":
        return this.options.verbose ? [this.options.style.dim(`┌ ${scopeName(event.scope)}`)] : [];
      case "scope-ended":
        return this.#scopeEnded(event);
      case "run-ended":
        return [...this.#running.values()].map((one) => this.#abandoned(one, indent(one.scope)));
      default:
        return [];
    }
  }

  /** A line of an agent's conversation: what was said, or of a tool what it gave. */
  #within(name: string, value: unknown, error?: { code: string; message: string }): string {
    const { style } = this.options;
    const head = `  · ${clip(visible(name), 40)}  `;
    const space = this.#columnsLeft(width(head));
    return (
      style.dim(head) +
      (error ? style.red(clip(visible(`${error.code}: ${error.message}`), space)) : style.dim(briefJson(value, space)))
    );
  }

  #started(event: Event<"node-started">, now: number): string[] {
    this.#running.set(keyOf(event), {
      node: event.node,
      scope: event.scope ?? "",
      visit: event.visit,
      attempt: 1,
      since: now,
      progress: null,
    });
    return this.options.verbose
      ? [this.#note(this.#name(event.node, event.visit, event.scope), "is given", event.input)]
      : [];
  }

  #ended(event: Event<"node-completed" | "node-failed">, mark: string, result: (room: number) => string): string[] {
    this.#running.delete(keyOf(event));
    // A node that asks nothing takes no time that a clock could tell.
    const took = event.durationMs === 0 ? "" : formatDuration(event.durationMs);
    const head = `${this.#name(event.node, event.visit, event.scope)}  ${took.padStart(8)}`;
    return [`${mark} ${head}  ${result(this.#columnsLeft(width(head) + 4))}`.trimEnd()];
  }

  #retried(event: Event<"node-retried">): string[] {
    const { style } = this.options;
    const running = this.#running.get(keyOf(event));
    if (running) running.attempt = event.attempt + 1;
    const when = event.delayMs > 0 ? ` in ${formatDuration(event.delayMs).trim()}` : "";
    const head = `↻ ${this.#name(event.node, event.visit, event.scope)}  try ${event.attempt + 1}${when}`;
    return [
      `${style.yellow(head)}  ${style.dim(clip(visible(`${event.code}: ${event.message}`), this.#columnsLeft(width(head) + 2 + indent(event.scope ?? "").length)))}`,
    ];
  }

  #scopeEnded({ scope, status }: Event<"scope-ended">): string[] {
    const { style } = this.options;
    const inside = [...this.#running].filter(([, one]) => one.scope === scope || one.scope.startsWith(`${scope}/`));
    for (const [key] of inside) this.#running.delete(key);
    const lines = inside.map(([, one]) => this.#abandoned(one, indent(one.scope).slice(indent(scope).length - 2)));
    const words = { completed: "", failed: style.red("  failed"), abandoned: style.dim("  abandoned") };
    if (status === "completed" && !this.options.verbose) return lines;
    return [...lines, `${style.dim(`└ ${scopeName(scope)}`)}${words[status]}`];
  }

  #abandoned({ node, visit, scope }: RunningNode, before: string): string {
    return this.options.style.dim(`${before}– ${this.#name(node, visit, scope)}  abandoned`);
  }

  #decided(event: Event<"edge-decided">): string[] {
    const { style, verbose } = this.options;
    const considered = verbose
      ? event.verdicts.map((verdict) => `    ${verdict.holds ? "yes" : "no "} ${verdictText(verdict)}`)
      : [];
    // That a graph inside a node is at its end says the node's own line.
    if (event.reason === "terminal" && event.scope !== undefined && !verbose) return [];
    // What the conditions saw stands above already.
    const lines = [...considered, `  ${transitionReason(event, !verbose)}`];
    return lines.map((line) => style.dim(clip(line, this.#columnsLeft(0))));
  }

  #note(name: string, verb: string, value: unknown): string {
    const head = `▸ ${name}  ${verb} `;
    return head + this.options.style.dim(briefJson(value, this.#columnsLeft(width(head))));
  }

  /**
   * A node's name; in a graph inside another node after the name of that graph, for the lines of several stand mixed.
   */
  #name(node: string, visit: number, scope = ""): string {
    const times = visit > 1 ? ` ×${visit}` : "";
    const within = scope === "" ? "" : `${scopeName(scope)} › `;
    return pad(within + clip(visible(node), 40) + times, this.#names);
  }

  /** The columns left of a line of which `used` are taken. */
  #columnsLeft(used: number): number {
    return Math.max(10, this.options.columns() - 1 - used - (this.options.verbose ? 11 : 0));
  }
}

/** The columns that the names of a plan's nodes take, the number of the visit included where there is a loop. */
export function columnsForNames(graph: {
  nodes: readonly { key: string; id: string }[];
  edges: readonly { from: string; to: string }[];
}): number {
  const nodes = graph.nodes.slice(0, MAX_MEASURED);
  const place = new Map(nodes.map((node, index) => [node.key, index]));
  // Whatever the order, a loop has an edge that leads back in it.
  const loops = graph.edges
    .slice(0, MAX_MEASURED)
    .some(({ from, to }) => (place.get(to) ?? 0) <= (place.get(from) ?? -1));
  return Math.max(1, ...nodes.map((node) => width(visible(node.id)))) + (loops ? 3 : 0);
}

/** Why a run went on as it did, in one sentence; `facts` adds what the conditions saw. */
export function transitionReason(event: Event<"edge-decided">, facts = true): string {
  const matched = event.verdicts.find((verdict) => verdict.holds);
  const to = `→ ${visible(event.to ?? "")}`;
  const saw = (verdicts: Verdict[]) => (facts ? comparedValues(verdicts) : "");
  switch (event.reason) {
    case "condition":
      return matched ? `${to}  since ${visible(matched.condition)}${saw([matched])}` : to;
    case "fallback":
      return event.verdicts.length === 0 ? to : `${to}  since no condition held${saw(event.verdicts)}`;
    case "no-match":
      return `■ ends, since no condition held${saw(event.verdicts)}`;
    case "terminal":
      return "■ ends, since no edge leaves it";
  }
}

/** The end of a text, on one line. */
function tail(text: string, space: number): string {
  const line = visible(text.replace(/\s+/g, " "));
  return width(line) <= space ? line : `…${[...line].slice(1 - space).join("")}`;
}

function verdictText(verdict: Verdict): string {
  return `${visible(verdict.condition)}${comparedValues([verdict])}`;
}

/** What conditions saw, each reference once. */
function comparedValues(verdicts: Verdict[]): string {
  const facts = new Map(verdicts.flatMap((verdict) => verdict.saw).map((saw) => [saw.reference, saw]));
  const all = [...facts.values()];
  // That nothing failed is not worth a word, unless nothing else was asked.
  const telling = all.filter((saw) => !(saw.missing && /^error\b/.test(saw.reference)));
  const words = (telling.length > 0 ? telling : all)
    .slice(0, 4)
    .map((saw) => `${visible(saw.reference)} is ${saw.missing ? "not there" : briefJson(saw.value, 40)}`);
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}

/** The closing line: how it ended, how long it took, what it did. */
export function summaryLine(report: Report, style: Style): string {
  const { steps, calls, retries, tokens } = report.counts;
  const done = [pluralize(steps, "step")];
  if (calls > 0) done.push(pluralize(calls, "call"));
  if (retries > 0) done.push(retries === 1 ? "1 retry" : `${retries} retries`);
  if (tokens) done.push(pluralize(tokens, "token"));
  return `${style.bold(outcomeWord(report.outcome, style))} in ${formatDuration(report.durationMs)}: ${done.join(", ")}`;
}

function outcomeWord(outcome: Outcome, style: Style): string {
  const paint = { completed: style.green, failed: style.red, cancelled: style.yellow, paused: style.yellow }[
    outcome.type
  ];
  return paint(outcome.type);
}

function keyOf(event: { node: string; visit: number; scope?: string }): string {
  return `${event.visit} ${event.scope ?? ""} ${event.node}`;
}

/** A branch or an element of a list by its name, another graph by its node's: `slow`, `each 0`, `inner`. */
function scopeName(scope: string): string {
  const parts = scope.split("/");
  const [holder = "", name = ""] = parts.slice(-2);
  const node = (text: string) => text.replace(/:\d+$/, "");
  const whole =
    parts.length === 1 || /:\d+$/.test(name)
      ? node(parts.at(-1) ?? "")
      : /^\d+$/.test(name)
        ? `${node(holder)} ${name}`
        : name;
  return clip(visible(whole), 40);
}

/** How far a line of a graph inside a node is moved to the right: once for each graph around it. */
function indent(scope: string): string {
  return "│ ".repeat(scope === "" ? 0 : (scope.match(/:\d+(?=\/|$)/g) ?? []).length);
}
