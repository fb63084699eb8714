// The client under test of the official conformance suite: `node client.mjs URL`. The environment names the scenario.

import { once } from "node:events";
import { get } from "node:http";
import { connect } from "node:net";

const { MCP_CONFORMANCE_SCENARIO: scenario = "", MCP_CONFORMANCE_PROTOCOL_VERSION: version } = process.env;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const [url] = process.argv.slice(2);

// The turn ends with this process.
if (process.env.STEPGRAPH_TURNS) {
  const turn = connect(Number(process.env.STEPGRAPH_TURNS), "127.0.0.1");
  await once(turn, "data");
  turn.unref();
}
const { mcp, oauth } = await import("../../dist/node.js");

/** Keyed by a scenario's name or prefix. All others only list the tools. */
const scenarios = {
  initialize: (client) => client.list(),
  tools_call: listAndCall({ add_numbers: { a: 5, b: 3 } }),
  "elicitation-sep1034-client-defaults": listAndCall({}),
  "sse-retry": listAndCall({}),
  "request-metadata": (client) => client.list(),
  "sep-2322-client-request-state": async (client) => {
    // The two calls must not see each other's state.
    await client.list();
    await Promise.all(["test_mrtr_echo_state", "test_mrtr_unrelated"].map((name) => client.call(name, {})));
    for (const name of ["test_mrtr_no_state", "test_mrtr_no_result_type"]) await client.call(name, {});
  },
  "http-standard-headers": async (client) => {
    await listAndCall({})(client);
    const { resources } = await client.request("resources/list", {}, { pages: true });
    for (const { uri } of resources) await client.request("resources/read", { uri });
    const { prompts } = await client.request("prompts/list", {}, { pages: true });
    for (const { name } of prompts) await client.request("prompts/get", { name });
  },
  "http-custom-headers": async (client) => {
    await client.list();
    for (const { name, arguments: args } of context.toolCalls ?? []) await client.call(name, args);
  },
  "http-invalid-tool-headers": listAndCall({}),
  "json-schema-ref-no-deref": (client) => client.list(),
  "json-schema-2020-12-preservation": async (client) => {
    const tool = (await client.list()).find(({ name }) => name === "json_schema_2020_12_tool");
    await client.call("json_schema_echo", { schema: tool.input_schema });
  },
  "auth/": listAndCall({}),
};

function listAndCall(given) {
  return async (client) => {
    const callable = (await client.list()).filter(({ unavailable }) => unavailable === undefined);
    for (const tool of callable) await client.call(tool.name, given[tool.name] ?? sample(tool.input_schema));
  };
}

function sample({ properties = {}, required = [] }) {
  const values = { string: "test", integer: 1, number: 1, boolean: true, array: [], object: {} };
  return Object.fromEntries(
    required.map((name) => [name, properties[name]?.default ?? values[properties[name]?.type] ?? "test"]),
  );
}

/** The suite's context is the only source. */
function identity() {
  const {
    client_id: clientId,
    client_secret: clientSecret,
    private_key_pem: privateKey,
    signing_algorithm: algorithm,
  } = context;
  const client = { ...(clientId && { clientId }), ...(clientSecret && { clientSecret }) };
  if (scenario.startsWith("auth/client-credentials"))
    return { ...client, ...(privateKey && { privateKey, algorithm }) };
  if (context.valid_jwt) return { ...client, assertion: () => context.valid_jwt };
  if (context.idp_id_token) {
    const { idp_client_id: clientId, idp_token_endpoint: tokenEndpoint, idp_id_token: token } = context;
    return { ...client, enterprise: { clientId, tokenEndpoint, idToken: () => token } };
  }
  return {
    ...client,
    redirectUri: "http://localhost:3000/callback",
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    // The suite's authorization servers agree at once and redirect. `fetch` may take a connection that the server is
    // about to close.
    authorize: (url) =>
      new Promise((resolve, reject) => {
        get(url, { agent: false }, (response) => resolve(response.resume().headers.location)).on("error", reject);
      }),
  };
}

const runScenario =
  scenarios[scenario] ??
  scenarios[Object.keys(scenarios).find((name) => name.endsWith("/") && scenario.startsWith(name))];
if (runScenario === undefined) throw new Error(`nothing is known of the scenario \`${scenario}\``);
const client = mcp(url, {
  ...(version && { version }),
  ...(scenario.startsWith("auth/") && { auth: oauth(identity()) }),
  // Accepts everything and fills in nothing.
  elicitation: { form: () => ({ action: "accept", content: {} }), url: () => ({ action: "accept" }) },
  sampling: () => ({ role: "assistant", content: { type: "text", text: "yes" }, model: "none" }),
  roots: [{ uri: "file:///project" }],
});
try {
  await runScenario(client);
} catch (error) {
  // Some scenarios require the client to fail. The suite shows this message.
  console.error(`${error.code ?? error.name}: ${error.message}`);
  process.exitCode = 1;
} finally {
  await client.close();
}
