/** The page: shows the messages, sends the user's text and decisions. All content is set as text, never as markup. */
import { addChunk, readChunks } from "./message.js";

const chat = { id: crypto.randomUUID(), messages: [] };
const log = document.querySelector("#log");
const steps = document.querySelector("#steps");
const form = document.querySelector("form");
const field = form.elements.text;
const stop = document.querySelector("#stop");
let request;

function element(tag, className, ...children) {
  const node = document.createElement(tag);
  node.className = className;
  node.append(...children);
  return node;
}

const STATES = {
  "input-available": "running",
  "approval-requested": "needs your approval",
  "approval-responded": "decided",
  "output-available": "done",
  "output-error": "failed",
  "output-denied": "declined",
};

function toolCard(part) {
  const { toolName, input, state, output, errorText } = part;
  const card = element(
    "div",
    `tool ${state}`,
    element("div", "head", element("span", "name", toolName), element("span", "state", STATES[state])),
    element(
      "dl",
      "",
      ...Object.entries(input ?? {}).flatMap(([name, value]) => [
        element("dt", "", name),
        element("dd", "", typeof value === "string" ? value : JSON.stringify(value)),
      ]),
    ),
  );
  if (state === "output-available") card.append(element("div", "result", JSON.stringify(output)));
  if (errorText) card.append(element("div", "result", errorText));
  if (state === "approval-requested") card.append(decisionButtons(part));
  return card;
}

function decisionButtons(part) {
  const button = (text, className, approved) => {
    const button = element("button", className, text);
    button.type = "button";
    button.onclick = () => decide(part, approved);
    return button;
  };
  return element("div", "buttons", button("Approve", "primary", true), button("Decline", "", false));
}

function bubble({ role, parts }) {
  const shown = parts.flatMap((part) => {
    if (part.type === "text" && part.text !== "") return [element("p", "", part.text)];
    if (part.type === "dynamic-tool") return [toolCard(part)];
    return part.type === "error" ? [element("p", "error", `This did not work (${part.text}).`)] : [];
  });
  const isWaiting = role === "assistant" && shown.length === 0;
  return element("article", role, ...(isWaiting ? [element("p", "dots", "…")] : shown));
}

const ICONS = { running: "●", waiting: "?", retrying: "↻", completed: "✓", failed: "✕" };

function stepItem({ id, data: { node, scope, status, durationMs } }) {
  const time = durationMs === undefined ? status : `${Math.round(durationMs)} ms`;
  const item = element(
    "li",
    status,
    element("span", "icon", ICONS[status]),
    element("span", "name", node),
    element("span", "time", time),
  );
  item.dataset.node = id;
  item.style.setProperty("--depth", scope === undefined ? 0 : scope.split("/").length - 1);
  return item;
}

function render() {
  log.replaceChildren(...chat.messages.map(bubble));
  const last = chat.messages.findLast(({ role }) => role === "assistant");
  steps.replaceChildren(...(last?.parts ?? []).filter(({ type }) => type === "data-node").map(stepItem));
  field.disabled = needsDecision();
  field.placeholder = field.disabled ? "Decide first" : "Where do you want to go?";
  document.body.classList.toggle("empty", chat.messages.length === 0);
  document.body.classList.toggle("busy", request !== undefined);
  log.lastElementChild?.scrollIntoView({ block: "end" });
}

/** Sends the chat, and adds the answer to its last message. */
async function send() {
  const last = chat.messages.at(-1);
  const body = JSON.stringify(chat);
  const message = last.role === "assistant" ? last : { id: crypto.randomUUID(), role: "assistant", parts: [] };
  if (message !== last) chat.messages.push(message);
  request = new AbortController();
  render();
  try {
    const headers = { "content-type": "application/json" };
    const response = await fetch("/chat", { method: "POST", headers, body, signal: request.signal });
    if (!response.ok) throw new Error(await response.text());
    for await (const chunk of readChunks(response)) {
      addChunk(message, chunk);
      render();
    }
  } catch (error) {
    const text = request.signal.aborted ? "stopped" : error.message;
    message.parts.push({ type: "error", text });
  }
  request = undefined;
  render();
}

/** A new message would abandon the run that waits. */
function needsDecision() {
  return chat.messages.at(-1)?.parts.some(({ state }) => state === "approval-requested") === true;
}

/** Resumes the run when no approval is open any more. */
function decide(part, approved) {
  Object.assign(part, { state: "approval-responded", approval: { ...part.approval, approved } });
  render();
  if (!needsDecision()) void send();
}

form.onsubmit = (event) => {
  event.preventDefault();
  const text = field.value.trim();
  if (text === "" || request !== undefined || needsDecision()) return;
  chat.messages.push({ id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] });
  field.value = "";
  void send();
};
stop.onclick = () => request?.abort();
for (const example of document.querySelectorAll("#examples button"))
  example.onclick = () => {
    field.value = example.textContent;
    form.requestSubmit();
  };
render();
