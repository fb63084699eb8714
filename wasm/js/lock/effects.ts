/** Decides how a tool's change affects a node. */
import type { PlanGraph } from "../graph.js";
import { effectOf } from "../review.js";
import type { ToolInfo } from "../types.js";
import { isRecord, own } from "../records.js";
import type { ToolPair } from "./drift.js";
import { type ExpressionPlace, type Mentions, mentionsOf, placeId, placesMentioning } from "./mentions.js";
import { hasNewWords } from "./schema-words.js";
import type { RawChange } from "./tool-changes.js";
import type { DriftProblem, DriftSeverity } from "../lock-types.js";
import type { ToolUse } from "./used-tools.js";

export interface Effects {
  graph: PlanGraph;
  /** New problems of the checker. */
  found: readonly DriftProblem[];
  dropped?: Set<DriftProblem>;
  problems: DriftProblem[];
  mentions?: Mentions;
}

/** No plan can notice these changes. */
const HARMLESS = {
  input: new Set(["optional", "widened"]),
  output: new Set(["added", "narrowed", "required"]),
};

export function effectOn(change: RawChange, pair: ToolPair, effects: Effects): DriftSeverity {
  const { use } = pair;
  if (change.part === "annotations") return annotationEffect(change, pair, effects);
  if (change.part === "tool") return moved(change, use, effects);
  if (change.part === "description" || change.schema?.kind === "text") return textEffect(change, use, effects);
  if (use.byModel)
    return change.part === "input" && hasNewWords(pair.locked?.input_schema, pair.today?.input_schema)
      ? textEffect(change, use, effects)
      : "info";
  return change.part === "input" ? inputEffect(change, use, effects) : outputEffect(change, pair, effects);
}

function moved(change: RawChange, use: ToolUse, { graph, problems, found }: Effects): DriftSeverity {
  if (found.some(({ code, target }) => code === "graph/unavailable-tool" && isAt(target, use))) return "error";
  const message = `tool \`${use.name}\`: ${change.message}`;
  const help = "check that this is the server you want; name it as in the lock: `--server NAME=URL`";
  problems.push(newProblem(graph, use, { code: "drift/server", severity: "warning", message, help }));
  return "warning";
}

/** A model follows instructions in texts. */
function textEffect(change: RawChange, use: ToolUse, effects: Effects): DriftSeverity {
  if (!use.byModel || (change.part === "output" && change.schema !== undefined)) return "info";
  const message = `a model reads the changed text of tool \`${use.name}\`: ${change.message}`;
  const help = "read the new text: a server can give a model instructions in it";
  const known = sameProblem(effects, "drift/description", use);
  // One problem per tool: a server may change every text.
  if (known === undefined)
    effects.problems.push(
      newProblem(effects.graph, use, { code: "drift/description", severity: "warning", message, help }),
    );
  else known.message = `${known.message.replace(MORE_TEXTS, "")}; and ${moreTexts(known.message) + 1} more`;
  return "warning";
}

const MORE_TEXTS = /; and (\d+) more$/;

function moreTexts(message: string): number {
  return Number(MORE_TEXTS.exec(message)?.[1] ?? 0);
}

function sameProblem({ problems }: Effects, code: DriftProblem["code"], use: ToolUse): DriftProblem | undefined {
  const isSame = (one: DriftProblem) => one.code === code && isAt(one.target, use);
  return problems.find((one) => isSame(one) && one.message.includes(`tool \`${use.name}\``));
}

function inputEffect(change: RawChange, use: ToolUse, { graph, found, problems }: Effects): DriftSeverity {
  const { kind, path, isRequired, isUnchecked = false } = change.schema!;
  if (HARMLESS.input.has(kind) || (kind === "added" && !isRequired)) return "info";
  if (argumentErrors(change, use, found).length > 0 || lacksArgument(change, use)) return "error";
  // The plan already passes this argument.
  const isPresence = kind === "required" || kind === "added";
  const isPassed = isComputed(use.input, path) || (isUnchecked && isWritten(use.input, path));
  if (!isPassed || (isPresence && isWritten(use.input, path))) return "info";
  const why = isUnchecked ? "and the plan passes a value" : "and the plan computes the value";
  const message = `tool \`${use.name}\`: ${change.message}, ${why}`;
  const help = isUnchecked
    ? "ask the operator of the server for the schema"
    : "check that the computed value still fits";
  problems.push(newProblem(graph, use, { code: "drift/arguments", severity: "warning", message, help }));
  return "warning";
}

/** The checker lists only a node's first missing arguments. */
function lacksArgument({ schema }: RawChange, { input }: ToolUse): boolean {
  const { kind, path, isRequired } = schema!;
  const [name] = path;
  const isNeeded = kind === "required" || (kind === "added" && isRequired === true);
  return isNeeded && path.length === 1 && isRecord(input) && !Object.hasOwn(input, name!);
}

function outputEffect(change: RawChange, { use, locked }: ToolPair, effects: Effects): DriftSeverity {
  const { kind } = change.schema!;
  if (HARMLESS.output.has(kind)) return "info";
  const errors = outputErrors(change, effects.found);
  const places = readingPlaces(change, locked, effects);
  const known = new Set(errors.map(({ target }) => placeId(target)));
  const unseen = places.filter(({ id }) => !known.has(id));
  const isWhole = lastName(change.schema!.path) === undefined && kind === "changed";
  if (unseen.length > 0 || (isWhole && errors.length === 0)) warnOfReads(change, use, unseen, effects);
  else if (errors.length === 0) return "info";
  return errors.length > 0 ? "error" : "warning";
}

/** If the schema is missing, no field is checked. */
function readingPlaces({ schema }: RawChange, locked: ToolInfo | undefined, effects: Effects): ExpressionPlace[] {
  effects.mentions ??= mentionsOf(effects.graph.toJSON());
  const { mentions } = effects;
  const name = lastName(schema!.path);
  const fields = Object.keys(Object(own(locked?.output_schema, "properties")) as object);
  const names = name === undefined ? fields : [name];
  return [...new Set(names.flatMap((field) => placesMentioning(field, mentions)))];
}

const MAX_PLACES = 5;

function warnOfReads(change: RawChange, use: ToolUse, places: readonly ExpressionPlace[], effects: Effects): void {
  const nodes = [...new Set(places.map(({ node }) => node))].filter((node) => node !== "");
  const shown = nodes.slice(0, MAX_PLACES).map((node) => `\`${node}\``);
  const more = nodes.length > MAX_PLACES ? ` and ${nodes.length - MAX_PLACES} more` : "";
  const where = nodes.length === 0 ? "that read the output" : `of ${shown.join(", ")}${more}`;
  const { renamedTo } = change.schema!;
  const rename = renamedTo === undefined ? "" : `, and write \`${renamedTo}\` where they read the field`;
  const message = `tool \`${use.name}\`: ${change.message}, and the plan may read it`;
  const help = `check the expressions ${where}${rename}`;
  effects.problems.push(newProblem(effects.graph, use, { code: "drift/output", severity: "warning", message, help }));
}

function annotationEffect(change: RawChange, { use, locked, today }: ToolPair, effects: Effects): DriftSeverity {
  const [before, after] = [needsApproval(locked, use), needsApproval(today, use)];
  const name = `\`${use.name}\``;
  if (after && !before) {
    const message = `tool ${name} needs approval now: ${change.message}`;
    const help = `put an \`approve\` node before it, or approve it by \`--allow ${use.name}\``;
    addOnce({ code: "drift/approval", severity: "error", message, help }, use, effects);
    return "error";
  }
  if (before && !after) {
    const message = `tool ${name} needs no approval anymore: ${change.message}`;
    const help = "ask the operator of the server whether that is true";
    addOnce({ code: "drift/approval", severity: "warning", message, help }, use, effects);
    return "warning";
  }
  if (!saysLess(change, use, locked, today)) return "info";
  const message = `tool ${name}: ${change.message}`;
  const help = "check that the plan may do that";
  addOnce({ code: "drift/annotations", severity: "warning", message, help }, use, effects);
  return "warning";
}

/** Whether a hint that made a tool harmless is gone. */
function saysLess({ path }: RawChange, { node }: ToolUse, locked?: ToolInfo, today?: ToolInfo): boolean {
  const [old, now] = [own(locked?.annotations, path), own(today?.annotations, path)];
  if (path === "openWorldHint") return old === false;
  if (path === "idempotentHint") return old === true && now !== true && (node.retry?.attempts ?? 1) > 1;
  return effectOf(locked) !== effectOf(today) && effectOf(today) !== "reads";
}

/** Two changed hints are one problem. */
function addOnce(problem: Parameters<typeof newProblem>[2], use: ToolUse, effects: Effects): void {
  if (sameProblem(effects, problem.code, use) === undefined)
    effects.problems.push(newProblem(effects.graph, use, problem));
}

/** As in a run: before calls that destroy, and calls of a model that may. */
function needsApproval(tool: ToolInfo | undefined, { byModel }: ToolUse): boolean {
  const effect = effectOf(tool);
  return effect === "destroys" || (byModel && effect === "unknown");
}

/** Errors that the change explains. */
export function argumentErrors(change: RawChange, use: ToolUse, found: readonly DriftProblem[]): DriftProblem[] {
  const name = lastName(change.schema?.path ?? []);
  const renamedTo = change.schema?.renamedTo;
  return found.filter(
    ({ code, severity, target, message }) =>
      code === "tool/invalid-arguments" &&
      severity === "error" &&
      isAt(target, use) &&
      [name, ...(renamedTo === undefined ? [] : [renamedTo])].some((word) => mentions(message, word)),
  );
}

/** Errors that the change explains. */
export function outputErrors(change: RawChange, found: readonly DriftProblem[]): DriftProblem[] {
  const name = lastName(change.schema?.path ?? []);
  const isReading = (code: string) => /^(reference|expression|condition)\//.test(code);
  return found.filter(
    ({ code, severity, message }) => severity === "error" && isReading(code) && mentions(message, name),
  );
}

/** If `name` is missing, any message counts. */
function mentions(message: string, name: string | undefined): boolean {
  return name === undefined || ["`", "/", "."].some((before) => message.includes(`${before}${name}\``));
}

function lastName(path: readonly string[]): string | undefined {
  return path.findLast((part) => part !== "[]");
}

export function isAt(target: DriftProblem["target"], use: ToolUse): boolean {
  return target.type === "node" && target.node === use.path;
}

function isComputed(input: unknown, path: readonly string[]): boolean {
  if (input === undefined) return true;
  if (typeof input === "string") return input.includes("${");
  const [first, ...rest] = path;
  if (first === undefined) return hasTemplate(input);
  if (first === "[]") return Array.isArray(input) && input.some((item) => isComputed(item, rest));
  return isRecord(input) && Object.hasOwn(input, first) && isComputed(own(input, first), rest);
}

function isWritten(input: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  if (first === "[]") return Array.isArray(input) && input.every((item) => isWritten(item, rest));
  return isRecord(input) && Object.hasOwn(input, first) && isWritten(own(input, first), rest);
}

function hasTemplate(value: unknown): boolean {
  if (typeof value === "string") return value.includes("${");
  return typeof value === "object" && value !== null && Object.values(value).some(hasTemplate);
}

export function newProblem(
  graph: PlanGraph,
  use: ToolUse,
  problem: Pick<DriftProblem, "code" | "severity" | "message"> & { help: string },
): DriftProblem {
  const { file, line, column } = graph.placeOf(use.index) ?? { line: null, column: null };
  return {
    ...problem,
    target: { type: "node", node: use.path },
    ...(file !== undefined && { file }),
    span: null,
    line,
    column,
    labels: [],
    fix: null,
  };
}
