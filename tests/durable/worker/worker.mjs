/** A worker that runs a plan, and requests to create, notify, pause and resume its instances. */
import { WorkflowEntrypoint } from "cloudflare:workers";
import { init, PlanGraph } from "stepgraph";
import wasm from "stepgraph/engine.wasm";
import { approvalEvent, runPlan } from "stepgraph/workflows";

init(wasm);
const NAMES = ["list", "shaky", "price", "left", "right", "book"];

export class Order extends WorkflowEntrypoint {
  async run(event, step) {
    const run = event.instanceId;
    const requestTool = async (tool, args, { call }) => {
      const response = await fetch(this.env.WORLD, {
        method: "POST",
        headers: { "idempotency-key": call },
        body: JSON.stringify({ run, call, tool, args }),
      });
      const { value, code, message } = await response.json();
      if (code) throw Object.assign(new Error(message), { code });
      return value;
    };
    const tools = [
      {
        name: "world",
        list: async () => NAMES.map((name) => ({ name, input_schema: { type: "object" } })),
        call: async (name, args, options) => ({ value: await requestTool(name, args, options), isError: false }),
        close: async () => {},
      },
    ];
    const note = (node, state) => (
      state.write("noted", node.input),
      requestTool("note", { input: node.input, last: state.last }, { call: node.call })
    );
    const plans = this.env.PLANS.map((text) => PlanGraph.parse(text).graph);
    const onApproval = ({ event, approval }) =>
      requestTool("announce", { event, of: approval.input }, { call: `${approval.call}.asked` });
    const moves = event.payload.moves && { acceptChangedPlan: "proved" };
    return runPlan(event, step, plans, { tools, handlers: { note }, onApproval, ...moves });
  }
}

export default {
  async fetch(request, { ORDER }) {
    const { what, id, payload, call } = await request.json();
    if (what === "create") return Response.json(await ORDER.create({ id, params: payload }).then(() => true));
    const instance = await ORDER.get(id);
    if (what === "status") return Response.json(await instance.status());
    if (what === "decide") await instance.sendEvent({ type: approvalEvent(call), payload });
    else await instance[what]();
    return Response.json(true);
  },
};
