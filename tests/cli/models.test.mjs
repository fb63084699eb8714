// Tests models on the command line: provider, URL and key.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { json, serve } from "../servers/serve.mjs";
import { file, stepgraph } from "./stepgraph.mjs";

const KEYS = {
  OPENAI_API_KEY: "sk-openai-0123",
  ANTHROPIC_API_KEY: "sk-anthropic-0123",
  GEMINI_API_KEY: "sk-gemini-0123",
};
/** Every provider's client reads the answer `yes`. */
const YES_REPLY = {
  choices: [{ message: { content: "yes" }, finish_reason: "stop" }],
  output: [{ type: "message", content: [{ type: "output_text", text: "yes" }] }],
  content: [{ type: "text", text: "yes" }],
  candidates: [{ content: { parts: [{ text: "yes" }] }, finishReason: "STOP" }],
};

let plan;
before(() => {
  plan = file("plan.yaml", "nodes:\n  ask: { type: llm, input: hi }\n");
});

for (const [model, path, header, value, name] of [
  [["--model", "m"], "/v1/chat/completions", "authorization", `Bearer ${KEYS.OPENAI_API_KEY}`, "m"],
  [[], "/v1/chat/completions", "authorization", `Bearer ${KEYS.OPENAI_API_KEY}`, "default"],
  [["--model", "llama3.2:3b"], "/v1/chat/completions", "authorization", `Bearer ${KEYS.OPENAI_API_KEY}`, "llama3.2:3b"],
  [["--model", "openai:m:1"], "/v1/chat/completions", "authorization", `Bearer ${KEYS.OPENAI_API_KEY}`, "m:1"],
  [["--model", "openai-responses:m"], "/v1/responses", "authorization", `Bearer ${KEYS.OPENAI_API_KEY}`, "m"],
  [["--model", "anthropic:m"], "/v1/messages", "x-api-key", KEYS.ANTHROPIC_API_KEY, "m"],
  [["--model", "gemini:m"], "/v1/models/m:generateContent", "x-goog-api-key", KEYS.GEMINI_API_KEY, undefined],
]) {
  test(`${model.join(" ") || "an address alone"} requests ${path}`, async (context) => {
    const paths = [];
    const { url, requests, stop } = await serve(
      ({ request, response }) => (paths.push(request.url), json(response, 200, YES_REPLY)),
    );
    context.after(stop);
    const { code, out, err } = await stepgraph(["run", plan, "--quiet", ...model, "--model-url", `${url}/v1`], {
      env: KEYS,
    });
    assert.deepEqual([code, out, err], [0, "yes\n", ""]);
    const [{ headers, body }] = requests;
    assert.deepEqual([paths, headers[header], body.model], [[path], value, name]);
    assert.equal(Object.values(KEYS).filter((key) => JSON.stringify(headers).includes(key)).length, 1);
  });
}

for (const [args, env, message] of [
  [
    ["--model", "anthropic:m"],
    { OPENAI_API_KEY: "x" },
    /names a model of `anthropic`, but there is no key for it[^]*set ANTHROPIC_API_KEY/,
  ],
  [["--model", "gemini:"], KEYS, /names a provider, but no model[^]*write `--model gemini:NAME`/],
  [["--model", "m"], { GEMINI_API_KEY: "x" }, /no URL or key is set[^]*write `--model gemini:m`/],
  [["--model", "m"], {}, /no URL or key is set[^]*add `--model-url URL`, or set OPENAI_API_KEY/],
  // `STEPGRAPH_MODEL` may belong to other runs, so it is ignored without a key.
  [[], { STEPGRAPH_MODEL: "anthropic:m" }, /the run has no model `default`/],
]) {
  test(`${args.join(" ")} with ${Object.keys(env).join(" and ") || "no key"} reports the missing setting`, async () => {
    const { code, err } = await stepgraph(["run", plan, ...args], { env });
    assert.equal(code, 2, err);
    assert.match(err, message);
  });
}

test("the environment names provider and place", async (context) => {
  const { url, requests, stop } = await serve(({ response }) => json(response, 200, YES_REPLY));
  context.after(stop);
  const env = { STEPGRAPH_MODEL: "anthropic:m", STEPGRAPH_MODEL_URL: url, ANTHROPIC_API_KEY: "k" };
  assert.equal((await stepgraph(["run", plan, "--quiet"], { env })).out, "yes\n");
  assert.equal(requests[0].body.model, "m");
});
