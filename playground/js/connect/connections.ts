/**
 * The page's MCP servers, models and demo.
 *
 * Only the user connects something, never a plan. A lost server keeps its tools, and the next call retries.
 * Invariants: visible state contains no key. A failure affects one connection. Listeners are notified once per change.
 */
import type { ChatRequest, Finding, McpClient, Model, ModelClient, ToolClient, ToolInfo } from "stepgraph/web";
import type { Lang } from "./demo-data.js";
import { demoModel } from "./demo-model.js";
import { DemoTools } from "./demo-tools.js";
import { elicitationOf } from "../run/elicitation.js";
import { engine } from "./engine.js";
import { loadConnections, saveConnections, type KeyValueStorage } from "./saved-connections.js";
import { createClient, probeModel, type Provider, type ModelEndpoint } from "./providers.js";
import { redirectUrl, openSignIn } from "./signin.js";
import {
  withoutCredentials,
  newServer,
  nameFromHost,
  isKnown,
  type Server,
  type ServerRow,
  type ServerState,
  findingFromError,
} from "./server.js";

/** Plans refer to a model by `name`. */
export interface ModelRow {
  name: string;
  provider: Provider | "demo";
  model: string;
  baseUrl: string;
  hasKey: boolean;
  keepsKey: boolean;
  problem: string | null;
  checked: boolean;
}

export interface ConnectionsView {
  demo: boolean;
  servers: readonly ServerRow[];
  models: readonly ModelRow[];
  tools: readonly ToolInfo[];
  isSaved: boolean;
}

/** `name` qualifies the tools and defaults to the host of `url`. */
export interface NewServer {
  url: string;
  name?: string;
  key?: string;
  keepKey?: boolean;
}

export interface NewModel extends ModelEndpoint {
  name: string;
  keepKey?: boolean;
}

interface ConfiguredModel extends Required<Pick<NewModel, "name" | "provider" | "model">> {
  baseUrl: string;
  key: string | undefined;
  keepsKey: boolean;
  problem: string | null;
  checked: boolean;
}

export interface ConnectionsOptions {
  storage: KeyValueStorage | null;
  lang: () => Lang;
  pace?: number;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #listeners = new Set<() => void>();
  readonly #demoModel: ModelClient;
  #servers: Server[] = [];
  #models: ConfiguredModel[] = [];
  #withDemo: boolean;
  /** An embedded plan with stubs brings its own tools. */
  #withDemoTools = true;
  #demoTools: readonly ToolInfo[] = [];
  #isSaved = true;

  constructor(setting: ConnectionsOptions) {
    this.#options = setting;
    const { pace = 1, storage } = setting;
    this.#demoModel = demoModel({ pace });
    const { servers, models, demo } = loadConnections(storage);
    this.#withDemo = demo;
    this.#servers = servers.map(({ name, url, key }) => newServer(name, url, key, key !== undefined));
    this.#models = models.map(({ name, provider, model, baseUrl = "", key }) => ({
      name,
      provider: provider as Provider,
      model,
      baseUrl,
      key,
      keepsKey: key !== undefined,
      problem: null,
      checked: false,
    }));
  }

  /** Also reconnects saved servers. */
  async start(): Promise<void> {
    this.#demoTools = await this.#newDemo().list();
    this.#notify();
    await Promise.all(this.#servers.map(({ name }) => this.connect(name)));
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Contains no keys. */
  view(): ConnectionsView {
    const servers = this.#servers.map(({ client: _, attempt: _round, key, ...row }) => ({
      ...row,
      hasKey: key !== undefined,
    }));
    const models: ModelRow[] = this.#models.map(({ key, ...row }) => ({ ...row, hasKey: key !== undefined }));
    if (this.#withDemo && !models.some(({ name }) => name === "default")) models.unshift(DEMO_MODEL);
    return { demo: this.#withDemo, servers, models, tools: this.tools(), isSaved: this.#isSaved };
  }

  tools(): ToolInfo[] {
    const own =
      this.#withDemo && this.#withDemoTools ? this.#demoTools.map((tool) => ({ ...tool, server: "demo" })) : [];
    return [
      ...own,
      ...this.#knownServers().flatMap(({ name, tools }) => tools.map((tool) => ({ ...tool, server: name }))),
    ];
  }

  modelNames(): string[] {
    return this.view().models.map(({ name }) => name);
  }

  /** Each run has a demonstration of its own, so that it can be repeated. */
  async toolsAndModels(): Promise<{ tools: ToolClient[]; models: Record<string, Model> }> {
    const models: Record<string, Model> = {};
    if (this.#withDemo) models.default = this.#demoModel;
    if (this.#models.length > 0) {
      const package_ = await engine();
      for (const { name, key, ...reach } of this.#models)
        models[name] = createClient(package_, { ...reach, key }, this.#options.lang());
    }
    const clients = this.#knownServers().flatMap((server) =>
      server.client === null ? [] : [this.#watchCalls(server, server.client)],
    );
    return { tools: [...(this.#withDemo && this.#withDemoTools ? [this.#newDemo()] : []), ...clients], models };
  }

  #newDemo(): DemoTools {
    const { lang, pace = 1 } = this.#options;
    return new DemoTools({ lang, pace });
  }

  offerDemoTools(on: boolean): void {
    if (this.#withDemoTools === on) return;
    this.#withDemoTools = on;
    this.#notify();
  }

  useDemo(on: boolean): void {
    this.#withDemo = on;
    this.#saveAndNotify();
  }

  async add({ url, name, key, keepKey = false }: NewServer): Promise<ServerRow> {
    const server = newServer(
      this.#uniqueName(name?.trim() || nameFromHost(url)),
      url.trim(),
      key?.trim() || undefined,
      keepKey,
    );
    this.#servers.push(server);
    this.#saveAndNotify();
    return this.connect(server.name);
  }

  /** `signIn` opens a window, so it needs a click handler. */
  async connect(name: string, { signIn = false, key }: { signIn?: boolean; key?: string } = {}): Promise<ServerRow> {
    const server = this.#server(name);
    if (key !== undefined) server.key = key.trim() || undefined;
    const round = ++server.attempt;
    Object.assign(server, { state: "connecting", finding: null });
    this.#saveAndNotify();
    const { mcp, oauth, diagnose } = await engine();
    const stale = () => server.attempt !== round || !this.#servers.includes(server);
    await server.client?.close().catch(() => undefined);
    const auth = signIn
      ? oauth({ redirectUri: redirectUrl(), authorize: (url, { signal }) => openSignIn(url, signal) })
      : undefined;
    const client = mcp(server.url, {
      name: server.name,
      elicitation: elicitationOf(server.name),
      ...(server.key && { key: server.key }),
      ...(auth && { auth }),
    });
    try {
      const tools = await client.list();
      if (stale()) return this.#row(server);
      const { server: about, version } = client.about();
      Object.assign(server, {
        client,
        tools,
        state: "ready",
        about: [about?.title ?? about?.name, about?.version, version].filter(Boolean).join(" · "),
      });
    } catch (error) {
      const finding = await diagnose(server.url, { error, ...(server.key && { key: server.key }) }).catch(
        (): Finding | null => null,
      );
      if (stale()) return this.#row(server);
      const shown = finding === null || finding.code === "connect/ok" ? findingFromError(error, finding) : finding;
      Object.assign(server, { client: null, tools: [], state: "failed", finding: shown });
    }
    this.#saveAndNotify();
    return this.#row(server);
  }

  async diagnose(name: string): Promise<Finding> {
    const server = this.#server(name);
    const { diagnose } = await engine();
    const finding = await diagnose(server.url, server.key ? { key: server.key } : {});
    server.finding = finding;
    this.#notify();
    return finding;
  }

  async remove(name: string): Promise<void> {
    const server = this.#server(name);
    this.#servers = this.#servers.filter((one) => one !== server);
    this.#saveAndNotify();
    await server.client?.close().catch(() => undefined);
  }

  setModel({ name, provider, model, baseUrl = "", key, keepKey = false }: NewModel): void {
    const configured: ConfiguredModel = {
      name: name.trim() || "default",
      provider,
      model: model.trim(),
      baseUrl: baseUrl.trim(),
      key: key?.trim() || undefined,
      keepsKey: keepKey,
      problem: null,
      checked: false,
    };
    this.#models = [...this.#models.filter((one) => one.name !== configured.name), configured];
    this.#saveAndNotify();
  }

  /** Returns the problem, or null. */
  async probe(name: string): Promise<string | null> {
    const { models } = await this.toolsAndModels();
    const [model, configured] = [models[name], this.#models.find((one) => one.name === name)];
    if (model === undefined) return null;
    const client: ModelClient =
      typeof model === "function" ? { name, chat: async (request: ChatRequest) => model(request) as never } : model;
    const found = await probeModel(client);
    const problem = found && `${found.message} (${found.code})`;
    if (configured) Object.assign(configured, { problem, checked: true });
    this.#notify();
    return problem;
  }

  removeModel(name: string): void {
    this.#models = this.#models.filter((one) => one.name !== name);
    this.#saveAndNotify();
  }

  #knownServers(): Server[] {
    return this.#servers.filter(isKnown);
  }

  #watchCalls(server: Server, client: McpClient): ToolClient {
    const call: ToolClient["call"] = async (...asked) => {
      try {
        const result = await client.call(...asked);
        if (server.state === "lost") this.#setState(server, client, "ready", null);
        return result;
      } catch (error) {
        if ((error as { code?: unknown } | null)?.code === "tool/unreachable") void this.#diagnoseLost(server, client);
        throw error;
      }
    };
    return { name: client.name, list: (signal) => client.list(signal), call, close: () => client.close() };
  }

  async #diagnoseLost(server: Server, client: McpClient): Promise<void> {
    this.#setState(server, client, "lost", null);
    const { diagnose } = await engine();
    const finding = await diagnose(server.url, server.key ? { key: server.key } : {}).catch(() => null);
    if (server.state === "lost") this.#setState(server, client, "lost", finding);
  }

  #setState(server: Server, client: McpClient, state: ServerState, finding: Finding | null): void {
    if (server.client !== client || !this.#servers.includes(server)) return;
    Object.assign(server, { state, finding });
    this.#notify();
  }

  #server(name: string): Server {
    const found = this.#servers.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no server \`${name}\``);
    return found;
  }

  #row(server: Server): ServerRow {
    const { client: _, attempt: _round, key, ...row } = server;
    return { ...row, hasKey: key !== undefined };
  }

  #uniqueName(name: string): string {
    const taken = new Set(["demo", ...this.#servers.map((one) => one.name)]);
    for (let at = 1; ; at++) {
      const free = at === 1 ? name : `${name}-${at}`;
      if (!taken.has(free)) return free;
    }
  }

  #saveAndNotify(): void {
    this.#isSaved = saveConnections(this.#options.storage, {
      servers: this.#servers.map(({ name, url, key, keepsKey }) => ({
        name,
        url: withoutCredentials(url),
        ...(keepsKey && key !== undefined && { key }),
      })),
      models: this.#models.map(({ name, provider, model, baseUrl, key, keepsKey }) => ({
        name,
        provider,
        model,
        baseUrl,
        ...(keepsKey && key !== undefined && { key }),
      })),
      demo: this.#withDemo,
    });
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

const DEMO_MODEL: ModelRow = {
  name: "default",
  provider: "demo",
  model: "demo",
  baseUrl: "",
  hasKey: false,
  keepsKey: false,
  problem: null,
  checked: true,
};
