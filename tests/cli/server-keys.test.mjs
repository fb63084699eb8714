// Tests that keys never go to an address that only a plan names, nor over plain HTTP.

import assert from "node:assert/strict";
import { test } from "node:test";
import { keysOf } from "../../dist/cli/server-keys.js";
import { json, withTools } from "../servers/serve.mjs";
import { file, stepgraph } from "./stepgraph.mjs";

const KEY = { STEPGRAPH_SERVER_KEY_SHOP: "k" };
const HTTPS = "https://shop.example/mcp";
const LOOPBACK = "http://127.0.0.1:3001/mcp";

const keys = (url, { planned = false, env = KEY, headers = {}, servers = 1, signsIn = false } = {}) => {
  try {
    return keysOf({ name: "shop", url, planned }, headers, servers, env, signsIn);
  } catch ({ message, help }) {
    return `${message}: ${help}`;
  }
};

const boundOptions = (origin, more = KEY) => ({ planned: true, env: { ...more, STEPGRAPH_SERVER_URL_SHOP: origin } });

test("a key is sent only to addresses that the user named", () => {
  for (const [url, options, expected] of [
    [HTTPS, {}, { key: "k" }],
    [LOOPBACK, {}, { key: "k" }],
    ["http://localhost:1/", {}, { key: "k" }],
    ["http://mcp.localhost/", {}, { key: "k" }],
    ["http://[::1]:1/", {}, { key: "k" }],
    [HTTPS, { env: { STEPGRAPH_SERVER_KEY: "one" } }, { key: "one" }],
    [HTTPS, { env: { STEPGRAPH_SERVER_KEY: "one" }, servers: 2 }, {}],
    ["http://shop.example/mcp", { env: {} }, {}],
    [HTTPS, { planned: true, env: {} }, {}],
    [HTTPS, { planned: true, env: {}, headers: { "X-Team": "blue" } }, {}],
    [HTTPS, boundOptions("https://shop.example"), { key: "k" }],
    [HTTPS, boundOptions("https://shop.example/other/path"), { key: "k" }],
    [HTTPS, boundOptions("https://shop.example:443"), { key: "k" }],
    [LOOPBACK, boundOptions("http://127.0.0.1:3001"), { key: "k" }],
    [HTTPS, { planned: true, env: { STEPGRAPH_SERVER_KEY: "o", STEPGRAPH_SERVER_URL: HTTPS } }, { key: "o" }],
    [HTTPS, { planned: true, env: { STEPGRAPH_CLIENT_ID: "me" }, signsIn: true }, { clientId: "me" }],
    [HTTPS, { env: { STEPGRAPH_CLIENT_SECRET: "s", STEPGRAPH_CLIENT_ID: "me" } }, {}],
  ])
    assert.deepEqual(keys(url, options), expected, `${url} ${JSON.stringify(options)}`);
});

test("any other address is refused, and the help names the flag to type", () => {
  const sent = /the key of `shop` would be sent to `https:\/\/shop\.example\/mcp`, which only the plan names/;
  for (const [url, options, words] of [
    [HTTPS, { planned: true }, sent],
    [HTTPS, { planned: true }, /write `--server shop=https:\/\/shop\.example\/mcp`/],
    [HTTPS, { planned: true }, /or set STEPGRAPH_SERVER_URL_SHOP=https:\/\/shop\.example$/],
    [HTTPS, { planned: true, env: { STEPGRAPH_SERVER_KEY: "one" } }, sent],
    [HTTPS, boundOptions("https://other.example"), sent],
    [HTTPS, boundOptions("https://shop.example:8443"), sent],
    [HTTPS, boundOptions("https://shop.example.evil.example"), sent],
    [HTTPS, boundOptions("http://shop.example"), sent],
    [HTTPS, boundOptions("shop.example"), /STEPGRAPH_SERVER_URL_SHOP contains no URL: write it like/],
    [LOOPBACK, { planned: true }, /only the plan names/],
    [`${HTTPS}?key=abc#def`, { planned: true }, /^(?!.*abc)(?!.*def).*`https:\/\/shop\.example\/mcp\?\.\.\.`/],
    ["https://me:pw@shop.example/mcp", { planned: true }, /^(?!.*pw).*only the plan names/],
    [HTTPS, { planned: true, env: {}, headers: { Authorization: "x" } }, /the header `Authorization` for `shop`/],
    [
      HTTPS,
      { planned: true, env: { STEPGRAPH_CLIENT_ID: "me", STEPGRAPH_CLIENT_SECRET: "s" }, signsIn: true },
      /only the plan names/,
    ],
    ["http://shop.example/mcp", {}, /would be sent to `shop\.example` over plain http.*`https:\/\/`, or unset/],
    ["http://10.0.0.5/mcp", {}, /plain http/],
    ["http://localhost.evil.example/", {}, /plain http/],
    ["http://127.0.0.1.evil.example/", {}, /plain http/],
    ["http://shop.example/mcp", boundOptions("http://shop.example"), /plain http/],
  ]) {
    const said = keys(url, options);
    assert.match(String(said), words, `${url} ${JSON.stringify(options)}: ${JSON.stringify(said)}`);
  }
});

test("a plan that names another address gets no key and no sign-in", async (context) => {
  const shop = await withTools(["pay"], ({ body, response }) =>
    json(response, 200, {
      jsonrpc: "2.0",
      id: body.id,
      result: { resultType: "complete", content: [{ type: "text", text: "paid" }] },
    }),
  );
  context.after(() => shop.stop());
  const plan = file("hostile.yaml", `servers: {shop: {url: "${shop.url}"}}\nnodes: {a: {type: tool, tool: pay}}`);
  for (const command of ["run", "check"]) {
    const { code, out, err } = await stepgraph([command, plan, "--server", "shop"], { env: KEY });
    assert.deepEqual([code, out], [2, ""], err);
    assert.match(err, /the key of `shop` would be sent to `http:\/\/127\.0\.0\.1.*only the plan names/s);
  }
  assert.equal(shop.requests.length, 0);
  const { code } = await stepgraph(["run", plan, "--server", `shop=${shop.url}`], { env: KEY });
  assert.equal(code, 0);
  assert.ok(shop.requests.every(({ headers }) => headers.authorization === "Bearer k"));
});
