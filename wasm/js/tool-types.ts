/** The shapes of tools: what a server lists, and what a call is given and gives. */

/** A tool as a server describes it. */
export interface ToolInfo {
  name: string;
  description?: string;
  /** JSON Schema of its arguments, which are held to it before a call. */
  input_schema: Record<string, unknown>;
  /** JSON Schema of its result, which is held to it after a call. */
  output_schema?: Record<string, unknown>;
  /** The server's word for what it does: `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`. */
  annotations?: Record<string, unknown>;
  /** The name of its server, with which it is qualified where several have a tool of its name. */
  server?: string;
  /** Why this client can't call it. Such a tool is listed with its reason, and no plan or model can use it. */
  unavailable?: string;
}

/** A tool as MCP lists it. */
export interface McpTool extends Omit<ToolInfo, "input_schema" | "output_schema"> {
  title?: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  icons?: unknown;
  execution?: unknown;
  _meta?: Record<string, unknown>;
}

/** A tool by this package's spelling, or by that of MCP. */
export type ToolLike = ToolInfo | McpTool;

/** What a tool call gave. `isError` is the tool's own failure, which is not the connection's. */
export interface ToolResult {
  value: unknown;
  isError: boolean;
  message?: string;
}

/** What a tool may use while it works. */
export interface CallOptions {
  signal?: AbortSignal;
  /** The name of the call, the same on every replay. Together with `run` it is an idempotency key. */
  call?: string;
  /** The id of the run. */
  run?: string;
  /** Is told how far the tool says it has come, if somebody listens. */
  onProgress?: (progress: ToolProgress) => void;
  /** Where the call stands in a trace of the host's. */
  trace?: CallTrace;
}

/** Where a call stands in a trace, to be handed on as W3C Trace Context; `stepgraph/otel` gives it to every call. */
export interface CallTrace {
  /** Of the call's own span: `00-…-…-01`. A server of tools finds it in the `_meta` of requests. */
  traceparent: string;
  tracestate?: string;
  /** Whether HTTP requests have both as headers, too. A page's servers must allow them. */
  headers?: boolean;
  /** Is told where each HTTP request goes before it is sent, and the MCP session that it belongs to. */
  onRequest?: (url: string, session?: string) => void;
}

/** A source of tools: an MCP server, or anything else that lists and calls. */
export interface ToolClient {
  /** What its tools are qualified with where names clash. */
  readonly name: string;
  /** What it offers. Asked once at the start of a run. */
  list(signal?: AbortSignal): Promise<ToolInfo[]>;
  /**
   * Calls a tool by the name that it was listed with. Throws what is the connection's fault; a tool's own is `isError`.
   */
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
  /** Lets the connection go. Whoever made the client does so: runs leave it open. */
  close(): Promise<void>;
}

/** How far a tool says it has come. */
export interface ToolProgress {
  progress: number;
  total?: number;
  message?: string;
}
