/**
 * The guide to plans, in tools and prompts, because few hosts let models read resources. A test checks its plans.
 */

export const FORMAT = `# Plans

A plan is a graph in YAML (or JSON): \`nodes\` is a map from id to node, \`edges\` a list. It runs one node at a time from \`start\`.

\`\`\`yaml
id: coat
description: Looks up the weather of a city and says what to wear.
start: ask
inputs:
  city: {type: string, default: Oslo}
nodes:
  ask:
    type: tool
    tool: weather                 # a tool of describe_tools, by its name there
    input: {city: "\${input.city}"}
    retry: {attempts: 3, backoff_ms: 200}
  coat: {type: log, input: "a warm coat"}
  jacket: {type: log, input: "a light jacket"}
  unknown: {type: log, input: "I can't tell: \${error.message}"}
edges:
  - {from: ask, to: unknown, condition: error.exists}
  - {from: ask, to: coat, condition: "last.temperature < 5"}
  - {from: ask, to: jacket}
\`\`\`

## Node types

- \`tool\`: calls \`tool\` with \`input\`, a map of its arguments. Its output is the tool's result.
- \`llm\`: sends \`input\` to a model. \`with\`: \`system\`, \`schema\` (JSON Schema of the answer, which then is data), \`max_tokens\`.
- \`agent\`: lets a model call tools until it answers. \`with\`: \`system\`, \`tools\` (names), \`max_turns\` (8), \`schema\`.
- \`approve\`: asks the user to approve \`input\`. Its output is \`approved\`, \`rejected\`, or the value that the user entered instead.
- \`log\`: returns its \`input\` with templates filled in: for texts, and to build maps and lists.
- \`set\`: computes values. \`with: {values: {total: "\${output.a.price * 2}"}}\`. Its output is the map of them.
- \`wait\`: waits and passes the last output on. \`with: {ms: 5000}\` or \`with: {until: "2026-12-01T08:00:00Z"}\`.
- \`decision\`, \`noop\`: pass the last output on; their edges decide.
- \`parallel\`: runs \`branches\` (name: graph) at once. Its output has each branch's last output. \`with: {join: all | any | settled}\`.
- \`map\`: runs the graph \`do\` for each element of \`input\`; inside, \`\${item}\` and \`\${index}\`. Its output is a list. \`with: {concurrency: 4}\`.
- \`graph\`: runs the nested \`graph\` with \`input\`.

Any node may have \`description\`, \`retry: {attempts, backoff_ms, factor, max_ms, on}\`, \`timeout_ms\` and \`visits\` (how often it may run, 25).

\`\`\`yaml
nodes:
  pages:
    type: map
    input: "\${input}"
    with: {concurrency: 2}
    do:
      nodes:
        line: {type: log, input: "\${index}: \${item}"}
\`\`\`

## References and templates

\`last\` (the output before), \`input\` (the run's), \`output.NODE\`, \`item\`, \`index\`, \`error\` (\`code\`, \`message\`, \`node\`), \`context.KEY\` (trusted values), each
followed by a path: \`output.ask.days[0].high\`, \`output.ask["a.b"]\`. In strings of \`input\` and \`with\`: \`\${reference}\`. A string that is exactly one
template keeps the value's type. \`\${a ?? b}\` uses the first that exists; a missing value without \`??\` fails the node. \`$\${\` is a literal \`\${\`.
A node without \`input\` receives \`last\`.

## Edges and conditions

\`{from, to, condition?}\`. The first condition that holds wins, then the first edge without one; without one the run ends there, which is a
success. Conditions: \`last == "yes"\`, \`last.n >= 3\`, \`output.ask.city != "Oslo"\`, \`last.tags.contains("rain")\`, \`last.name.exists\`, joined by
\`!\`, \`&&\`, \`||\` and parentheses; texts in quotes. Missing data only satisfies \`!\`. A condition with \`error\` handles a node
that failed; without such an edge the run fails. A loop is an edge to an earlier node; it needs an exit.

## Steps

1. \`describe_tools\` lists the tools and their inputs.
2. Write the plan, and call \`check_plan\`. Fix what it finds (each diagnostic has a position, help and often an edit) until \`ok\` is true.
3. \`run_plan\` with \`input\`. Tools that may destroy something, and \`approve\` nodes, need the user: the run may pause.
4. \`explain_run\` explains what it did and why.
`;

export function writePlan(request: string, tools: string): string {
  return `Write a plan for this request, and check it with \`check_plan\` until it is valid. Don't run it before the user has seen it.

Request:
${request}

Tools that the plan may call:
${tools}

${FORMAT}`;
}
