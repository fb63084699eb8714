/** Stubs in plain JavaScript: a host for the suite, and a second implementation to check the engine's own stubs. */
import { check } from "../../dist/node.js";

/** Older names of node types. All other unknown types become `noop`. */
const ALIASES = { llm_call: "llm", validation: "decision" };

const FAILED = { types: "handler/failed", nodes: "handler/failed", tools: "tool/failed", models: "model/failed" };

/** Collects the ids of nodes with their own input, at any depth. */
function nodesWithInput(nodes, found) {
  for (const [key, node] of Object.entries(nodes ?? {})) {
    if ((node?.input ?? null) !== null) found.add(node.id ?? key);
    for (const graph of [node?.graph, node?.do, ...Object.values(node?.branches ?? {})])
      nodesWithInput(graph?.nodes, found);
  }
}

/** The stubs of one case, for one run of its plan. */
export class StubSet {
  #graph;
  #stubs;
  /** Ids of the nodes that have an input of their own. */
  #own = new Set();
  /** The number of calls of each sequence. */
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
        // Stubs call nothing real and need no approval by default. A client must declare that in its annotations.
        annotations: annotations ?? { destructiveHint: false },
      };
      return { name, ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)) };
    });
  }

  /** Returns the capabilities for a machine. */
  offer() {
    const { types, nodes, models } = this.#stubs;
    return {
      types: Object.keys(types),
      ids: Object.keys(nodes),
      models: Object.keys(models),
      tools: this.#toolInfos(),
    };
  }

  /** Returns the report of a plan that cannot run on this host, or null. */
  refusal() {
    const { types, nodes, models } = this.#stubs;
    const diagnostics = check(this.#graph, { handlers: types, byId: nodes, models, tools: this.#toolInfos() });
    const first = diagnostics.find((problem) => problem.severity === "error");
    return first
      ? { outcome: { type: "failed", code: "run/invalid-plan", message: first.message }, diagnostics }
      : null;
  }

  /**
   * Returns the options of `run`.
   *
   * `timing` turns a value, a delay and an optional failure into a handler's result. Tools are a client, or stubs if
   * `client` is false.
   */
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

  /** Returns the event that answers a command, without call and time. */
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
    // A type without a handler of that name may be an older name of another type.
    return ["types", Object.hasOwn(this.#stubs.types, type) ? type : (ALIASES[type] ?? "noop"), command.input];
  }

  #model(name) {
    return name !== null && Object.hasOwn(this.#stubs.models, name) ? name : "default";
  }

  #ownInput(id, input) {
    return this.#own.has(id) ? input : null;
  }

  /** Returns the next behaviour of a sequence. The last one repeats. */
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

/** Returns the case that matches the value of a parameter. */
function matchingCase({ by, cases, else: other }, given) {
  const value = given?.[by];
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return Object.hasOwn(cases, text) ? cases[text] : (other ?? { fail: `there is no case for this \`${by}\`` });
}

/** Turns a value into a model's reply: a text, a reply with calls, or the value as JSON. */
function asReply(value) {
  if (typeof value !== "object" || value === null) return value;
  // A tool plan has calls, too, but their form differs from tool calls of a model.
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
