/**
 * A plan as a link, entirely in the fragment: no server sees it, and it works offline.
 *
 * `#plan=1.<compressed JSON>.<checksum>`. The checksum detects truncation and changes. Invariants: reading returns the
 * exact data or an error code, without requests. Links contain no keys.
 */
import { checksum, pack, unpack } from "./encoding.js";
import { removeSecretsFromData, removeSecrets } from "./redact.js";
import { ShareError } from "./errors.js";

/** The only version that is read. */
const VERSION = "1";
const PREFIX = "plan=";
const CHECKSUM_LENGTH = 7;
/** Decompressed. */
export const MAX_BYTES = 16_000_000;
/** Some mail and chat programs cut longer links. */
export const LONG_LINK = 8_000;
/** The browsers' limit. */
export const MAX_LINK = 1_500_000;

export interface SharedPlan {
  text: string;
  /** Given by the user. */
  name: string;
  /** Such as open groups. */
  view?: string;
  /** YAML or JSON. */
  stubs?: string;
  cassette?: string;
}

export interface PlanLink {
  fragment: string;
  length: number;
  /** Removed keys. */
  removed: number;
}

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

export function isLink(hash: string): boolean {
  return hash.replace(/^#/, "").startsWith(PREFIX);
}

/**
 * Parses a link.
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

/** Mail programs break lines and add punctuation. */
function normalizeFragment(hash: string): string {
  let text = hash.replace(/^#/, "");
  try {
    text = decodeURIComponent(text);
  } catch {
    // The checksum detects truncated escapes.
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
