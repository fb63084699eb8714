/** Normalizes the forms that other collections use for tools, plans and faults. */

/** The classes of faults, with the codes that find them and their aliases. */
export const CLASSES = [
  {
    name: "unknown tool",
    codes: ["plan/unknown-tool"],
    aliases: "wrong tool, invalid tool, nonexistent tool, hallucinated tool, tool name, bad tool, unknown tool name",
  },
  {
    name: "missing required",
    codes: ["plan/missing-parameter"],
    aliases:
      "missing required argument, missing required parameter, missing argument, missing parameter, missing param, missing required param, missing arg, required, missing",
  },
  {
    name: "wrong type",
    codes: ["plan/invalid-type"],
    aliases: "invalid type, type mismatch, bad type, type error, type, incorrect type, wrong argument type",
  },
  {
    name: "out of enum",
    codes: ["plan/invalid-value"],
    aliases:
      "enum, invalid enum, enum violation, not in enum, bad enum, wrong enum, enum value, invalid enum value, out of enum value",
  },
  {
    name: "unknown argument",
    codes: ["plan/unknown-parameter"],
    aliases:
      "unknown parameter, unknown param, extra argument, extra parameter, unexpected argument, unexpected parameter, hallucinated argument, hallucinated parameter, additional property, unknown arg, extra arg",
  },
  {
    name: "dangling reference",
    codes: ["plan/bad-reference"],
    aliases:
      "dangling, dangling ref, bad reference, invalid reference, unresolved reference, broken reference, reference, unknown reference, reference out of range",
  },
  {
    name: "forward reference",
    codes: ["plan/bad-reference"],
    aliases: "forward, forward ref, self reference, self ref, circular reference, reference order",
  },
  {
    name: "absent output field",
    codes: ["plan/bad-reference"],
    aliases:
      "reference to an absent output field, absent field, absent output, missing output field, missing field, unknown output field, unknown field, wrong output field, bad output field, absent output field reference, nonexistent output field, invalid output field, reference to absent output field, reference to absent field",
  },
  {
    name: "out of bounds",
    codes: ["plan/invalid-value"],
    aliases: "out of range, bounds, range, pattern, invalid value, bad value, constraint, minimum, maximum, length",
  },
  {
    name: "malformed plan",
    codes: ["plan/not-json", "plan/invalid-type", "plan/too-many-calls", "plan/unknown-tool"],
    aliases: "malformed, not json, no json, invalid json, syntax, schema",
  },
  {
    name: "missing context",
    codes: ["plan/missing-context", "plan/untrusted-value"],
    aliases: "context, untrusted, untrusted value, trusted",
  },
];

const SOUND = new Set([
  "",
  "none",
  "no",
  "no fault",
  "sound",
  "ok",
  "valid",
  "correct",
  "clean",
  "gold",
  "null",
  "false",
]);

const plain = (name) =>
  String(name)
    .toLowerCase()
    .replace(/^plan\//, "")
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
const byName = new Map();
for (const { name, codes, aliases } of CLASSES) {
  for (const alias of [name, ...aliases.split(", "), ...(codes.length === 1 ? codes : [])])
    if (!byName.has(plain(alias))) byName.set(plain(alias), name);
}

const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const ownValue = (map, key) => (isMap(map) && Object.hasOwn(map, key) ? map[key] : undefined);
const first = (map, ...keys) =>
  keys.map((key) => ownValue(map, key)).find((value) => value !== undefined && value !== null);

/** Returns the entry of a parsed line, or the reason why it is not one. */
export function entry(json, place) {
  if (!isMap(json)) return "no JSON object";
  const tools = parsed(first(json, "tools", "functions", "tool_list"));
  if (!Array.isArray(tools)) return "`tools` is no list";
  const known = tools.map(tool);
  const odd = known.indexOf(null);
  if (odd >= 0) return `tool ${odd} of \`tools\` has no name`;
  const plan = planOf(json);
  if (plan === undefined) return "no `plan`";
  const faults = faultsOf(first(json, "fault", "faults", "fault_class", "faultClass"));
  const id = first(json, "id", "name");
  return {
    id: id === undefined ? place : String(id),
    place,
    tools: known,
    plan,
    ...faults,
    context: ownValue(json, "context"),
    trusted: ownValue(json, "trusted"),
  };
}

/** Returns values other than JSON texts unchanged. */
function parsed(value) {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Reads a tool in any of these forms: `{name, …}`, `{type: "function", function: {…}}`, `{function: {…}}`. */
export function tool(json) {
  const inner = isMap(ownValue(json, "function")) ? json.function : json;
  const name = first(inner, "name", "tool_name");
  if (typeof name !== "string" || name === "") return null;
  const made = { name };
  if (typeof ownValue(inner, "description") === "string") made.description = inner.description;
  const input = schema(
    first(
      inner,
      "input_schema",
      "inputSchema",
      "parameters",
      "args_schema",
      "input_parameters",
      "query_parameters",
      "arguments",
    ),
  );
  const output = schema(first(inner, "output_schema", "outputSchema", "output_parameters", "returns", "response"));
  if (input !== undefined) made.input_schema = input;
  if (output !== undefined) made.output_schema = output;
  if (typeof ownValue(inner, "server") === "string") made.server = inner.server;
  return made;
}

/** Keys that only a JSON Schema has at its top level. */
const KEYWORDS = [
  "properties",
  "$ref",
  "$defs",
  "definitions",
  "items",
  "anyOf",
  "oneOf",
  "allOf",
  "enum",
  "const",
  "additionalProperties",
];

/** Reads a schema: an object, a text, a list of `{name, type, …}`, or a map from names to parameter schemas. */
function schema(given) {
  const json = parsed(given);
  if (typeof json === "boolean") return json;
  if (Array.isArray(json)) {
    if (!json.every((item) => typeof ownValue(item, "name") === "string")) return undefined;
    return { type: "object", properties: Object.fromEntries(json.map(({ name, ...rest }) => [name, rest])) };
  }
  if (!isMap(json)) return undefined;
  const names = Object.keys(json);
  const isSchema =
    names.length === 0 ||
    KEYWORDS.some((word) => names.includes(word)) ||
    (["string", "object"].includes(typeof ownValue(json, "type")) && !isMap(json.type));
  if (
    isSchema ||
    !names.every(
      (name) => isMap(json[name]) && (Object.hasOwn(json[name], "type") || Object.hasOwn(json[name], "description")),
    )
  )
    return json;
  return { type: "object", properties: json };
}

/** Returns the plan of an entry: `{tool_calls}`, a list of calls, or a text as a model wrote it. */
function planOf(json) {
  const given = first(json, "plan", "tool_plan") ?? (ownValue(json, "tool_calls") === undefined ? undefined : json);
  if (given === undefined) return undefined;
  const calls = Array.isArray(given) ? given : first(given, "tool_calls", "calls");
  return Array.isArray(calls) ? { tool_calls: calls.map(call) } : given;
}

/**
 * Reads a call: `{tool_name, parameters}`, `{name, arguments}` or `{function: {name, arguments}}`. The arguments are
 * data or text.
 */
function call(json) {
  if (!isMap(json) || Object.hasOwn(json, "tool_name")) return json;
  const inner = isMap(ownValue(json, "function")) ? json.function : json;
  const name = first(inner, "name", "tool");
  const parameters = parsed(first(inner, "parameters", "arguments", "args"));
  return name === undefined ? json : { tool_name: name, ...(parameters !== undefined && { parameters }) };
}

/** Returns the classes of the planted faults, and the names that match no class. */
function faultsOf(given) {
  const named = (Array.isArray(given) ? given : [given]).map((fault) =>
    isMap(fault) ? first(fault, "class", "type", "kind", "name") : fault,
  );
  const said = named.filter((name) => name !== undefined && name !== null && name !== false && !SOUND.has(plain(name)));
  const classes = said.map((name) => byName.get(plain(name)));
  return { faults: [...new Set(classes.filter(Boolean))], unknown: said.filter((_, at) => !classes[at]).map(String) };
}
