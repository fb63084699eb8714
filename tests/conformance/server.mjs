// The server under test of the official conformance suite: `stepgraph serve --http` with the tools, resources and
// prompts that the suite requires.
//
// Writes its address to standard output. Imports the compiled files before bundling, so that only one copy of the
// protocol's library exists.

import { randomBytes } from "node:crypto";
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { setTimeout as pause } from "node:timers/promises";
import { listen } from "../../wasm/dist/cli/serve/http.js";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";
const codec = createRequestStateCodec({ key: randomBytes(32) });

const text = (value) => ({ content: [{ type: "text", text: String(value) }] });
const schema = (properties = {}, required = Object.keys(properties)) => ({ type: "object", properties, required });
const string = { type: "string" };
const form = (message, requestedSchema) => inputRequired.elicit({ message, requestedSchema });
const inputOf = (ctx, key) => inputResponse(ctx.mcpReq.inputResponses, key);
/** In a request of 2026-07-28. */
const clientCapabilities = (ctx) => ctx.mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
const question = (prompt, maxTokens) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens });

const DEFAULTS = {
  name: { ...string, default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { ...string, enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};
const options = ["option1", "option2", "option3"];
const titled = (word) =>
  [1, 2, 3].map((n) => ({ const: `value${n}`, title: `${["First", "Second", "Third"][n - 1]} ${word}` }));
const ENUMS = {
  untitledSingle: { ...string, enum: options },
  titledSingle: { ...string, oneOf: titled("Option") },
  legacyEnum: { ...string, enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
  untitledMulti: { type: "array", items: { ...string, enum: options } },
  titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
};

/** Has every keyword that a server must pass on. */
const SCHEMA_2020_12 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: string, city: string } } },
  properties: {
    name: string,
    address: { $ref: "#/$defs/address" },
    contactMethod: { ...string, enum: ["phone", "email"] },
    phone: string,
    email: string,
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

function tools(server) {
  const tool = (name, work, input = schema()) =>
    server.registerTool(name, { description: `The suite's \`${name}\`.`, inputSchema: fromJsonSchema(input) }, work);
  const log = (ctx, words) => ctx.mcpReq.log("info", words);
  tool("test_simple_text", () => text("This is a simple text response for testing."));
  tool("test_image_content", () => ({ content: [{ type: "image", data: PNG, mimeType: "image/png" }] }));
  tool("test_audio_content", () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }));
  tool("test_embedded_resource", () => ({
    content: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ],
  }));
  tool("test_multiple_content_types", () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      { type: "image", data: PNG, mimeType: "image/png" },
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }));
  tool("test_tool_with_logging", async (_args, ctx) => {
    await log(ctx, "Tool execution started");
    await pause(50);
    await log(ctx, "Tool processing data");
    await pause(50);
    await log(ctx, "Tool execution completed");
    return text("logged");
  });
  tool("test_error_handling", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  tool("test_tool_with_progress", async (_args, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
      await pause(50);
    }
    return text(progressToken ?? "done");
  });
  tool(
    "test_sampling",
    async ({ prompt }, ctx) => {
      const view = inputOf(ctx, "answer");
      return view.kind === "sampling"
        ? text(`LLM response: ${view.result.content.text}`)
        : inputRequired({ inputRequests: { answer: question(prompt, 100) } });
    },
    schema({ prompt: string }),
  );
  const elicited = (name, message, properties, required = [], input = schema()) =>
    tool(
      name,
      (args, ctx) => {
        const view = inputOf(ctx, "form");
        if (view.kind !== "elicit")
          return inputRequired({
            inputRequests: { form: form(message ?? args.message, schema(properties, required)) },
          });
        return text(`Elicitation completed: action=${view.action}, content=${JSON.stringify(view.content ?? {})}`);
      },
      input,
    );
  elicited(
    "test_elicitation",
    undefined,
    {
      username: { ...string, description: "User's response" },
      email: { ...string, description: "User's email address" },
    },
    ["username", "email"],
    schema({ message: string }),
  );
  elicited("test_elicitation_sep1034_defaults", "Please review", DEFAULTS);
  elicited("test_elicitation_sep1330_enums", "Please choose", ENUMS);
  tool("json_schema_2020_12_tool", (args) => text(JSON.stringify(args)), SCHEMA_2020_12);
  tool("test_reconnection", async (_args, ctx) => {
    ctx.http?.closeSSE?.();
    await pause(100);
    return text("reconnected");
  });
  rounds(tool);
  // The suite requires these of servers without sessions.
  tool("test_missing_capability", (_args, ctx) =>
    inputOf(ctx, "sampled").kind === "sampling"
      ? text("sampled")
      : inputRequired({ inputRequests: { sampled: question("Say something", 50) } }),
  );
  tool("test_streaming_elicitation", (_args, ctx) =>
    inputOf(ctx, "go").kind === "elicit"
      ? text("done")
      : inputRequired({ inputRequests: { go: form("Go on?", schema({ ok: { type: "boolean" } })) } }),
  );
  tool("test_logging_tool", async (_args, ctx) => {
    await log(ctx, "logged");
    return text("logged");
  });
  tool("test_trigger_tool_change", () => (served.notify.toolsChanged(), text("changed")));
  tool("test_trigger_prompt_change", () => (served.notify.promptsChanged(), text("changed")));
  tool(
    "test_custom_headers",
    (args) => text(JSON.stringify(args)),
    schema({ region: { ...string, "x-mcp-header": "Region" }, query: string }, []),
  );
}

/** They ask before they answer, over several rounds. */
function rounds(tool) {
  const name = { name: string };
  tool("test_input_required_result_elicitation", (_args, ctx) => {
    const content = acceptedContent(ctx.mcpReq.inputResponses, "user_name");
    return typeof content?.name === "string"
      ? text(`Hello, ${content.name}!`)
      : inputRequired({ inputRequests: { user_name: form("What is your name?", schema(name)) } });
  });
  tool("test_input_required_result_sampling", (_args, ctx) => {
    const view = inputOf(ctx, "capital_question");
    return view.kind === "sampling"
      ? text(view.result.content.text)
      : inputRequired({ inputRequests: { capital_question: question("What is the capital of France?", 100) } });
  });
  tool("test_input_required_result_list_roots", (_args, ctx) => {
    const view = inputOf(ctx, "client_roots");
    return view.kind === "roots"
      ? text(view.roots.map(({ uri }) => uri).join(", "))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  const stated = (tag) => async (_args, ctx) => {
    if (ctx.mcpReq.requestState()?.tag === tag && inputOf(ctx, "confirm").kind === "elicit") return text("state-ok");
    return inputRequired({
      inputRequests: { confirm: form("Please confirm", schema({ ok: { type: "boolean" } })) },
      requestState: await codec.mint({ tag }, ctx),
    });
  };
  tool("test_input_required_result_request_state", stated("state"));
  tool("test_input_required_result_tampered_state", stated("tampered"));
  tool("test_input_required_result_multiple_inputs", async (_args, ctx) => {
    const views = ["user_name", "greeting", "client_roots"].map((key) => inputOf(ctx, key));
    if (views.every(({ kind }) => kind !== "missing")) return text("all three");
    const inputRequests = {
      user_name: form("What is your name?", schema(name)),
      greeting: question("Generate a greeting", 50),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await codec.mint({ tag: "three" }, ctx) });
  });
  tool("test_input_required_result_multi_round", async (_args, ctx) => {
    const { round = 1 } = ctx.mcpReq.requestState() ?? {};
    const answered = inputOf(ctx, `step${round}`).kind === "elicit";
    const next = answered ? round + 1 : round;
    if (next > 2) return text("both steps");
    const forms = {
      1: form("Step 1: What is your name?", schema(name)),
      2: form("Step 2: What is your favorite color?", schema({ color: string })),
    };
    return inputRequired({
      inputRequests: { [`step${next}`]: forms[next] },
      requestState: await codec.mint({ round: next }, ctx),
    });
  });
  tool("test_input_required_result_capabilities", (_args, ctx) => {
    const { sampling, elicitation } = clientCapabilities(ctx);
    if (inputOf(ctx, "sampled").kind !== "missing" || inputOf(ctx, "elicited").kind !== "missing") return text("done");
    const inputRequests = {
      ...(sampling && { sampled: question("Say something", 50) }),
      ...(elicitation && { elicited: form("Say something", schema(name)) }),
    };
    return Object.keys(inputRequests).length > 0 ? inputRequired({ inputRequests }) : text("nothing to ask");
  });
}

function resources(server) {
  const resourceInfo = (mimeType) => ({ description: "For the suite.", mimeType });
  const resource = (name, uri, mimeType, contents) =>
    server.registerResource(name, uri, resourceInfo(mimeType), () => ({ contents: [{ uri, mimeType, ...contents }] }));
  resource("static text", "test://static-text", "text/plain", {
    text: "This is the content of the static text resource.",
  });
  resource("static binary", "test://static-binary", "image/png", { blob: PNG });
  resource("watched", "test://watched-resource", "text/plain", { text: "Watched resource content." });
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    resourceInfo("application/json"),
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
  server.server.setRequestHandler("resources/subscribe", () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", () => ({}));
}

function prompts(server) {
  const toolResult = (content) => ({
    role: "user",
    content: typeof content === "string" ? { type: "text", text: content } : content,
  });
  const prompt = (name, args, work) =>
    server.registerPrompt(name, { description: `The suite's \`${name}\`.`, ...(args && { argsSchema: args }) }, work);
  prompt("test_simple_prompt", null, () => ({ messages: [toolResult("This is a simple prompt for testing.")] }));
  const described = (description) => ({ ...string, description });
  prompt(
    "test_prompt_with_arguments",
    fromJsonSchema(schema({ arg1: described("First test argument"), arg2: described("Second test argument") })),
    ({ arg1, arg2 }) => ({ messages: [toolResult(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  prompt(
    "test_prompt_with_embedded_resource",
    fromJsonSchema(schema({ resourceUri: described("URI of the resource to embed") })),
    ({ resourceUri }) => ({
      messages: [
        toolResult({
          type: "resource",
          resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." },
        }),
        toolResult("Please process the embedded resource above."),
      ],
    }),
  );
  prompt("test_prompt_with_image", null, () => ({
    messages: [
      toolResult({ type: "image", data: PNG, mimeType: "image/png" }),
      toolResult("Please analyze the image above."),
    ],
  }));
  prompt("test_input_required_result_prompt", null, (ctx) => {
    const content = acceptedContent(ctx.mcpReq.inputResponses, "user_context");
    return content
      ? { messages: [toolResult(`With context: ${content.context}`)] }
      : inputRequired({
          inputRequests: { user_context: form("What context should the prompt use?", schema({ context: string })) },
        });
  });
}

function createServer() {
  const hint = { ttlMs: 60_000, cacheScope: "public" };
  const cacheHints = Object.fromEntries(
    [
      "tools/list",
      "prompts/list",
      "resources/list",
      "resources/templates/list",
      "resources/read",
      "server/discover",
    ].map((method) => [method, hint]),
  );
  const server = new McpServer(
    { name: "stepgraph-conformance", version: "1.0.0" },
    {
      capabilities: { logging: {}, completions: {}, resources: { subscribe: true } },
      requestState: { verify: codec.verify },
      cacheHints,
    },
  );
  tools(server);
  resources(server);
  prompts(server);
  server.server.setRequestHandler("completion/complete", ({ params }) => ({
    completion: {
      values: ["paris", "park", "party"].filter((word) => word.startsWith(params.argument.value)),
      hasMore: false,
    },
  }));
  return server;
}

const served = await listen({
  factory: createServer,
  host: "127.0.0.1",
  port: 0,
  onError: (error) => process.stderr.write(`${error.stack}\n`),
});
process.stdout.write(`${served.url}\n`);
