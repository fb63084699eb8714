/**
 * The documentation site, which `npm run docs` builds into `site/`.
 *
 * VitePress is maintained and has the MIT licence. It makes static HTML that reads without scripts, and a search that
 * needs no network. A page loads about 80 kB if it leaves out the theme's fonts.
 */

import { manifest, webAddress } from "../../scripts/lib/manifest.mjs";
import { drawings } from "./drawing.mjs";
import { drawHero } from "./hero.mjs";
import { emptyHeaders, liveBlocks, literalCode, repositoryLinks, slugify, titledLinks } from "./markdown.mjs";
import { sidebars, UNPUBLISHED } from "./sidebar.mjs";
import { writeTexts } from "./texts.mjs";

const { description, repository } = manifest();
/** A page for contributors, and the long reference of types, would come before the guides. */
const UNSEARCHED = /^(api\/|fuzzing)/;

async function searchText(source, env, md) {
  const html = await md.render(source, env);
  return UNSEARCHED.test(env.relativePath) ? "" : html;
}

/** Styles of the theme for parts that no page has: a hosted search, teams, sponsors, boxes and groups of code. */
const UNUSED =
  /DocSearch-(?!Button|Search-Icon)|algolia|VPTeam|VPSponsor|vp-sponsor|VPCarbon|VPBadge|custom-block|code-group/;
const unusedStyles = {
  postcssPlugin: "unused-styles",
  Rule(rule) {
    const used = rule.selectors.filter((selector) => !UNUSED.test(selector));
    if (used.length === 0) rule.remove();
    else if (used.length < rule.selectors.length) rule.selectors = used;
  },
};

/** Empty until the owner fills in `repository` in package.json. Then pages have links to edit them. */
const url = webAddress(repository);

export default {
  title: "Stepgraph",
  description,
  lang: "en",
  cleanUrls: true,
  outDir: "../site",
  srcExclude: ["node_modules/**", ...UNPUBLISHED],
  // Chunks of linked pages would load before a click.
  router: { prefetchLinks: false },
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/icon.svg" }]],
  vite: { css: { postcss: { plugins: [unusedStyles] } } },
  markdown: {
    anchor: { slugify },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(md) {
      md.use(emptyHeaders).use(literalCode).use(titledLinks).use(repositoryLinks).use(liveBlocks).use(drawings);
    },
  },
  async transformPageData({ frontmatter }) {
    if (frontmatter.layout === "home") return { frontmatter: { ...frontmatter, picture: await drawHero() } };
  },
  themeConfig: {
    search: { provider: "local", options: { _render: searchText } },
    sidebar: sidebars,
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/start" },
      { text: "Guides", link: "/guides", activeMatch: "^/guides" },
      { text: "Reference", link: "/plans", activeMatch: "^/(plans|cli|api)" },
      { text: "Concepts", link: "/concepts", activeMatch: "^/concepts" },
      { text: "Playground", link: "/app/", target: "_self" },
    ],
    ...(url && {
      socialLinks: [{ icon: "github", link: url }],
      editLink: { pattern: `${url}/edit/main/docs/:path`, text: "Edit this page" },
    }),
  },
  buildEnd: writeTexts,
};
