/** Renders tools. Shows as much schema as fits on a line. References stay within their schema, and cycles end. */
import { effectOf } from "../package-internals.js";
import type { ToolInfo } from "../types.js";
import type { RenderOptions } from "../terminal/diagnostics.js";
import { briefJson, clip, visible, width, wrap } from "../terminal/text.js";

type Schema = Record<string, unknown>;

const MAX_DEPTH = 2;

export function renderTool(
  tool: ToolInfo,
  { style, columns }: RenderOptions,
  name = tool.name,
  verbose = false,
): string[] {
  const result = tool.output_schema ? typeOf(tool.output_schema, tool.output_schema, MAX_DEPTH) : "";
  const text = visible((tool.description ?? "").replace(/\s+/g, " "));
  return [
    ...formatSignature(
      visible(name),
      members(tool.input_schema, tool.input_schema, MAX_DEPTH),
      ["", "any"].includes(result) ? "" : ` → ${result}`,
      { style, columns },
    ),
    ...indented(text, columns),
    ...indented(unavailable(tool), columns),
    ...indented(effects(tool), columns).map(style.dim),
    ...(verbose ? parameterLines(tool, { style, columns }) : []),
  ];
}

/** One line if it fits, else one per parameter. */
function formatSignature(
  name: string,
  parameters: string[],
  result: string,
  { style, columns }: RenderOptions,
): string[] {
  const rest = `(${parameters.join(", ")})${result}`;
  if (width(name) + width(rest) <= columns) return [style.bold(name) + rest];
  if (parameters.length === 0) return [style.bold(name) + clip(rest, Math.max(20, columns - width(name)))];
  return [
    `${style.bold(name)}(`,
    ...parameters.map((parameter) => `  ${clip(parameter, Math.max(20, columns - 4))},`),
    clip(`)${result}`, columns),
  ];
}

function unavailable({ unavailable: reason }: ToolInfo): string {
  return reason ? `can't be called (graph/unavailable-tool): ${visible(reason)}` : "";
}

function effects(tool: ToolInfo): string {
  const effect = effectOf(tool);
  const words = [EFFECTS[effect], effect !== "reads" && tool.annotations?.idempotentHint === true && "safe to repeat"];
  return words.filter(Boolean).join(", ");
}

const EFFECTS = { reads: "reads only", destroys: "may destroy", writes: "does not destroy", unknown: "" };

/** Only those with a description or limits. */
function parameterLines({ input_schema: schema }: ToolInfo, { style, columns }: RenderOptions): string[] {
  return Object.entries(record(schema.properties)).flatMap(([name, given]) => {
    const property = resolve(record(given), schema);
    const bounds = [
      "minimum",
      "maximum",
      "minLength",
      "maxLength",
      "pattern",
      "format",
      "minItems",
      "maxItems",
    ].flatMap((key) => (property[key] === undefined ? [] : [`${key} ${briefJson(property[key], 40)}`]));
    const details = [property.description ?? record(given).description, ...bounds].filter(
      (text) => typeof text === "string" && text !== "",
    );
    if (details.length === 0) return [];
    const [first = "", ...rest] = wrap(
      visible(details.join(", ").replace(/\s+/g, " ")),
      Math.max(20, Math.min(columns, 100) - 10 - width(name)),
    );
    return [`      ${style.bold(visible(name))}  ${first}`, ...rest.map((line) => " ".repeat(8 + width(name)) + line)];
  });
}

function indented(text: string, columns: number): string[] {
  return wrap(text, Math.max(20, Math.min(columns, 100) - 4)).map((line) => `    ${line}`);
}

/** `city: string, units?: "c" | "f" = "c"` */
export function parameters(schema: Schema): string {
  return members(schema, schema, MAX_DEPTH).join(", ");
}

function members(schema: Schema, root: Schema, depth: number): string[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(record(schema.properties)).map(([name, given]) => {
    const property = record(given);
    const otherwise =
      property.default === undefined || property.default === null ? "" : ` = ${briefJson(property.default, 30)}`;
    return `${visible(name)}${required.includes(name) ? "" : "?"}: ${typeOf(property, root, depth - 1)}${otherwise}`;
  });
}

function typeOf(given: Schema, root: Schema, depth: number): string {
  const schema = resolve(given, root);
  if (Array.isArray(schema.enum)) return unionType(schema.enum, (value) => briefJson(value, 30));
  if ("const" in schema) return briefJson(schema.const, 30);
  const choice = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (choice) return unionType(choice, (item) => typeOf(record(item), root, depth));
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, root, depth)).join(" | ");
  if (schema.type === "array") return arrayType(typeOf(record(schema.items), root, depth));
  const inner = schema.properties !== undefined && depth > 0 ? members(schema, root, depth).join(", ") : "";
  if (inner !== "") return `{${inner}}`;
  return typeof schema.type === "string" ? visible(schema.type) : "any";
}

/** Each alternative once. */
function unionType(items: unknown[], show: (item: unknown) => string): string {
  const kinds = [...new Set(items.slice(0, 8).map(show))];
  return `${kinds.join(" | ")}${items.length > 8 ? " | …" : ""}`;
}

function arrayType(item: string): string {
  return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
}

/** A cycle or a missing target becomes `any`. */
function resolve(schema: Schema, root: Schema): Schema {
  let found = schema;
  for (let step = 0; step < 8 && typeof found.$ref === "string"; step++) {
    if (!found.$ref.startsWith("#/")) return {};
    const path = found.$ref
      .slice(2)
      .split("/")
      .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
    found = path.reduce<Schema>((at, key) => record(Object.hasOwn(at, key) ? at[key] : undefined), root);
  }
  return typeof found.$ref === "string" ? {} : found;
}

function record(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}
