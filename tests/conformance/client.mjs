// The client that the official conformance suite puts to the test: `node client.mjs URL`, what to do by its
// environment.
//
// Uses the built package as anybody would. Needs `dist/` and `pkg/` to be built.

import { mcp, oauth } from "../../dist/node.js";

const { MCP_CONFORMANCE_SCENARIO: scenario = "", MCP_CONFORMANCE_PROTOCOL_VERSION: version } = process.env;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const [url] = process.argv.slice(2);

/** What is done in a scenario, by its name or by what its name begins with; elsewhere the tools are listed. */
const scenarios = {
  initialize: (client) => client.list(),
  tools_call: listAndCall({ add_numbers: { a: 5, b: 3 } }),
  "elicitation-sep1034-client-defaults": listAndCall({}),
  "sse-retry": listAndCall({}),
  "request-metadata": (client) => client.list(),
  "sep-2322-client-request-state": async (client) => {
    // The second is called while the first is under way: neither may see anything of the other.
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

/** Lists the tools and calls each of them, with arguments of its type where none are given. */
function listAndCall(given) {
  return async (client) => {
    const callable = (await client.list()).filter(({ unavailable }) => unavailable === undefined);
    for (const tool of callable) await client.call(tool.name, given[tool.name] ?? sample(tool.input_schema));
  };
}

/** A value for each property that a schema requires. */
function sample({ properties = {}, required = [] }) {
  const values = { string: "test", integer: 1, number: 1, boolean: true, array: [], object: {} };
  return Object.fromEntries(
    required.map((name) => [name, properties[name]?.default ?? values[properties[name]?.type] ?? "test"]),
  );
}

/** Who the client is in a scenario: what the suite gives it is all that it may know. */
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
    // The suite's authorization servers agree at once: where a browser would be sent is all that is needed.
    authorize: async (url) => (await fetch(url, { redirect: "manual" })).headers.get("location"),
  };
}

const act =
  scenarios[scenario] ??
  scenarios[Object.keys(scenarios).find((name) => name.endsWith("/") && scenario.startsWith(name))];
if (act === undefined) throw new Error(`nothing is known of the scenario \`${scenario}\``);
const client = mcp(url, {
  ...(version && { version }),
  ...(scenario.startsWith("auth/") && { auth: oauth(identity()) }),
  // A person who agrees to everything and fills in nothing.
  elicitation: { form: () => ({ action: "accept", content: {} }), url: () => ({ action: "accept" }) },
  sampling: () => ({ role: "assistant", content: { type: "text", text: "yes" }, model: "none" }),
  roots: [{ uri: "file:///project" }],
});
try {
  await act(client);
} catch (error) {
  // The suite shows what is said here; some scenarios want the client to fail.
  console.error(`${error.code ?? error.name}: ${error.message}`);
  process.exitCode = 1;
} finally {
  await client.close();
}
