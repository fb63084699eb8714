// The driver for every form: the same loop that awaits, with the call of the machine in the middle.
//
// The loops share no callback: an indirect call per node would cost about as much as the measured difference.
import { readFileSync } from "node:fs";
import { setTables, slots } from "./probe.mjs";

export const NODES = 1000;
export const FORMS = ["js", "slot", "slot, text", "opaque", "opaque, text", "json"];
export const KINDS = ["string", "object"];

const CONDITIONS = {
  string: [["", "ok"]],
  object: [
    ["status", "ok"],
    ["items.3", "d"],
  ],
};

const HANDLERS = {
  string: (seen) => async () => (seen.calls++, "ok"),
  object: (seen) => async () => ({
    status: "ok",
    score: seen.calls++,
    items: ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"],
  }),
};

async function load() {
  const glue = await import("./pkg/values.js");
  glue.initSync({ module: readFileSync(new URL("./pkg/values_bg.wasm", import.meta.url)) });
  return glue.Plan;
}

/** Returns a function that walks the chain once and resolves to the number of handler calls. */
export async function prepare(form, kind) {
  const seen = { calls: 0 };
  const handler = HANDLERS[kind](seen);
  const pairs = CONDITIONS[kind];
  const paths = pairs.map(([path]) => path.split(".").filter(Boolean));
  const literals = pairs.map(([, literal]) => literal);
  setTables({ paths, literals });
  const walk =
    form === "js"
      ? plain(handler, paths, literals)
      : DRIVERS[form](
          new (await load())(
            NODES,
            pairs.map(([path]) => path),
            literals,
          ),
          handler,
        );
  return async () => {
    seen.calls = 0;
    await walk();
    return seen.calls;
  };
}

// The unit: outputs in an array, conditions as pre-split paths, no machine.
function plain(handler, paths, literals) {
  return async () => {
    const outputs = [];
    let node = 0;
    while (node >= 0) {
      const value = await handler(node);
      outputs[node] = value;
      const at = node % paths.length;
      let seen = value;
      for (const key of paths[at]) seen = seen?.[key];
      node = seen === literals[at] && node + 1 < NODES ? node + 1 : -1;
    }
  };
}

const DRIVERS = {
  slot: (plan, handler) => async () => {
    slots.length = 0;
    let node = 0;
    while (node >= 0) {
      slots[node] = await handler(node);
      node = plan.step_slot(node);
    }
  },
  "slot, text": (plan, handler) => async () => {
    slots.length = 0;
    let node = 0;
    while (node >= 0) {
      slots[node] = await handler(node);
      node = plan.step_slot_text(node);
    }
  },
  opaque: (plan, handler) => async () => {
    plan.reset();
    let node = 0;
    while (node >= 0) node = plan.step_opaque(node, await handler(node));
  },
  "opaque, text": (plan, handler) => async () => {
    plan.reset();
    let node = 0;
    while (node >= 0) node = plan.step_opaque_text(node, await handler(node));
  },
  json: (plan, handler) => async () => {
    plan.reset();
    let node = 0;
    while (node >= 0) node = plan.step_json(node, JSON.stringify(await handler(node)));
  },
};
