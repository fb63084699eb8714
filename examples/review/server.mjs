/**
 * Two small MCP servers over stdio: `node server.mjs shop` and `node server.mjs mail`.
 *
 * `node server.mjs shop next` is the shop after a change: an argument has another name, another is new and required,
 * an enum is narrower, an output field is gone, and a tool may now destroy something.
 */
import { createInterface } from "node:readline";

const text = { type: "string" };
const number = { type: "number" };
const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });

const shop = {
  find_order: {
    description: "Finds an order by its number",
    inputSchema: object({ order: text }),
    outputSchema: object({ id: text, total: number, customer: text }),
    annotations: { readOnlyHint: true },
    call: ({ order, order_id }) => ({ id: order ?? order_id, total: 42.5, customer: "ada@example.com" }),
  },
  refund: {
    description: "Pays money back",
    inputSchema: object({ order: text, amount: number, speed: { enum: ["now", "normal", "slow"] } }),
    outputSchema: object({ receipt: text, paid: number }),
    annotations: { destructiveHint: false },
    call: ({ order, amount }) => ({ receipt: `R-${order}`, paid: amount }),
  },
  stock: {
    description: "Counts what is left of an article",
    inputSchema: object({ article: text }),
    outputSchema: object({ article: text, left: number }),
    annotations: { readOnlyHint: true },
    call: ({ article }) => ({ article, left: article.length }),
  },
  reorder: {
    description: "Orders more of an article",
    inputSchema: object({ article: text, count: number }),
    outputSchema: object({ article: text, ordered: number }),
    annotations: { destructiveHint: false },
    call: ({ article, count }) => ({ article, ordered: count }),
  },
};

const next = {
  ...shop,
  find_order: { ...shop.find_order, inputSchema: object({ order_id: text }) },
  refund: {
    ...shop.refund,
    inputSchema: object({ order: text, amount: number, speed: { enum: ["now", "normal"] }, reason: text }),
    outputSchema: object({ receipt: text }),
    call: ({ order }) => ({ receipt: `R-${order}` }),
  },
  reorder: { ...shop.reorder, annotations: { destructiveHint: true } },
};

const mail = {
  send: {
    description: "Sends a message",
    inputSchema: object({ to: text, text }),
    outputSchema: object({ sent: { type: "boolean" } }),
    annotations: { destructiveHint: false },
    call: () => ({ sent: true }),
  },
};

const [name, version] = process.argv.slice(2);
const tools = name === "mail" ? mail : version === "next" ? next : shop;

function answer({ method, params }) {
  if (method === "initialize")
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name, version: "1.0.0" },
    };
  if (method === "tools/list")
    return { tools: Object.entries(tools).map(([name, { call: _, ...tool }]) => ({ name, ...tool })) };
  if (method !== "tools/call" || !Object.hasOwn(tools, params.name)) return null;
  const result = tools[params.name].call(params.arguments);
  return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, ...request } = JSON.parse(line);
  if (id === undefined) return;
  const result = answer(request);
  const error = { code: -32601, message: `there is no ${request.method}` };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) })}\n`);
});
