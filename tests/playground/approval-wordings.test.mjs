// Tests unusual wordings of approvals: they are recognized, or at least red in a plan without a person.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { root } from "../../scripts/lib/paths.mjs";
import { load } from "./scripts.mjs";

const { asksApproval } = await load("../../wasm/js/request-review/approval-words.ts");
const { demandsOf } = await load("../../wasm/js/request-review/demands.ts");
const { DEMO_TOOLS } = await load("connect/demo-tool-list.ts");
const sets = parse(readFileSync(join(root, "tests", "playground", "approval-wordings.yaml"), "utf8"));

const call = (tool, input = {}) => ({ type: "tool", tool, input });
const NODES = {
  order: call("get_order", { order_id: "A-1003" }),
  read: call("read_file", { path: "notes/monday.md" }),
  write: { type: "llm", input: "${last}" },
  refund: call("refund_order", { order_id: "A-1003" }),
  tell: call("send_message", { to: "Luis", text: "${output.write}" }),
  delete: call("delete_file", { path: "drafts/old-price-list.md" }),
  ticket: call("create_ticket", { title: "Look at it", team: "accounting" }),
};
const ids = Object.keys(NODES);
const workflow = {
  start: ids[0],
  nodes: NODES,
  edges: ids.slice(1).map((to, at) => ({ from: ids[at], to })),
};

/** How many no rule reads as an approval. The last set was written after the rules: these are red, and say why. */
const UNREAD = {
  fourth: 3,
  fifth: 3,
  sixth: 4,
  seventh: 20,
};

for (const [name, { approval, none }] of Object.entries(sets)) {
  test(`${name} set: wordings of approvals are recognized`, () => {
    const missed = approval.filter((text) => !asksApproval(text));
    assert.ok(missed.length <= (UNREAD[name] ?? 0), missed.join("\n"));
    assert.deepEqual(none.filter(asksApproval), []);
  });

  test(`${name} set: no approval is green in a plan without a person`, () => {
    const isGreen = (text) => {
      const coverage = [{ step: 1, text, nodes: ids }];
      return demandsOf(text, { workflow, coverage }, DEMO_TOOLS).every(({ why }) => why === undefined);
    };
    assert.deepEqual(
      approval.filter((text) => isGreen(text)),
      [],
    );
  });
}
