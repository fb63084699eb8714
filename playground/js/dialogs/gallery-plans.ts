/**
 * The plans of the gallery: the index, which is small, their texts, which are loaded when the gallery is opened, and
 * the recording of a run of each, which is loaded when somebody wants it.
 */
import type { Lang } from "../connect/demo-data.js";
import index from "../../../examples/gallery/index.json";

type Localized = Record<Lang, string>;

/** A plan as the index has it. */
export interface GalleryEntry {
  id: string;
  seed?: string;
  features: string[];
  level: number;
  needs: string[];
  title: Localized;
  line: Localized;
  /**
   * What its run is given besides the input: trusted values, what is remembered. `of` is what the plan calls itself.
   */
  run?: { of?: Localized; context?: Record<string, unknown>; memory?: Record<Lang, unknown>; decide?: string };
}

export const SEEDS = index.seeds as Record<string, Localized>;
export const FEATURES = index.features as Record<string, Localized>;
export const PLANS = index.plans as GalleryEntry[];

/** The text of a plan. */
export async function textOf(id: string, lang: Lang): Promise<string> {
  // Two patterns, so that each language is a folder of its own to the bundler.
  const { default: text } =
    lang === "es"
      ? await (import(`../../../examples/gallery/es/${id}.yaml`) as Promise<{ default: string }>)
      : await (import(`../../../examples/gallery/en/${id}.yaml`) as Promise<{ default: string }>);
  return text;
}

/** A run of a plan as the demonstration made it: its cassette. */
export async function recordingOf(id: string, lang: Lang): Promise<string> {
  const { default: cassette } =
    lang === "es"
      ? await (import(`../../../examples/gallery/recorded/es/${id}.ndjson`) as Promise<{ default: string }>)
      : await (import(`../../../examples/gallery/recorded/en/${id}.ndjson`) as Promise<{ default: string }>);
  return cassette;
}

/**
 * What a run of a text is given besides its input: of a plan of the gallery, what it brings along. Plans are known by
 * what they call themselves, so one that was opened days ago, edited or handed on is known, too; no recording holds the
 * trusted values.
 */
export function initialValuesFor(text: string): { context?: Record<string, unknown>; memory?: unknown } {
  const own = /^id: ([\w-]+)$/m.exec(text)?.[1];
  for (const { run: { of, context, memory } = {} } of PLANS) {
    const lang = (["en", "es"] as const).find((lang) => own !== undefined && of?.[lang] === own);
    if (lang !== undefined) return { ...(context && { context }), ...(memory && { memory: memory[lang] }) };
  }
  return {};
}

/** Without accents and case, as people search. */
export function normalizeText(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** What of the gallery is shown. */
export interface GalleryFilter {
  lang: Lang;
  search: string;
  seed: string;
  feature: string;
  level: number;
}

/** The plans that fit, in the order of the index: every word must stand somewhere in what is said of a plan. */
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
