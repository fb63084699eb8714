/** One line per finished node and transition. */
import type { CallUpdate, Outcome, Report, TraceEvent, Verdict } from "../types.js";
import type { Style } from "../terminal/style.js";
import { briefJson, clip, pluralize, formatDuration, formatUsd, pad, visible, width } from "../terminal/text.js";

type Event<T extends TraceEvent["type"]> = Extract<TraceEvent, { type: T }>;

/** In huge plans the first names suffice. */
const MAX_MEASURED = 1000;

export interface RunLinesOptions {
  style: Style;
  /** Called per line, because a terminal may change its width. `Infinity` cuts nothing. */
  columns: () => number;
  /** Adds inputs and all conditions. */
  verbose: boolean;
  /** Width of node names. */
  names: number;
}

interface RunningNode {
  node: string;
  scope: string;
  visit: number;
  attempt: number;
  since: number;
  progress: CallProgress | null;
}
/** Streamed text, or a tool's progress. */
interface CallProgress {
  call: string;
  text: string;
}

/** The length to which names are cut. */
const LONG_NAME = 40;

/** Visible characters. */
const MAX_TAIL = 200;

export class RunLines {
  readonly #running = new Map<string, RunningNode>();
  readonly #names: number;
  #startedMs: number | null = null;
  #clock = "";

  constructor(readonly options: RunLinesOptions) {
    this.#names = Math.min(options.names, 24);
  }

  /** Returns completed lines. `now` is the arrival time. */
  take(event: TraceEvent, now: number): string[] {
    this.#startedMs ??= event.atMs;
    const scope = ("scope" in event ? event.scope : undefined) ?? "";
    // Lines that open or close a scope belong to its parent.
    const before = event.type.startsWith("scope-") ? indent(scope).slice(2) : indent(scope);
    const lines = this.#lines(event, now).map((line) => before + line);
    if (!this.options.verbose) return lines;
    return lines.map((line) => this.#time(event.atMs - this.#startedMs!) + line);
  }

  /** `beat` turns the spinner. */
  running(now: number, beat: number): string[] {
    const wheel = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
    // Insertion order puts composites above their nested nodes.
    return [...this.#running.values()].map(({ node, scope, visit, attempt, since, progress }) => {
      const tries = attempt > 1 ? `  attempt ${attempt}` : "";
      const line = `${indent(scope)}${wheel[beat % wheel.length]} ${this.#name(node, visit, scope)}  ${formatDuration(now - since).padStart(8)}${tries}`;
      const space = this.options.columns() - 3 - width(line);
      const suffix = progress === null || space < 10 ? "" : `  ${tail(progress.text, space)}`;
      return this.options.style.blue(clip(line, this.options.columns() - 1)) + this.options.style.dim(suffix);
    });
  }

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

  /** Empty if equal to the previous line's. */
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
          ? [this.#within(`${event.tool}${event.approval ? " requires approval" : ""}`, event.arguments)]
          : [];
      case "tool-answered":
        return [this.#within(event.tool, event.output, event.error)];
      case "scope-started":
        return this.options.verbose ? [this.options.style.dim(`┌ ${this.#scopeName(event.scope)}`)] : [];
      case "scope-ended":
        return this.#scopeEnded(event);
      case "run-ended":
        return [...this.#running.values()].map((one) => this.#abandoned(one, indent(one.scope)));
      default:
        return [];
    }
  }

  #within(name: string, value: unknown, error?: { code: string; message: string }): string {
    const { style } = this.options;
    const head = `  · ${clip(visible(name), this.#longestName())}  `;
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
      ? [this.#note(this.#name(event.node, event.visit, event.scope), "receives", event.input)]
      : [];
  }

  #ended(event: Event<"node-completed" | "node-failed">, mark: string, result: (room: number) => string): string[] {
    this.#running.delete(keyOf(event));
    // A node without calls takes no measurable time.
    const took = event.durationMs === 0 ? "" : formatDuration(event.durationMs);
    const head = `${this.#name(event.node, event.visit, event.scope)}  ${took.padStart(8)}`;
    return [`${mark} ${head}  ${result(this.#columnsLeft(width(head) + 4))}`.trimEnd()];
  }

  #retried(event: Event<"node-retried">): string[] {
    const { style } = this.options;
    const running = this.#running.get(keyOf(event));
    if (running) running.attempt = event.attempt + 1;
    const when = event.delayMs > 0 ? ` in ${formatDuration(event.delayMs).trim()}` : "";
    const head = `↻ ${this.#name(event.node, event.visit, event.scope)}  attempt ${event.attempt + 1}${when}`;
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
    return [...lines, `${style.dim(`└ ${this.#scopeName(scope)}`)}${words[status]}`];
  }

  #abandoned({ node, visit, scope }: RunningNode, before: string): string {
    return this.options.style.dim(`${before}– ${this.#name(node, visit, scope)}  abandoned`);
  }

  #decided(event: Event<"edge-decided">): string[] {
    const { style, verbose } = this.options;
    const space = this.#columnsLeft(0);
    const considered = verbose ? event.verdicts.map((verdict) => verdictLine(verdict, space)) : [];
    // The composite's own line says so.
    if (event.reason === "terminal" && event.scope !== undefined && !verbose) return [];
    // `verbose` already shows the values above.
    const lines = [...considered, `  ${transitionReason(event, !verbose, space - 2)}`];
    return lines.map((line) => style.dim(clip(line, space)));
  }

  #note(name: string, verb: string, value: unknown): string {
    const head = `▸ ${name}  ${verb} `;
    return head + this.options.style.dim(briefJson(value, this.#columnsLeft(width(head))));
  }

  /** Nested names need their scope, because lines mix. */
  #name(node: string, visit: number, scope = ""): string {
    const times = visit > 1 ? ` ×${visit}` : "";
    const within = scope === "" ? "" : `${this.#scopeName(scope)} › `;
    return pad(within + clip(visible(node), this.#longestName()) + times, this.#names);
  }

  #scopeName(scope: string): string {
    return clip(visible(scopeLabel(scope)), this.#longestName());
  }

  #longestName(): number {
    return this.options.columns() === Infinity ? Infinity : LONG_NAME;
  }

  #columnsLeft(used: number): number {
    return Math.max(10, this.options.columns() - 1 - used - (this.options.verbose ? 11 : 0));
  }
}

/** Loops also need space for visits. */
export function columnsForNames(graph: {
  nodes: readonly { key: string; id: string }[];
  edges: readonly { from: string; to: string }[];
}): number {
  const nodes = graph.nodes.slice(0, MAX_MEASURED);
  const place = new Map(nodes.map((node, index) => [node.key, index]));
  // In every order, a loop has an edge to an earlier node.
  const loops = graph.edges
    .slice(0, MAX_MEASURED)
    .some(({ from, to }) => (place.get(to) ?? 0) <= (place.get(from) ?? -1));
  return Math.max(1, ...nodes.map((node) => width(visible(node.id)))) + (loops ? 3 : 0);
}

/** `facts` adds the compared values, cut to `space` columns. */
export function transitionReason(event: Event<"edge-decided">, facts = true, space = WIDE): string {
  const matched = event.verdicts.find((verdict) => verdict.holds);
  const to = `→ ${visible(event.to ?? "")}`;
  const withValues = (text: string, verdicts: Verdict[]) =>
    facts ? text + comparedValues(verdicts, space - width(text)) : text;
  switch (event.reason) {
    case "condition":
      return matched ? withValues(`${to}  since ${visible(matched.condition)}`, [matched]) : to;
    case "fallback":
      return event.verdicts.length === 0 ? to : withValues(`${to}  since no condition held`, event.verdicts);
    case "no-match":
      return withValues(
        `■ ends, since ${event.verdicts.some(({ failed }) => failed) ? "a condition failed" : "no condition held"}`,
        event.verdicts,
      );
    case "terminal":
      return "■ ends, since no edge leaves it";
  }
}

function tail(text: string, space: number): string {
  const line = visible(text.replace(/\s+/g, " "));
  return width(line) <= space ? line : `…${[...line].slice(1 - space).join("")}`;
}

function verdictLine(verdict: Verdict, space: number): string {
  const result = verdict.failed ? "failed" : verdict.holds ? "yes" : "no ";
  const head = `    ${result} `;
  const values = comparedValues([verdict], 0);
  // A long condition leaves room for its values.
  const condition = clip(
    visible(verdict.condition),
    Math.max(space - width(head) - width(values), Math.floor(space / 2)),
  );
  return head + condition + comparedValues([verdict], space - width(head + condition));
}

/** For lines that nobody limits. */
const WIDE = 10_000;
const MAX_FACTS = 8;
/** The longest value, and the length to which the values of a line are cut at least. */
const [LONG_VALUE, SHORT_VALUE] = [40, 8];

/** Each reference once, with values that fit into `space` columns if possible. */
function comparedValues(verdicts: Verdict[], space: number): string {
  const isWhole = space === Infinity;
  const facts = verdictFacts(verdicts, isWhole ? Infinity : LONG_VALUE);
  if (facts.length === 0) return "";
  const shown = isWhole ? facts : facts.slice(0, MAX_FACTS);
  const more = facts.length > shown.length ? `, and ${facts.length - shown.length} more` : "";
  const around = width(shown.map(([name]) => `${name} is `).join(", ")) + width(more) + " ()".length;
  const longest = isWhole
    ? Infinity
    : longestValue(
        shown.map(([, value]) => width(value)),
        space - around,
      );
  return ` (${shown.map(([name, value]) => `${name} is ${clip(value, longest)}`).join(", ")}${more})`;
}

/** Cuts only the longest values: all values together fill `space`. */
function longestValue(widths: number[], space: number): number {
  const ascending = [...widths].sort((a, b) => a - b);
  let left = space;
  for (const [at, one] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at));
    if (one > share) return Math.max(SHORT_VALUE, share);
    left -= one;
  }
  return LONG_VALUE;
}

function verdictFacts(verdicts: Verdict[], longest: number): [name: string, value: string][] {
  const facts = new Map<string, string>();
  const conditions = verdicts.map(({ condition }) => condition).join("\n");
  const all = verdicts.flatMap((verdict) => verdict.saw);
  // A missing `error` only counts without other facts.
  const telling = all.filter((saw) => !(saw.missing && /^error\b/.test(saw.reference)));
  for (const saw of telling.length > 0 ? telling : all) {
    const size = sizeFact(conditions, saw);
    if (size !== null) facts.set(...size.fact);
    if (size?.isOnly !== true) facts.set(visible(saw.reference), factText(saw, longest));
  }
  return [...facts];
}

function factText(saw: Verdict["saw"][number], longest: number): string {
  return saw.missing ? "missing" : briefJson(saw.value, longest);
}

/** The size of a value, if a condition uses it. `isOnly`: the conditions use nothing else of the value. */
function sizeFact(
  conditions: string,
  { reference, value }: Verdict["saw"][number],
): { fact: [string, string]; isOnly: boolean } | null {
  const calls = [`size(${reference})`, `${reference}.size()`];
  const size = sizeOf(value);
  const found = calls.filter((call) => conditions.includes(call));
  if (size === null || found.length === 0) return null;
  const rest = calls.reduce((text, call) => text.replaceAll(call, ""), conditions);
  return { fact: [visible(found[0]!), `${size}`], isOnly: !rest.includes(reference) };
}

function sizeOf(value: unknown): number | null {
  if (typeof value === "string") return [...value].length;
  if (typeof value !== "object" || value === null) return null;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

export function summaryLine(report: Report, style: Style): string {
  const { steps, calls, retries, tokens, usd } = report.counts;
  const done = [pluralize(steps, "step")];
  if (calls > 0) done.push(pluralize(calls, "call"));
  if (retries > 0) done.push(retries === 1 ? "1 retry" : `${retries} retries`);
  if (tokens) done.push(pluralize(tokens, "token"));
  if (usd) done.push(`${formatUsd(usd)} USD`);
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

/** A branch, an element (`each 0`) or the composite. */
function scopeLabel(scope: string): string {
  const parts = scope.split("/");
  const [holder = "", name = ""] = parts.slice(-2);
  const node = (text: string) => text.replace(/:\d+$/, "");
  return parts.length === 1 || /:\d+$/.test(name)
    ? node(parts.at(-1) ?? "")
    : /^\d+$/.test(name)
      ? `${node(holder)} ${name}`
      : name;
}

function indent(scope: string): string {
  return "│ ".repeat(scope === "" ? 0 : (scope.match(/:\d+(?=\/|$)/g) ?? []).length);
}
