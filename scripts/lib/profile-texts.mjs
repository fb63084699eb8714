/** Plans of the engine's profile. A feature that most plans use belongs into those of its group. */

/** These plans need only handlers. */
export const PLANS = [
  // Values of every kind, flow collections, comments, block texts.
  `# A comment
id: shop
description: |
  Two lines
  of text.
start: ask
nodes:
  ask:
    type: ask
    description: asks
    input: {q: "\${input}", n: 3, list: [1, 2.5, -3, true, null], deep: {a: {b: "c"}}}
    metadata: {team: a}
    retry: {attempts: 2, backoff_ms: 1, factor: 2, max_ms: 5}
    timeout_ms: 5000
  rate: {type: rate, input: "\${last.items[0].name} costs \${output.ask.items[0].price ?? 'nothing'}", visits: 9}
  count:
    type: set
    with:
      values:
        total: \${output.ask.items.map(i, i.price).size() + 1}
        cheap: \${output.ask.items.filter(i, i.price < 5 && i.name != "x")}
        text: \${string(1 + 2) + "a"}
  decide: {type: decision}
  say: {type: log, input: "done: \${output.count ?? null}"}
  none: {type: noop}
  sorry: {type: log, input: "\${error.code}: \${error.message}"}
edges:
  - {from: ask, to: sorry, condition: error.exists}
  - {from: ask, to: rate, condition: "last.kind == 'x' && last.items[0].price >= 2 && size(last.items) > 1"}
  - {from: ask, to: count, condition: "last.kind==y || last.items.exists(i, i.price > 2)"}
  - {from: ask, to: none}
  - {from: rate, to: ask, condition: "last.again == true && output.ask.n < 3"}
  - {from: rate, to: count, condition: "last.contains:ok"}
  - {from: rate, to: count, condition: "last.tags.contains:new"}
  - {from: rate, to: count, condition: default}
  - {from: count, to: decide}
  - {from: decide, to: say, condition: "!output.ask.nothing.exists && input!=null"}
  - {from: decide, to: none, condition: "input.prompt.startsWith('z')"}
`,
  `nodes:
  fan:
    type: parallel
    branches:
      a: {nodes: {x: {type: ask, input: "\${input}"}}}
      b: {nodes: {x: {type: rate}, y: {type: log}}, edges: [{from: x, to: y}]}
  each:
    type: map
    input: "\${output.fan.a.items}"
    with: {concurrency: 2}
    do: {nodes: {one: {type: rate, input: {item: "\${item.name}", at: "\${index}"}}}}
  some: {type: map, input: [1, 2, 3], with: {join: settled}, do: {nodes: {one: {type: shaky}}}}
  sub: {type: graph, graph: {start: a, nodes: {a: {type: ask}, b: {type: log}}, edges: [{from: a, to: b, condition: "last.n > 100"}]}}
edges:
  - {from: fan, to: each}
  - {from: each, to: some}
  - {from: some, to: sub}
`,
  // Graphs inside graphs, and lists without elements.
  `nodes:
  each:
    type: map
    input: [x, y]
    do: {nodes: {sub: {type: graph, input: own, graph: {nodes: {a: {type: log, input: "\${input} \${last}"}}}}}}
  none: {type: map, input: [], with: {join: settled}, do: {nodes: {one: {type: noop}}}}
  empty: {type: map, input: [], do: {nodes: {one: {type: rate}}}}
  own: {type: graph, input: own, graph: {nodes: {b: {type: log, input: "\${input} \${last} \${output.input}"}}}}
edges:
  - {from: each, to: none}
  - {from: none, to: empty}
  - {from: empty, to: own}
`,
  // `last` has two types, because two edges lead to one node.
  `nodes:
  a: {type: ask}
  b: {type: rate}
  c: {type: log, input: "\${last.n ?? last.ok ?? 'nothing'}: \${output.a.n + 1} \${output.a.n * 2 - 4 / 2}"}
  d: {type: log, input: "\${output.a.items.all(i, i.price > 0) ? output.a.items[0] : {'k': [1, -1]}}"}
edges:
  - {from: a, to: b, condition: "last.n > 1 && last.kind == \\"x\\""}
  - {from: a, to: c, condition: "last.n <= 1 || last.n < -1 || last.n != 3"}
  - {from: a, to: d, condition: "last.kind in ['x', 'y'] && !(last.items.size() == 0)"}
  - {from: a, to: d, condition: "output.a.kind.contains:x && last.kind.contains('x') && last.none==null"}
  - {from: b, to: c, condition: "last.ok == true || output.a.items[0].price >= output.a.n"}
  - {from: c, to: d, condition: "has(output.a.n) && last != ''"}
`,
  `start: a
nodes: {a: {type: ask}, b: {type: log}, c: {type: log}, d: {type: log}, e: {type: noop}}
edges:
  - {from: a, to: b, condition: last.n==7}
  - {from: a, to: c, condition: last.n==8}
  - {from: a, to: d, condition: last.kind==y}
  - {from: a, to: e, condition: last.n==2}
  - {from: a, to: d, condition: last.n > 8}
  - {from: a, to: b}
`,
  `start: work
nodes:
  work:
    type: work
  check:
    type: check
edges:
  - from: work
    to: check
  - from: check
    to: work
    condition: last.again==true
`,
];

/** So many nodes that tables replace lists. */
export function longPlan() {
  const names = Array.from({ length: 60 }, (_, at) => `n${at}`);
  const edges = names.slice(1).map((to, at) => ({ from: names[at], to, condition: `last.n==${at}` }));
  const more = names.slice(1).map((to, at) => ({ from: names[at], to }));
  return JSON.stringify({
    start: "n0",
    nodes: Object.fromEntries(names.map((name) => [name, { type: "work" }])),
    edges: [...edges, ...more],
  });
}

/** These need tools and models. */
export const CALLS = [
  `nodes:
  find:
    type: tool
    tool: find
    input: {text: "\${input}", kind: tea, limit: 5, tags: [a], exact: true, of: null, range: {from: 1.5}}
  say: {type: llm, input: "Say \${last.found[0].name}"}
edges: [{from: find, to: say}]
`,
  `nodes:
  look: {type: tool, tool: price, input: {item: "\${input}", n: 1}}
  tell: {type: llm, input: "Say \${last.price}", with: {system: Be short., max_tokens: 20, temperature: 0}}
  end: {type: tool, tool: echo, input: {message: "it is \${output.tell}"}}
edges:
  - {from: look, to: tell, condition: "last.price > 2"}
  - {from: tell, to: end}
`,
  `nodes:
  pick:
    type: llm
    input: "\${input}"
    with: {schema: {type: object, properties: {n: {type: number}}, required: [n]}}
  end: {type: tool, tool: echo, input: {message: "n is \${output.pick.n}"}}
edges: [{from: pick, to: end}]
`,
  `nodes:
  find:
    type: agent
    input: "\${input}"
    with: {system: You look things up., tools: [price, echo], max_turns: 4, conversation: c}
  write: {type: llm, input: "And \${last}", with: {conversation: c}}
edges: [{from: find, to: write}]
`,
  "nodes: {a: {type: agent, input: hi}}",
  `nodes:
  one: {type: llm, input: "\${input}", with: {conversation: c}}
  two: {type: llm, input: "And \${last}", with: {conversation: c}}
edges: [{from: one, to: two}]
`,
];

/** These pause. */
export const APPROVAL = "nodes: {ok: {type: approve}}";

export const APPROVALS = `nodes:
  ask: {type: ask}
  ok: {type: approve, input: "\${last.n}"}
  each: {type: map, input: [1, 2], with: {concurrency: 2}, do: {nodes: {a: {type: approve, input: "\${item}"}, b: {type: log}}, edges: [{from: a, to: b}]}}
  end: {type: work, input: "\${output.ask.n} \${last}"}
edges:
  - {from: ask, to: ok}
  - {from: ok, to: each}
  - {from: each, to: end}
`;
