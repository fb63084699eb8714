/** Plans of the engine's profile as people write them, whose code has a part of its own. */

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
