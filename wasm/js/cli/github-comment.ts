/**
 * Posts the review to a pull request. Replaces only an earlier comment of the same account, because others may begin
 * alike.
 */
import { readFileSync } from "node:fs";
import type { Io } from "./io.js";
import { revealHiddenLine } from "../terminal/reveal-hidden.js";
import { UsageError } from "./options.js";

const MARKER = "<!-- stepgraph review -->";
/** A workflow's own token may not ask for its name. */
const WORKFLOW_LOGIN = "github-actions[bot]";
const TIMEOUT_MS = 30_000;
/** 100 comments each. */
const MAX_PAGES = 30;

interface Comment {
  id: number;
  body?: string | null;
  user?: { login?: string; type?: string } | null;
}

/** `isForbidden`: the token may only read, as for forks. */
export class CommentError extends Error {
  constructor(
    message: string,
    readonly isForbidden: boolean,
  ) {
    super(message);
  }
}

/** Returns its URL. Throws {@link CommentError}. */
export async function postComment(text: string, io: Io): Promise<string> {
  const api = pullRequestApi(io);
  const body = { body: `${MARKER}\n${text}` };
  const own = await ownComment(api);
  const posted = own
    ? await api.request("PATCH", `/issues/comments/${own.id}`, body)
    : await api.request("POST", `/issues/${api.number}/comments`, body);
  const { html_url: url } = posted as { html_url?: unknown };
  return typeof url === "string" ? url : `comment ${own ? "replaced" : "posted"}`;
}

interface Api {
  number: number;
  /** Paths begin at the repository. */
  request: (method: string, path: string, body?: object) => Promise<unknown>;
  /** Null if the token belongs to no user. */
  login: () => Promise<string | null>;
}

function pullRequestApi({ env }: Io): Api {
  const token = env.GITHUB_TOKEN;
  const repository = env.GITHUB_REPOSITORY;
  const url = (env.GITHUB_API_URL ?? "https://api.github.com").replace(/\/$/, "");
  if (!token)
    throw new UsageError(
      "cli/missing-setup",
      "`--comment` needs a token in GITHUB_TOKEN",
      "pass `github.token` of the workflow",
    );
  if (!repository || !/^[\w.-]+\/[\w.-]+$/.test(repository))
    throw new UsageError(
      "cli/missing-setup",
      "`--comment` needs the repository in GITHUB_REPOSITORY, as `owner/name`",
      "run it in a workflow",
    );
  const number = pullRequestNumber(env);
  const send = async (method: string, path: string, body?: object): Promise<Response> => {
    try {
      return await fetch(`${url}${path}`, {
        method,
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "user-agent": "stepgraph",
          "x-github-api-version": "2022-11-28",
        },
        ...(body && { body: JSON.stringify(body) }),
        redirect: "error",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      const cause = (error as { cause?: { code?: unknown } }).cause?.code;
      throw new CommentError(`the API is unreachable: ${String(cause ?? (error as Error).message)}`, false);
    }
  };
  const request = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await send(method, `/repos/${repository}${path}`, body);
    if (response.ok) return response.json().catch(() => ({}));
    const { message } = (await response.json().catch(() => ({}))) as { message?: unknown };
    const said = typeof message === "string" ? revealHiddenLine(message.replaceAll(token, "…").slice(0, 200)) : "";
    const why = `the API answered ${response.status}${said === "" ? "" : `: ${said}`}`;
    throw new CommentError(why, response.status === 403 || response.status === 404);
  };
  const login = async () => {
    const response = await send("GET", "/user");
    const { login } = (response.ok ? await response.json().catch(() => ({})) : {}) as { login?: unknown };
    return typeof login === "string" ? login : null;
  };
  return { number, request, login };
}

function pullRequestNumber({ GITHUB_EVENT_PATH: file }: Io["env"]): number {
  try {
    const event = JSON.parse(readFileSync(file ?? "", "utf8")) as { pull_request?: { number?: unknown } };
    const number = event.pull_request?.number;
    if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  } catch {
    // The advice below covers it.
  }
  throw new UsageError(
    "cli/missing-setup",
    "`--comment` needs the event of a pull request in GITHUB_EVENT_PATH",
    "run it in a workflow with `on: pull_request`",
  );
}

async function ownComment(api: Api): Promise<Comment | null> {
  let login: string | null | undefined;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const comments = await api.request("GET", `/issues/${api.number}/comments?per_page=100&page=${page}`);
    if (!Array.isArray(comments)) throw new CommentError("the API answered no list of comments", false);
    for (const comment of comments as Comment[]) {
      if (!comment.body?.startsWith(MARKER)) continue;
      login ??= await api.login();
      if (comment.user?.login === (login ?? WORKFLOW_LOGIN)) return comment;
    }
    if (comments.length < 100) return null;
  }
  return null;
}
