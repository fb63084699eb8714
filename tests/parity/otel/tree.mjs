// Renders a received trace as a tree of text.

const VOLATILE_ATTRIBUTES = {
  "server.port": 0,
  "stepgraph.plan.hash": "…",
  "mcp.session.id": "…",
  "gen_ai.response.time_to_first_chunk": 0,
  "exception.stacktrace": "…",
};
const text = (attributes) =>
  Object.entries(attributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ` ${key}=${JSON.stringify(VOLATILE_ATTRIBUTES[key] ?? value)}`)
    .join("");
const isRunSpan = ({ attributes }) => "stepgraph.status" in attributes;
// Spans of equal start keep the order of their ends. If both have a status, their attributes decide.
const byTime = (a, b) =>
  a.start - b.start || (isRunSpan(a) && isRunSpan(b) ? (text(a.attributes) < text(b.attributes) ? -1 : 1) : 0);

export function walk(spans, parent = "", depth = 0) {
  return spans
    .filter((span) => span.parent === parent)
    .sort(byTime)
    .flatMap((span) => [{ span, depth }, ...walk(spans, span.spanId, depth + 1)]);
}

export function tree(spans, { ours = false } = {}) {
  const lines = walk(spans)
    .filter(({ span }) => !ours || span.scope[0] === "stepgraph")
    .flatMap(({ span, depth }) => {
      const pad = "  ".repeat(depth);
      const who = span.scope[0] === "stepgraph" ? "" : `[${span.resource["service.name"]}] `;
      const status = span.status === "unset" ? "" : ` ${span.status}${span.message === "" ? "" : `: ${span.message}`}`;
      const own = span.scope[0] === "stepgraph" ? text(span.attributes) : "";
      return [
        `${pad}${who}${span.name} (${span.kind})${status}${own}`,
        ...(own === "" ? [] : span.events.map(({ name, attributes }) => `${pad}  * ${name}${text(attributes)}`)),
      ];
    });
  return `${lines.join("\n")}\n`;
}
