/** Proposes fixes: renamed tools, arguments and fields, missing arguments, removed values. */
import { effectOf } from "../review.js";
import type { ToolInfo } from "../types.js";
import { closestName } from "../suggest.js";
import { isRecord, own } from "../records.js";
import type { ToolPair } from "./drift.js";
import { argumentErrors, type Effects, isAt, newProblem, outputErrors } from "./effects.js";
import { compareSchemas, similarName, valuesOf } from "./schema-changes.js";
import type { RawChange } from "./tool-changes.js";
import type { DriftProblem } from "../lock-types.js";
import type { ToolUse } from "./used-tools.js";

export function fixTool(
  { use, locked }: ToolPair,
  today: readonly ToolInfo[],
  known: readonly ToolInfo[],
  effects: Effects,
): void {
  const own = effects.found.filter(
    ({ code, target, message }) =>
      code === "graph/unknown-tool" && isAt(target, use) && message.includes(`\`${use.name}\``),
  );
  const problems = own.length > 0 ? own : [missingTool(use, effects)];
  const { server, name } = locked!;
  const others = today.filter((tool) => tool.server === server);
  if (others.some((tool) => tool.name === name)) return qualify(problems, use.name, `${server}.${name}`);
  if (others.length === 0 && server !== undefined)
    for (const problem of problems) problem.help = `name the server as the lock does: \`--server ${server}=URL\``;
  const equal = equalTools(locked!, today, known);
  const names = equal.map((tool) => tool.name);
  const near = similarName(name, names);
  const successor = equal.find((tool) => tool.name === near);
  const guess = successor ?? (equal.length === 1 ? equal[0] : undefined);
  if (guess === undefined) return dropForeignNames(problems, others);
  const isShared = today.some((tool) => tool.name === guess.name && tool.server !== server);
  const written = isShared && server !== undefined ? `${server}.${guess.name}` : guess.name;
  // A fix must not call what destroys more.
  const isSafe = successor !== undefined && effectOf(successor) === effectOf(locked);
  for (const problem of problems) {
    const takes = "takes the same arguments";
    problem.help = isSafe
      ? `write \`${written}\`, which ${takes}`
      : `look whether \`${written}\` replaces it: it ${takes}`;
    if (isSafe && problem.span !== null) problem.fix = { type: "replace", from: use.name, value: written };
  }
}

/** A tool of another server is no successor. */
function dropForeignNames(problems: readonly DriftProblem[], others: readonly ToolInfo[]): void {
  for (const problem of problems) {
    const [, name] = /^did you mean `(.*)`\?$/s.exec(problem.help ?? "") ?? [];
    if (name === undefined || others.some((tool) => [tool.name, `${tool.server}.${tool.name}`].includes(name)))
      continue;
    problem.help = "use another tool, or ask the operator of the server for it";
  }
}

/** The plan keeps the lock's server. */
function qualify(problems: readonly DriftProblem[], from: string, name: string): void {
  for (const problem of problems) {
    problem.help = `write \`${name}\`, the server of the lock`;
    if (problem.span !== null) problem.fix = { type: "replace", from, value: name };
  }
}

/** The checker ignores types that may have handlers, and nodes that may call all tools. */
function missingTool(use: ToolUse, { graph, problems }: Effects): DriftProblem {
  const problem = newProblem(graph, use, {
    code: "graph/unknown-tool",
    severity: use.ofAll ? "warning" : "error",
    message: `there is no tool \`${use.name}\` anymore`,
    help: "connect the server that offers it, or use another tool",
  });
  problems.push(problem);
  return problem;
}

/** Tools without arguments are all alike. */
function equalTools(gone: ToolInfo, today: readonly ToolInfo[], known: readonly ToolInfo[]): ToolInfo[] {
  if (Object.keys(Object(own(gone.input_schema, "properties"))).length === 0) return [];
  const old = new Set(known.map(({ server, name }) => JSON.stringify([server, name])));
  const isNew = ({ server, name }: ToolInfo) => !old.has(JSON.stringify([server, name]));
  // Another server's tool is another tool.
  const isEqual = ({ server, input_schema, unavailable }: ToolInfo) =>
    server === gone.server &&
    unavailable === undefined &&
    compareSchemas(gone.input_schema, input_schema, "input").every(({ kind }) => kind === "text");
  return today.filter((tool) => isNew(tool) && isEqual(tool));
}

export function fixArguments(changes: readonly RawChange[], use: ToolUse, effects: Effects): void {
  // A computed input has no keys to change.
  if (use.byModel || !isRecord(use.input)) return;
  const renames = new Set(changes.map(({ schema }) => schema?.renamedTo));
  for (const change of changes) {
    if (change.part !== "input") continue;
    const errors = argumentErrors(change, use, effects.found);
    const { kind, renamedTo, path } = change.schema!;
    if (renamedTo !== undefined) fixRename(errors, path.at(-1)!, renamedTo, effects);
    else if ((kind === "added" || kind === "required") && !renames.has(path.at(-1))) fixMissing(errors, change, use);
    else if (kind === "narrowed" || kind === "changed") fixValue(errors, change, use);
  }
}

/** One rename is two errors: the old name is unknown, and the new one may be missing. */
function fixRename(errors: readonly DriftProblem[], from: string, to: string, effects: Effects): void {
  const names = (message: string, name: string) => message.includes(`\`${name}\``);
  const old = errors.find(({ message, span }) => span !== null && names(message, from));
  if (old === undefined) return;
  old.help = `write \`${to}\`, which has the same schema`;
  old.fix = { type: "replace", from, value: to };
  const others = errors.filter((one) => one !== old && names(one.message, to));
  effects.dropped = new Set([...(effects.dropped ?? []), ...others]);
}

function fixMissing(errors: readonly DriftProblem[], { schema }: RawChange, use: ToolUse): void {
  const { path, after } = schema!;
  const [name] = path;
  const value = exampleOf(after);
  for (const problem of errors) {
    if (path.length !== 1 || !problem.message.includes("has no")) continue;
    if (value === undefined) problem.help = `add \`${name}\`, ${describe(after)}`;
    else {
      const origin = own(after, "default") === undefined ? "an example" : "the default";
      problem.help = `add \`${name}\`: \`${JSON.stringify(value).slice(0, 200)}\` is ${origin}`;
      problem.fix = { type: "add-argument", node: use.path, name: name!, value };
    }
  }
}

function exampleOf(schema: unknown): unknown {
  const examples = own(schema, "examples");
  const values = own(schema, "enum");
  const all = [own(schema, "default"), own(schema, "const"), Array.isArray(examples) ? examples[0] : undefined];
  if (Array.isArray(values) && values.length === 1) all.push(values[0]);
  return all.find((value) => value !== undefined);
}

function describe(schema: unknown): string {
  const values = valuesOf(schema);
  if (values !== null)
    return `one of ${values
      .slice(0, 8)
      .map((value) => `\`${value}\``)
      .join(", ")}`;
  const type = own(schema, "type");
  return typeof type === "string" ? `of type \`${type}\`` : "which the tool needs";
}

function fixValue(errors: readonly DriftProblem[], { schema }: RawChange, use: ToolUse): void {
  const values = own(schema!.after, "enum");
  const given = schema!.path.reduce<unknown>((value, name) => own(value, name), use.input);
  if (!Array.isArray(values) || typeof given !== "string") return;
  const near = nearest(
    given,
    values.filter((value) => typeof value === "string"),
  );
  if (near === undefined) return;
  for (const problem of errors) {
    problem.help = `write \`${near}\`, an allowed value with a similar name`;
    if (problem.span !== null) problem.fix = { type: "replace", from: given, value: near };
  }
}

/** Another case or a longer form is near. */
function nearest(given: string, values: readonly string[]): string | undefined {
  const plain = given.toLowerCase();
  const isNear = (value: string) => value.toLowerCase().startsWith(plain) || plain.startsWith(value.toLowerCase());
  const found = values.filter((value) => value !== "" && isNear(value));
  return closestName(given, values) ?? (found.length === 1 ? found[0] : undefined);
}

export function fixOutputs(changes: readonly RawChange[], { found }: Effects): void {
  for (const change of changes) {
    const { renamedTo, path } = change.schema ?? {};
    if (change.part !== "output" || renamedTo === undefined) continue;
    for (const problem of outputErrors(change, found)) {
      const isField = problem.code === "reference/unknown-path" || problem.code === "expression/unknown-field";
      if (!isField || problem.span === null) continue;
      problem.help = `write \`${renamedTo}\`, which has the same schema`;
      problem.fix = { type: "rename-field", from: path!.at(-1)!, to: renamedTo };
    }
  }
}
