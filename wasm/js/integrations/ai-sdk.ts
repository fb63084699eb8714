/** The entry `stepgraph/ai-sdk`: AI SDK's models in runs, and runs as streams for its chats. */
export type { ChatFailure, NodeStatus, ResponseOptions, RunEvents, ToolProgressStatus } from "./chat/events.js";
export { aiSdk, type AiSdkOptions } from "./ai-sdk/model.js";
export type { AiSdkModel, AiSdkProvider, ProviderOptions } from "./ai-sdk/types.js";
export type { UIMessageChunk, UIMessageLike } from "./ai-sdk/ui-chunks.js";
export {
  decisionsOf,
  toUIMessageStream,
  toUIMessageStreamResponse,
  type UIMessageStreamOptions,
} from "./ai-sdk/ui-message-stream.js";
