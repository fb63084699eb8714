// Tests our types against those of Restate's SDK and Cloudflare Workflows.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "../../scripts/lib/paths.mjs";
import { npmPackages } from "../servers/install.mjs";
import { restatePackages } from "./restate.mjs";

const WORKERS = "5.20261117.1";

const RESTATE = `
import * as restate from "@restatedev/restate-sdk";
import { PlanGraph } from "stepgraph";
import { runDurable } from "stepgraph/durable";
import { planWorkflow, restateJournal, type OpenApproval } from "stepgraph/restate";
declare const plan: PlanGraph;
const order = restate.workflow(planWorkflow(restate, { name: "order", plan: [plan, plan], options: (input, key) => ({ handlers: { note: () => [input, key] } }), onApproval: ({ id, key }) => void [id, key] }));
const own = restate.service({
  name: "own",
  handlers: { run: async (ctx: restate.Context, input: string) => (await runDurable(plan, restateJournal(ctx, restate), { input, retries: "host" })).toJSON() },
});
void restate.serve({ services: [order, own], port: 9080 });
export async function decide(client: restate.Context): Promise<OpenApproval[]> {
  const one = client.workflowClient<typeof order>({ name: "order" }, "id");
  await one.decide({ call: "ask:1:1", decision: { value: 1 } });
  // @ts-expect-error not a decision
  await one.decide({ call: "ask:1:1", decision: "perhaps" });
  return one.approvals();
}
`;

const WORKER = `
import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { PlanGraph } from "stepgraph";
import { runDurable } from "stepgraph/durable";
import { approvalEvent, runPlan, workflowsJournal } from "stepgraph/workflows";
declare const plan: PlanGraph;
export class Order extends WorkflowEntrypoint<{}, { shop: string }> {
  override async run(event: Readonly<WorkflowEvent<{ shop: string }>>, step: WorkflowStep): Promise<unknown> {
    await runDurable(plan, workflowsJournal(step), { input: event.payload });
    return runPlan(event, step, plan, { step: { retries: { limit: 3, delay: 1000, backoff: "constant" }, timeout: "10 minutes" }, onApproval: ({ event }) => void event });
  }
}
export const decide = (instance: WorkflowInstance) => instance.sendEvent({ type: approvalEvent("ask:1:1"), payload: "approved" });
`;

async function complaints(text, packages, options) {
  const folder = await mkdtemp(join(tmpdir(), "types-"));
  try {
    for (const [name, path] of Object.entries(packages)) {
      await mkdir(join(folder, "node_modules", name, ".."), { recursive: true });
      await symlink(path, join(folder, "node_modules", name));
    }
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    await writeFile(join(folder, "user.ts"), text);
    const compilerOptions = {
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      target: "ES2022",
      module: "NodeNext",
      skipLibCheck: true,
      ...options,
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["user.ts"] }));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, "-p", ".", "--pretty", "false"], {
      cwd: folder,
    }).catch((error) => error);
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("Restate's own types take the workflow, the context and the SDK", async () => {
  const restate = join(await restatePackages(), "node_modules/@restatedev");
  const packages = { stepgraph: root, "@restatedev": restate, "@types": join(root, "node_modules/@types") };
  assert.equal(await complaints(RESTATE, packages, { lib: ["ES2023", "ESNext.Disposable"], types: ["node"] }), "");
});

test("Cloudflare's own types take the step and the event", async () => {
  const workers = join(
    await npmPackages(`workers-types-${WORKERS}`, [`@cloudflare/workers-types@${WORKERS}`]),
    "node_modules/@cloudflare/workers-types",
  );
  assert.equal(
    await complaints(
      WORKER,
      { stepgraph: root, "@cloudflare/workers-types": workers },
      { lib: ["ES2023", "ESNext.Disposable"], types: ["@cloudflare/workers-types"] },
    ),
    "",
  );
});
