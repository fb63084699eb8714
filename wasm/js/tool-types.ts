/** Types of tools, calls and results. */

export interface ToolInfo {
  name: string;
  description?: string;
  /** JSON Schema, validated before a call. */
  input_schema: Record<string, unknown>;
  /** JSON Schema, validated after a call. */
  output_schema?: Record<string, unknown>;
  /** `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`. */
  annotations?: Record<string, unknown>;
  /** Qualifies the tool if names clash. */
  server?: string;
  /** Why no plan or model can use the tool. */
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

/** A tool in our form or MCP's. */
export type ToolLike = ToolInfo | McpTool;

/** A tool's result. `isError`: the tool failed, not the connection. */
export interface ToolResult {
  value: unknown;
  isError: boolean;
  message?: string;
}

/** Options of a tool call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Stable on replay. An idempotency key together with `run`. */
  call?: string;
  run?: string;
  onProgress?: (progress: ToolProgress) => void;
  trace?: CallTrace;
}

/** W3C Trace Context of a call, set by `stepgraph/otel`. */
export interface CallTrace {
  /** As in `00-…-…-01`. MCP servers find it in `_meta`. */
  traceparent: string;
  tracestate?: string;
  /** Also sends both as headers. In pages, servers must allow them. */
  headers?: boolean;
  /** Called before each request, with its MCP session. */
  onRequest?: (url: string, session?: string) => void;
}

/** A source of tools: an MCP server, or your own. */
export interface ToolClient {
  /** Qualifies tools if names clash. */
  readonly name: string;
  /** Called once, when a run starts. */
  list(signal?: AbortSignal): Promise<ToolInfo[]>;
  /** Throws if the connection fails, and returns `isError` if the tool does. */
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
  /** Runs never call it. */
  close(): Promise<void>;
}

/** Progress of a call. */
export interface ToolProgress {
  progress: number;
  total?: number;
  message?: string;
}

/** Standard Schema 1 with its JSON Schema extension. */
export interface StandardSchema<Output = unknown, Input = unknown> {
  readonly "~standard": {
    readonly version: 1;
    /** The library's name. */
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema?: {
      readonly input: (options: { target: string }) => Record<string, unknown>;
      readonly output: (options: { target: string }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** A valid value, or issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** An issue of an invalid value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Hints as in MCP, which are the tool's own promise. */
export interface ToolAnnotations {
  title?: string;
  /** Changes nothing. Models may call it without asking. */
  readOnlyHint?: boolean;
  /** May destroy something, so it needs approval. */
  destructiveHint?: boolean;
  /** Repeating a call has no further effect. */
  idempotentHint?: boolean;
  /** Reaches things outside, such as the web. */
  openWorldHint?: boolean;
}

/** Options of a function's call. */
export interface FunctionCallOptions extends CallOptions {
  /** Aborted when the call is abandoned. */
  signal: AbortSignal;
}

/** Arguments are maps. */
type MapSchema<Args> = Args extends object ? unknown : "the schema of a map";
// biome-ignore lint/suspicious/noExplicitAny: without a schema, the arguments have any type
type ArgsOf<Args> = unknown extends Args ? any : Args;

/** A function as a tool, with Standard Schemas, as of zod, or JSON Schemas. */
// biome-ignore lint/suspicious/noExplicitAny: without a schema, the arguments have any type
export interface FunctionTool<Args = any, Result = unknown> {
  /** For models. */
  description?: string;
  /** Schema of a map. If absent, any arguments are valid. */
  input?: (StandardSchema<Args> & MapSchema<Args>) | Record<string, unknown>;
  output?: StandardSchema | Record<string, unknown>;
  /** A tool with `destructiveHint` needs approval. */
  annotations?: ToolAnnotations;
  /** An error fails the call, and stays in the report's `error`. */
  run(args: ArgsOf<Args>, options: FunctionCallOptions): Result | PromiseLike<Result>;
}

/** Functions whose schemas decide their types. */
export type CheckedFunctionTools<Args, Results> = {
  [Name in keyof Args]: FunctionTool<Args[Name], Name extends keyof Results ? Results[Name] : unknown>;
} & {
  [Name in keyof Results]: { output?: StandardSchema<unknown, Results[Name]> | Record<string, unknown> };
};

/** Functions as tools, by name. */
export type FunctionTools = Readonly<Record<string, FunctionTool>>;

/** Clients, or functions by name. For both, pass `[client, functions(tools)]`. */
export type ToolSources = readonly ToolClient[] | FunctionTools;
