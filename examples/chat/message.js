/** Reads AI SDK's UI message stream. In a React app, `useChat` does this. */

/** Yields the chunks of a response. */
export async function* readChunks(response) {
  let rest = "";
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    const events = rest.split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const data = event.replace(/^data: /, "");
      if (data !== "[DONE]") yield JSON.parse(data);
    }
    if (done) return;
  }
}

/** Adds a chunk to a message. */
export function addChunk(message, chunk) {
  const { parts } = message;
  const tool = () => parts.find(({ toolCallId }) => toolCallId === chunk.toolCallId);
  switch (chunk.type) {
    case "start":
      message.id = chunk.messageId ?? message.id;
      return;
    case "start-step":
      parts.push({ type: "step-start" });
      return;
    case "reset-step":
      parts.splice(parts.findLastIndex(({ type }) => type === "step-start") + 1);
      return;
    case "text-start":
      parts.push({ type: "text", id: chunk.id, text: "" });
      return;
    case "text-delta":
      parts.findLast(({ id }) => id === chunk.id).text += chunk.delta;
      return;
    case "tool-input-available": {
      const { toolCallId, toolName, input } = chunk;
      parts.push({ type: "dynamic-tool", toolCallId, toolName, input, state: "input-available" });
      return;
    }
    case "tool-approval-request":
      Object.assign(tool(), { state: "approval-requested", approval: { id: chunk.approvalId } });
      return;
    case "tool-output-available":
      Object.assign(tool(), { state: "output-available", output: chunk.output });
      return;
    case "tool-output-error":
      Object.assign(tool(), { state: "output-error", errorText: chunk.errorText });
      return;
    case "tool-output-denied":
      Object.assign(tool(), { state: "output-denied" });
      return;
    case "error":
      parts.push({ type: "error", text: chunk.errorText });
      return;
    case "data-node": {
      const known = parts.find(({ type, id }) => type === "data-node" && id === chunk.id);
      if (known) known.data = chunk.data;
      else parts.push(chunk);
    }
  }
}
