/** `check_plan`, `describe_tools` and `plan_request`. Workers check untrusted plans. */
import { effectOf } from "../../package-internals.js";
import type { ToolInfo } from "../../types.js";
import { closestName } from "../suggest.js";
import { parameters, renderTool } from "../tool-signature.js";
import { plain } from "../../terminal/style.js";
import type { PlanService, PlanSource } from "./plan-service.js";
import type { CallerPrompt } from "./multi-round-trip.js";
import { FORMAT } from "./format-guide.js";
import { CallerError } from "./caller-error.js";
import { jsonOf, type ToolOutput } from "./render.js";
import { unavailableText } from "./unavailable-servers.js";
import type { CallerFeatures } from "./runs.js";

/** For the planner. */
const MAX_KNOWN_PLANS = 100;
const MAX_SCHEMA_TEXT = 40_000;

export async function describeTools(
  service: PlanService,
  { server, name, format = false }: { server?: string; name?: string; format?: boolean },
  signal: AbortSignal,
): Promise<ToolOutput> {
  const { tools, unavailable } = await service.listTools(signal);
  const known = (tool: ToolInfo) =>
    tools.filter((other) => other.name === tool.name).length === 1 ? tool.name : `${tool.server}.${tool.name}`;
  const servers = [...new Set([...tools.map((tool) => tool.server ?? ""), ...unavailable.map((one) => one.server)])];
  if (server !== undefined && !servers.includes(server)) {
    const suggestion = closestName(server, servers);
    throw new CallerError(
      "serve/unknown-tool",
      `there is no server \`${server.slice(0, 80)}\``,
      suggestion
        ? `did you mean \`${suggestion}\`?`
        : `the servers are ${servers.map((one) => `\`${one}\``).join(", ") || "none"}`,
    );
  }
  const ofServer = tools.filter((tool) => server === undefined || (tool.server ?? "") === server);
  const exact = ofServer.filter((tool) => name !== undefined && (tool.name === name || known(tool) === name));
  const shown =
    name === undefined ? ofServer : exact.length > 0 ? exact : ofServer.filter((tool) => known(tool).includes(name));
  if (name !== undefined && shown.length === 0) {
    const suggestion = closestName(name, ofServer.map(known));
    throw new CallerError(
      "serve/unknown-tool",
      `no tool name contains \`${name.slice(0, 80)}\``,
      suggestion ? `did you mean \`${suggestion}\`?` : undefined,
    );
  }
  const whole = name !== undefined || shown.reduce((sum, tool) => sum + jsonOf(tool).length, 0) <= MAX_SCHEMA_TEXT;
  const look = { style: plain, columns: 160 };
  const entries = shown.slice(0, 500).map((tool) => ({
    name: known(tool),
    server: tool.server ?? null,
    description: (tool.description ?? "").slice(0, 2000),
    effect: effectOf(tool),
    unavailable: tool.unavailable ?? null,
    signature: `${known(tool)}(${parameters(tool.input_schema)})`,
    input_schema: whole ? tool.input_schema : null,
    output_schema: whole ? (tool.output_schema ?? null) : null,
  }));
  const lines = shown
    .slice(0, 500)
    .flatMap((tool) => [
      ...renderTool(tool, look, known(tool), name !== undefined),
      ...(effectOf(tool) === "unknown" ? ["    may change anything: its effects are unknown"] : []),
    ]);
  const plans = service.files();
  const rest = [
    ...(whole ? [] : ["schemas are omitted: pass a tool's `name` to see its schemas"]),
    ...(plans.length > 0 ? [`plans: ${plans.slice(0, 50).join(", ")}`] : []),
  ];
  const none = shown.length === 0 ? "no tools: plans can use only models, approvals, templates and conditions" : "";
  return {
    data: { tools: entries, silent: unavailable, plans, format: format ? FORMAT : null },
    text: [none, lines.join("\n"), rest.join("\n"), unavailableText(unavailable), format ? FORMAT : ""]
      .filter((part) => part !== "")
      .join("\n\n"),
  };
}

export async function checkPlan(
  service: PlanService,
  source: PlanSource,
  { samples, fix = false }: { samples: boolean; fix?: boolean },
  signal: AbortSignal,
): Promise<ToolOutput> {
  const { tools, unavailable } = await service.listTools(signal);
  const args = { text: source.text, files: source.files, tools, unavailable, models: hasModel(service, samples), fix };
  return service.pool.run<ToolOutput>("check", args, { signal });
}

export function hasModel({ settings: { model, stubs } }: PlanService, samples: boolean): boolean {
  return model !== null || samples || stubs?.models !== undefined;
}

/** Does not run it. */
export async function planRequest(
  service: PlanService,
  { request, partial }: { request: string; partial?: boolean },
  caller: CallerFeatures,
  prompt: CallerPrompt,
): Promise<ToolOutput> {
  if (!hasModel(service, caller.samples)) throw new CallerError("serve/no-model", "there is no model to plan with");
  const { model, stubs, servers } = service.settings;
  const { tools, unavailable } = await service.listTools(prompt.signal);
  const known = service
    .files()
    .slice(0, MAX_KNOWN_PLANS)
    .map((path) => ({ path, text: service.bundle(service.plan({ path })) }));
  const places = servers.map(({ name, place }) => ({ name, place }));
  const asks = model !== null || stubs?.models === undefined;
  const args = { request, partial: partial ?? false, tools, unavailable, known, places, model: asks };
  return service.pool.run<ToolOutput>("author", args, {
    signal: prompt.signal,
    chat: service.modelOf(caller, prompt),
    onNews: ({ progress }) => progress.forEach(caller.tell),
  });
}
