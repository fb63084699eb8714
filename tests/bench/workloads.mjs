// The workloads: shapes of plan, which every engine translates into its own terms.
//
// `linear-N`: N nodes in a row, edges without a condition.
//
// `loop-N`: two nodes, N rounds. One condition a round decides whether to continue.
//
// `branch-N`: N nodes in a row, five conditions on each. The fifth holds.
//
// `map-N-C`: one node that runs a graph of one node for each of N elements, C at once. Only for growth, and only for
// Stepgraph and the plain engine.
//
// A workload is {name, kind, ids, start, edges: [{from, to, condition}], calls, fan}. `kind` is the type of the
// handlers' values: `string` or `object`. `condition` is null or a result of `parseCondition`. `fan` is {list,
// concurrency} or undefined.

export const NAMES = ["linear-10", "linear-1000", "linear-10000", "loop-1000", "branch-100"];
export const KINDS = ["string", "object"];

const SHAPES = { linear, loop, branch, map };

/** `name` is as in `linear-10`. */
export function workload(name, kind) {
  const [shape, size, width] = name.split("-");
  const { ids, edges, calls, fan } = SHAPES[shape](Number(size), kind, Number(width));
  const parsed = edges.map(({ from, to, condition }) => ({
    from,
    to,
    condition: condition ? parseCondition(condition) : null,
  }));
  return { name, kind, ids, start: ids[0], edges: parsed, calls, fan };
}

function linear(size) {
  const ids = Array.from({ length: size }, (_, at) => `n${at}`);
  return { ids, edges: ids.slice(1).map((to, at) => ({ from: ids[at], to })), calls: size };
}

// The last answer is `done`. Then no condition matches, and the run ends.
function loop(rounds, kind) {
  const condition = kind === "object" ? "output.b.status==ok" : "last==ok";
  return {
    ids: ["a", "b"],
    edges: [
      { from: "a", to: "b" },
      { from: "b", to: "a", condition },
    ],
    calls: rounds * 2,
  };
}

function branch(size, kind) {
  const { ids } = linear(size);
  const edges = ids.slice(0, -1).flatMap((from, at) =>
    conditions(kind, from).map((condition, arm, all) => {
      const skipped = all.length - 1 - arm;
      return { from, to: ids[Math.min(at + 1 + skipped, size - 1)], condition };
    }),
  );
  return { ids, edges, calls: size };
}

function map(size, _kind, concurrency) {
  return {
    ids: ["each"],
    edges: [],
    calls: size,
    fan: { list: Array.from({ length: size }, (_, at) => at), concurrency },
  };
}

function conditions(kind, id) {
  return kind === "object"
    ? [
        "last.status==retry",
        "last.score==-1",
        `output.${id}.items.3==zzz`,
        "last.items.contains:zzz",
        `output.${id}.status==ok`,
      ]
    : ["last==retry", "last==again", `output.${id}==stop`, "last.contains:zzz", "last==ok"];
}

/** Parses a condition: `{text, node, path, operator, literal, number}`. `node` is null for `last`. */
export function parseCondition(text) {
  const [, root, operator, literal] = /^(.*?)(==|!=|\.contains:)(.*)$/.exec(text);
  const [head, ...keys] = root.split(".");
  const node = head === "output" ? keys.shift() : null;
  return { text, node, path: keys, operator, literal, number: literal.trim() === "" ? NaN : Number(literal) };
}

/** Returns the workload as a plan document. */
export function planDocument({ ids, start, edges, fan }) {
  if (fan)
    return {
      nodes: {
        each: { type: "map", with: { concurrency: fan.concurrency }, do: { nodes: { one: { type: "work" } } } },
      },
    };
  return {
    start,
    nodes: Object.fromEntries(ids.map((id) => [id, { type: "work" }])),
    edges: edges.map(({ from, to, condition }) => (condition ? { from, to, condition: condition.text } : { from, to })),
  };
}

/**
 * Returns the handler of every node and a counter of its calls. The handler returns a promise, unless `sync` is set.
 * Each call builds a new object.
 */
export function work({ kind, calls }, { sync = false } = {}) {
  const seen = { calls: 0 };
  const status = () => (++seen.calls === calls ? "done" : "ok");
  const answer =
    kind === "string"
      ? status
      : () => {
          const word = status();
          return { status: word, score: seen.calls, items: ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] };
        };
  return { seen, handler: sync ? answer : async () => answer() };
}

/** Counts events and keeps the last one, so that the JavaScript engine cannot optimise them away. */
export function listener() {
  const heard = { events: 0, last: null };
  return {
    heard,
    onEvent: (event) => {
      heard.events++;
      heard.last = event;
    },
  };
}
