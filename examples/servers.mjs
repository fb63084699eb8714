/**
 * Starts a tool server and a small language model for an example, and prints the command to run it. Ctrl-C ends both.
 *
 *   node examples/servers.mjs weather | menu | everything
 *
 * The first start installs them into your cache folder: about 400 MB, most of it the model. You need Python 3.10 or
 * newer.
 */
import * as servers from "../tests/servers/servers.mjs";

const EXAMPLES = {
  weather: { start: servers.fastmcp, input: "--prompt Oslo" },
  menu: { start: servers.pages, input: "--prompt tea" },
  everything: { start: servers.everything, input: "--input a:=2 --input b:=3 --input city=Chicago" },
};

const name = process.argv[2];
if (!Object.hasOwn(EXAMPLES, name ?? "")) {
  process.stderr.write(`usage: node examples/servers.mjs ${Object.keys(EXAMPLES).join(" | ")}\n`);
  process.exit(2);
}

const { start, input } = EXAMPLES[name];
try {
  const [tools, model] = await Promise.all([start(), servers.llama()]);
  const ask = (...args) => `  npx stepgraph ${args.join(" ")}\n`;
  process.stdout.write(
    `\nA tool server and a model are running. In another terminal, here in this folder:\n\n` +
      ask("tools", tools.url) +
      ask("check", `examples/${name}.yaml`, "--server", tools.url) +
      ask("run", `examples/${name}.yaml`, input, "--server", tools.url, "--model-url", model.url) +
      `\nCtrl-C ends them.\n`,
  );
  const end = () => process.exit(0);
  process.on("SIGINT", end).on("SIGTERM", end);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
