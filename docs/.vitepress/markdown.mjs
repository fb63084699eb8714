/** Changes how pages of the repository render on the site. Each export is a plugin of markdown-it. */

import { readFileSync } from "node:fs";
import { ADDRESSES } from "./theme/live.js";

/** Code may contain `{{`, which Vue would evaluate. */
export function literalCode(md) {
  const render = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (tokens, at, ...rest) => {
    tokens[at].attrSet("v-pre", "");
    return render(tokens, at, ...rest);
  };
}

/** An empty cell heads nothing. */
export function emptyHeaders(md) {
  md.core.ruler.push("empty-headers", ({ tokens }) => {
    for (const [at, token] of tokens.entries())
      if (token.type === "th_open" && tokens[at + 1].content === "") token.tag = tokens[at + 2].tag = "td";
  });
}

/** The id of a heading, as on the usual forges: the same links work there and on the site. */
export const slugify = (title) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
    .replaceAll(" ", "-");

/** A link that shows the path of a page shows its title. */
export function titledLinks(md) {
  md.core.ruler.push("titled-links", ({ tokens, env }) => {
    for (const { children } of tokens)
      for (const [at, token] of (children ?? []).entries()) {
        const text = children[at + 1];
        if (token.type !== "link_open" || !/^docs\/[\w/-]+\.md$/.test(text?.content ?? "")) continue;
        const page = new URL(token.attrGet("href").replace(/#.*$/, ""), `file://${env.path}`);
        text.content = /^# (.*)$/m.exec(readFileSync(page, "utf8"))?.[1].replaceAll("`", "") ?? text.content;
      }
  });
}

/** Links to files outside `docs` lead to copies, which `npm run docs` makes. */
export function repositoryLinks(md) {
  md.core.ruler.push("repository-links", ({ tokens, env }) => {
    const depth = env.relativePath?.split("/").length ?? 1;
    const up = "../".repeat(depth);
    for (const { children } of tokens)
      for (const token of children ?? []) {
        const href = token.type === "link_open" ? token.attrGet("href") : null;
        if (!href?.startsWith(up)) continue;
        token.attrSet("href", `/source/${href.slice(up.length)}`);
        // VitePress takes links without a target for pages of the site.
        token.attrSet("target", "_self");
      }
  });
}

/** Why a block of JavaScript can't run in the page, or null. */
export function whyNotHere(code) {
  const names = [...code.matchAll(/from "([^"]+)"/g)].map(([, name]) => name);
  const other = names.find((name) => !Object.hasOwn(ADDRESSES, name));
  if (names.length === 0) return "a part of a program";
  if (other?.startsWith("node:") || /\bprocess\./.test(code)) return "needs Node";
  if (other !== undefined) return `needs \`${other}\``;
  return null;
}

/** Whether a block of YAML is a whole plan. */
export const isPlan = (code) => /^nodes:/m.test(code) && !/^\s*\.\.\.|^# \.\.\./m.test(code);

/** Adds a button to each plan and to each program that can run in the page. */
export function liveBlocks(md) {
  const render = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, at, ...rest) => {
    const { info, content } = tokens[at];
    // Colours say little about output, and would be half of the reference of the command.
    if (info.startsWith("console")) tokens[at].info = "text";
    const html = render(tokens, at, ...rest);
    const [lang, ...words] = info.trim().split(/\s+/);
    const isFragment = words.includes("fragment");
    if (lang === "yaml" && !isFragment && isPlan(content)) return block("plan", "Open this plan", html);
    if (lang !== "js") return html;
    const why = isFragment ? "a part of a program" : whyNotHere(content);
    if (why !== null) return `<div class="live">${html}<p class="why">Not live: ${md.utils.escapeHtml(why)}.</p></div>`;
    return block("program", "Run this code", html);
  };
}

const block = (kind, label, html) =>
  `<div class="live" data-live="${kind}">${html}<p class="act"><button type="button">${label}</button></p></div>`;
