/**
 * A host that derives answers and times from a call's name alone, not from its caller or attempts.
 *
 * The manual driver uses `fate`, other drivers the rest.
 */
import { CallError } from "../../../dist/node.js";
import { canonicalText } from "../canonical.mjs";
import { hashOf, Random } from "./random.mjs";

const UNRESOLVED = new Promise(() => {});

const SHOP = [
  { name: "get", description: "gets", input_schema: { type: "object" } },
  { name: "put", input_schema: { type: "object", properties: { x: { type: "integer" } }, required: ["x"] } },
  { name: "drop", input_schema: { type: "object" }, annotations: { destructiveHint: true } },
];
const SAMPLE = [{ name: "find", input_schema: { type: "object" }, annotations: { readOnlyHint: true } }];

function specials(graph, found = []) {
  for (const [id, node] of Object.entries(graph.nodes)) {
    if (node.type === "special") found.push(id);
    for (const inner of [node.graph, node.do, ...Object.values(node.branches ?? {})]) if (inner) specials(inner, found);
  }
  return found;
}

export class Host {
  made = [];
  asked;
  #case;
  #time;

  /** `asked` has the times of an earlier process's calls, whose answers come at those times. */
  constructor(one, time, asked = new Map()) {
    this.#case = one;
    this.#time = time;
    this.asked = new Map(asked);
  }

  get options() {
    const { plan, allow } = this.#case;
    const handler = (node, state) => this.#handle(node, state);
    return {
      handlers: { greet: handler },
      byId: Object.fromEntries(specials(plan).map((id) => [id, handler])),
      models: {
        default: (request, options) => this.#reply(request, options),
        // A named model receives requests without its name.
        small: {
          name: "small",
          chat: async (request, options) => this.#reply({ ...request, model: "small" }, options),
        },
      },
      tools: [this.#client("shop", SHOP), this.#client("sample", SAMPLE)],
      ...(allow !== undefined && { allow }),
    };
  }

  get offer() {
    const { handlers, byId, models, tools, ...more } = this.options;
    const listed = [
      ...SHOP.map((tool) => ({ ...tool, server: "shop" })),
      ...SAMPLE.map((tool) => ({ ...tool, server: "sample" })),
    ];
    return {
      types: Object.keys(handlers),
      ids: Object.keys(byId),
      models: Object.keys(models),
      tools: listed,
      servers: tools.map(({ name }) => name),
      ...more,
    };
  }

  onApproval = (approval, signal) => {
    const { when, ...what } = this.#ask("approval", approval.call, approval.input);
    return this.#answer({ when, ...what }, signal);
  };

  /**
   * Returns `{ when, value }` or `{ when, failure }`. `when` is `now`, `soon`, `never`, or milliseconds after the
   * request.
   */
  fate({ type, call, tool, arguments: args, request, input }, state) {
    const kind = KINDS[type];
    // Clients receive the name from their own list.
    const what = { tool: { tool: tool?.split(".").at(-1), args: args ?? {} }, model: request }[kind] ?? input;
    const fate = this.#ask(kind, call, what);
    return kind === "handler" ? withReads(fate, state) : fate;
  }

  #handle(node, state) {
    const fate = withReads(this.#ask("handler", node.call, node.input), state);
    for (const [name, value] of Object.entries(fate.writes ?? {})) state.write(name, value);
    return this.#answer(fate, state.signal);
  }

  #reply(request, { call, signal }) {
    return this.#answer(this.#ask("model", call, request), signal);
  }

  #client(name, tools) {
    return {
      name,
      list: async () => tools,
      call: (tool, args, { call, signal }) => {
        const { failure, value, when } = this.#ask("tool", call, { tool, args });
        const result =
          failure?.code === "tool/failed" ? { value: null, isError: true, message: failure.message } : undefined;
        if (result !== undefined) return this.#answer({ when, value: result }, signal);
        return this.#answer({ when, failure, value: { value, isError: false } }, signal);
      },
      close: async () => {},
    };
  }

  #ask(kind, call, what) {
    this.made.push({ kind, call, what: canonicalText(what ?? null) });
    const now = this.#time.now();
    if (!this.asked.has(call)) this.asked.set(call, now);
    const fate = callOutcome(this.#case, kind, call, what);
    if (typeof fate.when !== "number") return fate;
    return { ...fate, when: Math.max(0, this.asked.get(call) + fate.when - now) };
  }

  #answer({ when, value, failure, isLost }, signal) {
    if (when === "never") return isLost ? UNRESOLVED : untilAborted(signal);
    if (when === "now") {
      if (failure) throw toError(failure);
      return value;
    }
    return new Promise((resolve, reject) => {
      const settleCall = () => (failure ? reject(toError(failure)) : resolve(value));
      if (when === "soon") queueMicrotask(settleCall);
      else this.#time.after(when, settleCall);
    });
  }
}

const KINDS = {
  "call-handler": "handler",
  "call-tool": "tool",
  "call-model": "model",
  "ask-approval": "approval",
};

function untilAborted(signal) {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(new Error("nobody wants it")), { once: true });
  });
}

function toError({ code, message }) {
  return code === undefined ? new Error(message) : new CallError(code, message);
}

/** Adds a hash of the state that a handler reads. */
function withReads(fate, state) {
  if (fate.value === undefined) return fate;
  const seen = hashOf(canonicalText([state.last ?? null, state.input ?? null, state.output("written") ?? null]));
  const value = { ...fate.value, seen };
  return { ...fate, value, ...(fate.writes && { writes: { written: seen } }) };
}

/** Scope, node, visit and attempt, then parts of single calls: agent turn, index in the turn, approval. */
const NAME = /(?:^|\/)([a-z])\d+(i?)(n?):\d+:(\d+)((?:\/\d+)*)(\/approval)?$/;

function callOutcome({ seed, isRace }, kind, call, what) {
  const random = new Random("call", seed, call);
  const [, letter = "h", instant = "", never = "", attempt = "1", own = "", approval = ""] = NAME.exec(call) ?? [];
  // The calls of one turn are outstanding together, unlike those of a `gather` and approvals.
  const isAlone = own.split("/").length < 3 || (letter === "g" && approval === "");
  const mayBeInstant = isRace || (instant !== "" && isAlone);
  const fails = random.chance(attempt === "1" ? 0.16 : 0.08);
  const when = mayBeInstant ? random.pick(["now", "soon", "late"]) : "late";
  // No two answers come at the same time.
  const late = isRace ? random.below(40) : 1 + random.next() * 120;
  if (never !== "" && kind !== "approval" && random.chance(0.4)) return { when: "never", isLost: random.chance(0.5) };
  const timed = { when: when === "late" ? late : when };
  if (kind === "approval") return { ...timed, ...decisionOf(random, what) };
  if (fails) return { ...timed, failure: failureOf(random, kind) };
  if (kind === "model") return { ...timed, value: replyOf(random, letter, own, what) };
  const value = { n: random.below(10), text: random.pick(["yes", "no", "\u{1f600}"]) };
  if (kind === "tool") return { ...timed, value: random.pick([value, value, 7, "text", [1, 2], null]) };
  return { ...timed, value, ...(random.chance(0.2) && { writes: {} }) };
}

function failureOf(random, kind) {
  const code = random.pick(["part/broken", "part/busy", undefined, kind === "tool" ? "tool/failed" : "other/one"]);
  return { ...(code && { code }), message: `it failed ${random.below(100)}` };
}

function decisionOf(random, asked) {
  const value = asked?.tool ? { x: random.below(9) } : { n: random.below(9) };
  const choice = random.pick(["approved", "approved", "approved", "rejected", "other", "throws"]);
  if (choice === "throws") return { failure: { message: "nobody is there" } };
  return { value: choice === "other" ? { value } : choice };
}

function replyOf(random, letter, own, request) {
  const usage = { input: random.below(9), output: random.below(9), cached_input: 0 };
  const names = (request?.tools ?? []).map(({ name }) => name);
  const text = random.pick(["fine", JSON.stringify({ n: random.below(5) }), "yes and no"]);
  if (letter === "p") return { text: planOf(random), finish: "stop", usage };
  const wantsTools = names.length > 0 && request.tool_choice !== "none" && random.chance(0.65);
  if (!wantsTools || letter === "l") return random.chance(0.3) ? text : { text, finish: "stop", usage };
  const submits = letter === "r" && random.chance(0.25);
  const calls = Array.from({ length: submits ? 1 : 1 + random.below(3) }, (_, i) => ({
    id: `c${own.slice(1)}-${i}`,
    name: submits
      ? "SubmitPlan"
      : random.chance(0.08)
        ? "unknown"
        : random.pick(names.filter((name) => name !== "SubmitPlan")),
    arguments: submits ? { query: ["a", "b"], rationale: "why" } : random.chance(0.05) ? "no map" : { x: i },
  }));
  return { text: random.pick(["", "let me see"]), tool_calls: calls, finish: "tool_calls", usage };
}

function planOf(random) {
  if (random.chance(0.15)) return "no plan at all";
  const tool_calls = Array.from({ length: random.below(3) }, (_, i) => ({
    tool_name: random.chance(0.1) ? "unknown" : random.pick(["get", "put"]),
    parameters: i > 0 && random.chance(0.4) ? { x: i, y: "${call[0] ?? 0}" } : { x: i },
    reasoning: "so",
  }));
  return JSON.stringify({
    plan: "p",
    tool_calls,
    reasoning: "r",
    needs_user_email: false,
    needs_context: [],
    response_strategy: "s",
  });
}
