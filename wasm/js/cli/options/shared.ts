/** The shape of commands and options, and options that several commands share. */

/** An option. Without `value` it is a flag. */
export interface Option {
  name: string;
  short?: string;
  value?: string;
  choices?: readonly string[];
  many?: boolean;
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

export const help: Option = { name: "help", short: "h", help: "show this" };
export const json: Option = { name: "json", help: "one JSON object on standard output, and nothing else there" };
/** `--json` is short for one of the formats. */
export function outputForm(forms: readonly string[], about: string): Option {
  return { name: "output", value: "FORM", choices: forms, help: `${forms.join(", ")}: ${about}` };
}

export const server: Option = {
  name: "server",
  value: "[NAME=]URL",
  many: true,
  help: "an MCP server whose tools the plan may call; a NAME alone is one that the plan names",
};
export const header: Option = {
  name: "header",
  value: "NAME: VALUE",
  many: true,
  help: "sent with every request to the servers; `SERVER=NAME: VALUE` to one of them",
};
export const retries: Option = {
  name: "retries",
  value: "N",
  help: "how often a server that can't be reached is tried again; 2 unless given",
};
export const signIn: Option[] = [
  { name: "sign-in", help: "where a server wants a token, get one: tells the address to visit" },
  { name: "tokens", value: "FILE", help: "with --sign-in: keeps tokens there for the next time; they are secrets" },
];

export const model: Option[] = [
  {
    name: "model",
    value: "NAME",
    help: "the language model to ask, as `NAME` or `PROVIDER:NAME` (or STEPGRAPH_MODEL)",
  },
  {
    name: "model-url",
    value: "URL",
    help: "where it is; OpenAI-compatible unless a provider is named (or STEPGRAPH_MODEL_URL)",
  },
];
export const timeout: Option = {
  name: "timeout",
  value: "MS",
  help: "how long one answer may take; 60000 for servers and 600000 for models unless given",
};
export const reach: Option[] = [
  server,
  header,
  ...signIn,
  retries,
  ...model,
  timeout,
  { name: "stubs", value: "FILE", help: "answers in place of handlers, tools and models, as YAML or JSON" },
];

export const KEYS =
  "A server's key is read from STEPGRAPH_SERVER_KEY_ and its name in capitals (STEPGRAPH_SERVER_KEY_SHOP for " +
  "`shop=URL`), or, when there is one server only, from STEPGRAPH_SERVER_KEY. It goes to an address that you " +
  "typed, or that STEPGRAPH_SERVER_URL_SHOP names, never to one that only the plan names.";

export const MODELS =
  "Providers of models are openai, openai-responses, anthropic and gemini; their keys are read from OPENAI_API_KEY, ANTHROPIC_API_KEY and GEMINI_API_KEY.";
