/** The gallery's bundled index. Recordings load on request. */
import type { Lang } from "../connect/demo-data.js";
import index from "../../../examples/gallery/index.json";

type Localized = Record<Lang, string>;

export interface GalleryEntry {
  id: string;
  seed?: string;
  features: string[];
  level: number;
  needs: string[];
  title: Localized;
  line: Localized;
  /** Values besides the input. `of`: the plan's id. */
  run?: { of?: Localized; context?: Record<string, unknown>; memory?: Record<Lang, unknown>; decide?: string };
}

export const SEEDS = index.seeds as Record<string, Localized>;
export const FEATURES = index.features as Record<string, Localized>;
export const PLANS = index.plans as GalleryEntry[];

export async function textOf(id: string, lang: Lang): Promise<string> {
  // Separate patterns let the bundler split languages.
  const { default: text } =
    lang === "es"
      ? await (import(`../../../examples/gallery/es/${id}.yaml`) as Promise<{ default: string }>)
      : await (import(`../../../examples/gallery/en/${id}.yaml`) as Promise<{ default: string }>);
  return text;
}

/** The cassette uses demo tools. */
export async function recordingOf(id: string, lang: Lang): Promise<string> {
  const { default: cassette } =
    lang === "es"
      ? await (import(`../../../examples/gallery/recorded/es/${id}.ndjson`) as Promise<{ default: string }>)
      : await (import(`../../../examples/gallery/recorded/en/${id}.ndjson`) as Promise<{ default: string }>);
  return cassette;
}

/** Recordings lack these. The plan's `id` finds them, even in copies. */
export function initialValuesFor(text: string): { context?: Record<string, unknown>; memory?: unknown } {
  const own = /^id: ([\w-]+)$/m.exec(text)?.[1];
  for (const { run: { of, context, memory } = {} } of PLANS) {
    const lang = (["en", "es"] as const).find((lang) => own !== undefined && of?.[lang] === own);
    if (lang !== undefined) return { ...(context && { context }), ...(memory && { memory: memory[lang] }) };
  }
  return {};
}

export function normalizeText(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

export interface GalleryFilter {
  lang: Lang;
  search: string;
  seed: string;
  feature: string;
  level: number;
}

/** All search terms must occur. */
export function matchingPlans({ lang, search, seed, feature, level }: GalleryFilter): GalleryEntry[] {
  const searched = normalizeText(search).split(/\s+/).filter(Boolean);
  return PLANS.filter((plan) => {
    const searchable = normalizeText(
      [
        plan.id,
        plan.title[lang],
        plan.line[lang],
        ...plan.features.map((name) => FEATURES[name]?.[lang] ?? ""),
        plan.seed ? (SEEDS[plan.seed]?.[lang] ?? "") : "",
      ].join(" "),
    );
    return (
      searched.every((word) => searchable.includes(word)) &&
      (seed === "" || plan.seed === seed) &&
      (feature === "" || plan.features.includes(feature)) &&
      (level === 0 || plan.level === level)
    );
  });
}
