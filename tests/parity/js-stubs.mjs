/** Stubs in plain JavaScript: the suite's host, and a second implementation to check the engine's. */
import { check } from "../../dist/node.js";

/** Older names. All other unknown types become `noop`. */
const ALIASES = { llm_call: "llm", validation: "decision" };

const FAILED = { types: "handler/failed", nodes: "handler/failed", tools: "tool/failed", models: "model/failed" };

function nodesWithInput(nodes, found) {
  for (const [key, node] of Object.entries(nodes ?? {})) {
    if ((node?.input ?? null) !== null) found.add(node.id ?? key);
    for (const graph of [node?.graph, node?.do, ...Object.values(node?.branches ?? {})])
      nodesWithInput(graph?.nodes, found);
  }
}

export class StubSet {
  #graph;
  #stubs;
  #own = new Set();
  #asked = new Map();

  constructor(graph, stubs) {
    this.#graph = graph;
    this.#stubs = { types: {}, nodes: {}, tools: {}, models: {}, ...stubs };
    const { nodes } = graph.toJSON();
    nodesWithInput(nodes, this.#own);
  }

  #toolInfos() {
    return Object.entries(this.#stubs.tools).map(([name, stub]) => {
      const { description, annotations, ...more } = typeof stub === "string" ? {} : stub;
      // Stubs may use the field names of MCP.
      const { inputSchema, outputSchema, input_schema = inputSchema, output_schema = outputSchema } = more;
      const silent = !(description ?? input_schema ?? output_schema ?? annotations);
      const told = {
        description: silent ? "a stub" : description,
        input_schema: input_schema ?? {},
        output_schema,
        // Stubs need no approval by default, which a client must declare in its annotations.
        annotations: annotations ?? { destructiveHint: false },
      };
      return { name, ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)) };
    });
  }

  offer() {
    const { types, nodes, models } = this.#stubs;
    return {
      types: Object.keys(types),
      ids: Object.keys(nodes),
      models: Object.keys(models),
      tools: this.#toolInfos(),
    };
  }

  /** Null if the plan can run on this host. */
  refusal() {
    const { types, nodes, models } = this.#stubs;
    const diagnostics = check(this.#graph, { handlers: types, byId: nodes, models, tools: this.#toolInfos() });
    const first = diagnostics.find((problem) => problem.severity === "error");
    return first
      ? { outcome: { type: "failed", code: "run/invalid-plan", message: first.message }, diagnostics }
      : null;
  }

  /** `timing` turns a value, a delay and an optional failure into a handler's result. */
  host(timing, { client: asClient = true } = {}) {
    const { types, nodes, tools, models } = this.#stubs;
    const handler = (group) => (name) => (node, state) => {
      const { value, writes, delay, failure } = this.#do(group, name, {
        echo: node.input,
        input: this.#ownInput(node.id, node.input),
        last: state.last,
      });
      for (const [key, written] of Object.entries(writes)) state.write(key, written);
      return timing(value, delay, failure);
    };
    const model = (name) => (request) => {
      const { value, delay, failure } = this.#do("models", name, { echo: lastUserText(request) });
      return timing(asReply(value), delay, failure);
    };
    const client = {
      name: "stand",
      list: async () => this.#toolInfos(),
      call: async (name, args) => {
        const { value, delay, failure } = this.#do("tools", name, { echo: args });
        return { value: await timing(value, delay, failure), isError: false };
      },
      close: async () => {},
    };
    return {
      handlers: mapped(types, handler("types")),
      byId: mapped(nodes, handler("nodes")),
      models: mapped(models, model),
      ...(Object.keys(tools).length === 0 ? {} : asClient ? { tools: [client] } : { stubs: { tools } }),
    };
  }

  answer(command, last) {
    const [group, name, echo] = this.#whom(command);
    const { value, writes, delay, failure } = this.#do(group, name, {
      echo,
      input: this.#ownInput(command.node, command.input),
      last,
    });
    if (failure) return { type: "call-failed", code: failure.code, message: failure.message, delay };
    if (group === "models") {
      const reply = asReply(value);
      return {
        type: "call-done",
        reply: typeof reply === "string" ? { text: reply, finish: "stop", usage: null } : reply,
        delay,
      };
    }
    return { type: "call-done", output: value, writes, delay };
  }

  #whom(command) {
    if (command.type === "call-tool") return ["tools", command.tool, command.arguments];
    if (command.type === "call-model")
      return ["models", this.#model(command.request.model), lastUserText(command.request)];
    const { type } = this.#graph.nodes.find(
      ({ id, scope }) => (scope === undefined ? id : `${scope}/${id}`) === command.nodePath,
    );
    for (const name of [command.nodePath, command.node])
      if (Object.hasOwn(this.#stubs.nodes, name)) return ["nodes", name, command.input];
    return ["types", Object.hasOwn(this.#stubs.types, type) ? type : (ALIASES[type] ?? "noop"), command.input];
  }

  #model(name) {
    return name !== null && Object.hasOwn(this.#stubs.models, name) ? name : "default";
  }

  #ownInput(id, input) {
    return this.#own.has(id) ? input : null;
  }

  #next(behaviour) {
    const asked = this.#asked.get(behaviour) ?? 0;
    this.#asked.set(behaviour, asked + 1);
    return behaviour.sequence[Math.min(asked, behaviour.sequence.length - 1)];
  }

  #do(group, name, words) {
    let behaviour = this.#stubs[group][name];
    let delay = behaviour.delay_ms ?? 0;
    while (behaviour.sequence || behaviour.by) {
      behaviour = behaviour.by ? matchingCase(behaviour, words.echo) : this.#next(behaviour);
      delay += behaviour.delay_ms ?? 0;
    }
    if (typeof behaviour === "string") return { value: words[behaviour], writes: {}, delay };
    if ("fail" in behaviour)
      return {
        failure: Object.assign(new Error(behaviour.fail), { code: behaviour.code ?? FAILED[group] }),
        writes: {},
        delay,
      };
    return { value: behaviour.return, writes: behaviour.writes ?? {}, delay };
  }
}

function matchingCase({ by, cases, else: other }, given) {
  const value = given?.[by];
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return Object.hasOwn(cases, text) ? cases[text] : (other ?? { fail: `there is no case for this \`${by}\`` });
}

function asReply(value) {
  if (typeof value !== "object" || value === null) return value;
  // Calls of a tool plan have another form than a model's tool calls.
  const asks = value.tool_calls?.every((call) => "name" in call);
  if (!("text" in value) && !asks) return JSON.stringify(value);
  return { text: "", usage: null, finish: value.tool_calls?.length ? "tool_calls" : "stop", ...value };
}

function lastUserText(request) {
  return request.messages.findLast((message) => message.role === "user")?.content ?? null;
}

function mapped(map, make) {
  return Object.fromEntries(Object.keys(map).map((name) => [name, make(name)]));
}
