/** The host that recorded the histories, and one with the same names that replays them without answers. */
import { CallError } from "../../dist/node.js";

const TOOLS = [
  [{ name: "get", description: "looks up", input_schema: { type: "object" }, annotations: { readOnlyHint: true } }],
  [{ name: "drop", input_schema: { type: "object" }, annotations: { destructiveHint: true } }],
];

function hostOf(answer) {
  const handler = (node, state) => answer(node.call, state);
  const model = (_request, { call }) => answer(call);
  const client = (tools, i) => ({
    name: `server-${i}`,
    list: async () => tools,
    call: async (_name, _args, { call }) => ({ value: await answer(call), isError: false }),
    close: async () => {},
  });
  return {
    handlers: { work: handler },
    byId: { special: handler },
    models: { default: model, small: model },
    tools: TOOLS.map(client),
    runId: "history",
  };
}

export function scripted({ answers }, time) {
  const answer = (call, state) => {
    if (!Object.hasOwn(answers, call)) throw new Error(`the case has no answer for ${call}`);
    const told = answers[call];
    if (told === "never") return new Promise(() => {});
    const { value = told, fail, writes = {}, afterMs = 0 } = Object(told);
    for (const [name, written] of Object.entries(writes)) state.write(name, written);
    return new Promise((resolve, reject) => {
      const settle = () => (fail === undefined ? resolve(value) : reject(new CallError(fail, "it failed")));
      time.after(afterMs, settle);
    });
  };
  return { ...hostOf(answer), onApproval: ({ call }) => answer(call) };
}

export function failingHost() {
  return hostOf((call) => {
    throw new Error(`${call} was asked, and stands in the history`);
  });
}
