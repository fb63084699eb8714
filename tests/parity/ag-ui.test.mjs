// Tests runs as AG-UI events with the real `@ag-ui/core` and `@ag-ui/client`.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { test } from "node:test";
import { decisionsOf, toAgUi, toAgUiResponse } from "stepgraph/ag-ui";
import * as chat from "./chat-runs.mjs";
import { load } from "../servers/chat-packages.mjs";

const { AbstractAgent, HttpAgent, verifyEvents } = await load("@ag-ui/client");
const { EventSchemas } = await load("@ag-ui/core/schemas");
const { from, lastValueFrom, toArray } = await load("rxjs");

const USER = { id: "u", role: "user", content: "hi" };
const INPUT = { threadId: "t", runId: "r", messages: [USER], tools: [], context: [], state: {} };
const models = (script) => ({ default: chat.scripted(script) });

/** Validates each event and their order. */
async function read(stream, options = {}) {
  const events = [];
  for await (const event of toAgUi(stream, { input: INPUT, ...options })) {
    const { success, error } = EventSchemas.safeParse(event);
    assert.ok(success, `${JSON.stringify(event)}: ${error}`);
    events.push(JSON.parse(JSON.stringify(event)));
  }
  await lastValueFrom(from(events).pipe(verifyEvents(false), toArray()));
  return events;
}

async function messagesAfter(events, messages = [USER]) {
  class Replay extends AbstractAgent {
    run() {
      return from(events);
    }
  }
  const agent = new Replay({ threadId: "t", initialMessages: structuredClone(messages) });
  await agent.runAgent({ runId: "r" }).catch(() => {});
  return { messages: agent.messages, pending: agent.pendingInterrupts };
}

const types = (events) => events.map(({ type }) => type);
const contents = (messages) => messages.map(({ role, content }) => [role, content]);

test("text streams in pieces, in a step for each node", async () => {
  const stream = chat.stream(chat.LLM, { models: models({ say: [{ think: ["so"], say: ["one ", "two"] }] }) });
  const events = await read(stream);
  assert.deepEqual(
    types(events).filter((type) => type !== "CUSTOM"),
    [
      "RUN_STARTED",
      "STEP_STARTED",
      "REASONING_START",
      "REASONING_MESSAGE_START",
      "REASONING_MESSAGE_CONTENT",
      "REASONING_MESSAGE_END",
      "REASONING_END",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "STEP_FINISHED",
      "RUN_FINISHED",
    ],
  );
  assert.deepEqual(events.at(-1).outcome, { type: "success" });
  const { messages } = await messagesAfter(events);
  assert.deepEqual(contents(messages), [
    ["user", "hi"],
    ["reasoning", "so"],
    ["assistant", "one two"],
  ]);
});

test("an agent's calls belong to the message of their reply", async () => {
  const script = {
    find: [
      {
        say: ["see"],
        calls: [
          ["rooms", { a: 1 }],
          ["nix", {}],
        ],
      },
      { say: ["done"] },
    ],
  };
  const stream = chat.stream(chat.AGENT, { tools: chat.tools({ rooms: [1] }), models: models(script) });
  const { messages } = await messagesAfter(await read(stream));
  assert.deepEqual(contents(messages), [
    ["user", "hi"],
    ["assistant", "see"],
    ["tool", "tool/unknown"],
    ["tool", "[1]"],
    ["assistant", "done"],
  ]);
  assert.deepEqual(
    messages[1].toolCalls.map(({ function: { name, arguments: args } }) => [name, args]),
    [
      ["rooms", '{"a":1}'],
      ["nix", "{}"],
    ],
  );
});

test("the text of a failed reply is removed, and parallel branches keep theirs", async () => {
  const left = [{ say: ["let ", "me ", "see"], calls: [["rooms", {}]] }, { say: ["done"] }];
  const script = { left, right: [chat.BROKEN, { say: ["whole ", "text"] }] };
  const stream = chat.stream(chat.PARALLEL, { tools: chat.tools(), models: models(script) });
  const events = await read(stream);
  assert.ok(types(events).includes("MESSAGES_SNAPSHOT"));
  const { messages } = await messagesAfter(events);
  const said = messages.filter(({ role }) => role === "assistant").map(({ content }) => content);
  assert.deepEqual(said.sort(), ["done", "let me see", "whole text"]);
  assert.equal(messages[0].id, "u");
});

test("an approval interrupts the run, and the answer resumes it", async () => {
  for (const [payload, expected, decision] of [
    [{ approved: true }, [["book", { room: 7 }]], "approved"],
    [{ approved: true, editedArgs: { room: 8 } }, [["book", { room: 8 }]], { value: { room: 8 } }],
    [{ approved: false }, [], "rejected"],
  ]) {
    const calls = [];
    const script = { find: [{ say: ["I book"], calls: [["book", { room: 7 }]] }, { say: ["end"] }] };
    const options = { tools: chat.tools({}, calls), models: models(script) };
    const paused = chat.stream(chat.AGENT, options);
    const events = await read(paused);
    const { outcome } = events.at(-1);
    assert.equal(outcome.type, "interrupt");
    const [{ id, reason, toolCallId }] = outcome.interrupts;
    const call = "find:1:1/1/0/approval";
    assert.deepEqual([id, reason, toolCallId], [`${call}#${paused.runId}`, "tool_call", "find:1:1/1/0"]);
    const { messages, pending } = await messagesAfter(events);
    assert.deepEqual(pending, outcome.interrupts);
    const resume = [{ interruptId: id, status: "resolved", payload }];
    const input = { ...INPUT, runId: "r2", messages, resume };
    assert.deepEqual(decisionsOf(input), { [call]: decision });
    const { snapshot } = await paused.report;
    const more = await read(chat.stream(chat.AGENT, { ...options, snapshot, decisions: decisionsOf(input) }), {
      input,
    });
    assert.ok(!types(more).includes("TOOL_CALL_START"));
    const after = await messagesAfter(more, messages);
    assert.deepEqual(contents(after.messages).slice(1), [
      ["assistant", "I book"],
      ["tool", payload.approved ? "ok" : "tool/refused"],
      ["assistant", "end"],
    ]);
    assert.deepEqual(calls, expected);
  }
});

test("an `approve` node asks for a confirmation, which may have another value", async () => {
  for (const [payload, text] of [
    [{ approved: true }, "it is approved"],
    [true, "it is approved"],
    [{ approved: false }, "it is rejected"],
    [{ approved: true, value: 9 }, "it is 9"],
  ]) {
    const paused = chat.stream(chat.APPROVE, {});
    const [{ id, reason, toolCallId, metadata }] = (await read(paused)).at(-1).outcome.interrupts;
    assert.deepEqual(
      [id, reason, toolCallId, metadata.input],
      [`ask:1:1#${paused.runId}`, "confirmation", undefined, { total: 5 }],
    );
    const input = { ...INPUT, resume: [{ interruptId: id, status: "resolved", payload }] };
    const resume = { snapshot: (await paused.report).snapshot, decisions: decisionsOf(input) };
    const events = await read(chat.stream(chat.APPROVE, resume), { input });
    assert.equal(events.find(({ type }) => type === "TEXT_MESSAGE_CONTENT").delta, text);
  }
});

test("a `tool` node that needs approval shows its call, and the result after the answer", async () => {
  const text = "nodes: {b: {type: tool, tool: book, input: {room: 3}}}";
  const paused = chat.stream(text, { tools: chat.tools() });
  const { messages, pending } = await messagesAfter(await read(paused));
  const resume = [{ interruptId: pending[0].id, status: "cancelled" }];
  const input = { ...INPUT, messages, resume };
  const options = { snapshot: (await paused.report).snapshot, decisions: decisionsOf(input), tools: chat.tools() };
  const events = await read(chat.stream(text, options), { input });
  assert.equal(events.find(({ type }) => type === "TOOL_CALL_RESULT").content, "tool/refused");
  assert.equal(events.at(-1).type, "RUN_ERROR");
});

test("answers of another form are refused", () => {
  const answers = (entry) => () => decisionsOf({ ...INPUT, resume: [{ interruptId: "a", ...entry }] });
  for (const payload of [undefined, null, "yes", {}, { approved: "true" }])
    assert.throws(answers({ status: "resolved", payload }), { code: "api/bad-option" });
  assert.throws(answers({ status: "done", payload: true }), { code: "api/bad-option" });
  for (const input of [null, {}, { ...INPUT, messages: [null] }, { ...INPUT, resume: [{}] }, { ...INPUT, runId: 5 }])
    assert.throws(() => decisionsOf(input), { code: "api/bad-option" });
  assert.deepEqual(decisionsOf(INPUT), {});
});

test("a failed run is an error, after all steps and messages are closed", async () => {
  const failing = { say: ["half"], fail: { code: "model/overloaded", message: "host:1 is down" } };
  const options = () => ({ models: models({ say: [failing] }) });
  const events = await read(chat.stream(chat.LLM, options()));
  assert.deepEqual(events.at(-1), { type: "RUN_ERROR", message: "model/overloaded", code: "model/overloaded" });
  assert.doesNotMatch(JSON.stringify(events), /host:1/);
  const told = await read(chat.stream(chat.LLM, options()), { errorText: ({ message }) => message });
  assert.match(told.at(-1).message, /host:1 is down/);
});

test("a cancelled run says so, in the middle of parallel branches", async () => {
  const leave = new AbortController();
  const { model, started } = chat.endless(["wait"]);
  const stream = chat.stream(chat.PARALLEL, { models: { default: model }, tools: chat.tools(), signal: leave.signal });
  void started.then(() => leave.abort());
  const events = await read(stream);
  assert.deepEqual(events.at(-1).outcome, { type: "cancelled" });
});

test("a reader that leaves cancels the run while the model works", async () => {
  const { model, started, aborted } = chat.endless();
  const stream = chat.stream(chat.LLM, { models: { default: model } });
  const events = toAgUi(stream, { input: INPUT });
  const reading = chat.collect({ [Symbol.asyncIterator]: () => ({ next: () => events.next() }) });
  await started;
  await events.return();
  await aborted;
  await reading;
  assert.equal((await stream.report).outcome.type, "cancelled");
});

test("the result of the run is sent only if wanted", async () => {
  const events = () => chat.stream(chat.LLM, { models: models({ say: [{ say: ["x"] }] }) });
  assert.equal("result" in (await read(events())).at(-1), false);
  assert.equal((await read(events(), { content: true })).at(-1).result, "x");
});

test("the client of AG-UI runs a plan over HTTP, and resumes it after an approval", async () => {
  const script = { find: [{ say: ["I book"], calls: [["book", { room: 7 }]] }, { say: ["booked"] }] };
  const options = { tools: chat.tools(), models: models(script) };
  const paused = new Map();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const input = JSON.parse(body);
    const snapshot = paused.get(input.threadId);
    const resume = snapshot ? { snapshot, decisions: decisionsOf(input) } : {};
    const stream = chat.stream(chat.AGENT, { ...options, ...resume });
    const { headers, body: lines } = toAgUiResponse(stream, { input });
    response.writeHead(200, Object.fromEntries(headers));
    await stream.report.then((report) => paused.set(input.threadId, report.snapshot));
    await pipeline(Readable.fromWeb(lines), response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const url = `http://127.0.0.1:${server.address().port}/`;
    const agent = new HttpAgent({ url, threadId: "t", initialMessages: [USER] });
    await agent.runAgent();
    const [{ id }] = agent.pendingInterrupts;
    await agent.runAgent({ resume: [{ interruptId: id, status: "resolved", payload: { approved: true } }] });
    assert.deepEqual(contents(agent.messages).slice(1), [
      ["assistant", "I book"],
      ["tool", "ok"],
      ["assistant", "booked"],
    ]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
