// The test page's script: asks every provider's client with and without streaming.

import { anthropic, chromeModel, gemini, init, openai, openaiResponses } from "/dist/web.js";

const { searchParams } = new URL(import.meta.url);
const [open, shut] = [searchParams.get("open"), searchParams.get("shut")];
const request = { model: null, messages: [{ role: "user", content: "hi" }], schema: null, max_tokens: 5 };
const failure = (promise) =>
  promise.then(
    () => "no error",
    ({ code, message }) => `${code}: ${message}`,
  );

await init();
const found = {};
for (const [name, make] of Object.entries({ openai, openaiResponses, anthropic, gemini })) {
  const model = make({ baseUrl: `${open}/${name}`, apiKey: "sk-marker-0123456789", model: "m" });
  const pieces = [];
  const [whole, streamed] = [
    await model.chat(request),
    await model.chat(request, { onDelta: ({ text }) => pieces.push(text) }),
  ];
  found[name] = [whole.text, streamed.text, pieces.join("")];
}
found.shut = await failure(openai({ baseUrl: shut, apiKey: "sk-marker-0123456789" }).chat(request));
found.chrome = await failure(chromeModel().chat(request));
await tell(JSON.stringify(found));
