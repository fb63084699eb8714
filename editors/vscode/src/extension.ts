/** Starts the language server, the drawing, the code lenses and the Test Explorer. Sends no telemetry. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { createClient } from "./client.js";
import { Drawings } from "./drawing.js";
import { Lenses } from "./lenses.js";
import { Plans, SELECTOR } from "./plans.js";
import { runPlan } from "./run.js";
import { Package } from "./server-files.js";
import { Tests } from "./tests.js";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const bundled = await Package.load(context);
  const plans = new Plans(bundled);
  const drawings = new Drawings(context);
  const lenses = new Lenses(bundled, plans);
  const tests = new Tests(bundled, plans);
  context.subscriptions.push(drawings, tests, vscode.languages.registerCodeLensProvider(SELECTOR, lenses));
  registerCommands(context, plans, {
    "stepgraph.draw": async (document) => drawings.show(document),
    "stepgraph.run": (document) => runPlan(bundled, document),
    "stepgraph.runTests": (document) => tests.runAll(document),
  });
  context.subscriptions.push(vscode.commands.registerCommand("stepgraph.restart", () => client?.restart()));
  observe(context, plans, lenses, tests);
  client = createClient(bundled, plans);
  await client.start();
}

export function deactivate(): Promise<void> | undefined {
  return client?.stop();
}

type PlanCommand = (document: vscode.TextDocument) => Promise<void>;

/** Each command acts on the plan of its argument, or on the active one. */
function registerCommands(context: vscode.ExtensionContext, plans: Plans, commands: Record<string, PlanCommand>): void {
  for (const [name, command] of Object.entries(commands)) {
    const run = async (uri?: unknown) => {
      const document =
        uri instanceof vscode.Uri
          ? await vscode.workspace.openTextDocument(uri)
          : vscode.window.activeTextEditor?.document;
      if (document && plans.isPlan(document)) return command(document);
      void vscode.window.showInformationMessage("Open a plan first: a YAML or JSON file with a map `nodes`.");
    };
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
}

function observe(context: vscode.ExtensionContext, plans: Plans, lenses: Lenses, tests: Tests): void {
  const showActive = () => {
    const document = vscode.window.activeTextEditor?.document;
    const isPlan = document !== undefined && plans.isPlan(document);
    void vscode.commands.executeCommand("setContext", "stepgraph.isPlan", isPlan);
  };
  context.subscriptions.push(
    vscode.window.onDidChangeActiveTextEditor(showActive),
    vscode.workspace.onDidOpenTextDocument((document) => tests.update(document)),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      tests.update(document);
      if (document === vscode.window.activeTextEditor?.document) showActive();
    }),
    vscode.workspace.onDidSaveTextDocument((document) => lenses.refresh(document)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => lenses.trusted()),
    vscode.workspace.onDidDeleteFiles(({ files }) => files.forEach((uri) => tests.remove(uri))),
  );
  vscode.workspace.textDocuments.forEach((document) => tests.update(document));
  showActive();
}
