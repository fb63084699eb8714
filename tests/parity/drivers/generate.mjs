/**
 * Random plans with nodes of every type.
 *
 * A node's id controls its answers: `i` allows an immediate one, `n` none. Unless the plan is a race, at most one
 * outstanding call answers immediately, so all drivers must give the same trace. A time limit ends every plan.
 */
import { Random } from "./random.mjs";

export const JOINS = ["all", "any", "settled"];
const TOOLS = ["get", "put", "drop", "sample.find"];

export function generate(seed) {
  const random = new Random("plan", seed);
  const isRace = random.chance(0.25);
  const maker = new CaseGenerator(random, isRace);
  const graph = maker.graph(0, true, random.chance(0.15));
  const limits = { visits: 4, timeout_ms: 20_000, ...maker.bounds() };
  return {
    seed,
    plan: { ...graph, limits },
    isRace,
    input: { list: [1, "two", { three: 3 }].slice(0, random.below(4)), name: "Ada", n: random.below(5) },
    allow: random.pick([undefined, undefined, true, ["drop"]]),
    cancelAt: 1 + random.below(8),
  };
}

class CaseGenerator {
  #random;
  #isRace;
  #nodes = 0;
  #left;

  constructor(random, isRace) {
    this.#random = random;
    this.#isRace = isRace;
    this.#left = 4 + random.below(14);
  }

  bounds() {
    const random = this.#random;
    if (random.chance(0.85)) return {};
    return random.pick([{ steps: 6 }, { calls: 4 }, { tokens: 30 }, { output_bytes: 120 }, { timeout_ms: 90 }]);
  }

  graph(depth, isInstant, canWait) {
    const random = this.#random;
    const nodes = {};
    const ids = [];
    const edges = [];
    const add = (type, more) => {
      const id = this.#id(type, isInstant, canWait);
      nodes[id] = this.#node(type, depth, isInstant, canWait);
      Object.assign(nodes[id], more);
      ids.push(id);
      return id;
    };
    for (let left = 1 + random.below(depth === 0 ? 6 : 3); left > 0; left--) {
      this.#left--;
      const type = this.#type(depth);
      const before = ids.at(-1);
      const id = add(type);
      if (before !== undefined) this.#edge(edges, nodes, before, id);
      if (type === "react") {
        const tools = add("execute_tools", { input: "${output.tool_calls}" });
        edges.push({ from: id, to: tools, condition: "last==execute_tools" }, { from: tools, to: id });
        ids.pop();
      }
      if (type === "plan") this.#edge(edges, nodes, id, add("gather"));
    }
    this.#more(nodes, ids, edges);
    return { start: ids[0], nodes, edges };
  }

  #more(nodes, ids, edges) {
    const random = this.#random;
    for (const from of ids.slice(0, 4)) {
      if (random.chance(0.45)) {
        const id = `e${++this.#nodes}`;
        nodes[id] = { type: random.pick(["log", "noop", "greet"]), input: "${error.code}" };
        const condition = random.pick(["error.exists", "error.exists", "error.code==part/broken", "error.node.exists"]);
        edges.push({ from, to: id, condition });
        if (random.chance(0.3)) edges.push({ from: id, to: random.pick(ids) });
      }
    }
    const last = ids.at(-1);
    if (ids.length > 1 && random.chance(0.15)) {
      const known = { approve: "last==rejected" }[nodes[last].type] ?? "last.exists";
      edges.push({ from: last, to: ids[0], condition: hasFields(nodes[last]) ? "last.n > 2" : known });
    }
  }

  #edge(edges, nodes, from, to) {
    const random = this.#random;
    const conditions = ["last.exists", "!error.exists", hasFields(nodes[from]) ? "last.n < 7" : "last.exists"];
    if (random.chance(0.15)) edges.push({ from, to, condition: random.pick(conditions) });
    else edges.push({ from, to });
  }

  #id(type, isInstant, canWait) {
    const answersAtOnce = this.#isRace || (isInstant && this.#random.chance(0.7));
    return `${LETTERS[type] ?? "h"}${++this.#nodes}${answersAtOnce ? "i" : ""}${canWait ? "n" : ""}`;
  }

  #type(depth) {
    const fans = depth < 3 && this.#left > 0 ? 1 : 0;
    return this.#random.weighed({
      tool: 2,
      get: 0.5,
      llm: 2,
      agent: 1.5,
      plan: 0.8,
      gather: 0.8,
      execute_tools: 0.6,
      react: 0.8,
      approve: 1.2,
      log: 1.5,
      noop: 0.5,
      decision: 0.5,
      set: 0.8,
      wait: 0.8,
      greet: 2,
      special: 0.8,
      parallel: 2.5 * fans,
      map: 1.8 * fans,
      graph: 1 * fans,
    });
  }

  #node(type, depth, isInstant, canWait) {
    const random = this.#random;
    const node = { type, ...this.#own(type, depth, isInstant, canWait) };
    const isCall = !["log", "noop", "decision", "set"].includes(type);
    if (isCall && random.chance(0.3)) node.retry = this.#retry();
    if (isCall && (canWait ? random.chance(0.5) : random.chance(0.2))) node.timeout_ms = 15 + random.below(150);
    return node;
  }

  #own(type, depth, isInstant, canWait) {
    const random = this.#random;
    const text = random.pick([
      "hello",
      "${input}",
      "${last}",
      depth === 0 ? "say ${input.name ?? 'nobody'}" : "say ${input}",
      "${memory.nothing ?? 1}",
    ]);
    switch (type) {
      case "tool": {
        const tool = random.pick(TOOLS);
        return { tool, input: tool === "put" ? { x: random.below(9) } : this.#arguments(depth) };
      }
      case "get":
        return { input: this.#arguments(depth) };
      case "llm":
        return { input: text, ...with_({ ...this.#model(), ...(random.chance(0.3) && { schema: SCHEMA }) }) };
      case "agent":
        return {
          input: text,
          ...with_({
            ...this.#model(),
            max_turns: 1 + random.below(3),
            ...(random.chance(0.5) && { tools: ["get", "drop"] }),
            ...(random.chance(0.2) && { schema: SCHEMA }),
          }),
        };
      case "plan":
        return { input: "what to do", ...with_({ attempts: 1 + random.below(2) }) };
      case "react":
        return { input: "what is new", ...with_({ max_turns: 1 + random.below(3) }) };
      case "gather":
        return {
          input: { tool_calls: this.#calls() },
          ...with_(!isInstant && random.chance(0.4) && { concurrency: 2 }),
        };
      case "execute_tools":
        return { input: this.#calls() };
      case "parallel":
        return this.#parallel(depth, isInstant, canWait);
      case "map":
        return this.#map(depth, isInstant, canWait);
      case "graph":
        return { graph: this.graph(depth + 1, isInstant, canWait) };
      case "set":
        return with_({ values: { n: random.below(9), text, deep: { list: [text, this.#sum(depth)] } } });
      case "wait":
        return with_(
          random.chance(0.8)
            ? { ms: random.below(40) }
            : { until: random.pick(depth === 0 ? TIMES : TIMES.slice(0, 2)) },
        );
      case "decision":
      case "noop":
        return {};
      default:
        return random.chance(0.7) ? { input: text } : {};
    }
  }

  #parallel(depth, isInstant, canWait) {
    const random = this.#random;
    const names = ["a", "b", "c"].slice(0, 2 + random.below(2));
    const quick = isInstant ? random.pick(names) : null;
    const settings = this.#join();
    const waits = canWait || (settings.join === "any" && random.chance(0.5));
    const branches = Object.fromEntries(
      names.map((name) => [name, this.graph(depth + 1, this.#isRace || name === quick, waits && name !== quick)]),
    );
    return { ...with_({ ...settings, ...this.#concurrency() }), branches };
  }

  #map(depth, isInstant, canWait) {
    const random = this.#random;
    // Only the run finds out that the last one is no list.
    const list = depth === 0 ? "${input.list}" : "${[last, 2]}";
    const input = random.pick([list, [1, 2], [1, 2, 3], ["x"], [], '${memory.list ?? "no list"}']);
    const one = random.chance(0.4) ? { concurrency: 1 } : {};
    const quick = this.#isRace || (isInstant && one.concurrency === 1);
    return {
      input,
      ...with_({ ...this.#join(), ...this.#concurrency(), ...one }),
      do: this.graph(depth + 1, quick, canWait),
    };
  }

  #join() {
    const join = this.#random.pick([undefined, ...JOINS]);
    return join === undefined ? {} : { join };
  }

  #concurrency() {
    return this.#random.chance(0.25) ? { concurrency: 1 + this.#random.below(2) } : {};
  }

  #retry() {
    const random = this.#random;
    return {
      attempts: 2 + random.below(2),
      ...(random.chance(0.6) && { backoff_ms: 3 + random.below(40) }),
      ...(random.chance(0.3) && { factor: 2 }),
      ...(random.chance(0.2) && { max_ms: 20 }),
      ...(random.chance(0.3) && { on: ["part/*", "node/timeout"] }),
    };
  }

  #model() {
    const random = this.#random;
    return {
      ...(random.chance(0.3) && { model: "small" }),
      ...(random.chance(0.2) && { system: "Be brief." }),
      ...(random.chance(0.2) && { conversation: "talk" }),
    };
  }

  #arguments(depth) {
    const name = depth === 0 ? "${input.name ?? 'nobody'}" : "${input}";
    return this.#random.pick([{ x: 1 }, { x: 2, y: name }, {}, { y: "${last}" }]);
  }

  #sum(depth) {
    return depth === 0 ? "${input.n + 1}" : "${size([last, 1]) * 2}";
  }

  #calls() {
    const random = this.#random;
    return Array.from({ length: random.below(4) }, (_, i) => ({
      tool_name: random.pick(["get", "put", "drop", "find"]),
      parameters: random.pick([{ x: i }, { x: i, y: "${last}" }]),
    }));
  }
}

/** Whether a condition may compare fields: the check knows the outputs of all other types. */
const hasFields = ({ type }) => type === "greet" || type === "special";

/** In the past, in virtual time, and none. */
const TIMES = ["1970-01-01T00:00:00Z", "1970-01-01T00:16:40.050Z", "${input.name}"];
const SCHEMA = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const LETTERS = { agent: "a", llm: "l", plan: "p", react: "r", gather: "g", execute_tools: "x", special: "s" };

function with_(settings) {
  return settings && Object.keys(settings).length > 0 ? { with: settings } : {};
}
