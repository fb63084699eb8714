/** Makes a block of code live: a plan in the playground's element, a program in this page. */

const codeOf = (block) => block.querySelector("pre code").textContent;

/** Shows a plan in `<stepgraph-plan>`, below its text. */
export async function openPlan(block) {
  const address = "/app/js/embed.js";
  await import(/* @vite-ignore */ address);
  const plan = document.createElement("stepgraph-plan");
  plan.setAttribute("run", "");
  plan.setAttribute("height", "420");
  plan.setAttribute("theme", document.documentElement.classList.contains("dark") ? "dark" : "light");
  plan.setAttribute("name", document.title);
  plan.append(Object.assign(document.createElement("pre"), { textContent: codeOf(block) }));
  block.querySelector(".act").replaceWith(plan);
}

/** Runs a program, and shows its output. */
export async function runProgram(block) {
  const output = block.querySelector("output") ?? document.createElement("output");
  output.textContent = "";
  block.querySelector(".act").after(output);
  const print = (...values) => {
    output.textContent += `${values.map(shown).join(" ")}\n`;
  };
  try {
    await program(codeOf(block))(load, { ...console, log: print, error: print, warn: print });
    if (output.textContent === "") output.textContent = "done, without output";
  } catch (error) {
    print(String(error?.message ?? error));
  }
}

function shown(value) {
  if (typeof value === "string") return value;
  const line = JSON.stringify(value) ?? String(value);
  return line.length > 80 ? JSON.stringify(value, null, 2) : line;
}

/** Static imports become dynamic ones, because the package has an address only here. */
export function program(code) {
  const body = code.replace(/^import \{([^}]*)\} from ("[^"]+");?$/gm, (_, names, from) => {
    return `const {${names.replaceAll(" as ", ": ")}} = await load(${from});`;
  });
  const AsyncFunction = (async () => {}).constructor;
  return new AsyncFunction("load", "console", body);
}

/** Modules that programs of the site may import, with their addresses here. */
export const ADDRESSES = { stepgraph: "/stepgraph/dist/web.js", "stepgraph/editor": "/stepgraph/dist/editor/web.js" };

async function load(name) {
  const address = ADDRESSES[name];
  const library = await import(/* @vite-ignore */ address);
  await library.init();
  return library;
}
