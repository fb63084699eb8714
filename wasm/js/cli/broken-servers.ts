/** A broken server of `--mcp-config` stops only plans that name its tools. */
import { CallError } from "../node.js";
import type { Diagnostic, ToolInfo } from "../types.js";
import { clip, visible } from "../terminal/text.js";
import { type Connection, connectionHelp } from "./connections.js";
import { UsageError } from "./options.js";

const MISSING = new Set(["graph/unknown-tool", "graph/unknown-type"]);

export class BrokenServers {
  readonly #problems = new Map<string, string>();

  /** `tell` receives one warning per server. */
  constructor(
    readonly tell: (text: string) => void,
    readonly isNeeded: (server: string) => boolean = () => false,
  ) {}

  /** Returns nothing if the file has a mistake there. */
  resolve<T>(name: string, resolve: () => T): T[] {
    try {
      return [resolve()];
    } catch (error) {
      if (!(error instanceof UsageError) || this.isNeeded(name)) throw error;
      this.#add(name, error.message, error.help);
      return [];
    }
  }

  /** A failed `list` returns no tools. */
  tolerate(connection: Connection): void {
    const { client, name } = connection;
    const list = client.list.bind(client);
    connection.client.list = async (signal): Promise<ToolInfo[]> => {
      if (this.#problems.has(name)) return [];
      try {
        return await list(signal);
      } catch (error) {
        if (signal?.aborted) throw error;
        if (this.isNeeded(name)) throw unanswered(connection, error);
        this.#add(name, (error as Error).message, connectionHelp(connection, error));
        connection.failure = null;
        return [];
      }
    };
  }

  #add(name: string, problem: string, help: string): void {
    this.#problems.set(name, problem);
    this.tell(`warning: the server \`${name}\` of \`--mcp-config\` is left out: ${problem}; ${help}`);
  }

  /** Names a broken server in a missing tool's help. */
  explain(diagnostic: Diagnostic): Diagnostic | null {
    const all = [...this.#problems];
    if (all.length === 0 || !MISSING.has(diagnostic.code)) return null;
    const meant = all.find(([name]) => diagnostic.message.includes(`\`${name}.`));
    const [name, problem] = meant ?? all[0]!;
    const reason = clip(visible(problem), 300);
    if (meant !== undefined) return { ...diagnostic, help: `the server \`${name}\` is broken: ${reason}` };
    const others = all.length > 1 ? ` (and ${all.length - 1} more)` : "";
    const help = `the broken server \`${name}\`${others} may have it: ${reason}`;
    return { ...diagnostic, help: diagnostic.help ? `${diagnostic.help}; ${help}` : help };
  }
}

function unanswered(connection: Connection, error: unknown): CallError {
  const { name } = connection;
  const { code = "tool/unreachable", message } = error as CallError;
  const leaveOut = "if no plan needs this server, name the others by `--server NAME`";
  connection.advice = `${connectionHelp(connection, error)}; ${leaveOut}`;
  return new CallError(code, `the server \`${name}\` of \`--mcp-config\` did not answer: ${message}`);
}
