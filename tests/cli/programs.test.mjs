// Tests servers that are programs: `--server NAME=stdio:COMMAND` and `--mcp-config FILE`.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { file, folder, stepgraph } from "./stepgraph.mjs";

const SERVER = fileURLToPath(new URL("../servers/stdio.mjs", import.meta.url));
const program = (...args) => `stdio:'${process.execPath}' "${SERVER}" ${args.join(" ")}`;

const plan = () => file("echo.yaml", 'nodes:\n  say: { type: tool, tool: echo, input: { value: "hola ${input}" } }\n');

test("`run` starts a program and ends it", async () => {
  const { code, out } = await stepgraph(["run", plan(), "--prompt", "ana", "--server", `mem=${program()}`]);
  assert.deepEqual([code, out], [0, '"hola ana"\n']);
});

test("`tools` and `check` list the tools of a program", async () => {
  const { code, out } = await stepgraph(["tools", program(), "--json"]);
  assert.equal(code, 0);
  const [{ name, url, tools }] = JSON.parse(out).servers;
  assert.deepEqual([name, url], ["node", `stdio:${process.execPath}`]);
  assert.ok(tools.some((tool) => tool.name === "echo"));
  const wrong = file("wrong.yaml", "nodes: {say: {type: tool, tool: ecko}}\n");
  const checked = await stepgraph(["check", wrong, "--server", program()]);
  assert.equal(checked.code, 2);
  assert.match(checked.out, /did you mean `echo`/);
});

test("a program that fails is named with what it wrote, without its arguments", async () => {
  const fails = `a=stdio:sh -c 'echo "no key" >&2; exit 3' --key s3cret`;
  const { code, err } = await stepgraph(["run", plan(), "--server", fails, "--retries", "0"]);
  assert.equal(code, 1);
  assert.match(err, /tool\/unreachable.*`stdio:a` could not be reached: ended with code 3 after writing: no key/);
  assert.match(err, /--server stdio:sh\n/);
  assert.match(err, /check that `sh` starts/);
  assert.doesNotMatch(err, /s3cret/);
});

test("`--mcp-config` reads the servers of other applications", async () => {
  const servers = {
    mem: { command: "${env:NODE_PROGRAM}", args: [SERVER], env: { API_KEY: "${API_KEY}" }, alwaysAllow: ["echo"] },
    off: { command: "nonsense", disabled: true },
  };
  const env = { NODE_PROGRAM: process.execPath, API_KEY: "s3cret-value" };
  for (const [name, config] of [
    ["claude.json", { mcpServers: servers }],
    ["code.json", { servers: { mem: { type: "stdio", ...servers.mem } } }],
  ]) {
    const config_ = file(name, JSON.stringify(config));
    const shows = file("env.yaml", "nodes: {a: {type: tool, tool: environment}}\n");
    const { code, out } = await stepgraph(["run", shows, "--mcp-config", config_], { env });
    assert.equal(code, 0);
    assert.equal(JSON.parse(out).API_KEY, "[secret]");
  }
});

test("a name in the file is only a name, and a mistake elsewhere prevents nothing", async () => {
  const mem = { command: process.execPath, args: [SERVER] };
  const names = file(
    "names.json",
    JSON.stringify({ mcpServers: { "My Server": mem, "@scope/mem": { ...mem, disabled: true } } }),
  );
  assert.equal((await stepgraph(["run", plan(), "--mcp-config", names, "--prompt", "x"])).code, 0);
  const address = file(
    "address.json",
    JSON.stringify({ mcpServers: { "stdio:touch made": { url: "http://127.0.0.1:9/mcp" } } }),
  );
  const { err } = await stepgraph(["run", plan(), "--mcp-config", address, "--retries", "0"]);
  assert.match(err, /127.0.0.1:9/);
  assert.equal(existsSync(join(folder, "made")), false);
  const mixed = file(
    "mixed.json",
    `// VS Code writes comments.
{"servers": {"mem": ${JSON.stringify(mem)}, /* old */ "old": {"type": "sse", "url": "http://x // y"},},}`,
  );
  assert.equal((await stepgraph(["run", plan(), "--mcp-config", mixed, "--server", "mem", "--prompt", "x"])).code, 0);
  assert.match((await stepgraph(["run", plan(), "--mcp-config", mixed])).err, /transport `sse`/);
});

test("`--server` chooses from the file", async () => {
  const config = file(
    "two.json",
    JSON.stringify({
      mcpServers: { mem: { command: process.execPath, args: [SERVER] }, bad: { command: "nonsense" } },
    }),
  );
  const good = await stepgraph(["run", plan(), "--mcp-config", config, "--server", "mem", "--prompt", "x"]);
  assert.equal(good.code, 0);
  const all = await stepgraph(["run", plan(), "--mcp-config", config, "--retries", "0"]);
  assert.match(all.err, /`stdio:bad` could not be reached: can't be started/);
  const typo = await stepgraph(["run", plan(), "--mcp-config", config, "--server", "men"]);
  assert.equal(typo.code, 2);
  assert.match(typo.err, /there is no server `men`\n.*did you mean `mem`/);
});

const mistakes = [
  ["no command", ["--server", "a=stdio:"], /`stdio:` names no command/],
  ["an open quote", ["--server", "a=stdio:x 'y"], /the command has a ' without a second one/],
  ["a file that is not JSON", "nonsense", /is not JSON/],
  ["a file without servers", "{}", /has no map of servers under `mcpServers` or `servers`/],
  ["a server that is no map", '{"mcpServers": {"a": 1}}', /has a server `a` that is no map/],
  ["neither command nor url", '{"mcpServers": {"a": {}}}', /`a` has neither a `command` nor a `url`/],
  ["arguments that are no list", '{"mcpServers": {"a": {"command": "x", "args": "y"}}}', /`args` that are no list/],
  ["variables that are no texts", '{"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}', /`env` that is no map/],
  ["a folder that is no text", '{"mcpServers": {"a": {"command": "x", "cwd": 1}}}', /a `cwd` that is no text/],
  ["an address that is no text", '{"mcpServers": {"a": {"command": "x", "url": 5}}}', /a `url` that is no text/],
  ["command and url", '{"mcpServers": {"a": {"command": "x", "url": "http://x"}}}', /a `command` and a `url`/],
  ["a flag that is none", '{"mcpServers": {"a": {"command": "x", "disabled": "true"}}}', /neither true nor false/],
  ["the old transport", '{"servers": {"a": {"type": "sse", "url": "http://x"}}}', /the transport `sse`/],
  ["an input of an editor", '{"servers": {"a": {"command": "${input:key}"}}}', /which an editor asks you for/],
  [
    "another word of an editor",
    '{"servers": {"a": {"command": "${command:x.y}"}}}',
    /which only an editor can fill in/,
  ],
  ["an unset variable of a command line", ["--server", "a=stdio:KEY=${NOT_SET} x"], /the variable NOT_SET is not set/],
  ["only variables", ["--server", "a=stdio:KEY=x"], /`stdio:` names no command/],
  ["a program as an address", ["--server", "a=uvx"], /write `a=stdio:uvx ...` to start it/],
  ["a command as an address", ["--server", "a=npx -y @scope/mem"], /write `a=stdio:npx -y ...` to start it/],
  ["an unset variable", '{"servers": {"a": {"command": "${env:NOT_SET}"}}}', /the variable NOT_SET is not set/],
];
for (const [name, given, message] of mistakes)
  test(`refused: ${name}`, async () => {
    const args = typeof given === "string" ? ["--mcp-config", file("config.json", given)] : given;
    const { code, err } = await stepgraph(["run", plan(), ...args]);
    assert.equal(code, 2);
    assert.match(err, message);
  });

test("a plan never names a command to start", async () => {
  const named = file("named.yaml", 'servers: {mem: {url: "stdio:sh"}}\nnodes: {a: {type: log}}\n');
  const { code, err } = await stepgraph(["run", named, "--server", "mem"]);
  assert.equal(code, 2);
  assert.match(err, /server `mem` has no `url` that begins with `http`/);
});

const environmentPlan = () => file("environment.yaml", "nodes: {a: {type: tool, tool: environment}}\n");

test("words before the command are variables, as in a shell", async () => {
  const line = `mem=stdio:MODE=x KEY="\${TOKEN}" ${program().slice("stdio:".length)}`;
  const env = { TOKEN: "s3cret-value", OTHER: "y" };
  const { code, out, err } = await stepgraph(["run", environmentPlan(), "--server", line], { env });
  assert.equal(code, 0, err);
  const { MODE, KEY, OTHER } = JSON.parse(out);
  assert.deepEqual([MODE, KEY, OTHER], ["x", "[secret]", undefined]);
});

test("a file of VS Code: folder of the project, answers to its questions, defaults", async () => {
  mkdirSync(join(folder, ".vscode"), { recursive: true });
  const mem = {
    command: process.execPath,
    args: [SERVER],
    cwd: "${workspaceFolder}",
    env: { KEY: "${input:api-key}", WHERE: "${workspaceFolder}/x", MODE: "${UNSET:-none}" },
  };
  const config = file(".vscode/mcp.json", JSON.stringify({ servers: { mem }, inputs: [{ id: "api-key" }] }));
  const given = ["run", environmentPlan(), "--mcp-config", config];
  const { code, out, err } = await stepgraph(given, { env: { STEPGRAPH_INPUT_API_KEY: "s3cret-value" } });
  assert.equal(code, 0, err);
  const { KEY, WHERE, MODE, PWD } = JSON.parse(out);
  assert.deepEqual([KEY, WHERE, MODE], ["[secret]", "[secret]", "none"]);
  assert.ok(PWD === undefined || PWD === folder);
  const asks = await stepgraph([...given, "--server", "mem"]);
  assert.equal(asks.code, 2);
  assert.match(asks.err, /`mem` uses `\$\{input:api-key\}`.*\n.*set STEPGRAPH_INPUT_API_KEY to its value/);
});

test("a broken server of the file stops only plans that need its tools", async () => {
  const mem = { command: process.execPath, args: [SERVER] };
  const servers = {
    mem,
    off: { ...mem, disabled: true },
    gone: { command: "no-such-program x" },
    old: { type: "sse" },
  };
  const config = file("broken.json", JSON.stringify({ mcpServers: servers }));
  const given = ["--mcp-config", config, "--retries", "0"];
  const { code, out, err } = await stepgraph(["run", plan(), ...given, "--prompt", "x"]);
  assert.deepEqual([code, out], [0, '"hola x"\n']);
  assert.match(err, /the server `off` is disabled in its file, and left out/);
  assert.match(err, /warning: the server `old` of `--mcp-config` is left out: .*the transport `sse`/);
  assert.match(err, /warning: the server `gone` .* can't be started: .*its arguments belong under `args`/);
  const needs = file("needs.yaml", "nodes: {a: {type: tool, tool: gone.look}}\n");
  const refused = await stepgraph(["run", needs, ...given, "-q"]);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /graph\/unknown-tool.*gone.look.*help: the server `gone` is broken: .*can't be started/s);
  const other = file("other.yaml", "nodes: {a: {type: tool, tool: sell}}\n");
  assert.match(
    (await stepgraph(["run", other, ...given, "-q"])).err,
    /graph\/unknown-tool.*`sell`.*the\s+broken\s+server\s+`old`\s+\(and 1 more\)/s,
  );
  const named = await stepgraph(["run", plan(), ...given, "--server", "gone"]);
  assert.equal(named.code, 1);
  assert.match(named.err, /tool\/unreachable.*can't be started/);
});

test("lines of a server that look like frames are part of its message", async () => {
  const fails = `a=stdio:sh -c 'printf "failed\\n  at line 3\\n" >&2; exit 3'`;
  const { err } = await stepgraph(["run", plan(), "--server", fails, "--retries", "0"]);
  assert.match(err, /after writing: failed.*at line 3/);
  assert.doesNotMatch(err, /^ +at line 3/m);
});
