/** Models from flags and variables. */
import { anthropic, gemini, openai, openaiResponses } from "../node.js";
import type { ModelClient } from "../types.js";
import type { Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { readTimeout } from "./parse-values.js";

const PROVIDERS = {
  openai: { client: openai, key: "OPENAI_API_KEY" },
  "openai-responses": { client: openaiResponses, key: "OPENAI_API_KEY" },
  anthropic: { client: anthropic, key: "ANTHROPIC_API_KEY" },
  gemini: { client: gemini, key: "GEMINI_API_KEY" },
} as const;

/** A self-hosted endpoint may need no model name. A bare name means OpenAI. */
export function readModel(args: Arguments, env: Io["env"]): ModelClient | null {
  const url = args.single("model-url") ?? env.STEPGRAPH_MODEL_URL;
  const named = args.single("model") ?? env.STEPGRAPH_MODEL;
  const [provider, model] = providerOf(named);
  const { client, key } = PROVIDERS[provider ?? "openai"];
  const apiKey = env[key];
  // A name from the environment may be for other runs: no error.
  const typed = args.has("model");
  if (typed && provider && model === "")
    throw new UsageError(
      "cli/bad-value",
      "`--model` names a provider, but no model",
      `write \`--model ${provider}:NAME\``,
    );
  if (!url && !apiKey) {
    if (typed && provider)
      throw new UsageError(
        "cli/missing-setup",
        `\`--model\` names a model of \`${provider}\`, but there is no key for it`,
        `set ${key}`,
      );
    if (typed)
      throw new UsageError(
        "cli/missing-setup",
        "`--model` names a model, but no URL or key is set",
        otherKey(env, named) ?? "add `--model-url URL`, or set OPENAI_API_KEY",
      );
    return null;
  }
  if (!url && !model) return null;
  return client({
    ...(url ? { baseUrl: checkUrl("the model's endpoint", url, "http://127.0.0.1:8080/v1") } : {}),
    model: model ?? "default",
    ...(apiKey ? { apiKey } : {}),
    ...readTimeout(args.single("timeout")),
  });
}

type Provider = keyof typeof PROVIDERS;

/** Model names may also contain colons. */
function providerOf(named: string | undefined): [Provider | undefined, string | undefined] {
  const [, provider, model] = /^([a-z-]+):(.*)$/s.exec(named ?? "") ?? [];
  return provider !== undefined && Object.hasOwn(PROVIDERS, provider)
    ? [provider as Provider, model]
    : [undefined, named];
}

function otherKey(env: Io["env"], named: string | undefined): string | undefined {
  const found = Object.entries(PROVIDERS).find(([, { key }]) => env[key]);
  return found && `write \`--model ${found[0]}:${named ?? "NAME"}\`, or add \`--model-url URL\``;
}

/** Reports typos before the first call. */
export function checkUrl(what: string, url: string, example = "http://127.0.0.1:3001/mcp"): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(
      "cli/bad-value",
      `${what}: \`${displayUrl(url)}\` is not an address`,
      `write it like \`${example}\``,
    );
  }
  return url;
}

/** Removes parts that may hold a key. */
function displayUrl(url: string): string {
  return url
    .replace(/^([a-z]+:\/\/)?[^/]*@/, "$1")
    .replace(/[?#].*$/s, "?…")
    .slice(0, 100);
}
