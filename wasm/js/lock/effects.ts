/** Decides how a change of a tool affects a node that uses it. */
import type { PlanGraph } from "../graph.js";
import { effectOf } from "../review.js";
import type { ToolInfo } from "../types.js";
import { isRecord, own } from "./canonical.js";
import type { ToolPair } from "./drift.js";
import { BOUNDS, type SchemaChange } from "./schema-changes.js";
import type { RawChange } from "./tool-changes.js";
import type { DriftProblem, DriftSeverity } from "../lock-types.js";
import type { ToolUse } from "./used-tools.js";

/** What is known about a plan while its tools are compared. */
export interface Effects {
  graph: PlanGraph;
  /** The new problems of the checker. */
  found: readonly DriftProblem[];
  /** Problems that another one covers. */
  dropped?: Set<DriftProblem>;
  /** Further problems. */
  problems: DriftProblem[];
  /** Words of the plan's expressions. */
  words?: ReadonlySet<string>;
}

/** Changes that no plan can notice, by side. */
const HARMLESS = {
  input: new Set(["optional", "widened"]),
  output: new Set(["added", "narrowed", "required"]),
};

/** Keywords of a schema that can't hold words of the server. */
const WORDLESS = new Set(["type", ...BOUNDS]);

/** A model reads the schemas of arguments. A new argument, or another keyword, may have texts of any kind. */
function tellsModel({ kind, after }: SchemaChange): boolean {
  if (kind === "added") return true;
  if (kind !== "changed" && kind !== "widened") return false;
  return !isRecord(after) || Object.keys(after).some((keyword) => !WORDLESS.has(keyword));
}

export function effectOn(change: RawChange, pair: ToolPair, effects: Effects): DriftSeverity {
  const { use } = pair;
  if (change.part === "annotations") return annotationEffect(change, pair, effects);
  if (change.part === "tool") return moved(change, use, effects);
  if (change.part === "description" || change.schema?.kind === "text") return textEffect(change, use, effects);
  if (use.byModel)
    return change.part === "input" && tellsModel(change.schema!) ? textEffect(change, use, effects) : "info";
  return change.part === "input" ? inputEffect(change, use, effects) : outputEffect(change, pair, effects);
}

function moved(change: RawChange, use: ToolUse, { graph, problems, found }: Effects): DriftSeverity {
  if (found.some(({ code, target }) => code === "graph/unavailable-tool" && isAt(target, use))) return "error";
  const message = `tool \`${use.name}\`: ${change.message}`;
  const help = "check that this is the server you want; name it as in the lock: `--server NAME=URL`";
  problems.push(newProblem(graph, use, { code: "drift/server", severity: "warning", message, help }));
  return "warning";
}

/** A model reads the texts, and follows instructions in them. */
function textEffect(change: RawChange, use: ToolUse, effects: Effects): DriftSeverity {
  if (!use.byModel || (change.part === "output" && change.schema !== undefined)) return "info";
  const message = `a model reads the changed text of tool \`${use.name}\`: ${change.message}`;
  const help = "read the new text: a server can give a model instructions in it";
  const known = sameProblem(effects, "drift/description", use);
  // One problem a tool: a server may change the text of each argument.
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

/** Returns the problem of a code that a use of a tool already has. */
function sameProblem({ problems }: Effects, code: DriftProblem["code"], use: ToolUse): DriftProblem | undefined {
  const isSame = (one: DriftProblem) => one.code === code && isAt(one.target, use);
  return problems.find((one) => isSame(one) && one.message.includes(`tool \`${use.name}\``));
}

function inputEffect(change: RawChange, use: ToolUse, { graph, found, problems }: Effects): DriftSeverity {
  const { kind, path, isRequired } = change.schema!;
  if (HARMLESS.input.has(kind) || (kind === "added" && !isRequired)) return "info";
  if (argumentErrors(change, use, found).length > 0 || lacksArgument(change, use)) return "error";
  if (!isComputed(use.input, path)) return "info";
  const message = `tool \`${use.name}\`: ${change.message}, and the plan computes the value`;
  const help = "check that the computed value still fits";
  problems.push(newProblem(graph, use, { code: "drift/arguments", severity: "warning", message, help }));
  return "warning";
}

/** The checker lists only the first missing arguments of a node. */
function lacksArgument({ schema }: RawChange, { input }: ToolUse): boolean {
  const { kind, path, isRequired } = schema!;
  const [name] = path;
  const isNeeded = kind === "required" || (kind === "added" && isRequired === true);
  return isNeeded && path.length === 1 && isRecord(input) && !Object.hasOwn(input, name!);
}

function outputEffect(change: RawChange, { use, locked }: ToolPair, effects: Effects): DriftSeverity {
  const { graph, found, problems } = effects;
  const { kind, path } = change.schema!;
  if (HARMLESS.output.has(kind)) return "info";
  if (outputErrors(change, found).length > 0) return "error";
  const name = lastName(path);
  effects.words ??= expressionWords(graph.toJSON());
  const { words } = effects;
  // Without a schema, nothing checks the fields that the plan reads.
  const fields = Object.keys(Object(own(locked?.output_schema, "properties")) as object);
  const isRead = name === undefined ? kind === "changed" || fields.some((field) => words.has(field)) : words.has(name);
  if (!isRead) return "info";
  const message = `tool \`${use.name}\`: ${change.message}, and the plan may read it`;
  const help = "check the expressions that read the output";
  problems.push(newProblem(graph, use, { code: "drift/output", severity: "warning", message, help }));
  return "warning";
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

/** Two hints that change at once are one problem. */
function addOnce(problem: Parameters<typeof newProblem>[2], use: ToolUse, effects: Effects): void {
  if (sameProblem(effects, problem.code, use) === undefined)
    effects.problems.push(newProblem(effects.graph, use, problem));
}

/** As a run asks: before calls that destroy, and before calls of a model that may. */
function needsApproval(tool: ToolInfo | undefined, { byModel }: ToolUse): boolean {
  const effect = effectOf(tool);
  return effect === "destroys" || (byModel && effect === "unknown");
}

/** Returns the new errors of a node's arguments that a change explains. */
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

/** Returns the new errors of expressions that a change of an output explains. */
export function outputErrors(change: RawChange, found: readonly DriftProblem[]): DriftProblem[] {
  const name = lastName(change.schema?.path ?? []);
  const isReading = (code: string) => /^(reference|expression|condition)\//.test(code);
  return found.filter(
    ({ code, severity, message }) => severity === "error" && isReading(code) && mentions(message, name),
  );
}

/** Without a name, any message counts. */
function mentions(message: string, name: string | undefined): boolean {
  return name === undefined || ["`", "/", "."].some((before) => message.includes(`${before}${name}\``));
}

function lastName(path: readonly string[]): string | undefined {
  return path.findLast((part) => part !== "[]");
}

export function isAt(target: DriftProblem["target"], use: ToolUse): boolean {
  return target.type === "node" && target.node === use.path;
}

/** Whether the value at a path of a written input is computed, or a part of one that is. */
function isComputed(input: unknown, path: readonly string[]): boolean {
  if (input === undefined) return true;
  if (typeof input === "string") return input.includes("${");
  const [first, ...rest] = path;
  if (first === undefined) return hasTemplate(input);
  if (first === "[]") return Array.isArray(input) && input.some((item) => isComputed(item, rest));
  return isRecord(input) && Object.hasOwn(input, first) && isComputed(own(input, first), rest);
}

function hasTemplate(value: unknown): boolean {
  if (typeof value === "string") return value.includes("${");
  return typeof value === "object" && value !== null && Object.values(value).some(hasTemplate);
}

/** Returns all words of templates and conditions. */
function expressionWords(value: unknown, key = "", found = new Set<string>()): Set<string> {
  if (typeof value === "string" && (value.includes("${") || ["condition", "values"].includes(key)))
    for (const [word] of value.matchAll(/[\p{L}_$][\p{L}\p{N}_$-]*/gu)) found.add(word);
  else if (typeof value === "object" && value !== null)
    for (const [inner, part] of Object.entries(value)) expressionWords(part, inner, found);
  return found;
}

/** Makes a problem at a node. */
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
