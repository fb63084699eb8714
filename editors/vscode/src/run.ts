/** Runs a plan in a terminal of the editor, with the live view of `stepgraph run`. */
import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import * as vscode from "vscode";
import { nodeEnvironment, type Package } from "./server-files.js";

/** Saves the plan, because the command reads the file. Returns its path, or null with a message to the user. */
export async function savedPath(document: vscode.TextDocument): Promise<string | null> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showWarningMessage("Stepgraph runs no plan in Restricted Mode. Trust the workspace first.");
    return null;
  }
  if (document.uri.scheme !== "file" || (document.isDirty && !(await document.save()))) {
    void vscode.window.showWarningMessage("Save the plan as a file first.");
    return null;
  }
  return document.uri.fsPath;
}

/** The flag for the setting `stepgraph.handlers`, if it is set. */
export function handlerArguments(uri: vscode.Uri): string[] {
  const handlers = vscode.workspace.getConfiguration("stepgraph", uri).get<unknown>("handlers");
  if (typeof handlers !== "string" || handlers === "") return [];
  const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri ?? vscode.Uri.joinPath(uri, "..");
  return ["--handlers", vscode.Uri.joinPath(folder, handlers).fsPath];
}

/** Asks whether to use the stubs next to the plan, if there are any. Returns null if the user cancels. */
async function chooseStubs(file: string): Promise<string[] | null> {
  const base = file.replace(/(\.plan)?\.[^.]*$/, "");
  const stubs = [`${base}.stubs.yaml`, file.replace(/\.[^.]*$/, ".stubs.yaml")].find((name) => existsSync(name));
  if (stubs === undefined) return [];
  const offline = { label: "Run with stubs", description: basename(stubs) };
  const real = { label: "Run for real", description: "calls tools and models" };
  const chosen = await vscode.window.showQuickPick([offline, real], { title: "Run plan" });
  if (!chosen) return null;
  return chosen === offline ? [`--stubs=${stubs}`] : [];
}

export async function runPlan({ command }: Package, document: vscode.TextDocument): Promise<void> {
  const file = await savedPath(document);
  if (file === null) return;
  const stubs = await chooseStubs(file);
  if (stubs === null) return;
  const prompt = await vscode.window.showInputBox({
    title: "Run plan",
    prompt: "The input of the run. Leave it empty to run without input.",
  });
  if (prompt === undefined) return;
  const input = prompt === "" ? [] : [`--prompt=${prompt}`];
  const args = [command, "run", `--plan=${file}`, ...input, ...stubs, ...handlerArguments(document.uri)];
  const env = Object.fromEntries(Object.entries(nodeEnvironment()).filter(([, value]) => value !== undefined));
  const execution = new vscode.ProcessExecution(process.execPath, args, {
    cwd: dirname(file),
    env: env as Record<string, string>,
  });
  const scope = vscode.workspace.getWorkspaceFolder(document.uri) ?? vscode.TaskScope.Workspace;
  const task = new vscode.Task({ type: "stepgraph" }, scope, vscode.workspace.asRelativePath(file), "stepgraph");
  task.execution = execution;
  task.presentationOptions = { echo: false, panel: vscode.TaskPanelKind.Shared, clear: true };
  await vscode.tasks.executeTask(task);
}
