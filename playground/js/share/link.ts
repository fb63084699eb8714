/**
 * A plan as a link: everything stands behind the `#`, so no server sees it and it opens off-line.
 *
 * Decides the form `#plan=1.<packed JSON>.<check sum>`. The sum stands last: a link that was cut lacks it, one that was
 * changed does not fit it. Invariants: what is read is what was written, or a code says why not; keys are never in it;
 * reading makes no request.
 */
import { checksum, pack, unpack } from "./encoding.js";
import { removeSecretsFromData, removeSecrets } from "./redact.js";
import { ShareError } from "./errors.js";

/** The version that is written, and the only one that is read. */
const VERSION = "1";
const PREFIX = "plan=";
/** Letters of the check sum. */
const CHECKSUM_LENGTH = 7;
/** The most that a link may hold when it is unpacked. */
export const MAX_BYTES = 16_000_000;
/** Longer links are cut by some mail and chat programs. */
export const LONG_LINK = 8_000;
/** Longer ones are refused by browsers. */
export const MAX_LINK = 1_500_000;

/** What a link holds. */
export interface SharedPlan {
  /** The plan. */
  text: string;
  /** What the person calls it. */
  name: string;
  /** How it is shown, as the page writes it: open groups, and the like. */
  view?: string;
  /** Stand-ins, as YAML or JSON text. */
  stubs?: string;
  /** The recorded log of a run. */
  cassette?: string;
}

/** A link that was made. */
export interface PlanLink {
  /** What stands behind the `#`. */
  fragment: string;
  /** Its letters. */
  length: number;
  /** How many keys were left out. */
  removed: number;
}

/** Writes a link. */
export async function createLink(shared: SharedPlan): Promise<PlanLink> {
  let removed = 0;
  const clean = (
    text: string | undefined,
    by: (text: string) => { text: string; count: number },
  ): string | undefined => {
    if (text === undefined || text === "") return undefined;
    const done = by(text);
    removed += done.count;
    return done.text;
  };
  const body = {
    t: clean(shared.text, removeSecrets) ?? "",
    n: clean(shared.name, removeSecrets) ?? "",
    v: shared.view || undefined,
    s: clean(shared.stubs, removeSecretsFromData),
    c: clean(shared.cassette, removeSecretsFromData),
  };
  const data = `${VERSION}.${await pack(JSON.stringify(body))}`;
  const fragment = `${PREFIX}${data}.${checksum(data)}`;
  return { fragment, length: fragment.length, removed };
}

/** Whether an address holds a plan behind its `#`. */
export function isLink(hash: string): boolean {
  return hash.replace(/^#/, "").startsWith(PREFIX);
}

/**
 * Reads a link.
 *
 * @throws {ShareError} `link/cut`, `link/changed`, `link/version`, `link/garbage`, `link/large`, `link/empty`.
 */
export async function readLink(hash: string): Promise<SharedPlan> {
  const fragment = normalizeFragment(hash);
  if (!fragment.startsWith(PREFIX)) throw new ShareError("link/garbage");
  const [version = "", data, sum, ...rest] = fragment.slice(PREFIX.length).split(".");
  if (!/^\d{1,4}$/.test(version) || rest.length > 0) throw new ShareError("link/garbage");
  if (version !== VERSION) throw new ShareError("link/version", version);
  if (data === undefined || sum === undefined || sum.length < CHECKSUM_LENGTH) throw new ShareError("link/cut");
  if (checksum(`${version}.${data}`) !== sum) throw new ShareError("link/changed");
  return parseSharedPlan(await unpack(data, MAX_BYTES));
}

/** Mail programs break lines, and take the sign behind a link for a part of it. */
function normalizeFragment(hash: string): string {
  let text = hash.replace(/^#/, "");
  try {
    text = decodeURIComponent(text);
  } catch {
    // A cut escape is judged like any other letter.
  }
  return text.replace(/\s+/g, "").replace(/[^\w-]+$/, "");
}

function parseSharedPlan(json: string): SharedPlan {
  let body: unknown;
  try {
    body = JSON.parse(json);
  } catch {
    throw new ShareError("link/garbage");
  }
  if (typeof body !== "object" || body === null) throw new ShareError("link/garbage");
  const own = new Map(Object.entries(body));
  const field = (key: string): string => {
    const value: unknown = own.get(key) ?? "";
    if (typeof value !== "string") throw new ShareError("link/garbage");
    return value;
  };
  const text = field("t");
  if (text.trim() === "") throw new ShareError("link/empty");
  return { text, name: field("n").slice(0, 200), view: field("v"), stubs: field("s"), cassette: field("c") };
}
