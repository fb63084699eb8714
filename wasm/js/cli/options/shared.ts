/** Shared options, and their shape. */

/** A flag if `value` is missing. */
export interface Option {
  name: string;
  short?: string;
  value?: string;
  choices?: readonly string[];
  many?: boolean;
  /** An empty text is a value. */
  mayBeEmpty?: boolean;
  help: string;
}

export interface Command {
  name: string;
  usage: string;
  summary: string;
  /** Minimum, maximum and name. */
  operands: [number, number, string];
  options: Option[];
  notes?: string[];
  /** Purpose and command line. */
  examples: [string, string][];
}

export const help: Option = { name: "help", short: "h", help: "show this help" };
export const json: Option = { name: "json", help: "print only one JSON object on standard output" };
export const watch: Option = { name: "watch", help: "again whenever a file that it read changes, until Ctrl-C" };
/** `--json` is short for one format. */
export function outputForm(forms: readonly string[], about: string): Option {
  return { name: "output", value: "FORM", choices: forms, help: `${forms.join(", ")}: ${about}` };
}

export const server: Option = {
  name: "server",
  value: "[NAME=]URL",
  many: true,
  help: "an MCP server whose tools the plan may call; NAME=stdio:COMMAND starts a program, NAME alone is a server of the plan or of --mcp-config",
};
export const handlers: Option = {
  name: "handlers",
  value: "FILE",
  help: "a JavaScript module that exports `handlers` by node type, `tools` or `models`; it runs with your rights",
};
export const mcpConfig: Option = {
  name: "mcp-config",
  value: "FILE",
  help: "the servers of a file of Claude Desktop, Cursor or VS Code; all of them, or those that --server names",
};
export const header: Option = {
  name: "header",
  value: "NAME: VALUE",
  many: true,
  help: "a header for all servers; `SERVER=NAME: VALUE` for one of them",
};
export const retries: Option = {
  name: "retries",
  value: "N",
  help: "retries if a server is unreachable (default 2)",
};
export const signIn: Option[] = [
  { name: "sign-in", help: "sign in to servers that require it: prints the URL to visit" },
  { name: "tokens", value: "FILE", help: "with --sign-in: store the tokens, which are secrets, for the next time" },
];

export const model: Option[] = [
  {
    name: "model",
    value: "NAME",
    help: "the language model, as `NAME` or `PROVIDER:NAME` (or STEPGRAPH_MODEL)",
  },
  {
    name: "model-url",
    value: "URL",
    help: "the model's URL; OpenAI-compatible without a provider (or STEPGRAPH_MODEL_URL)",
  },
];
export const prices: Option = {
  name: "prices",
  value: "FILE",
  help: "prices of models and tools, as YAML; they override the example prices of the package",
};
export const timeout: Option = {
  name: "timeout",
  value: "MS",
  help: "the timeout of a call (default 60000 for servers, 600000 for models)",
};
export const reach: Option[] = [
  server,
  mcpConfig,
  header,
  ...signIn,
  retries,
  ...model,
  timeout,
  { name: "stubs", value: "FILE", help: "stubs for handlers, tools and models, as YAML or JSON" },
];

export const KEYS =
  "A server's key is in STEPGRAPH_SERVER_KEY_ and its name in capitals (STEPGRAPH_SERVER_KEY_SHOP for " +
  "`shop=URL`), or, for a single server, in STEPGRAPH_SERVER_KEY. It goes only to a URL that you " +
  "typed, or that STEPGRAPH_SERVER_URL_SHOP names, never to one that only the plan names.";

export const MODELS =
  "Model providers are openai, openai-responses, anthropic and gemini; their keys are in OPENAI_API_KEY, ANTHROPIC_API_KEY and GEMINI_API_KEY.";
