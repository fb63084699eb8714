/**
 * The guide to the plan format, short enough for a model. Tools and prompts carry it too, because few hosts let models
 * read resources.
 *
 * A test checks every plan in it.
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

- \`tool\`: calls \`tool\` with \`input\`, a map of its arguments. Its output is what the tool gave.
- \`llm\`: asks a model \`input\`. \`with\`: \`system\`, \`schema\` (JSON Schema of the answer, which then is data), \`max_tokens\`.
- \`agent\`: lets a model call tools until it answers. \`with\`: \`system\`, \`tools\` (names), \`max_turns\` (8), \`schema\`.
- \`approve\`: asks a person about \`input\`. Its output is \`approved\`, \`rejected\`, or what they wrote instead.
- \`log\`: gives its \`input\`, templates filled in: for texts, and for building maps and lists.
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
template keeps the value's kind. \`\${a ?? b}\` takes the first that is there; a missing value without \`??\` fails the node. \`$\${\` is a literal \`\${\`.
A node without \`input\` is given \`last\`.

## Edges and conditions

\`{from, to, condition?}\`. The first condition that holds wins, then the first edge without one; with none the run ends there, which is a
success. Conditions: \`last==yes\`, \`last.n >= 3\`, \`output.ask.city!=Oslo\`, \`last.contains:rain\`, \`last.name.exists\`, joined by \`!\`, \`&&\`, \`||\` and
parentheses; texts with spaces in quotes. Data that is not there satisfies nothing but \`!\`. A condition with \`error\` leads away from a node
that failed; without such an edge the run fails. Loops are edges that lead back; they need a way out.

## How to go about it

1. \`describe_tools\`: which tools there are, and what they take.
2. Write the plan, and call \`check_plan\`. Mend what it finds (each problem has a place, a help and often the edit) until \`ok\` is true.
3. \`run_plan\` with \`input\`. Tools that may destroy something, and \`approve\` nodes, ask a person: the run may pause.
4. \`explain_run\` says why it went as it did.
`;

export function writePlan(request: string, tools: string): string {
  return `Write a plan for this request, and have it checked by \`check_plan\` until it is sound. Don't run it before the person has seen it.

Request:
${request}

Tools that the plan may call:
${tools}

${FORMAT}`;
}
