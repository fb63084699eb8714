/** The MCP resources and prompt. */
import {
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import { CallerError } from "./caller-error.js";
import { FORMAT, writePlan } from "./format-guide.js";
import type { PlanService } from "./plan-service.js";
import { describeTools } from "./plans.js";
import { jsonOf } from "./render.js";
import { explainRun } from "./runs.js";

export function registerResources(server: McpServer, service: PlanService): void {
  registerGuides(server);
  registerPlans(server, service);
  registerRuns(server, service);
  registerPrompt(server, service);
}

function registerGuides(server: McpServer): void {
  const markdown = { mimeType: "text/markdown" };
  server.registerResource(
    "format",
    "stepgraph://format",
    {
      title: "Guide to the plan format",
      description: "Node types, templates, conditions and an example: read it before you write a plan.",
      ...markdown,
      cacheHint: { ttlMs: 3_600_000, cacheScope: "public" },
    },
    (uri) => ({ contents: [{ uri: uri.href, ...markdown, text: FORMAT }] }),
  );
  server.registerResource(
    "schema",
    "stepgraph://schema",
    {
      title: "JSON Schema of plans",
      description: "The schema of plan files, draft 2020-12.",
      mimeType: "application/schema+json",
      cacheHint: { ttlMs: 3_600_000, cacheScope: "public" },
    },
    async (uri) => ({
      contents: [{ uri: uri.href, mimeType: "application/schema+json", text: JSON.stringify(await planSchema()) }],
    }),
  );
}

function registerPlans(server: McpServer, service: PlanService): void {
  const list = () => ({
    resources: service
      .files()
      .slice(0, 500)
      .map((path) => ({
        uri: `stepgraph://plans/${encodeURIComponent(path)}`,
        name: path,
        mimeType: "application/yaml",
      })),
  });
  server.registerResource(
    "plan",
    new ResourceTemplate("stepgraph://plans/{path}", { list }),
    { title: "A plan", description: "A file in the folder of plans." },
    async (uri, { path }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/yaml",
          text: await readResource(uri, async () => service.plan({ path: decodeURIComponent(String(path)) }).text),
        },
      ],
    }),
  );
}

function registerRuns(server: McpServer, service: PlanService): void {
  server.registerResource(
    "run",
    new ResourceTemplate("stepgraph://runs/{run}", { list: undefined }),
    { title: "A run", description: "The result of a run, as JSON.", mimeType: "application/json" },
    async (uri, { run }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/json",
          text: await readResource(uri, async () => jsonOf((await explainRun(service, String(run), "summary")).data)),
        },
      ],
    }),
  );
}

function registerPrompt(server: McpServer, service: PlanService): void {
  const request = {
    type: "object",
    properties: { request: { type: "string", description: "The task." } },
    required: ["request"],
  };
  server.registerPrompt(
    "write_plan",
    {
      title: "Write a plan",
      description: "Everything a model needs to write a plan for a request.",
      argsSchema: passThroughSchema(request),
    },
    async (given: unknown, ctx: ServerContext) => {
      const { text } = await describeTools(service, {}, ctx.mcpReq.signal);
      return {
        messages: [
          {
            role: "user" as const,
            content: {
              type: "text" as const,
              text: writePlan(String((given as { request?: unknown }).request ?? ""), text),
            },
          },
        ],
      };
    },
  );
}

async function planSchema(): Promise<unknown> {
  return (await import("../../editor/node.js")).planSchema();
}

/** A missing resource is a protocol error. */
async function readResource(uri: URL, read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CallerError) throw new ResourceNotFoundError(uri.href, `${error.message}; ${error.help}`);
    throw error;
  }
}

/** Accepts everything, because the library's own errors lack our codes. */
export function passThroughSchema(json: Record<string, unknown>): StandardSchemaWithJSON {
  const toSchema = () => json;
  return {
    "~standard": {
      version: 1,
      vendor: "stepgraph",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: toSchema, output: toSchema },
    },
  };
}
