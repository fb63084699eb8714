/**
 * Progress of `stepgraph plan`. A stage's result is in the next stage's input, so its line is complete when that
 * starts.
 */
import type { CallUpdate, TraceEvent } from "../types.js";
import type { RenderOptions } from "../terminal/diagnostics.js";
import { briefJson, clip, pluralize, formatDuration, pad, visible } from "../terminal/text.js";

type StageOutputs = Record<string, unknown>;

const STAGES: Record<string, { title: string; found: (outputs: StageOutputs) => string }> = {
  discovery: {
    title: "known plans",
    found: ({ discovery_result }) =>
      field(discovery_result, "found") === true ? `${textOf(field(discovery_result, "name"))} does it` : "none does it",
  },
  parameter_discovery: { title: "values", found: ({ discovered_params }) => valuesOf(discovered_params) || "none" },
  requirements_analysis: {
    title: "requirements",
    found: ({ requirements_result }) =>
      field(requirements_result, "is_clear") === false ? "" : listOf(field(requirements_result, "steps")).join("; "),
  },
  component_browsing: {
    title: "tools",
    found: ({ browsed_components }) => listOf(field(browsed_components, "node_ids")).join(", ") || "none fits",
  },
  planning: {
    title: "way",
    found: ({ planning_result }) =>
      [
        textOf(field(planning_result, "status")).toLowerCase(),
        listOf(field(planning_result, "missing_capabilities"))
          .map((what) => `not ${textOf(what)}`)
          .join(", ") || textOf(field(planning_result, "node_chain")),
      ]
        .filter(Boolean)
        .join(": "),
  },
  workflow_generator: { title: "plan", found: ({ generated_workflow }) => sizeOf(generated_workflow) },
  validator: {
    title: "check",
    found: ({ validation_errors }) =>
      listOf(validation_errors)
        .map((error) => textOf(field(error, "message")))
        .join("; "),
  },
};

/** Stages that only pass on values. */
const UNLISTED_STAGES = new Set(["parameter_mapping", "result_preparation"]);
const WIDEST = Math.max(...Object.values(STAGES).map(({ title }) => title.length)) + 3;
/** Visible characters of a streamed reply. */
const MAX_TAIL = 200;

export class PlanProgress {
  #running: { node: string; visit: number; since: number; text: string } | null = null;
  /** Otherwise `discovery` is hidden. */
  #hasKnownPlans = false;
  #ended: { node: string; visit: number; ms: number; output: unknown } | null = null;

  constructor(readonly look: () => RenderOptions) {}

  /** Returns the lines that it completes. */
  take(event: TraceEvent, now: number): string[] {
    if ("scope" in event && event.scope) return [];
    switch (event.type) {
      case "node-started": {
        const before = this.#finished((event.input ?? {}) as StageOutputs);
        if (event.node === "discovery") this.#hasKnownPlans = listOf(field(event.input, "workflows")).length > 0;
        this.#running = { node: event.node, visit: event.visit, since: now, text: "" };
        return before;
      }
      case "node-completed":
        this.#running = null;
        if (!this.#isUnlisted(event.node))
          this.#ended = { node: event.node, visit: event.visit, ms: event.durationMs, output: event.output };
        return [];
      case "node-failed": {
        const { style, columns } = this.look();
        this.#running = null;
        const head = `${style.red("✗")} ${this.#name(event.node, event.visit)}  ${timeOf(event.durationMs)}  `;
        return [
          ...this.#finished({}),
          head + style.red(clip(visible(`${event.code}: ${event.message}`), columns - WIDEST - 16)),
        ];
      }
      case "run-ended":
        return this.#finished({});
      default:
        return [];
    }
  }

  running(now: number, beat: number): string[] {
    if (this.#running === null || this.#isUnlisted(this.#running.node)) return [];
    const { style, columns } = this.look();
    const { node, visit, since, text } = this.#running;
    const line = `${"⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"[beat % 10]} ${this.#name(node, visit)}  ${formatDuration(now - since).padStart(8)}  `;
    return [style.blue(clip(line, columns - 1)) + style.dim(clip(text, Math.max(0, columns - line.length - 1)))];
  }

  update(update: CallUpdate): void {
    if (update.type !== "model-delta" || update.delta.type === "tool-call" || this.#running?.node !== update.node)
      return;
    this.#running.text = visible((this.#running.text + update.delta.text).replace(/\s+/g, " ").slice(-MAX_TAIL));
  }

  /** `outputs` is the next stage's input. */
  #finished(outputs: StageOutputs): string[] {
    const ended = this.#ended;
    if (ended === null) return [];
    const { style, columns } = this.look();
    const bad = ["retry", "failed", "clarification_needed", "impossible_requirements", "partial_solution"].includes(
      textOf(ended.output),
    );
    const [mark, paint] = bad ? [style.yellow("!"), style.yellow] : [style.green("✓"), style.dim];
    this.#ended = null;
    const found = STAGES[ended.node]?.found(outputs) || textOf(ended.output).replaceAll("_", " ");
    return [
      `${mark} ${this.#name(ended.node, ended.visit)}  ${timeOf(ended.ms)}  ${paint(clip(visible(found), Math.max(20, columns - WIDEST - 16)))}`,
    ];
  }

  #isUnlisted(node: string): boolean {
    return UNLISTED_STAGES.has(node) || (node === "discovery" && !this.#hasKnownPlans);
  }

  #name(node: string, visit: number): string {
    return pad(clip(visible(`${titleOf(node)}${visit > 1 ? ` ×${visit}` : ""}`), 40), WIDEST);
  }
}

function timeOf(ms: number): string {
  return (ms === 0 ? "" : formatDuration(ms)).padStart(8);
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as StageOutputs)[key] : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function titleOf(node: string): string {
  return STAGES[node]?.title ?? node;
}

/** `city = "Oslo", days = 3` */
export function valuesOf(params: unknown): string {
  const entries = typeof params === "object" && params !== null ? Object.entries(params) : [];
  return entries.map(([name, value]) => `${name} = ${briefJson(value, 40)}`).join(", ");
}

function sizeOf(plan: unknown): string {
  const nodes = field(plan, "nodes");
  return typeof nodes === "object" && nodes !== null
    ? `${pluralize(Object.keys(nodes).length, "node")}: ${Object.keys(nodes).join(", ")}`
    : "no plan could be read";
}
