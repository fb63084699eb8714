// Tests the waits of OAuth, with FastMCP's authorization server and small servers that misbehave. Native tests cover
// the decisions.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { mcp, oauth } from "../../dist/node.js";
import { json, serve } from "../servers/serve.mjs";
import { guarded } from "../servers/servers.mjs";

const redirectUri = "http://127.0.0.1:9/back";

const approveSignIn = async (url, { signal }) => {
  const response = await fetch(url, { redirect: "manual", signal });
  await response.body?.cancel();
  return response.headers.get("location");
};

function memory() {
  const kept = new Map();
  return { kept, load: (server) => kept.get(server), save: (server, text) => void kept.set(server, text) };
}

test("FastMCP with an authorization server of its own", async (context) => {
  const { url, stop } = await guarded();
  context.after(stop);
  const store = memory();
  const visited = [];
  const options = {
    redirectUri,
    store,
    authorize: (url, how) => (visited.push(new URL(url)), approveSignIn(url, how)),
  };

  await context.test("the user signs in once, and tools answer", async () => {
    const client = mcp(url, { auth: oauth(options) });
    const [tools, price] = await Promise.all([client.list(), client.call("price", { item: "tea" })]);
    assert.equal(tools.length, 6);
    assert.equal(price.value.price, 3.5);
    assert.equal(visited.length, 1);
    const asked = Object.fromEntries(visited[0].searchParams);
    assert.deepEqual(
      [asked.scope, asked.code_challenge_method, asked.resource, asked.redirect_uri],
      ["shop", "S256", url, redirectUri],
    );
    assert.match(asked.code_challenge, /^[\w-]{43}$/);
    assert.deepEqual([...store.kept.keys()], [url]);
  });

  await context.test("the next process needs no sign-in", async () => {
    assert.equal((await mcp(url, { auth: oauth(options) }).call("add", { a: 1, b: 2 })).value.result, 3);
    assert.equal(visited.length, 1);
  });

  await context.test("a token that has grown old is renewed", async () => {
    const client = mcp(url, { auth: oauth(options) });
    await client.list();
    const before = store.kept.get(url);
    const now = Date.now();
    const clock = mock.method(Date, "now", () => now + 3_600_000);
    try {
      assert.equal((await client.call("add", { a: 1, b: 2 })).value.result, 3);
    } finally {
      clock.mock.restore();
    }
    assert.equal(visited.length, 1);
    assert.notEqual(store.kept.get(url), before);
  });

  await context.test("revoked tokens are requested again", async () => {
    const kept = JSON.parse(store.kept.get(url));
    Object.assign(kept.token, { access: "revoked-token", refresh: "revoked-refresh" });
    store.save(url, JSON.stringify(kept));
    assert.equal((await mcp(url, { auth: oauth(options) }).call("add", { a: 1, b: 2 })).value.result, 3);
    assert.equal(visited.length, 2);
  });

  await context.test("a client unknown to the server is refused, and the error contains no secret", async () => {
    const clientSecret = "a-secret-of-the-client";
    const auth = oauth({ clientId: "unknown", clientSecret });
    await assert.rejects(mcp(url, { auth }).list(), (error) => {
      assert.equal(error.code, "mcp/auth-refused");
      assert.ok(!error.message.includes(clientSecret), error.message);
      return true;
    });
  });
});

/** `answers` overrides single paths. */
async function startServerPair(answers = {}) {
  let tokens = 0;
  const { url, requests, stop } = await serve(async ({ request, body, response }) => {
    const origin = `http://${request.headers.host}`;
    const { pathname, searchParams } = new URL(request.url, origin);
    if (answers[pathname]) return answers[pathname]({ request, response, origin });
    if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return json(response, 200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (pathname.startsWith("/.well-known/")) {
      const [authorization_endpoint, token_endpoint, registration_endpoint] = ["authorize", "token", "register"].map(
        (name) => `${origin}/${name}`,
      );
      return json(response, 200, {
        issuer: origin,
        authorization_endpoint,
        token_endpoint,
        registration_endpoint,
        code_challenge_methods_supported: ["S256"],
      });
    }
    if (pathname === "/register") return json(response, 201, { client_id: "client" });
    if (pathname === "/authorize")
      return response
        .writeHead(302, { location: `${searchParams.get("redirect_uri")}?code=c&state=${searchParams.get("state")}` })
        .end();
    if (pathname === "/token")
      return json(response, 200, { access_token: `the-token-${++tokens}`, token_type: "Bearer" });
    if (request.headers.authorization !== `Bearer the-token-${tokens}`)
      return json(response, 401, {}, { "www-authenticate": "Bearer" });
    const result =
      body.method === "server/discover"
        ? { supportedVersions: ["2026-07-28"] }
        : { tools: [], content: [], resultType: "complete" };
    json(response, 200, { jsonrpc: "2.0", id: body.id, result });
  });
  return { url: `${url}/mcp`, requests, stop, tokens: () => tokens };
}

test("operations that are refused at the same time share one token request", async (context) => {
  const server = await startServerPair();
  context.after(server.stop);
  let visits = 0;
  const auth = oauth({ redirectUri, authorize: (url, how) => (visits++, approveSignIn(url, how)) });
  const clients = [mcp(server.url, { auth }), mcp(server.url, { auth })];
  const [one] = clients;
  await Promise.all([one.list(), one.call("a", {}), one.call("b", {})]);
  assert.deepEqual([visits, server.tokens()], [1, 1]);
});

test("a late refusal of a token that was renewed meanwhile requests nothing", async (context) => {
  const server = await startServerPair();
  context.after(server.stop);
  let visits = 0;
  const auth = oauth({ redirectUri, authorize: (url, how) => (visits++, approveSignIn(url, how)) })(server.url, {});
  assert.equal(await auth.challenged(401, "Bearer"), true);
  for (const token of [undefined, "the-token-0"])
    assert.equal(await auth.challenged(401, "Bearer", undefined, token), true);
  assert.deepEqual([visits, server.tokens(), auth.token()], [1, 1, "the-token-1"]);
  await assert.rejects(auth.challenged(401, "Bearer", undefined, "the-token-1"), { code: "tool/unauthorized" });
});

test("a sign-in ends when no call needs the token any more", async (context) => {
  const server = await startServerPair();
  context.after(server.stop);
  const [first, second] = [new AbortController(), new AbortController()];
  let visiting;
  const started = new Promise((resolve) => (visiting = resolve));
  let told;
  const auth = oauth({
    redirectUri,
    authorize: (url, { signal }) => (
      visiting(signal), new Promise((resolve) => (told = () => resolve(approveSignIn(url, { signal }))))
    ),
  })(server.url, {});
  const ones = [auth.challenged(401, "Bearer", first.signal), auth.challenged(401, "Bearer", second.signal)];
  const signal = await started;
  first.abort(new Error("enough"));
  await assert.rejects(ones[0], /enough/);
  assert.equal(signal.aborted, false);
  second.abort(new Error("enough, too"));
  await assert.rejects(ones[1], /enough, too/);
  assert.equal(signal.aborted, true);
  told();
  assert.equal(auth.token(), undefined);
  assert.equal(server.tokens(), 0);
});

test("a user who refuses the sign-in", async (context) => {
  const server = await startServerPair();
  context.after(server.stop);
  const cause = new Error("the window was closed");
  const auth = oauth({ redirectUri, authorize: () => Promise.reject(cause) });
  await assert.rejects(mcp(server.url, { auth }).list(), {
    code: "mcp/auth-refused",
    message: /the window was closed/,
    cause,
  });
});

test("an unresponsive authorization server times out", async (context) => {
  const server = await startServerPair({ "/token": () => {} });
  context.after(server.stop);
  const auth = oauth({ redirectUri, authorize: approveSignIn });
  await assert.rejects(mcp(server.url, { auth, timeoutMs: 1500 }).list(), { code: "tool/timeout" });
});

test("an answer that never ends is not read to its end", async (context) => {
  const sendEndless = ({ response }) => {
    const writeChunk = () => response.write("x".repeat(65536), (error) => error || writeChunk());
    writeChunk();
  };
  const server = await startServerPair({ "/token": sendEndless });
  context.after(server.stop);
  const auth = oauth({ redirectUri, authorize: approveSignIn });
  await assert.rejects(mcp(server.url, { auth }).list(), { code: "mcp/auth-refused" });
});

test("no code is sent to an endpoint of another authorization server", async (context) => {
  let seen = false;
  const elsewhere = await serve(({ response }) => ((seen = true), response.end()));
  const server = await startServerPair({
    "/token": ({ response }) => response.writeHead(307, { location: elsewhere.url }).end(),
  });
  context.after(() => Promise.all([server.stop(), elsewhere.stop()]));
  const auth = oauth({ redirectUri, authorize: approveSignIn });
  await assert.rejects(mcp(server.url, { auth }).list(), { code: "mcp/auth-refused", message: /status 307/ });
  assert.equal(seen, false);
});

test("a client signs with its own key, of every kind", async (_context) => {
  const { subtle } = globalThis.crypto;
  for (const [algorithm, how] of [
    ["ES256", { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }],
    ["ES384", { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" }],
    [
      "RS256",
      { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash: "SHA-256" },
    ],
    [
      "PS256",
      { name: "RSA-PSS", modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash: "SHA-256", saltLength: 32 },
    ],
    ["EdDSA", { name: "Ed25519" }],
  ]) {
    const keys = await subtle.generateKey(how, true, ["sign", "verify"]);
    const text = Buffer.from(await subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
    for (const privateKey of [
      keys.privateKey,
      `-----BEGIN PRIVATE KEY-----\n${text.replace(/.{64}/g, "$&\n")}\n-----END PRIVATE KEY-----\n`,
    ]) {
      let form;
      const token = async ({ response }) => json(response, 200, { access_token: "the-token-0", token_type: "Bearer" });
      const server = await startServerPair({ "/token": token });
      const recordingFetch = (url, init) => (
        url.endsWith("/token") && (form = new URLSearchParams(init.body)), fetch(url, init)
      );
      await mcp(server.url, { auth: oauth({ clientId: "me", privateKey, algorithm }), fetch: recordingFetch }).list();
      await server.stop();
      const [head, claims, signature] = form.get("client_assertion").split(".");
      assert.deepEqual(JSON.parse(Buffer.from(head, "base64url")), { alg: algorithm, typ: "JWT" });
      assert.equal(JSON.parse(Buffer.from(claims, "base64url")).sub, "me");
      assert.ok(
        await subtle.verify(how, keys.publicKey, Buffer.from(signature, "base64url"), Buffer.from(`${head}.${claims}`)),
        algorithm,
      );
    }
  }
});

test("an invalid key is reported without being shown", async (context) => {
  const server = await startServerPair();
  context.after(server.stop);
  await assert.rejects(
    mcp(server.url, { auth: oauth({ clientId: "me", privateKey: "c2VjcmV0LWtleS10ZXh0" }) }).list(),
    (error) => {
      assert.equal(error.code, "mcp/auth-refused");
      assert.ok(!/c2VjcmV0|secret-key/.test(error.message), error.message);
      return true;
    },
  );
});

test("options that lead to no token are refused at once", () => {
  const enterprise = { tokenEndpoint: "https://provider.example/token", clientId: "me", idToken: () => "token" };
  for (const options of [
    {},
    { authorize: approveSignIn },
    { clientId: "me" },
    { clientSecret: "secret" },
    { redirectUri },
    { enterprise },
    { enterprise, authorize: approveSignIn, redirectUri },
  ]) {
    assert.throws(() => oauth(options), { name: "PlanError", code: "api/missing-option" });
  }
});
