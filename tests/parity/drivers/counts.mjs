/** Counts plans, runs by driver, calls, and the node types and joins that ran. */

export class Counts {
  plans = 0;
  races = 0;
  calls = 0;
  outcomes = new Map();
  types = new Map();
  joins = new Map();
  ways = new Map();

  async of(way, work) {
    increment(this.ways, way);
    return work();
  }

  saw({ nodes }, { report, host }) {
    this.plans++;
    this.calls += host.made.length;
    increment(this.outcomes, report.outcome.code ?? report.outcome.type);
    const known = new Map();
    collect(nodes, known);
    for (const { type, node } of report.trace) {
      if (type !== "node-started") continue;
      const { type: kind, with: { join } = {} } = known.get(node);
      increment(this.types, kind);
      if (kind === "parallel" || kind === "map") increment(this.joins, `${kind} ${join ?? "all"}`);
    }
  }

  get runs() {
    return [...this.ways.values()].reduce((sum, count) => sum + count, 0);
  }

  toString() {
    const list = (map) =>
      [...map].sort(([, a], [, b]) => b - a).map(([name, count]) => `  ${String(count).padStart(8)}  ${name}`);
    const runs = `${this.runs} runs in ${this.ways.size} ways; ${this.calls} calls`;
    const head = `${this.plans} plans, ${this.races} of them races; ${runs}`;
    const groups = { "node types that ran": this.types, joins: this.joins, outcomes: this.outcomes, ways: this.ways };
    return [head, ...Object.entries(groups).flatMap(([name, map]) => [`${name}: ${map.size}`, ...list(map)])].join(
      "\n",
    );
  }
}

function increment(map, name) {
  map.set(name, (map.get(name) ?? 0) + 1);
}

function collect(nodes, known) {
  for (const [id, node] of Object.entries(nodes)) {
    known.set(id, node);
    for (const inner of [node.graph, node.do, ...Object.values(node.branches ?? {})])
      if (inner) collect(inner.nodes, known);
  }
}
