/** The inbox page, without dependencies. Its script takes the key from the address. */

const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 46rem; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.25rem; margin: 0; }
header { align-items: baseline; display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: space-between; }
label { font-size: .875rem; }
input, textarea, button { background: transparent; border: 1px solid var(--line); border-radius: 6px; color: inherit; font: inherit; padding: .35rem .6rem; }
textarea { display: block; font: 13px/1.45 ui-monospace, monospace; margin-top: .5rem; min-height: 5rem; width: 100%; }
button { cursor: pointer; }
button:focus-visible, input:focus-visible, textarea:focus-visible, summary:focus-visible { outline: 2px solid Highlight; outline-offset: 2px; }
button.approve { background: #1a7f4b; border-color: #1a7f4b; color: #fff; }
article { border: 1px solid var(--line); border-radius: 10px; margin-top: 1rem; padding: 1rem; }
h2 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
.about { font-size: .875rem; margin: .15rem 0 .6rem; opacity: .75; overflow-wrap: anywhere; }
.overdue { color: #c4320a; font-weight: 600; opacity: 1; }
pre { background: color-mix(in srgb, currentColor 6%, transparent); border-radius: 6px; font: 13px/1.45 ui-monospace, monospace; margin: 0 0 .75rem; max-height: 24rem; overflow: auto; padding: .6rem .75rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; }
details { margin-top: .6rem; } summary { cursor: pointer; font-size: .875rem; }
#status { margin-top: 1rem; } .error { color: #c4320a; }
`;

const SCRIPT = `
const key = new URLSearchParams(location.hash.slice(1)).get("key") ?? "";
const [list, status, name] = ["list", "status", "name"].map((id) => document.getElementById(id));
name.value = localStorage.getItem("stepgraph.name") ?? "";
name.addEventListener("change", () => localStorage.setItem("stepgraph.name", name.value.trim()));
const say = (text, isError = false) => { status.textContent = text; status.className = isError ? "error" : ""; };
const element = (tag, text = "", className = "") => Object.assign(document.createElement(tag), { textContent: text, className });
const ask = async (path, init = {}) => {
  const answer = await fetch(path, { ...init, headers: { authorization: "Bearer " + key, "content-type": "application/json" } });
  if (answer.status === 204) return null;
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.message ?? "the server answered " + answer.status);
  return body;
};
const ago = (ms) => { const s = Math.max(0, Math.round(ms / 1000)); return s < 90 ? s + " s" : s < 5400 ? Math.round(s / 60) + " min" : s < 129600 ? Math.round(s / 3600) + " h" : Math.round(s / 86400) + " days"; };
const cards = new Map();
// A run that begins again asks again, so it gets another card.
const idOf = ({ run, call, askedMs }) => JSON.stringify([run, call, askedMs]);

async function decide(one, decision, card) {
  for (const button of card.querySelectorAll("button")) button.disabled = true;
  try {
    const by = name.value.trim();
    await ask("/approvals/decide", { method: "POST", body: JSON.stringify({ run: one.run, call: one.call, askedMs: one.askedMs, decision, ...(by && { by }) }) });
    say(one.call + " of " + one.run + ": decided.");
  } catch (error) { say(error.message, true); }
  await refresh(true);
}

function cardOf(one) {
  const card = element("article");
  const { tool, input } = one.approval;
  card.append(element("h2", one.title));
  const about = element("p", "", "about");
  card.update = () => {
    const due = one.dueMs === null ? "" : one.dueMs > Date.now() ? " · due in " + ago(one.dueMs - Date.now()) : " · overdue";
    about.textContent = "asked " + ago(Date.now() - one.askedMs) + " ago" + one.calls + due;
    about.classList.toggle("overdue", due === " · overdue");
  };
  card.append(about, element("pre", one.text));
  const actions = element("div", "", "actions");
  const button = (text, act, className = "") => { const made = element("button", text, className); made.addEventListener("click", act); actions.append(made); };
  button("Approve", () => decide(one, "approved", card), "approve");
  button("Reject", () => decide(one, "rejected", card));
  const other = element("details");
  const area = element("textarea");
  area.value = JSON.stringify(tool === undefined ? input : (input.arguments ?? input), null, 2);
  area.setAttribute("aria-label", "Other value, as JSON");
  const go = element("button", "Continue with this");
  go.addEventListener("click", () => {
    let value;
    try { value = JSON.parse(area.value); } catch { return say("That is not JSON. Texts need quotes.", true); }
    return decide(one, { value }, card);
  });
  other.append(element("summary", "Continue with another value"), area, go);
  card.append(actions, other);
  return card;
}

async function refresh(keepsStatus = false) {
  try {
    const { approvals } = await ask("/approvals/list");
    const names = new Set(approvals.map(idOf));
    for (const [id, card] of cards) if (!names.has(id)) { card.remove(); cards.delete(id); }
    for (const one of approvals) {
      const id = idOf(one);
      if (!cards.has(id)) { const card = cardOf(one); cards.set(id, card); list.append(card); }
      cards.get(id).update();
    }
    document.title = (approvals.length ? "(" + approvals.length + ") " : "") + "Approvals";
    if (!keepsStatus) say(approvals.length === 0 ? "Nothing waits for a decision." : "");
  } catch (error) { say(error.message, true); }
}
await refresh();
setInterval(() => document.hidden || refresh(), 5000);
`;

export function inboxPage(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Approvals</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<header><h1>Approvals</h1><label>Your name <input id="name" autocomplete="name"></label></header>
<p id="status" role="status">Loading…</p>
<main id="list"></main>
<script type="module" nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`;
}
