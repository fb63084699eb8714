/** AI SDK's language models as models of a run. */
import { CallError, type ChatOptions, type ChatReply, type ChatRequest, internals, PlanError } from "stepgraph";
import type { ModelClient } from "stepgraph";
import { pause, startDeadline } from "../../http.js";
import { CHAT, type Kinds } from "../../options.js";
import { SECRETS, secretTexts } from "../../secrets.js";
import { retryDelay, toCallError } from "./errors.js";
import { toCall } from "./prompt.js";
import { ReplyCollector, toReply } from "./reply.js";
import type { CallSettings, Generated, StreamPart } from "./call-types.js";
import type { AiSdkModel, AiSdkProvider, ProviderOptions } from "./types.js";

/** Options of {@link aiSdk}. */
export interface AiSdkOptions {
  /** As in AI SDK: `{ openai: { reasoningEffort: "low" } }`. */
  providerOptions?: ProviderOptions;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** Creates the models that nodes name, instead of `model/not-found`. */
  provider?: AiSdkProvider;
  /** Limit of an attempt. Default: 600 000, since models may think for long. */
  timeoutMs?: number;
}

const OPTIONS: Kinds<AiSdkOptions> = {
  providerOptions: "{}map",
  headers: "{}text",
  provider: ".languageModel",
  timeoutMs: "ms",
};
const VERSIONS = ["v2", "v3", "v4"];
const TIMEOUT_MS = 600_000;

/**
 * Creates a client for any provider's language model of AI SDK.
 *
 * The reply streams if `onDelta` is set. Temporary errors get up to three attempts, unless a delta was reported. Throws
 * {@link CallError} with the codes of `openai(…)`.
 *
 * @example
 * const report = await run(graph, { models: { default: aiSdk(mistral("mistral-large-latest")) } });
 */
export function aiSdk(model: AiSdkModel, options: AiSdkOptions = {}): ModelClient {
  internals.assertOptions("aiSdk", options, OPTIONS);
  assertModel(model);
  return new AiSdkClient(model, options);
}

/** Unknown versions may use other meanings. */
function assertModel(model: AiSdkModel): void {
  if (typeof model === "string")
    throw new PlanError(
      "api/bad-option",
      '`aiSdk` takes a model object, not a name: create it with a provider, as in `aiSdk(openai("gpt-5"))`',
    );
  internals.assertKind("aiSdk", "model", model, ".doGenerate.doStream");
  const version: unknown = model.specificationVersion;
  if (!VERSIONS.includes(String(version)))
    throw new PlanError(
      "api/bad-option",
      `\`aiSdk\` takes models of the specification ${VERSIONS.join(", ")}, not \`${String(version)}\`: ` +
        "use another version of the provider's package",
    );
}

type Settings = Omit<CallSettings, "abortSignal">;

class AiSdkClient implements ModelClient {
  readonly name: string;
  readonly #model: AiSdkModel;
  readonly #options: AiSdkOptions;
  declare readonly [SECRETS]: () => string[];

  constructor(model: AiSdkModel, options: AiSdkOptions) {
    this.name = model.modelId;
    this.#model = model;
    this.#options = options;
    Object.assign(this, { [SECRETS]: () => secretTexts(undefined, options.headers) });
  }

  async chat(request: ChatRequest, options: ChatOptions = {}): Promise<ChatReply> {
    internals.assertOptions("chat", options, CHAT);
    const model = this.#modelFor(request.model);
    const { headers, providerOptions } = this.#options;
    const settings: Settings = { ...toCall(model, request, providerOptions), ...(headers && { headers }) };
    for (let attempt = 1; ; attempt++) {
      options.signal?.throwIfAborted();
      const outcome = await this.#attempt(model, settings, options);
      if (outcome.type === "done") return outcome.reply;
      const delay = outcome.isFinal ? undefined : retryDelay(outcome.error, attempt, Date.now());
      if (delay === undefined) throw outcome.error;
      // At least the requested delay.
      await pause(delay * (1 + Math.random() / 4), options.signal);
    }
  }

  #modelFor(name: string | null): AiSdkModel {
    if (name === null || name === this.#model.modelId) return this.#model;
    const { provider } = this.#options;
    if (provider === undefined)
      throw new CallError(
        "model/not-found",
        `the run has no model \`${name}\`: add it to \`models\`, or pass \`provider\` to \`aiSdk\``,
      );
    try {
      const model = provider.languageModel(name);
      assertModel(model);
      return model;
    } catch (error) {
      throw toCallError(error);
    }
  }

  async #attempt(model: AiSdkModel, settings: Settings, { signal, onDelta }: ChatOptions): Promise<Outcome> {
    const deadline = startDeadline(this.#options.timeoutMs ?? TIMEOUT_MS, signal);
    const call: CallSettings = { ...settings, abortSignal: deadline.signal };
    let hasDelta = false;
    // A listener's error is not the provider's.
    let thrown: { error: unknown } | undefined;
    const collector = new ReplyCollector((delta) => {
      hasDelta = true;
      try {
        onDelta?.(delta);
      } catch (error) {
        thrown = { error };
        throw error;
      }
    });
    try {
      const working = onDelta === undefined ? generate(model, call) : stream(model, call, collector);
      return { type: "done", reply: toReply(await untilAborted(working, deadline.signal), model.provider) };
    } catch (error) {
      if (thrown) throw thrown.error;
      signal?.throwIfAborted();
      if (!deadline.isOver()) return { type: "failed", error: toCallError(error), isFinal: hasDelta };
      const ms = this.#options.timeoutMs ?? TIMEOUT_MS;
      return { type: "failed", error: new CallError("model/timeout", `no reply within ${ms} ms`), isFinal: true };
    } finally {
      deadline.stop();
    }
  }
}

type Outcome = { type: "done"; reply: ChatReply } | { type: "failed"; error: CallError; isFinal: boolean };

async function generate(model: AiSdkModel, call: CallSettings): Promise<Generated> {
  const generated = (await model.doGenerate(call as never)) as Partial<Generated> | undefined;
  if (!Array.isArray(generated?.content)) throw new CallError("model/bad-reply", "the provider's reply has no content");
  return generated as Generated;
}

async function stream(model: AiSdkModel, call: CallSettings, collector: ReplyCollector): Promise<Generated> {
  const result = (await model.doStream(call as never)) as { stream?: ReadableStream<StreamPart> } | undefined;
  const reader = result?.stream?.getReader();
  if (reader === undefined) throw new CallError("model/bad-reply", "the provider's reply has no stream");
  const cancel = () => void reader.cancel().catch(() => {});
  call.abortSignal.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (value.type === "error") throw value.error;
      collector.add(value);
    }
  } finally {
    call.abortSignal.removeEventListener("abort", cancel);
    cancel();
  }
  if (!collector.isWhole) throw new CallError("model/unreachable", "the reply broke off before it was whole");
  return collector.generated;
}

/** A provider may ignore the signal. */
function untilAborted<T>(working: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    working.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
