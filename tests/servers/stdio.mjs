// A test server of 2025-11-25 over standard streams: `node stdio.mjs [lines|stubborn]`. `lines` logs to its output and
// splits messages. `stubborn` ignores SIGTERM and the end of its input.
import { spawn } from "node:child_process";
import { connect } from "node:net";

const modes = process.argv.slice(2);
const cancelled = [];
let asked = 0;
const waiting = new Map();

function write(message) {
  const line = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
  if (!modes.includes("lines")) return void process.stdout.write(line);
  process.stdout.write("{ this is a log line\nanother one\n\n");
  for (const part of line.match(/.{1,7}|\n/gs)) process.stdout.write(part);
}

const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });

const tools = {
  echo: ({ value }) => text(value),
  pid: () => text(process.pid),
  environment: () => text(process.env),
  folder: () => text(process.cwd()),
  cancelled: () => text(cancelled),
  never: () => undefined,
  crash: () => {
    const key = process.env.API_KEY ?? "";
    // The end of a key lies where the text is cut.
    process.stderr.write(key === "" ? "the disk is full\n" : `key=${key}${"x".repeat(1990)}\n`);
    process.exit(7);
  },
  // Its child has its own session and holds the streams.
  daemon: () => {
    const child = spawn("sleep", ["1000"], { detached: true, stdio: "inherit" });
    child.unref();
    return text(child.pid);
  },
  // The first time without an end, then with one.
  endless: () => {
    const chunk = "x".repeat(1_000_000);
    for (let count = 0; count < 40; count++) process.stdout.write(chunk);
  },
  long: ({ length }) => text("y".repeat(length)),
  twice: (_args, { progressToken: id }) => {
    process.stdout.write('[1]\n42\nnull\n{}\n{"method":5}\n{"id":{}}\n{"id":99999,"result":{}}\n');
    write({ id, result: text("first") });
    return text("second");
  },
  flood: () => {
    process.stderr.write("noise\n".repeat(200_000));
    return text("calm");
  },
  progress: (_args, { progressToken }) => {
    write({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } });
    return text("done");
  },
  ask: async () => {
    const id = `q${++asked}`;
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
    write({ id, method: "elicitation/create", params: { message: "Your name?", requestedSchema } });
    return text(await answer);
  },
  // The connection ends with this process.
  connect: ({ port }) =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(text("connected")));
      socket.on("error", () => {});
    }),
};

async function receive({ id, method, params, result }) {
  if (method === undefined) return waiting.get(id)?.(result ?? null);
  if (method === "notifications/cancelled") return cancelled.push(params.requestId);
  if (id === undefined) return;
  if (method === "initialize")
    return write({
      id,
      result: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "test", version: "1" },
      },
    });
  if (method === "tools/list")
    return write({
      id,
      result: { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } })) },
    });
  if (method === "tools/call") {
    const given = await tools[params.name](params.arguments ?? {}, params._meta ?? {});
    return given && write({ id, result: given });
  }
  write({ id, error: { code: -32601, message: "unknown method" } });
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (part) => {
  const lines = (rest + part).split("\n");
  rest = lines.pop();
  for (const line of lines) void receive(JSON.parse(line));
});
if (modes.includes("stubborn")) {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
}
