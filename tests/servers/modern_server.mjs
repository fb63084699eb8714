// A server of the stateless revision, by the official library, with elicitations, progress, notifications, cache hints,
// and cancellation. Older clients have no sessions.
//
// PORT is its port, the first argument the library's folder. CORS allows pages, and adds a tool with arguments of every
// kind and a form.

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.argv[2], "package.json"));
const {
  acceptedContent,
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  McpServer,
} = require("@modelcontextprotocol/server");
const { toNodeHandler } = require("@modelcontextprotocol/node");

const text = (value) => ({ content: [{ type: "text", text: String(value) }] });
const object = (properties = {}) => fromJsonSchema({ type: "object", properties });

const forPages = "CORS" in process.env;
const BOOKING = {
  type: "object",
  required: ["to", "seats"],
  properties: {
    to: { type: "string", description: "a town" },
    class: { type: "string", enum: ["first", "second"] },
    seats: { type: "integer" },
    price: { type: "number" },
    window: { type: "boolean" },
    contact: { type: "object", required: ["name"], properties: { name: { type: "string" }, age: { type: "integer" } } },
  },
};
const LUGGAGE_SCHEMA = {
  type: "object",
  required: ["bags", "where"],
  properties: {
    bags: { type: "integer", title: "Bags" },
    where: { type: "string", title: "Where to", enum: ["rack", "hold"] },
    heavy: { type: "boolean", title: "Heavy" },
    note: { type: "string", title: "Note", description: "what is in it" },
  },
};

/** Clients are notified of these added tools. */
const announced = [];
/** Answers of tools/list, and cancelled calls. */
const counters = { lists: 0, cancelled: [] };

function createModernServer() {
  counters.lists++;
  const info = { name: "modern", version: "1.2.3" };
  const cacheHints = { "tools/list": { ttlMs: 60_000, cacheScope: "private" } };
  const options = { instructions: "ask kindly", capabilities: { resources: { subscribe: true } }, cacheHints };
  const server = new McpServer(info, options);
  server.registerTool("order", { inputSchema: object({ item: { type: "string" } }) }, ({ item }, { mcpReq }) => {
    const state = mcpReq.requestState();
    if (state === undefined) {
      const requestedSchema = {
        type: "object",
        properties: { size: { type: "string", default: "small" }, milk: { type: "boolean" } },
      };
      const size = inputRequired.elicit({ message: `How large a ${item}?`, requestedSchema });
      return inputRequired({ inputRequests: { size }, requestState: "first \u00e9 \\ state" });
    }
    if (!state.startsWith("second")) {
      const size = acceptedContent(mcpReq.inputResponses, "size");
      if (size === undefined) return text("nothing ordered");
      const messages = [{ role: "user", content: { type: "text", text: "a name, please" } }];
      const inputRequests = {
        name: inputRequired.createMessage({ messages, maxTokens: 5 }),
        roots: inputRequired.listRoots(),
      };
      return inputRequired({ inputRequests, requestState: `second ${JSON.stringify(size)} after ${state}` });
    }
    const { name, roots } = mcpReq.inputResponses;
    return text(`${item} for ${name.content.text} at ${roots.roots[0].uri}: ${state}`);
  });
  server.registerTool("endless", { inputSchema: object() }, () => inputRequired({ requestState: "again" }));
  server.registerTool("count", { inputSchema: object({ to: { type: "integer" } }) }, async ({ to }, { mcpReq }) => {
    for (let progress = 1; progress <= to; progress++) {
      const params = { progressToken: mcpReq._meta.progressToken, progress, total: to, message: `step ${progress}` };
      await mcpReq.notify({ method: "notifications/progress", params });
    }
    return text(`counted to ${to}`);
  });
  server.registerTool(
    "wait",
    { inputSchema: object({ name: { type: "string" } }) },
    ({ name }, { mcpReq }) =>
      new Promise((resolve) =>
        mcpReq.signal.addEventListener("abort", () => resolve(text(counters.cancelled.push(name)))),
      ),
  );
  server.registerTool("seen", { inputSchema: object() }, () => ({ ...text("seen"), structuredContent: counters }));
  server.registerTool("announce", { inputSchema: object({ name: { type: "string" } }) }, ({ name }) => {
    announced.push(name);
    handler.notify.toolsChanged();
    handler.notify.resourceUpdated("shop://menu");
    return text(name);
  });
  const city = fromJsonSchema({ type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } });
  server.registerTool("map", { inputSchema: city }, ({ city }) => text(city));
  if (forPages)
    server.registerTool(
      "book",
      { description: "Books seats on a train.", inputSchema: fromJsonSchema(BOOKING) },
      (booking, { mcpReq }) => {
        if (mcpReq.inputResponses === undefined)
          return inputRequired({
            inputRequests: {
              luggage: inputRequired.elicit({ message: `Luggage to ${booking.to}?`, requestedSchema: LUGGAGE_SCHEMA }),
            },
          });
        const luggage = acceptedContent(mcpReq.inputResponses, "luggage");
        const { bags, where, heavy = false, note = "" } = luggage ?? {};
        return text(
          luggage === undefined
            ? "booked without luggage"
            : `${booking.seats} seats to ${booking.to}, ${bags} bags in the ${where}${heavy ? ", heavy" : ""}: ${note}`,
        );
      },
    );
  for (const name of announced) server.registerTool(name, { inputSchema: object() }, () => text(name));
  const menuResource = (uri) => ({ contents: [{ uri: uri.href, text: "tea, coffee" }] });
  server.registerResource("menu", "shop://menu", { cacheHint: { ttlMs: 60_000, cacheScope: "public" } }, menuResource);
  server.registerPrompt("greet", { argsSchema: object({ name: { type: "string" } }) }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }],
  }));
  return server;
}

const handler = createMcpHandler(createModernServer);
const serve = toNodeHandler(handler);
createServer((request, response) => {
  if (forPages)
    for (const what of ["origin", "methods", "headers"]) response.setHeader(`access-control-allow-${what}`, "*");
  if (forPages) response.setHeader("access-control-expose-headers", "*");
  return forPages && request.method === "OPTIONS" ? response.writeHead(204).end() : serve(request, response);
}).listen(Number(process.env.PORT), "127.0.0.1");
