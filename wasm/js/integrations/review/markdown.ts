/** Writes reviews as a Markdown comment. Its limit is {@link MAX_LENGTH}, and it names the omitted parts. */
import { type CostBound, type CostFigure, internals, type Review } from "stepgraph";
import type { Kinds } from "../../options.js";
import { pluralize } from "../../terminal/text.js";
import { clip, code, prose } from "./escape.js";
import type { BeforeAfter, ChangeReview, ReviewedChange, TestCounts } from "./types.js";

/** GitHub takes 65 536. */
const MAX_LENGTH = 60_000;
/** Others are counted, but risks always listed. */
const MAX_LISTED = 40;

const STATUS: Record<ChangeReview["status"], string> = {
  added: "new",
  removed: "removed",
  changed: "changed",
  "same-meaning": "same meaning",
};

/** Options of {@link reviewMarkdown}. */
export interface MarkdownOptions {
  /** How many plans. */
  unchanged?: number;
  /** Such as `main` and `HEAD`. */
  versions?: { before: string; after: string };
}

const OPTIONS: Kinds<MarkdownOptions> = { unchanged: "count", versions: { before: "text", after: "text" } };

/**
 * Returns a pull request's comment: a table of all plans, and a section for each.
 *
 * @example
 * console.log(reviewMarkdown([await reviewChange({ text: old }, { text: now }, { file: "plan.yaml" })]));
 */
export function reviewMarkdown(reviews: readonly ChangeReview[], options: MarkdownOptions = {}): string {
  internals.assertOptions("reviewMarkdown", options, OPTIONS);
  const { unchanged = 0, versions } = options;
  const compared = versions ? `${code(versions.before)} → ${code(versions.after)}` : "";
  const rest = unchanged > 0 ? `${pluralize(unchanged, "plan")} without changes` : "";
  if (reviews.length === 0)
    return `### Stepgraph review\n\nNo plan changed. ${[compared, rest].filter(Boolean).join(" · ")}\n`;
  const bad = reviews.filter(({ problems }) => problems.length > 0).length;
  const verdict = bad > 0 ? `⛔ ${pluralize(bad, "plan")} must not be merged` : "No plan is broken";
  const about = [`**${verdict}**`, compared, rest].filter(Boolean).join(" · ");
  const head = `### Stepgraph review\n\n${about}\n\n${overview(reviews)}`;
  return joinWithin(head, reviews.map(section), reviews);
}

function joinWithin(head: string, sections: string[], reviews: readonly ChangeReview[]): string {
  let text = head;
  for (const [at, section] of sections.entries()) {
    if (text.length + section.length > MAX_LENGTH) {
      const left = reviews.length - at;
      return `${text}\n${pluralize(left, "plan")} did not fit here. Run \`stepgraph review\` to see ${left === 1 ? "it" : "them"}.\n`;
    }
    text += `\n${section}`;
  }
  return text;
}

function overview(reviews: readonly ChangeReview[]): string {
  const shown = reviews.slice(0, 100);
  const rows = shown.map((one) => {
    const { file, status, changes, tests, problems } = one;
    const state = problems.length > 0 ? `⛔ ${problems.map(prose).join(", ")}` : STATUS[status];
    const meaning = changes.filter(({ kind }) => !kind.startsWith("run/")).length;
    const changed = meaning > 0 ? String(meaning) : "–";
    const cells = [code(file), state, changed, effectsCell(one), testsCell(tests), coverageCell(one)];
    return `| ${cells.join(" | ")} |`;
  });
  const left = reviews.length - shown.length;
  return [
    "| plan | state | changes | new effects | tests | coverage |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
    ...(left > 0 ? [`| ${pluralize(left, "more plan")} | | | | | |`] : []),
    "",
  ].join("\n");
}

function effectsCell({ effects, changes }: ChangeReview): string {
  const added = newTools(effects);
  const isRisky = changes.some(isRisk);
  const text = added.length > 0 ? added.slice(0, 4).map(code).join(", ") : isRisky ? "new path" : "–";
  const more = added.length > 4 ? `, ${added.length - 4} more` : "";
  return `${isRisky ? "⚠️ " : ""}${text}${more}`;
}

function newTools({ before, after }: BeforeAfter<Review>): string[] {
  const known = new Set(before?.tools.map(({ name }) => name));
  return (after?.tools ?? []).map(({ name }) => name).filter((name) => !known.has(name));
}

function testsCell({ before, after }: BeforeAfter<TestCounts>): string {
  if (after === null) return "–";
  const number = after.passed + after.failed;
  const now = number === 0 ? "none" : `${after.passed} of ${number} pass`;
  const had = before === null ? null : before.passed + before.failed;
  return had === null || had === number ? now : `${now} (${had} before)`;
}

function coverageCell({ coverage: { before, after } }: ChangeReview): string {
  if (after === null) return "–";
  // 100 % must mean all.
  const percent = (value: number) => `${Math.floor(value * 10) / 10} %`;
  const isSame = before === null || percent(before) === percent(after);
  return isSame ? percent(after) : `${percent(before)} → ${percent(after)}`;
}

function section(one: ChangeReview): string {
  const { file, previousFile, status, problems, hash, drawing } = one;
  const moved = previousFile === null ? "" : ` (was ${code(previousFile)})`;
  const parts = [
    `#### ${code(file)}${moved} · ${STATUS[status]}`,
    ...(problems.length > 0 ? [`**Must not be merged: ${problems.map(prose).join(", ")}.**`] : []),
    diagnosticsPart(one),
    drawing === null ? "" : `\`\`\`mermaid\n${drawing}\`\`\``,
    changesPart(one),
    driftPart(one),
    effectsPart(one),
    testsPart(one),
    hash.after === null || status === "same-meaning"
      ? ""
      : `To run only this version: \`stepgraph run --plan-hash ${hash.after}\``,
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function diagnosticsPart({ diagnostics, drift }: ChangeReview): string {
  const known = new Set(drift?.plans[0]?.map(({ message }) => message));
  const others = diagnostics.filter(({ message }) => !known.has(message));
  const lines = others.slice(0, 20).map(({ severity, code: id, message, line, file, help }) => {
    const place = line === null ? "" : ` (${file === undefined ? "" : `${code(file)} `}line ${line})`;
    const advice = help === null ? "" : ` Help: ${prose(help)}`;
    return `- ${severity === "error" ? "⛔" : "⚠️"} ${code(id)} ${prose(message)}${place}.${advice}`;
  });
  const left = others.length - lines.length;
  return [...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join("\n");
}

function changesPart({ changes }: ChangeReview): string {
  const [plan, runs] = [
    changes.filter(({ kind }) => !kind.startsWith("run/")),
    changes.filter(({ kind }) => kind.startsWith("run/")),
  ];
  const parts = [list("Changes", plan), list("What runs may do now", runs)].filter((part) => part !== "");
  return parts.join("\n\n");
}

function list(title: string, changes: readonly ReviewedChange[]): string {
  if (changes.length === 0) return "";
  const listed = changes.filter((change, at) => isRisk(change) || at < MAX_LISTED);
  const lines = listed.map((change) => {
    const place = change.line === null ? "" : ` (line ${change.line})`;
    return `- ${isRisk(change) ? "⚠️ " : ""}${prose(clip(change.message, 600))}${place}`;
  });
  const left = changes.length - listed.length;
  const all = [...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join("\n");
  return changes.length <= 12
    ? `**${title}**\n\n${all}`
    : `<details><summary><b>${title}</b> (${changes.length})</summary>\n\n${all}\n\n</details>`;
}

/** A run may now destroy something, or act without its approval. */
function isRisk({ destroys, kind }: ReviewedChange): boolean {
  return destroys === true || kind === "run/unguarded";
}

function effectsPart({ effects, servers, status, cost }: ChangeReview): string {
  // A plan with errors has no effects.
  if (status === "same-meaning" || (status !== "removed" && effects.after === null)) return "";
  const tools = (effect: string) => (review: Review) =>
    review.tools.filter((tool) => tool.effect === effect).map(({ name }) => name);
  const isKnown = [effects.before, effects.after].some((review) => review?.tools.some(({ known }) => known !== null));
  const rows: [string, BeforeAfter<string[]>][] = [
    ...(isKnown
      ? ([
          ["destroys", "destroys"],
          ["writes", "writes"],
          ["reads", "reads"],
          ["may write", "unknown"],
        ].map(([title, effect]) => [title, both(effects, tools(effect!))]) as [string, BeforeAfter<string[]>][])
      : [["tools", both(effects, ({ tools }) => tools.map(({ name }) => name))] as [string, BeforeAfter<string[]>]]),
    ["servers", servers],
    ["models", both(effects, ({ models }) => models.map(({ name }) => name))],
    ["approvals", both(effects, ({ people }) => people)],
    ["handlers", both(effects, ({ handlers }) => handlers.map(({ type }) => type))],
    ["limits", both(effects, limits)],
    ["at most", { before: cost.before && costs(cost.before), after: cost.after && costs(cost.after) }],
  ];
  const used = rows.filter(([, { before, after }]) => (before?.length ?? 0) + (after?.length ?? 0) > 0);
  if (used.length === 0) return "";
  if (used.every(([, { before, after }]) => JSON.stringify(before) === JSON.stringify(after)))
    return `Same tools, servers, models, approval nodes, limits and costs${cost.after === null ? "" : `: ${mostCosts(cost.after)}`}.`;
  const lines = used.map(([title, { before, after }]) => `| ${title} | ${names(before)} | ${names(after, before)} |`);
  return ["| effects | before | after |", "| --- | --- | --- |", ...lines].join("\n");
}

function both(effects: BeforeAfter<Review>, of: (review: Review) => string[]): BeforeAfter<string[]> {
  return { before: effects.before && of(effects.before), after: effects.after && of(effects.after) };
}

function limits({ bounds }: Review): string[] {
  const { visits, steps, calls, timeoutMs, tokens } = bounds;
  const parts: [number | null, string][] = [
    [visits, "visits per node"],
    [steps, "steps"],
    [calls, "calls"],
    [tokens, "tokens"],
    [timeoutMs, "ms"],
  ];
  return parts.flatMap(([value, unit]) => (value === null ? [] : [`${value} ${unit}`]));
}

/** An unknown cost is no 0. */
function costs({ toolCalls, modelTurns, usd }: CostBound): string[] {
  const figure = (one: CostFigure, unit: string) =>
    one.most === null ? `${one.kind} ${unit}s` : `${one.most.toLocaleString("en")} ${unit}${one.most === 1 ? "" : "s"}`;
  const hasModels = modelTurns.most !== 0;
  const money = usd.most === null ? `${usd.kind} USD` : `${usd.most.toPrecision(2)} USD`;
  return [figure(toolCalls, "tool call"), ...(hasModels ? [figure(modelTurns, "model turn"), money] : [])];
}

function mostCosts(cost: CostBound): string {
  const isKnown = [cost.toolCalls, cost.modelTurns].every(({ most }) => most !== null);
  return `${isKnown ? "at most " : ""}${costs(cost).join(", ")}`;
}

function driftPart({ drift }: ChangeReview): string {
  if (drift === null || drift.changes.length === 0) return "";
  const problems = drift.plans[0] ?? [];
  const lines = [
    ...drift.changes.slice(0, 20).map(({ server, tool, message, severity }) => {
      const sign = { error: "⛔ ", warning: "⚠️ ", info: "" }[severity];
      return `- ${sign}${code(server === "" ? tool : `${server}.${tool}`)}: ${prose(clip(message, 300))}`;
    }),
    ...problems.slice(0, 20).map(({ severity, message, line, help }) => {
      const place = line === null ? "" : ` (line ${line})`;
      const advice = help === null ? "" : ` Help: ${prose(clip(help, 300))}`;
      return `- ${severity === "error" ? "⛔" : "⚠️"} here: ${prose(clip(message, 300))}${place}.${advice}`;
    }),
  ];
  const left = drift.changes.length + problems.length - lines.length;
  return `**Tools have changed**\n\n${[...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join("\n")}`;
}

/** New names are bold. */
function names(list: string[] | null, before: string[] | null = list): string {
  if (list === null) return "–";
  const shown = [...new Set(list)].slice(0, 20);
  const left = new Set(list).size - shown.length;
  const texts = shown.map((name) => (before?.includes(name) ? code(name) : `**${code(name)}**`));
  return [...texts, ...(left > 0 ? [`${left} more`] : [])].join(", ") || "–";
}

function testsPart({ tests }: ChangeReview): string {
  const failures = tests.after?.failures ?? [];
  const lines = failures.slice(0, 10).map(({ name, path, expected, got }) => {
    const json = (value: unknown) => code(clip(JSON.stringify(value) ?? "nothing", 200));
    return `- ⛔ test ${code(clip(name, 100))}: ${code(path)} is ${json(got)}, expected ${json(expected)}`;
  });
  const left = failures.length - lines.length;
  return [...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join("\n");
}
