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

/** What plans of the documentation use beyond that. These need only handlers, too. */
export const TYPICAL = [
  `# Inputs of several types, and limits.
id: typical
description: >-
  A folded text
  of two lines.
inputs:
  city: {type: string, description: where}
  count: {type: integer, minimum: 1, default: 3}
  ok: {type: boolean}
  list: {type: array, items: {type: number}}
  order:
    type: object
    required: [total]
    properties:
      total: {type: number}
      vip: {type: boolean}
      state: {enum: [new, paid]}
limits: {steps: 200, visits: 20, timeout_ms: 60000}
start: begin
nodes:
  begin:
    type: set
    with:
      values: {n: 1, name: shop, all: [1, 2], none: null}
  sums:
    type: set
    with:
      values:
        city: \${input.city}
        more: \${input.count + 1}
        price: \${input.order.total * 1.2}
        half: \${input.count / 2 - 1}
        rest: \${input.count % 5}
        word: "\${input.order.vip ? 'very' : 'quite'}"
        either: \${input.order.state ?? "new"}
        both: \${input.ok && input.order.vip || !input.ok}
        first: \${input.list[0]}
        large: \${input.list.filter(x, x > 1).map(x, x * 2)}
        has: \${input.city.contains("O") && input.city.startsWith("Os")}
        upper: \${input.city.lowerAscii()}
        size: \${size(input.list)}
        joined: \${["a", input.city].join(", ")}
        text: \${"n is " + string(input.count)}
        in: \${input.city in ["Oslo", "Rome"]}
  work: {type: work, input: "\${output.sums.price}", retry: {attempts: 3, backoff_ms: 1}}
  tell:
    type: log
    input: >-
      It is \${output.sums.price} in \${input.city},
      or \${last.status ?? "unknown"}: \${output.sums.large}.
  pause: {type: wait, with: {ms: 1}}
  literal:
    type: log
    input: |
      One: \${output.sums.more}
      two.
edges:
  - {from: begin, to: sums, condition: last.n == 1 && input.count > 2}
  - {from: sums, to: work, condition: "output.sums.has || !input.ok"}
  - {from: work, to: tell, condition: "last.status == 'ok' && last.items.size() > 0 && last.n >= 2"}
  - {from: work, to: pause}
  - {from: tell, to: pause, condition: "output.work.items[0].price < 100 || output.work.n != 3"}
  - {from: pause, to: literal}
`,
  `# An input without a type.
nodes:
  one: {type: check, input: "\${input.order.total > 10 ? 'many' : 'few'}"}
  two: {type: log, input: "\${input.list.filter(x, x > 1)} \${input.city.startsWith('O')} \${input.count * 2 - 1}"}
  three: {type: log, input: "\${input.city + '!'} \${output.one.score ?? 0} \${output.one.tags.exists(t, t == 'a')}"}
  four: {type: work, retry: {attempts: 2}, input: {low: "\${input.count < 3}", none: "\${input.none ?? 'x'}", sum: "\${output.one.score + 1}"}}
  five: {type: log, input: "\${output.one.tags}"}
  six: {type: log, input: "\${last.filter(t, t != 'a').map(t, t + '!')} \${last[0].startsWith('a')} \${last.size() > 1}"}
  seven: {type: log, input: "\${output.one.tags[0]}"}
  eight: {type: log, input: "\${last.startsWith('a')} \${last + 'b'} \${last.contains('a') ? last : 'none'}"}
edges:
  - {from: one, to: two, condition: last.score > 3 || input.ok}
  - {from: two, to: three, condition: "output.one.score + 1 > 2 && input.city != ''"}
  - {from: three, to: four}
  - {from: four, to: five}
  - {from: five, to: six}
  - {from: six, to: seven}
  - {from: seven, to: eight}
`,
  `# A loop in which a handler works.
start: count
nodes:
  count: {type: set, with: {values: {n: "\${(output.count.n ?? 0) + 1}"}}}
  work: {type: check, input: "\${last.n}"}
  done: {type: log, input: x}
edges:
  - {from: count, to: work}
  - {from: work, to: count, condition: output.count.n < 3}
  - {from: work, to: done, condition: last.ok}
  - {from: work, to: count}
`,
  `# Comparisons of values of known types.
inputs:
  city: {type: string}
  count: {type: integer, default: 3}
  ok: {type: boolean, default: false}
  list: {type: array, items: {type: number}}
  order: {type: object, properties: {total: {type: number}, vip: {type: boolean}, state: {enum: [new, paid]}}}
start: c
nodes:
  c: {type: set, with: {values: {round: 13, low: 1, word: "w \${input.city}", all: [1, 2], flag: false, none: null}}}
  w: {type: check}
  n0: {type: log, input: "\${output.c.round <= input.count ? 'a' : 'b'} \${output.c.round - input.count} \${input.count >= 2 && last.ok}"}
  n1: {type: log, input: {left: "\${input.count - output.c.round}", half: "\${output.c.round / 2 * input.order.total}"}}
  n2: {type: log, input: "\${string(output.c.round) + input.city} \${[output.c.round, input.count]} \${-input.count}"}
  end: {type: noop}
edges:
  - {from: c, to: w}
  - {from: w, to: n0, condition: "output.c.round <= input.count"}
  - {from: w, to: n1, condition: "output.c.round < input.count"}
  - {from: w, to: n2, condition: "output.c.round > input.order.total"}
  - {from: w, to: n0, condition: "output.c.low >= input.count"}
  - {from: w, to: n1, condition: "output.c.round == input.count"}
  - {from: w, to: n2, condition: "output.c.round != input.count + 1"}
  - {from: w, to: n0, condition: "last.ok && output.c.round <= input.count"}
  - {from: w, to: n1, condition: "input.city == output.c.word"}
  - {from: w, to: n2, condition: "input.city != last.tags[0] && input.ok"}
  - {from: w, to: n0, condition: "last.score >= input.order.total"}
  - {from: w, to: n1, condition: "last.score < output.c.low || !last.ok"}
  - {from: w, to: n2, condition: "input.count in [1, 2]"}
  - {from: w, to: n0, condition: "input.city in ['Oslo', 'Rome'] && output.c.round + 1 <= input.count - 2"}
  - {from: w, to: n1, condition: "input.order.state == 'paid' || input.order.vip == false"}
  - {from: w, to: n2, condition: "size(input.list) <= output.c.low"}
  - {from: w, to: n0, condition: "input.list[0] >= 9 || output.c.all.exists(x, x > input.count)"}
  - {from: w, to: n1, condition: "!output.c.word.contains(input.city) || output.c.word.startsWith('x')"}
  - {from: w, to: n2, condition: "(output.c.low ?? 0) > (input.count ?? 1)"}
  - {from: w, to: n0, condition: "has(input.order.state) && input.order.state != 'new'"}
  - {from: w, to: n1, condition: "last.none == null && output.c.none != null"}
  - {from: w, to: n2, condition: "last.score > 100 && (input.ok || input.count > 100)"}
  - {from: w, to: n0, condition: "output.c.flag && !input.order.vip"}
  - {from: w, to: n0}
  - {from: n0, to: n1}
  - {from: n1, to: n2}
  - {from: n2, to: end}
`,
  `# A loop that counts.
start: count
nodes:
  count: {type: set, with: {values: {n: "\${(output.count.n ?? 0) + 1}", seen: "\${(output.count.seen ?? []) + [last]}"}}}
  check: {type: check, input: {n: "\${output.count.n}", of: "\${size(output.count.seen)}"}}
  done: {type: log, input: "after \${output.count.n} rounds: \${last.tags}"}
  failed: {type: log, input: "\${error.code}: \${error.message} at \${error.node}"}
edges:
  - {from: count, to: check}
  - {from: check, to: failed, condition: error.exists}
  - {from: check, to: done, condition: "output.count.n >= 3 || last.score < 10"}
  - {from: check, to: count}
`,
  `# A person decides.
start: look
nodes:
  look: {type: check, input: {order: "\${input.order}"}}
  ok:
    type: approve
    description: Pay?
    input: {amount: "\${input.order.total}", to: "\${input.city}"}
  ask: {type: approve, input: "Pay \${input.order.total}?"}
  pay: {type: work, input: "\${output.ok}", timeout_ms: 1000, retry: {attempts: 2}}
  no: {type: log, input: not paid}
edges:
  - {from: look, to: no, condition: last.bad ?? false}
  - {from: look, to: no, condition: "!last.ok"}
  - {from: look, to: ask, condition: last.score > 10 && input.order.total >= 40}
  - {from: look, to: ok}
  - {from: ask, to: ok, condition: last == "approved"}
  - {from: ask, to: no, condition: last == 'rejected'}
  - {from: ask, to: no}
  - {from: ok, to: pay, condition: last != "rejected"}
  - {from: ok, to: no}
  - {from: pay, to: no, condition: error.exists}
`,
  `# Elements, branches, anchors and tests.
start: each
nodes:
  each:
    type: map
    input: \${input.list}
    with: {concurrency: 2, join: settled}
    do:
      nodes:
        one: {type: check, input: {x: &x "\${item}", at: "\${index}"}}
        two: {type: log, input: *x}
      edges:
        - {from: one, to: two, condition: last.score > item}
  fan:
    type: parallel
    branches:
      a: {nodes: {x: {type: check}}}
      b: {nodes: {x: {type: wait, with: {ms: 1}}, y: {type: set, with: {values: {n: 2}}}}, edges: [{from: x, to: y}]}
  sum:
    type: set
    with: {values: {scores: "\${output.each.map(r, r.value ?? 0)}", a: "\${output.fan.a.score}", n: "\${output.fan.b.n}"}}
edges:
  - {from: each, to: fan}
  - {from: fan, to: sum, condition: "last.a.ok && last.b.n == 2"}
tests:
  - name: it works
    input: {list: [1, 2]}
    stubs: {types: {check: {return: {score: 1, ok: true}}}}
    expect: {path: [each, fan, sum], outcome: completed, outputs: {sum: {n: 2}}}
`,
];

/** The same with tools and models. */
export const TYPICAL_CALLS = [
  `nodes:
  find:
    type: tool
    tool: find
    input: {text: "\${input}", kind: tea, limit: 5, tags: [a], exact: true, of: null, range: {from: 1.5}}
  more: {type: tool, tool: find, input: {text: "\${last.found[0].name}", limit: "\${last.total + 1}"}}
  note: {type: tool, tool: echo, input: {message: "\${output.find.found[0].price}: \${size(last.found)}"}}
  say:
    type: llm
    input: >-
      Say \${last}
      and \${output.more.total}.
edges:
  - {from: find, to: more, condition: last.total > 0 && size(last.found) > 0}
  - {from: find, to: note}
  - {from: more, to: note}
  - {from: note, to: say}
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
