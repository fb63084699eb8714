// Tests runs as AI SDK's UI message stream, with the parser and the schema of the real package `ai`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "stepgraph";
import { decisionsOf, toUIMessageStream, toUIMessageStreamResponse } from "stepgraph/ai-sdk";
import * as chat from "./chat-runs.mjs";
import { plan } from "./plans.mjs";
import { load } from "../servers/chat-packages.mjs";

const {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  uiMessageChunkSchema,
} = await load("ai");

const schema = uiMessageChunkSchema();

async function read(stream, message) {
  const [first, second] = stream.pipeThrough(copies()).tee();
  const chunks = [];
  for await (const chunk of first.pipeThrough(copies())) {
    const { success, error } = await schema.validate(chunk);
    assert.ok(success, `${JSON.stringify(chunk)}: ${error}`);
    chunks.push(chunk);
  }
  const errors = [];
  const onError = (error) => errors.push(error.message);
  let last = message;
  const stream2 = second.pipeThrough(copies());
  for await (const state of readUIMessageStream({ stream: stream2, message: structuredClone(message), onError }))
    last = state;
  return { chunks, message: last, errors };
}

/** The parser changes the chunks that it reads. */
const copies = () => new TransformStream({ transform: (chunk, to) => to.enqueue(JSON.parse(JSON.stringify(chunk))) });

const texts = ({ parts }) => parts.filter(({ type }) => type === "text").map(({ text }) => text);
const types = (chunks) => chunks.map(({ type }) => type);
const toolsIn = ({ parts }) => parts.filter(({ type }) => type === "dynamic-tool");
const statuses = ({ parts }) =>
  Object.fromEntries(parts.filter(({ type }) => type === "data-node").map(({ id, data }) => [id, data.status]));
const models = (script) => ({ default: chat.scripted(script) });

/** As `addToolApprovalResponse` of `useChat` does. */
function answer(message, approved) {
  const answered = structuredClone(message);
  for (const part of toolsIn(answered))
    if (part.state === "approval-requested" && approved(part) !== undefined)
      Object.assign(part, { state: "approval-responded", approval: { ...part.approval, approved: approved(part) } });
  return answered;
}

test("text streams in pieces, in a message with a part for each node", async () => {
  const stream = chat.stream(chat.LLM, { models: models({ say: [{ think: ["so"], say: ["one ", "two"] }] }) });
  const { chunks, message } = await read(toUIMessageStream(stream, { messageId: "m" }));
  assert.deepEqual(types(chunks), [
    "start",
    "data-node",
    "start-step",
    "reasoning-start",
    "reasoning-delta",
    "reasoning-end",
    "text-start",
    "text-delta",
    "text-delta",
    "text-end",
    "data-node",
    "finish-step",
    "finish",
  ]);
  assert.equal(chunks.at(-1).finishReason, "stop");
  assert.equal(message.id, "m");
  assert.deepEqual(texts(message), ["one two"]);
  assert.deepEqual(statuses(message), { "say:1": "completed" });
  assert.ok(message.parts.every(({ state }) => state === undefined || state === "done"));
});

test("inputs and outputs of nodes are sent only if wanted", async () => {
  const events = () => chat.stream(chat.LLM, { models: models({ say: [{ say: ["x"] }] }) });
  const data = async (options) =>
    (await read(toUIMessageStream(events(), options))).chunks.filter(({ type }) => type === "data-node");
  assert.ok((await data()).every(({ data }) => !("input" in data) && !("output" in data)));
  const [started, completed] = await data({ content: true });
  assert.deepEqual([started.data.input, completed.data.output], ["hi", "x"]);
});

test("turns of an agent are steps, with the tool calls in their step", async () => {
  const script = { find: [{ say: ["let me see"], calls: [["rooms", { city: "Oslo" }]] }, { say: ["north"] }] };
  const stream = chat.stream(chat.AGENT, { tools: chat.tools({ rooms: [1] }), models: models(script) });
  const { message } = await read(toUIMessageStream(stream));
  assert.deepEqual(
    message.parts.map(({ type, text, output }) => text ?? output ?? type),
    ["data-node", "step-start", "let me see", [1], "step-start", "north"],
  );
});

test("failed calls have a code and no details, unless the host writes the text", async () => {
  const script = () => ({
    find: [
      {
        calls: [
          ["rooms", {}],
          ["nix", { a: 1 }],
        ],
      },
      { say: ["sorry"] },
    ],
  });
  const tools = chat.tools({ rooms: new Error("no such table: rooms") });
  const read2 = async (options) => {
    const stream = chat.stream(chat.AGENT, { tools, models: models(script()) });
    return toolsIn((await read(toUIMessageStream(stream, options))).message);
  };
  const shown = await read2();
  assert.deepEqual(
    shown.map(({ toolName, state, errorText, input }) => ({ toolName, state, errorText, input })),
    [
      { toolName: "rooms", state: "output-error", errorText: "tool/failed", input: {} },
      { toolName: "nix", state: "output-error", errorText: "tool/unknown", input: { a: 1 } },
    ],
  );
  const [rooms] = await read2({ errorText: ({ code, message }) => `${code}! ${message}` });
  assert.equal(rooms.errorText, "tool/failed! no such table: rooms");
});

test("the text of a failed reply is removed before the next attempt", async () => {
  const stream = chat.stream(chat.RETRIED, { models: models({ say: [chat.BROKEN, { say: ["whole"] }] }) });
  const { chunks, message } = await read(toUIMessageStream(stream));
  assert.deepEqual(
    chunks.filter(({ type }) => type === "text-delta").map(({ delta }) => delta),
    ["half ", "of ", "whole"],
  );
  assert.deepEqual(texts(message), ["whole"]);
});

test("a failed reply takes nothing from parallel branches", async () => {
  const left = [{ think: ["hm"], say: ["let ", "me ", "see"], calls: [["rooms", {}]] }, { say: ["done"] }];
  for (const whole of [false, true]) {
    const script = { left, right: [chat.BROKEN, { say: ["whole ", "text"] }] };
    const stream = chat.stream(chat.PARALLEL, { tools: chat.tools(), models: models(script) });
    const { chunks, message } = await read(toUIMessageStream(stream, { whole }));
    assert.equal(types(chunks).includes("reset-step"), !whole);
    assert.deepEqual(texts(message).sort(), ["done", "let me see", "whole text"]);
    assert.deepEqual(
      toolsIn(message).map(({ state }) => state),
      ["output-available"],
    );
    assert.equal(message.parts.filter(({ type }) => type === "reasoning").length, 1);
    assert.deepEqual(new Set(Object.values(statuses(message))), new Set(["completed"]));
  }
});

test("an agent's approval pauses the run, and its answer resumes the message", async () => {
  const calls = [];
  const script = {
    find: [
      {
        say: ["I book"],
        calls: [
          ["rooms", {}],
          ["book", { room: 7 }],
        ],
      },
      { say: ["booked"] },
    ],
  };
  const options = { tools: chat.tools({}, calls), models: models(script) };
  const paused = chat.stream(chat.AGENT, options);
  const { chunks, message } = await read(toUIMessageStream(paused, { messageId: "m" }));
  assert.equal(chunks.at(-1).finishReason, "tool-calls");
  assert.equal(statuses(message)["find:1"], "waiting");
  assert.equal(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [message] }), false);
  const answered = answer(message, () => true);
  assert.equal(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [answered] }), true);
  const decisions = decisionsOf(answered);
  assert.deepEqual(decisions, { "find:1:1/1/1/approval": "approved" });
  const { snapshot } = await paused.report;
  const resumed = await read(
    toUIMessageStream(chat.stream(chat.AGENT, { ...options, snapshot, decisions }), { message: answered }),
    answered,
  );
  assert.deepEqual(resumed.errors, []);
  assert.equal(resumed.message.id, "m");
  assert.deepEqual(texts(resumed.message), ["I book", "booked"]);
  assert.deepEqual(
    toolsIn(resumed.message).map(({ toolName, state }) => [toolName, state]),
    [
      ["rooms", "output-available"],
      ["book", "output-available"],
    ],
  );
  assert.deepEqual(statuses(resumed.message), { "find:1": "completed" });
  assert.deepEqual(calls, [
    ["rooms", {}],
    ["book", { room: 7 }],
  ]);
});

test("a rejected call is denied", async () => {
  const script = { find: [{ calls: [["book", {}]] }, { say: ["as you wish"] }] };
  const options = { tools: chat.tools(), models: models(script) };
  const paused = chat.stream(chat.AGENT, options);
  const { message } = await read(toUIMessageStream(paused));
  const answered = answer(message, () => false);
  const resume = { ...options, snapshot: (await paused.report).snapshot, decisions: decisionsOf(answered) };
  const resumed = await read(toUIMessageStream(chat.stream(chat.AGENT, resume), { message: answered }), answered);
  assert.deepEqual(
    toolsIn(resumed.message).map(({ state }) => state),
    ["output-denied"],
  );
  assert.deepEqual(texts(resumed.message), ["as you wish"]);
});

test("an `approve` node is a tool with the node's name", async () => {
  for (const approved of [true, false]) {
    const paused = chat.stream(chat.APPROVE, {});
    const { message } = await read(toUIMessageStream(paused));
    const [asked] = toolsIn(message);
    assert.deepEqual([asked.toolName, asked.input, asked.state], ["ask", { total: 5 }, "approval-requested"]);
    const answered = answer(message, () => approved);
    const resume = { snapshot: (await paused.report).snapshot, decisions: decisionsOf(answered) };
    const resumed = await read(toUIMessageStream(chat.stream(chat.APPROVE, resume), { message: answered }), answered);
    assert.deepEqual(
      toolsIn(resumed.message).map(({ state, output }) => [state, output]),
      [approved ? ["output-available", "approved"] : ["output-denied", undefined]],
    );
    // The last output is the answer, since no model spoke.
    assert.deepEqual(texts(resumed.message), [`it is ${approved ? "approved" : "rejected"}`]);
  }
});

test("a `tool` node that needs approval is a call of its tool", async () => {
  const text = "nodes: {b: {type: tool, tool: book, input: {room: 3}}}";
  for (const approved of [true, false]) {
    const paused = chat.stream(text, { tools: chat.tools() });
    const { message } = await read(toUIMessageStream(paused));
    assert.deepEqual([toolsIn(message)[0].toolName, toolsIn(message)[0].input], ["book", { room: 3 }]);
    const answered = answer(message, () => approved);
    const resume = { snapshot: (await paused.report).snapshot, decisions: decisionsOf(answered), tools: chat.tools() };
    const resumed = await read(toUIMessageStream(chat.stream(text, resume), { message: answered }), answered);
    assert.deepEqual(
      toolsIn(resumed.message).map(({ state }) => state),
      [approved ? "output-available" : "output-denied"],
    );
  }
});

test("while another approval is open, replies wait until they are whole", async () => {
  const text = `
nodes:
  fan:
    type: parallel
    branches:
      a: {start: left, nodes: {left: {type: approve, input: 1}, say: {type: llm, input: hi, retry: {attempts: 2, backoff_ms: 0}}}, edges: [{from: left, to: say}]}
      b: {start: right, nodes: {right: {type: approve, input: 2}}}`;
  const options = { models: models({ say: [chat.BROKEN, { say: ["whole"] }] }) };
  const paused = chat.stream(text, options);
  const { message } = await read(toUIMessageStream(paused));
  const one = answer(message, ({ toolName }) => (toolName === "left" ? true : undefined));
  const resume = { ...options, snapshot: (await paused.report).snapshot, decisions: decisionsOf(one) };
  const stream = chat.stream(text, resume);
  const resumed = await read(toUIMessageStream(stream, { message: one }), one);
  assert.deepEqual(texts(resumed.message), ["whole"]);
  const both = answer(resumed.message, () => true);
  assert.equal(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [both] }), true);
  const last = { ...options, snapshot: (await stream.report).snapshot, decisions: decisionsOf(both) };
  const { message: end } = await read(toUIMessageStream(chat.stream(text, last), { message: both }), both);
  assert.deepEqual(new Set(toolsIn(end).map(({ state }) => state)), new Set(["output-available"]));
});

test("approvals of the same process show the request and then the result", async () => {
  const script = { find: [{ calls: [["book", {}]] }, { say: ["ok"] }] };
  const stream = chat.stream(chat.AGENT, {
    tools: chat.tools(),
    models: models(script),
    onApproval: async () => "approved",
  });
  const { chunks, message } = await read(toUIMessageStream(stream));
  assert.ok(types(chunks).includes("tool-approval-request"));
  assert.equal(toolsIn(message)[0].state, "output-available");
});

test("a failed run is an error with a code, after all parts are closed", async () => {
  const failing = { say: ["half"], fail: { code: "model/overloaded", message: "host:1 is down" } };
  const stream = chat.stream(chat.LLM, { models: models({ say: [failing] }) });
  const { chunks, message, errors } = await read(toUIMessageStream(stream));
  assert.deepEqual(types(chunks).slice(-4), ["data-node", "error", "finish-step", "finish"]);
  assert.equal(chunks.at(-1).finishReason, "error");
  assert.deepEqual(errors, ["model/overloaded"]);
  assert.doesNotMatch(JSON.stringify(chunks), /host:1/);
  assert.equal(message.parts.find(({ type }) => type === "text").state, "done");
});

test("a cancelled run is aborted, and its calls are closed", async () => {
  const leave = new AbortController();
  const { model, started } = chat.endless(["wait"]);
  const stream = chat.stream(chat.LLM, { models: { default: model }, signal: leave.signal });
  void started.then(() => leave.abort());
  const { chunks } = await read(toUIMessageStream(stream));
  assert.deepEqual(types(chunks).slice(-2), ["text-end", "abort"]);
  assert.equal((await stream.report).outcome.type, "cancelled");
});

test("a client that leaves cancels the run while the model works", async () => {
  for (const open of [(stream) => toUIMessageStream(stream), (stream) => toUIMessageStreamResponse(stream).body]) {
    const { model, started, aborted } = chat.endless(["wait"]);
    const stream = chat.stream(chat.LLM, { models: { default: model } });
    const reader = open(stream).getReader();
    const reading = (async () => {
      while (!(await reader.read()).done);
    })();
    await started;
    await reader.cancel();
    await aborted;
    await reading;
    assert.equal((await stream.report).outcome.type, "cancelled");
  }
});

test("a loop that is left early cancels the run", async () => {
  const { model, aborted } = chat.endless(["wait"]);
  const stream = chat.stream(chat.LLM, { models: { default: model } });
  for await (const { type } of toUIMessageStream(stream)) if (type === "text-delta") break;
  await aborted;
  assert.equal((await stream.report).outcome.type, "cancelled");
});

test("an error of the driver reaches the client as a code, and the host as it is", async () => {
  const onEvent = ({ type }) => {
    if (type === "node-started") throw new Error("disk is full");
  };
  const stream = chat.stream(chat.LLM, { models: models({ say: [{ say: ["x"] }] }), onEvent });
  const { chunks } = await read(toUIMessageStream(stream));
  assert.equal(chunks.find(({ type }) => type === "error").errorText, "run/listener-failed");
  const broken = (async function* () {
    yield { type: "run-started", atMs: 0, input: null };
    throw new Error("lost");
  })();
  const response = toUIMessageStreamResponse(broken);
  assert.match(await response.text(), /"errorText":"run\/failed"/);
});

test("the listed nodes speak, with their output if their model did not stream", async () => {
  const text = `
start: note
nodes: {note: {type: llm, input: a}, say: {type: llm, input: b}, put: {type: log, input: "sent"}}
edges: [{from: note, to: say}, {from: say, to: put}]`;
  const script = () => ({ note: [{ say: ["inner"] }], say: [{ say: ["outer"] }] });
  const shown = async (options, updates = true) =>
    texts((await read(toUIMessageStream(chat.stream(text, { models: models(script()), updates }), options))).message);
  assert.deepEqual(await shown({}), ["inner", "outer"]);
  assert.deepEqual(await shown({ textNodes: ["say"] }), ["outer"]);
  assert.deepEqual(await shown({ textNodes: ["say"] }, false), ["outer"]);
  assert.deepEqual(await shown({ textNodes: ["say", "put"] }), ["outer", "sent"]);
  assert.deepEqual(await shown({}, false), ["sent"]);
});

test("a stored trace converts as well", async () => {
  const report = await run(plan(chat.AGENT), {
    tools: chat.tools(),
    models: models({ find: [{ calls: [["rooms", {}]] }, { say: ["done"] }] }),
  });
  const { message } = await read(toUIMessageStream(report.trace));
  assert.deepEqual(texts(message), ["done"]);
});

test("a stored trace without a reply shows the last output, or the nodes that you name", async () => {
  const graph = plan(`
nodes: {say: {type: llm, input: hi}, fan: {type: map, input: [1, 2], do: {nodes: {in: {type: log, input: inner}}}}, end: {type: log, input: over}}
edges: [{from: say, to: fan}, {from: fan, to: end}]`);
  const report = await run(graph, { models: models({ say: [{ say: ["said"] }] }) });
  const shown = async (options) => texts((await read(toUIMessageStream(report.trace, options))).message);
  assert.deepEqual(await shown({}), ["over"]);
  assert.deepEqual(await shown({ textNodes: ["say"] }), ["said"]);
});

test("the response is what AI SDK's client reads", async () => {
  const stream = chat.stream(chat.LLM, { models: models({ say: [{ say: ["ñ"] }] }) });
  const response = toUIMessageStreamResponse(stream, { headers: { "x-own": "1" } });
  assert.equal(response.status, 200);
  assert.deepEqual(
    ["content-type", "x-vercel-ai-ui-message-stream", "x-own"].map((name) => response.headers.get(name)),
    ["text/event-stream", "v1", "1"],
  );
  const transport = new DefaultChatTransport({ api: "http://127.0.0.1:9", fetch: async () => response });
  const chunks = await transport.sendMessages({ chatId: "c", messages: [], trigger: "submit-message" });
  const { message } = await read(chunks);
  assert.deepEqual(texts(message), ["ñ"]);
});

test("messages of a client are not trusted", () => {
  for (const message of [null, {}, { parts: {} }, "text"])
    assert.throws(() => decisionsOf(message), { code: "api/bad-option" });
  const parts = [null, 5, { type: "dynamic-tool" }, { type: "tool-x", toolCallId: "c", state: "approval-responded" }];
  assert.deepEqual(decisionsOf({ id: "m", role: "assistant", parts }), {});
  const approval = { id: "__proto__", approved: "yes" };
  const forged = { type: "tool-x", toolCallId: "c", state: "approval-responded", approval };
  assert.deepEqual(Object.entries(decisionsOf({ parts: [forged] })), [["__proto__", "rejected"]]);
  assert.throws(() => toUIMessageStream(5), { code: "api/bad-option" });
});
