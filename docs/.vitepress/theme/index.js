// Omits the theme's fonts: they are larger than the rest of a page.
import { useData } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { h, nextTick } from "vue";
import "./style.css";

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, { "home-hero-image": heroPicture, "home-hero-actions-after": installLine }),
  enhanceApp({ router }) {
    if (typeof document === "undefined") return;
    router.onAfterRouteChange = () => {
      markMain();
      void nextTick(showCurrentLink);
    };
    // One listener serves the blocks of all pages. A block's code loads on the first click.
    document.addEventListener("click", async ({ target }) => {
      const block = target.closest?.(".live button")?.closest(".live");
      if (!block) return;
      const { openPlan, runProgram } = await import("./live.js");
      await (block.dataset.live === "plan" ? openPlan(block) : runProgram(block));
    });
  },
};

function heroPicture() {
  return h("div", { class: "image-src drawing", innerHTML: useData().frontmatter.value.picture });
}

function installLine() {
  return h("p", { class: "install" }, h("code", "npm i stepgraph"));
}

/** The theme's home page has no main landmark. */
function markMain() {
  const content = document.getElementById("VPContent");
  if (content?.querySelector("main")) content.removeAttribute("role");
  else content?.setAttribute("role", "main");
}

/** The sidebar is longer than the window. On the first page it is there before the theme starts. */
function showCurrentLink() {
  const sidebar = document.querySelector(".VPSidebar");
  const links = [...(sidebar?.querySelectorAll("a") ?? [])];
  const current = links.find(({ pathname }) => pathname === location.pathname);
  if (!current) return;
  const { top, bottom } = current.getBoundingClientRect();
  const frame = sidebar.getBoundingClientRect();
  const isVisible = top >= frame.top && bottom <= frame.bottom;
  if (!isVisible) sidebar.scrollTop += top - frame.top - frame.height / 2;
}
