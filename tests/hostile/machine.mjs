/** Drives the synchronous `Run` by hand, executing the commands in their order. */

/** The outcome is null if the run waits for a person who never answers. */
export async function byHand(Run, graph, world, options, never) {
  const { tools, models, handlers } = world.host;
  const lists = await Promise.all(
    tools.map(async (client) => (await client.list()).map((one) => ({ server: client.name, ...one }))),
  );
  const { input, context, outputs, memory, limits, allow } = options;
  const given = Object.entries({ input, context, outputs, memory, limits, allow }).filter(
    ([, value]) => value !== undefined,
  );
  const run = createMachine(Run, graph, {
    ...Object.fromEntries(given),
    tools: lists.flat(),
    servers: tools.map(({ name }) => name),
    models: Object.keys(models),
    types: Object.keys(handlers),
  });
  if (run === null) return { outcome: { type: "failed", code: "run/invalid-plan" } };
  let atMs = 0;
  const waiting = [];
  const gone = new Set();
  const feed = (event) => {
    for (const command of stepped(run, { ...event, atMs: ++atMs }).commands) {
      if (command.type === "abandon") gone.add(command.call);
      else if (command.type !== "clear-timer" && command.type !== "finish") waiting.push(command);
    }
  };
  feed({ type: "start" });
  while (run.outcome === null && waiting.length > 0) {
    const command = waiting.shift();
    if (gone.has(command.call)) continue;
    const event = await carriedOut(command, run, world, lists, never);
    // The run ignores an answer to an abandoned call.
    if (event !== null) feed(event);
  }
  const report = run.report;
  run.free();
  return report;
}

async function carriedOut(command, run, world, lists, never) {
  const { call } = command;
  const { models, handlers } = world.host;
  try {
    switch (command.type) {
      case "continue":
        return { type: "continue" };
      case "set-timer":
        // Time stands still, except for the waits between retries.
        return command.timer.startsWith("retry:") ? { type: "timer-fired", timer: command.timer } : null;
      case "call-tool":
        return { type: "call-done", call, output: await callTool(command, world, lists) };
      case "call-model":
        return { type: "call-done", call, reply: replied(await models.default(command.request)) };
      case "ask-approval": {
        const decision = world.onApproval(run.approval(call));
        return decision === never ? null : decided(call, await decision);
      }
      default:
        return { type: "call-done", call, output: await handlers[run.node(call).type](run.node(call)) };
    }
  } catch (error) {
    return { type: "call-failed", call, code: error.code ?? "handler/failed", message: error.message };
  }
}

/** Null if the plan cannot run on this host. */
function createMachine(Run, graph, options) {
  try {
    return new Run(graph, options);
  } catch (error) {
    if (error.code !== "api/invalid-plan") throw error;
    return null;
  }
}

/** The machine rejects an invalid decision without a change, and the host then fails the question. */
function stepped(run, event) {
  try {
    return run.step(event);
  } catch (error) {
    if (error.code !== "api/bad-event") throw error;
    const { call, atMs } = event;
    return run.step({ type: "call-failed", call, code: "approval/failed", message: error.message, atMs });
  }
}

/** Passes on any value, as a careless host would. */
const decided = (call, decision) => ({ type: "decided", call, decision });

const replied = (reply) => (typeof reply === "string" ? { text: reply, finish: "stop", usage: null } : reply);

async function callTool({ tool, arguments: args, call }, world, lists) {
  if (world.find !== undefined) {
    const [client, name] = world.find(tool);
    return (await client.call(name, args ?? {}, { call })).value;
  }
  const shown = lists.flatMap((list, at) => list.map((one) => ({ one, client: world.clients[at] })));
  const found = shown.find(({ one, client }) => `${client.name}.${one.name}` === tool || one.name === tool);
  const { value } = await found.client.call(found.one.name, args, { call });
  return value;
}
