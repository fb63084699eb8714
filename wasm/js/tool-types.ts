/** Types of tools: lists, calls and results. */

export interface ToolInfo {
  name: string;
  description?: string;
  /** JSON Schema of the arguments, validated before a call. */
  input_schema: Record<string, unknown>;
  /** JSON Schema of the result, validated after a call. */
  output_schema?: Record<string, unknown>;
  /** The server's hints: `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`. */
  annotations?: Record<string, unknown>;
  /** The server's name, which qualifies the tool if names clash. */
  server?: string;
  /** Why this client cannot call the tool. No plan or model can use it. */
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

/** A tool definition in our form or in that of MCP. */
export type ToolLike = ToolInfo | McpTool;

/** The result of a tool call. `isError`: the tool itself failed, not the connection. */
export interface ToolResult {
  value: unknown;
  isError: boolean;
  message?: string;
}

/** Options of one tool call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** The call's name, the same on every replay. Together with `run` an idempotency key. */
  call?: string;
  run?: string;
  /** Receives the tool's progress. */
  onProgress?: (progress: ToolProgress) => void;
  /** The host's trace context. */
  trace?: CallTrace;
}

/** W3C Trace Context of a call. `stepgraph/otel` sets it. */
export interface CallTrace {
  /** The call's own span: `00-…-…-01`. MCP servers find it in `_meta` of requests. */
  traceparent: string;
  tracestate?: string;
  /** Also send both as HTTP headers. In pages, servers must allow them. */
  headers?: boolean;
  /** Called before each HTTP request, with its address and MCP session. */
  onRequest?: (url: string, session?: string) => void;
}

/** A source of tools: an MCP server, or your own. */
export interface ToolClient {
  /** Qualifies the tools if names clash. */
  readonly name: string;
  /** Lists the tools. Called once at the start of a run. */
  list(signal?: AbortSignal): Promise<ToolInfo[]>;
  /** Calls a tool by its listed name. Throws if the connection fails, and returns `isError` if the tool does. */
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
  /** Closes the connection. Runs never call it. */
  close(): Promise<void>;
}

/** The progress of a tool call. */
export interface ToolProgress {
  progress: number;
  total?: number;
  message?: string;
}

/** The common interface of schema libraries: Standard Schema 1, with its JSON Schema extension. */
export interface StandardSchema<Output = unknown, Input = unknown> {
  readonly "~standard": {
    readonly version: 1;
    /** The library. */
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema?: {
      readonly input: (options: { target: string }) => Record<string, unknown>;
      readonly output: (options: { target: string }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** A valid value, or the issues of an invalid one. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One issue of an invalid value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Hints as in MCP. They are all false or absent, or the tool's own promise. */
export interface ToolAnnotations {
  title?: string;
  /** It changes nothing. A model may then call it without asking. */
  readOnlyHint?: boolean;
  /** It may destroy something, so it needs approval. */
  destructiveHint?: boolean;
  /** A second call with the same arguments has no further effect. */
  idempotentHint?: boolean;
  /** It deals with things outside, as a search of the web does. */
  openWorldHint?: boolean;
}

/** Options of one call of a function. */
export interface FunctionCallOptions extends CallOptions {
  /** Aborted when the call is abandoned. */
  signal: AbortSignal;
}

/** Arguments are maps. */
type MapSchema<Args> = Args extends object ? unknown : "the schema of a map";
// biome-ignore lint/suspicious/noExplicitAny: without a schema, the arguments have any type
type ArgsOf<Args> = unknown extends Args ? any : Args;

/** A function as a tool. `input` and `output` are Standard Schemas, as of zod or ArkType, or JSON Schemas. */
// biome-ignore lint/suspicious/noExplicitAny: without a schema, the arguments have any type
export interface FunctionTool<Args = any, Result = unknown> {
  /** Models read it. */
  description?: string;
  /** The schema of the arguments, which are a map. If absent, any arguments are accepted. */
  input?: (StandardSchema<Args> & MapSchema<Args>) | Record<string, unknown>;
  /** The schema of the result. */
  output?: StandardSchema | Record<string, unknown>;
  /** Hints as in MCP. A tool with `destructiveHint` needs approval. */
  annotations?: ToolAnnotations;
  /** Executes the tool. An error fails the call, and keeps its stack in the report's `error`. */
  run(args: ArgsOf<Args>, options: FunctionCallOptions): Result | PromiseLike<Result>;
}

/** Functions whose schemas decide the types of arguments and results, by name. */
export type CheckedFunctionTools<Args, Results> = {
  [Name in keyof Args]: FunctionTool<Args[Name], Name extends keyof Results ? Results[Name] : unknown>;
} & {
  [Name in keyof Results]: { output?: StandardSchema<unknown, Results[Name]> | Record<string, unknown> };
};

/** Functions as tools, by name. */
export type FunctionTools = Readonly<Record<string, FunctionTool>>;

/** The sources of a run's tools: clients, or functions by name. For both, pass `[client, functions(tools)]`. */
export type ToolSources = readonly ToolClient[] | FunctionTools;
