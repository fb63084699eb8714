// Tests the Spanish of the page's dialogs: the demo tools, the planner's messages, numbers and the form of address.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as engine from "../../dist/node.js";
import { root } from "../../scripts/lib/paths.mjs";
import { load } from "./scripts.mjs";

const { demoText } = await load("dialogs/demo-texts.ts");
const { decisionText, failureText, loadEngineMessages, plannerText, stageName } = await load(
  "dialogs/planner-messages.ts",
  "engine-messages.ts",
);
const { localNumber } = await load("dialogs/i18n.ts");
const { DEMO_TOOLS } = await load("connect/demo-tool-list.ts");
const { DemoTools } = await load("connect/demo-tools.ts");
const { demoModel } = await load("connect/demo-model.ts");

const useLanguage = (lang) => (globalThis.document = { documentElement: { lang } });
before(() => useLanguage("es"));
after(() => delete globalThis.document);

test("each description of a demo tool is in Spanish", () => {
  const texts = DEMO_TOOLS.flatMap(({ description, input_schema }) => [
    description,
    ...Object.values(input_schema.properties ?? {}).flatMap((one) => one.description ?? []),
  ]);
  assert.deepEqual(
    texts.filter((text) => demoText(text) === text),
    [],
  );
  assert.equal(demoText("Another server's text"), "Another server's text");
});

test("each message of the planner is in Spanish", async () => {
  for (const [request, expected] of [
    ["Mire el pedido A-1003", "El plan tiene 2 nodos. Se ha comprobado y se puede ejecutar."],
    [
      "Despliegue la tienda en Kubernetes",
      "No se puede hacer con los componentes que hay. No es posible: `Despliegue la tienda en Kubernetes`. " +
        "En su lugar: conecte un servidor con una herramienta para esto: Despliegue la tienda en Kubernetes.",
    ],
    [
      "Mire el pedido A-1001. Imprima el pedido",
      "Solo se puede hacer una parte. No es posible: `Imprima el pedido`. En su lugar: conecte un servidor con una " +
        "herramienta para esto: Imprima el pedido.",
    ],
    [
      "hola",
      "¿Qué debe hacer el plan? Por ejemplo: mirar el tiempo de una ciudad, buscar un pedido, abrir un ticket o escribir un " +
        "archivo.",
    ],
    [
      "ayúdame",
      "¿Qué debe hacer el plan? Por ejemplo: mirar el tiempo de una ciudad, buscar un pedido, abrir un ticket o escribir un " +
        "archivo.",
    ],
  ]) {
    const host = { tools: [new DemoTools({ pace: 0 })], models: { default: demoModel({ pace: 0 }) } };
    const { message } = await engine.flows.author({ user_input: request }, host);
    assert.equal(plannerText(message), expected);
  }
  assert.equal(plannerText("FEASIBLE: get_order >> llm"), "Viable: get_order → llm");
  assert.equal(plannerText("IMPOSSIBLE: none"), "No es viable: ninguna herramienta");
  assert.equal(plannerText("Un texto cualquiera"), "Un texto cualquiera");
});

test("the planner's stages and decisions have names in words", () => {
  const text = readFileSync(join(root, "core", "flows", "author.yaml"), "utf8");
  const { nodes } = engine.PlanGraph.parse(text).graph.toJSON();
  const stages = Object.keys(nodes);
  assert.ok(stages.length > 8);
  assert.deepEqual(
    stages.filter((name) => stageName(name) === name),
    [],
  );
  const decisions = [...text.matchAll(/last==(\w+)/g)].map(([, decision]) => decision);
  assert.deepEqual(
    [...decisions, "impossible_requirements", "rejected", "valid"].filter((one) => decisionText(one) === one),
    [],
  );
  assert.equal(stageName("toString"), "toString");
  assert.equal(decisionText("un texto"), "un texto");
  useLanguage("en");
  assert.deepEqual([stageName("discovery"), decisionText("not_found")], ["known plans", "not found"]);
  useLanguage("es");
});

test("the planner's sentences quote the engine in Spanish once its texts are there", async () => {
  const sentence = "No valid plan after 3 generations. In the last one there is no tool `x`.";
  assert.equal(plannerText(sentence), "Ningún plan válido después de 3 intentos. En el último, there is no tool `x`.");
  await loadEngineMessages("en");
  assert.equal(
    failureText("run/timeout", "the run took longer than 5 ms"),
    "the run took longer than 5 ms (run/timeout)",
  );
  await loadEngineMessages("es");
  assert.equal(
    plannerText(sentence),
    "Ningún plan válido después de 3 intentos. En el último, no hay ninguna herramienta `x`.",
  );
  assert.equal(
    failureText("run/timeout", "the run took longer than 5 ms"),
    "la ejecución duró más de 5 ms (run/timeout)",
  );
  useLanguage("en");
  assert.equal(
    failureText("run/timeout", "the run took longer than 5 ms"),
    "the run took longer than 5 ms (run/timeout)",
  );
  useLanguage("es");
});

test("numbers have a decimal comma in Spanish only", () => {
  assert.equal(localNumber(1.5, 2, 2), "1,50");
  useLanguage("en");
  assert.equal(localNumber(1.5, 2, 2), "1.50");
  assert.equal(plannerText("FEASIBLE: get_order >> llm"), "Feasible: get_order → llm");
  useLanguage("es");
});

test("the page and its example requests say usted", () => {
  const familiar =
    /(?<!\p{L})(?:tú|ti|tu|tus|tuyo|contigo|puedes|quieres|tienes|debes|mira|avisa|despliega|pulsa|haz|añade)(?!\p{L})/iu;
  for (const file of ["i18n.ts", "request.ts", "planner-messages.ts", "demo-texts.ts"]) {
    const source = readFileSync(join(root, "playground", "js", "dialogs", file), "utf8");
    const spanish = [...source.matchAll(/["`]([^"`\n]*)["`]/g)]
      .map(([, text]) => text)
      .filter((text) => /[áéíóúñ¿¡]| (?:el|la|de) /.test(text));
    assert.ok(spanish.length > 2, file);
    assert.deepEqual(
      spanish.filter((text) => familiar.test(text)),
      [],
      file,
    );
  }
});
