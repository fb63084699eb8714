// A worker with tasks that freeze it, exhaust its memory or end it.

const tasks = {
  echo: (args) => args,
  process: () => process.pid,
  freeze: () => {
    for (;;);
  },
  bomb: () => {
    let text = "€ and 10 more";
    for (let i = 0; i < 25; i++) text = `${text}${text}`;
    return [text.charCodeAt(1), `${text}x`.charCodeAt(text.length - 1)];
  },
  leave: () => process.exit(3),
  fail: () => Promise.reject(Object.assign(new Error("no"), { code: "serve/unknown-value", help: "do it otherwise" })),
  call: async () => {
    process.send({ type: "ask", id: 1, asked: { kind: "list", server: 0 } });
    const { value } = await answer;
    return value;
  },
  abandon: () => {
    process.send({ type: "ask", id: 1, asked: { kind: "list", server: 0 } });
    for (;;);
  },
};
let take;
const answer = new Promise((resolve) => (take = resolve));

process.on("disconnect", () => process.exit());
process.on("message", async (message) => {
  if (message.type === "setup") process.send({ type: "ready" });
  if (message.type === "beat") process.send({ type: "beat" });
  if (message.type === "answer") take(message);
  if (message.type === "end") process.disconnect();
  if (message.type !== "begin") return;
  try {
    process.send({ type: "done", value: await tasks[message.task](message.args), held: 0 });
  } catch ({ code, message: said, help }) {
    process.send({ type: "failed", code, message: said, help, held: 0 });
  }
});
