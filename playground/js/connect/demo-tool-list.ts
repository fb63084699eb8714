/** The demo server's tools. Real annotations make plans request the same approvals. */
import type { ToolInfo } from "stepgraph/web";

type Schema = Record<string, unknown>;

const text = (description: string): Schema => ({ type: "string", description });
const number = { type: "number" };
const string = { type: "string" };

function object(properties: Record<string, Schema>, required: string[] = Object.keys(properties)): Schema {
  return { type: "object", properties, required, additionalProperties: false };
}

const list = (items: Schema): Schema => ({ type: "array", items });
const READS = { readOnlyHint: true, openWorldHint: false };
const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
const DESTROYS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false };

const order = object({
  order_id: string,
  status: { enum: ["processing", "shipped", "delivered", "lost", "refunded"] },
  items: list(string),
  total: number,
  ordered: string,
  eta: { type: ["string", "null"] },
});
const ticket = object({
  ticket_id: string,
  title: string,
  team: { enum: ["support", "shipping", "accounting", "engineering"] },
  priority: { enum: ["low", "normal", "high"] },
  status: { enum: ["open", "closed"] },
});
const team: Schema = {
  enum: ["support", "shipping", "accounting", "engineering"],
  description: "who takes care of it",
};

function tool(
  name: string,
  description: string,
  annotations: Schema,
  input_schema: Schema,
  output_schema: Schema,
): ToolInfo {
  return { name, description, input_schema, output_schema, annotations };
}

export const DEMO_TOOLS: readonly ToolInfo[] = [
  tool(
    "today",
    "The day on which the demonstration takes place.",
    READS,
    object({}),
    object({ date: string, weekday: string }),
  ),
  tool(
    "weather",
    "The weather of a city: temperature in °C, sky and wind. Made up.",
    READS,
    object({ city: text("Oslo, Madrid, London, Lima, Quito, Berlin, Tokyo, …") }),
    object({ city: string, temperature: number, conditions: string, wind_kmh: number }),
  ),
  tool(
    "find_orders",
    "The orders of a customer of the tea shop.",
    READS,
    object(
      {
        user_email: text("whose orders: ana@example.com, luis@example.com"),
        status: { enum: ["processing", "shipped", "delivered", "lost", "refunded"] },
      },
      ["user_email"],
    ),
    object({ orders: list(order) }),
  ),
  tool(
    "get_order",
    "An order of the tea shop by its number.",
    READS,
    object({ order_id: text("A-1001 to A-1004") }),
    order,
  ),
  tool(
    "search_products",
    "Finds what the tea shop sells.",
    READS,
    object(
      {
        query: text("words of its name"),
        max_price: { type: "number", minimum: 0, description: "the highest price" },
        limit: { type: "integer", minimum: 1, maximum: 20 },
      },
      ["query"],
    ),
    object({
      products: list(object({ sku: string, name: string, price: number, stock: { type: "integer" }, about: string })),
    }),
  ),
  tool(
    "refund_order",
    "Pays an order back, all of it or an amount. Here nobody is paid.",
    DESTROYS,
    object(
      {
        order_id: text("A-1001 to A-1004"),
        amount: { type: "number", exclusiveMinimum: 0, description: "in euros, all of it if absent" },
        reason: text("why"),
      },
      ["order_id"],
    ),
    object({ refund_id: string, order_id: string, amount: number, reason: string }),
  ),
  tool(
    "list_tickets",
    "The tickets of the shop's people, of one team or of all.",
    READS,
    object({ team }, []),
    object({ tickets: list(ticket) }),
  ),
  tool(
    "create_ticket",
    "Opens a ticket for one of the teams.",
    WRITES,
    object({ title: text("what it is about"), team, priority: { enum: ["low", "normal", "high"] } }, ["title", "team"]),
    ticket,
  ),
  tool(
    "search_docs",
    "Finds passages of the shop's help pages: returns, shipping, brewing, caffeine, care.",
    READS,
    object({ query: text("what to look for"), limit: { type: "integer", minimum: 1, maximum: 10 } }, ["query"]),
    object({ passages: list(object({ document: string, score: number, text: string })) }),
  ),
  tool(
    "list_files",
    "The files there are, which live in this page.",
    READS,
    object({ folder: text("notes/ or drafts/") }, []),
    object({ files: list(string) }),
  ),
  tool(
    "read_file",
    "The text of a file.",
    READS,
    object({ path: text("such as notes/monday.md") }),
    object({ path: string, text: string }),
  ),
  tool(
    "write_file",
    "Writes a file, in this page.",
    { ...WRITES, idempotentHint: true },
    object({ path: text("such as reports/week.md"), text: string }),
    object({ path: string, bytes: { type: "integer" } }),
  ),
  tool(
    "delete_file",
    "Deletes a file for good, in this page.",
    DESTROYS,
    object({ path: text("such as drafts/old-price-list.md") }),
    object({ deleted: string }),
  ),
  tool(
    "send_message",
    "Sends a message to a person or a team. Here it is kept in the page and goes nowhere.",
    WRITES,
    object({ to: text("a name or an address"), text: text("what to say") }),
    object({ to: string, kept: string, number: { type: "integer" } }),
  ),
  tool(
    "exchange_rate",
    "The rate of two currencies. It is often busy: the first two tries of a call fail.",
    READS,
    object({ from: { enum: ["EUR", "USD", "GBP", "MXN"] }, to: { enum: ["EUR", "USD", "GBP", "MXN"] } }),
    object({ from: string, to: string, rate: number }),
  ),
  tool(
    "slow_report",
    "A report on the shop, which takes two seconds and tells how far it has come.",
    READS,
    object({ topic: text("what about") }),
    object({ topic: string, orders: { type: "integer" }, text: string }),
  ),
  tool(
    "send_fax",
    "Sends a fax. It always fails, to show what plans do then.",
    WRITES,
    object({ number: text("where to"), text: text("what to say") }),
    object({ sent: { type: "boolean" } }),
  ),
];
