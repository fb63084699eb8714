/**
 * Rejects unknown options and wrong values: a misspelt option would be a limit that does not hold.
 *
 * Invariants: undefined options are absent, except a lost `snapshot` next to `decisions`. No message shows a possible
 * secret.
 */
import { assertDecisions } from "./assert-decisions.js";
import { PlanError } from "./errors.js";
import { type KindMismatch, findMismatch, type Kind, describeKind, describeValue } from "./option-kinds.js";
import { isMap } from "./guards.js";
import { closestName } from "./suggest.js";
import type { ChatOptions, Limits, RunOptions } from "./types.js";

/** @internal The compiler checks completeness. */
export type Kinds<T> = Record<keyof Required<T>, Kind | Readonly<Record<string, Kind>>>;

const CLIENTS = "[].list.call" satisfies Kind;
const FUNCTIONS = "{}.run" satisfies Kind;
/** @internal */
export const TOOLS = "tools" satisfies Kind;

/** @internal Snapshots and limits have checks and codes of their own. */
export const RUN: Kinds<RunOptions> = {
  input: "any",
  outputs: "map",
  memory: "any",
  context: "map",
  handlers: "{}function",
  byId: "{}function",
  tools: TOOLS,
  models: "{}function|.chat",
  stubs: "map",
  limits: "any",
  prices: "map",
  signal: "signal",
  onApproval: "function",
  allow: "flag|[]text",
  decisions: "map",
  snapshot: "any",
  key: "key",
  acceptChangedPlan: "flag|=proved",
  onEvent: "function",
  onUpdate: "function",
  onCall: "function",
  clock: ".now.after",
  trace: "flag",
  record: "function",
  replay: "text|[]text",
  planHash: "text|map",
  lock: ".drift.refusal",
  runId: "text",
  store: ".run",
};

/** @internal */
export const CHAT: Kinds<ChatOptions> = { signal: "signal", call: "text", onDelta: "function", trace: "map" };

const LIMITS: Kinds<Limits> = {
  visits: "count",
  steps: "count",
  calls: "count",
  timeout_ms: "amount",
  tokens: "amount",
  usd: "amount",
  input_price: "amount",
  output_price: "amount",
  max_output: "count",
  output_bytes: "amount",
};

/** @internal `elsewhere` has advice on options of other functions. */
export function assertOptions<T extends object>(
  of: string,
  given: T,
  known: Kinds<T>,
  elsewhere: Readonly<Record<string, string>> = {},
): void {
  assertKind(of, "options", given, "map");
  for (const name in given) {
    const value = given[name];
    if (value === undefined) continue;
    // A copy would lose it.
    if (!Object.hasOwn(given, name))
      throw new PlanError("api/bad-option", `\`${name}\` of \`${of}\` is inherited: pass options as own keys`);
    if (Object.hasOwn(known, name)) assertOption(of, name, value, known[name]);
    else throw unknownOption(`\`${of}\``, name, Object.keys(known), elsewhere);
  }
}

function assertOption(of: string, name: string, value: unknown, kind: Kind | Readonly<Record<string, Kind>>): void {
  if (typeof kind === "string") return assertKind(of, name, value, kind);
  assertKind(of, name, value, "map");
  for (const [inner, one] of Object.entries(value as object)) {
    if (one === undefined) continue;
    if (!Object.hasOwn(kind, inner)) throw unknownOption(`\`${name}\` of \`${of}\``, inner, Object.keys(kind));
    assertKind(of, `${name}.${inner}`, one, kind[inner]!);
  }
}

/** @internal */
export function assertKind(of: string, name: string, value: unknown, given: Kind): void {
  const kind = given === TOOLS ? kindOfTools(value) : given;
  const mismatch = findMismatch(kind, value);
  if (mismatch !== null) throw optionError("api/bad-option", of, name, mismatch, toolsHelp(kind, mismatch.value));
  if (kind === CLIENTS) assertNames(of, name, value as readonly { name?: unknown }[]);
}

/** A frequent mistake. */
function toolsHelp(kind: Kind, value: unknown): string {
  const isFunctions = kind === CLIENTS && isMap(value) && findMismatch(FUNCTIONS, value) === null;
  return isFunctions && Object.keys(value).length > 0 ? ": wrap functions in `functions({ … })`" : "";
}

/** A lone client is a frequent mistake. */
function kindOfTools(value: unknown): Kind {
  return isMap(value) && typeof value.list !== "function" ? FUNCTIONS : CLIENTS;
}

/** @internal */
export function kindOfToolList(value: unknown): Kind {
  return isMap(value) ? FUNCTIONS : "[]map";
}

/** Tool names would depend on order. */
function assertNames(of: string, option: string, clients: readonly { name?: unknown }[]): void {
  const names = clients.map(({ name }) => name);
  const twice = names.findIndex((name, at) => names.indexOf(name) !== at);
  if (twice < 0) return;
  const which = typeof names[twice] === "string" ? `called \`${names[twice]}\`` : "without a name";
  throw new PlanError(
    "api/bad-option",
    `two clients in \`${option}\` of \`${of}\` are ${which}: give each a \`name\` of its own`,
  );
}

function optionError(code: string, of: string, name: string, { at, kind, value }: KindMismatch, help = ""): PlanError {
  return new PlanError(
    code,
    `\`${name}${at}\` of \`${of}\` takes ${describeKind(kind)}, not ${describeValue(value, kind)}${help}`,
  );
}

function unknownOption(
  where: string,
  name: string,
  names: readonly string[],
  elsewhere: Readonly<Record<string, string>> = {},
): PlanError {
  const instead = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined;
  const suggestion = closestName(name, names);
  const guess = suggestion === null ? "" : ` (did you mean \`${suggestion}\`?)`;
  const help = instead === undefined ? `${guess}; it takes ${names.join(", ")}` : `: ${instead}`;
  return new PlanError("api/unknown-option", `${where} takes no \`${name}\`${help}`);
}

/** @internal */
export const STORE_OPTIONS: Readonly<Record<string, string>> = {
  takeOver: "call `store.run(graph, { takeOver: true })`",
  approvals: 'call `store.run(graph, { approvals: "wait" })`',
};

/** @internal Prices have a check of their own, which few runs need. */
export function assertRunOptions(options: RunOptions, of = "run"): void {
  assertOptions(of, options, RUN, STORE_OPTIONS);
  assertLimits(options.limits, of);
  assertDecisions(options, of);
}

/** @internal */
export function assertLimits(limits: Limits | undefined | null, of: string): void {
  if (limits === undefined || limits === null) return;
  assertKind(of, "limits", limits, "map");
  for (const [name, value] of Object.entries(limits) as [keyof Limits, unknown][]) {
    if (value === undefined) continue;
    if (!Object.hasOwn(LIMITS, name)) throw unknownOption(`\`limits\` of \`${of}\``, name, Object.keys(LIMITS));
    const kind = LIMITS[name] as Kind;
    if (findMismatch(kind, value) === null && value !== Infinity) continue;
    throw optionError("api/bad-limit", of, `limits.${name}`, { at: "", kind, value });
  }
}
