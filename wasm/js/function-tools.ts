/**
 * Functions of the host as tools.
 *
 * Invariant: a function runs only with arguments that its schema accepts.
 */
import { CallError, PlanError } from "./errors.js";
import { isMap, isThenable } from "./guards.js";
import type { Kind } from "./option-kinds.js";
import { assertOptions, type Kinds } from "./options.js";
import { jsonFlaw } from "./json-values.js";
import { jsonError } from "./normalize-tools.js";
import { isToolList } from "./tool-sources.js";
import type {
  CallOptions,
  FunctionTool,
  FunctionTools,
  StandardIssue,
  StandardSchema,
  ToolAnnotations,
  ToolClient,
  ToolInfo,
  ToolLike,
  ToolSources,
} from "./types.js";

/** The engine knows this draft's keywords. */
const TARGET = { target: "draft-2020-12" };

const ANNOTATIONS: Readonly<Record<keyof ToolAnnotations, Kind>> = {
  title: "text",
  readOnlyHint: "flag",
  destructiveHint: "flag",
  idempotentHint: "flag",
  openWorldHint: "flag",
};

const TOOL: Kinds<FunctionTool> = {
  description: "text",
  input: "any",
  output: "any",
  annotations: ANNOTATIONS,
  run: "function",
};

/** @internal `of` names the caller in messages. */
export function functionClient(of: string, tools: FunctionTools, name = "functions"): ToolClient {
  // Shows mistakes at once. Later lists follow the map.
  listFunctions(of, tools);
  return {
    name,
    list: async () => listFunctions(of, tools),
    call: async (called, args, about) => {
      const tool = Object.hasOwn(tools, called) ? tools[called] : undefined;
      if (tool === undefined) throw new CallError("tool/unknown", `\`${name}\` has no tool \`${called}\``);
      return { value: await callFunction(called, tool, args, about), isError: false };
    },
    close: async () => {},
  };
}

/** @internal The same client each time, because clients are compared. */
export function toolClients(tools: ToolSources | undefined, of = "run"): readonly ToolClient[] | undefined {
  if (tools === undefined || isToolList(tools)) return tools;
  let client = clients.get(tools);
  if (client === undefined) clients.set(tools, (client = functionClient(of, tools)));
  return [client];
}

const clients = new WeakMap<FunctionTools, ToolClient>();

/** @internal */
export function toolList(of: string, tools: readonly ToolLike[] | FunctionTools): readonly ToolLike[] {
  return isToolList(tools) ? tools : listFunctions(of, tools);
}

/** @internal Also checks the option. */
export function listFunctions(of: string, tools: FunctionTools): ToolInfo[] {
  return Object.entries(tools).map(([name, tool]) => {
    const where = `tools.${name}`;
    if (typeof tool !== "object" || tool === null || typeof tool.run !== "function")
      throw new PlanError("api/bad-option", `\`${where}\` of \`${of}\` has no function \`run\``);
    assertOptions(`${where}\` of \`${of}`, tool, TOOL);
    const { description, input, output, annotations } = tool;
    // JSON would drop inherited hints, and with them an approval.
    if (annotations !== undefined && ![Object.prototype, null].includes(Object.getPrototypeOf(annotations) as null))
      throw new PlanError("api/bad-option", `\`${where}.annotations\` of \`${of}\` is no plain map`);
    const schema = input === undefined ? {} : jsonSchemaOf(input, "input", where, of);
    assertMapSchema(schema, where, of);
    return {
      name,
      ...(description !== undefined && { description }),
      input_schema: schema,
      ...(output !== undefined && { output_schema: jsonSchemaOf(output, "output", where, of) }),
      ...(annotations && { annotations: { ...annotations } }),
    };
  });
}

/** Other schemas have no names of arguments. */
function assertMapSchema({ type }: Record<string, unknown>, where: string, of: string): void {
  if (type === undefined || [type].flat().includes("object")) return;
  const given = typeof type === "string" ? `\`${type}\`` : "another type";
  const message = `\`${where}.input\` of \`${of}\` takes the schema of a map, not of ${given}`;
  throw new PlanError("api/bad-option", `${message}: arguments have names, as in \`{ a: 1 }\``);
}

function jsonSchemaOf(schema: unknown, side: "input" | "output", where: string, of: string): Record<string, unknown> {
  const problem = (reason: string) => new PlanError("api/bad-option", `\`${where}.${side}\` of \`${of}\` ${reason}`);
  if (!isStandard(schema)) {
    if (typeof schema !== "object" || schema === null || Array.isArray(schema))
      throw problem("takes a Standard Schema or a JSON Schema, which is a map");
    return schema as Record<string, unknown>;
  }
  const { vendor, jsonSchema } = schema["~standard"];
  if (jsonSchema === undefined) throw problem(`can't be written as JSON Schema: ${adviceFor(vendor)}`);
  try {
    const written = jsonSchema[side](TARGET);
    const reason = isMap(written) ? jsonError(written) : "it is no map";
    if (reason === null) return written;
    throw new TypeError(reason);
  } catch (error) {
    throw problem(`can't be written as JSON Schema: ${(error as Error).message}`);
  }
}

function adviceFor(vendor: string): string {
  if (vendor === "valibot") return "wrap it in `toStandardJsonSchema` of `@valibot/to-json-schema`";
  if (vendor === "zod") return "use zod 4.2 or later";
  return `\`${vendor}\` has no \`~standard.jsonSchema\`; give a JSON Schema, and validate in \`run\``;
}

/** Schemas of some libraries are functions. */
function isStandard(schema: unknown): schema is StandardSchema {
  const isHolder = (typeof schema === "object" && schema !== null) || typeof schema === "function";
  const standard = isHolder ? (schema as Partial<StandardSchema>)["~standard"] : undefined;
  return typeof standard?.validate === "function";
}

async function callFunction(
  name: string,
  tool: FunctionTool,
  args: Record<string, unknown>,
  options: CallOptions = {},
): Promise<unknown> {
  // The function must not change the run's values.
  const input = await validated(
    tool.input,
    structuredClone(args),
    "tool/invalid-arguments",
    `the map of arguments of \`${name}\``,
  );
  // Validation may exceed the call's time.
  options.signal?.throwIfAborted();
  // `this` must be the tool.
  const output = await tool.run(input, { ...options, signal: options.signal ?? new AbortController().signal });
  const result = await validated(
    tool.output,
    output === undefined ? null : output,
    "tool/invalid-result",
    `the result of \`${name}\``,
  );
  const flaw = jsonFlaw(result);
  if (flaw === null) return result;
  throw new CallError("tool/invalid-result", `the result of \`${name}\` can't be written as JSON: ${flaw}`);
}

/** JSON Schemas are for the engine. Standard Schemas may demand or convert more. */
async function validated(schema: unknown, value: unknown, code: string, what: string): Promise<unknown> {
  if (!isStandard(schema)) return value;
  const given = schema["~standard"].validate(value);
  const result = isThenable(given) ? await given : given;
  const { issues } = Object(result) as { issues?: unknown };
  if (issues === undefined && isMap(result)) return (result as { value: unknown }).value;
  const why = Array.isArray(issues) ? issues.map(describeIssue).join("; ") : "its schema returned no result";
  throw new CallError(code, `${what} is refused: ${why}`);
}

function describeIssue(issue: StandardIssue): string {
  const { message, path = [] } = Object(issue) as Partial<StandardIssue>;
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
  return keys.length === 0 ? `${message}` : `\`${keys.join(".")}\`: ${message}`;
}
