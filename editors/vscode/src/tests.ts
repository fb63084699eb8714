/** The Test Explorer: each case of `tests` is a test item, and coverage comes from `stepgraph test --coverage`. */
import * as vscode from "vscode";
import { type Plans, rangeOf } from "./plans.js";
import { handlerArguments, savedPath } from "./run.js";
import type { Package } from "./server-files.js";
import { type Detail, type FileResult, readTestReport } from "./test-report.js";

/** Each plan that the Test Explorer finds is read. */
const MAX_PLANS = 500;

export class Tests {
  readonly #controller = vscode.tests.createTestController("stepgraph", "Stepgraph");
  readonly #package: Package;
  readonly #plans: Plans;
  readonly #details = new WeakMap<vscode.FileCoverage, vscode.FileCoverageDetail[]>();
  readonly #run: vscode.TestRunProfile;

  constructor(bundled: Package, plans: Plans) {
    this.#package = bundled;
    this.#plans = plans;
    const handler = (coverage: boolean) => (request: vscode.TestRunRequest, token: vscode.CancellationToken) =>
      this.#execute(request, token, coverage);
    this.#controller.resolveHandler = (item) => (item ? undefined : this.#discover());
    this.#run = this.#controller.createRunProfile("Run", vscode.TestRunProfileKind.Run, handler(false), true);
    const coverage = this.#controller.createRunProfile(
      "Coverage",
      vscode.TestRunProfileKind.Coverage,
      handler(true),
      true,
    );
    coverage.loadDetailedCoverage = async (_run, file) => this.#details.get(file) ?? [];
  }

  dispose(): void {
    this.#controller.dispose();
  }

  /** Makes the items of a plan those of its text. */
  update(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    const cases = this.#plans.isPlan(document) ? this.#plans.tests(document) : [];
    if (cases.length === 0) {
      this.#controller.items.delete(key);
      return;
    }
    const label = vscode.workspace.asRelativePath(document.uri);
    const plan = this.#controller.items.get(key) ?? this.#controller.createTestItem(key, label, document.uri);
    plan.children.replace(
      cases.map((test) => {
        const item = this.#controller.createTestItem(test.name, test.name, document.uri);
        item.range = rangeOf(document, test.span);
        return item;
      }),
    );
    this.#controller.items.add(plan);
  }

  remove(uri: vscode.Uri): void {
    this.#controller.items.delete(uri.toString());
  }

  /** Finds the plans of the workspace that `stepgraph.files` names. Other plans appear once they are open. */
  async #discover(): Promise<void> {
    const patterns = vscode.workspace.getConfiguration("stepgraph").get<unknown>("files");
    for (const pattern of Array.isArray(patterns) ? patterns : []) {
      if (typeof pattern !== "string") continue;
      for (const uri of await vscode.workspace.findFiles(pattern, "**/node_modules/**", MAX_PLANS))
        this.update(await vscode.workspace.openTextDocument(uri));
    }
  }

  async runAll(document: vscode.TextDocument): Promise<void> {
    this.update(document);
    const plan = this.#controller.items.get(document.uri.toString());
    if (!plan) {
      void vscode.window.showInformationMessage("This plan has no `tests`.");
      return;
    }
    const source = new vscode.CancellationTokenSource();
    await this.#execute(new vscode.TestRunRequest([plan], undefined, this.#run), source.token, false);
    source.dispose();
  }

  async #execute(request: vscode.TestRunRequest, token: vscode.CancellationToken, coverage: boolean): Promise<void> {
    const run = this.#controller.createTestRun(request);
    const abort = new AbortController();
    const listener = token.onCancellationRequested(() => abort.abort());
    try {
      for (const [plan, cases] of this.#selected(request)) {
        if (token.isCancellationRequested) break;
        await this.#runPlan(run, plan, cases, coverage, abort.signal);
      }
    } finally {
      listener.dispose();
      run.end();
    }
  }

  /** Returns the cases to run, by plan. */
  #selected({ include, exclude = [] }: vscode.TestRunRequest): Map<vscode.TestItem, Set<vscode.TestItem>> {
    const chosen = new Map<vscode.TestItem, Set<vscode.TestItem>>();
    const add = (plan: vscode.TestItem, item: vscode.TestItem) => {
      if (exclude.includes(item) || exclude.includes(plan)) return;
      const cases = chosen.get(plan) ?? new Set();
      chosen.set(plan, cases.add(item));
    };
    const all: vscode.TestItem[] = [];
    this.#controller.items.forEach((item) => all.push(item));
    for (const item of include ?? all) {
      if (item.parent) add(item.parent, item);
      else item.children.forEach((child) => add(item, child));
    }
    return chosen;
  }

  async #runPlan(
    run: vscode.TestRun,
    plan: vscode.TestItem,
    cases: Set<vscode.TestItem>,
    coverage: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    for (const item of cases) run.started(item);
    const uri = plan.uri as vscode.Uri;
    const result = await this.#test(uri, cases, plan.children.size, signal).catch((error: unknown) =>
      String(error instanceof Error ? error.message : error),
    );
    if (typeof result === "string" || result.problem !== null) {
      const problem = typeof result === "string" ? result : (result.problem as string);
      for (const item of cases) {
        if (signal.aborted) run.skipped(item);
        else run.errored(item, new vscode.TestMessage(problem));
      }
      return;
    }
    for (const item of cases) report(run, item, result);
    if (coverage) this.#addCoverage(run, uri, result.details);
  }

  async #test(uri: vscode.Uri, cases: Set<vscode.TestItem>, total: number, signal: AbortSignal): Promise<FileResult> {
    const file = await savedPath(await vscode.workspace.openTextDocument(uri));
    if (file === null) throw new Error("the plan was not tested");
    const [only] = cases;
    // The command filters by a part of the name. It has no filter for several names.
    const filter = cases.size === 1 && total > 1 && only ? [`--filter=${only.id}`] : [];
    const args = ["test", file, "--json", "--coverage", ...filter, ...handlerArguments(uri)];
    const { stdout, stderr } = await this.#package.output(args, file, signal);
    if (stdout.trim() === "") throw new Error(stderr.trim());
    return readTestReport(stdout);
  }

  #addCoverage(run: vscode.TestRun, uri: vscode.Uri, details: readonly Detail[]): void {
    const shown = details.map(toCoverage);
    const file = vscode.FileCoverage.fromDetails(uri, shown);
    this.#details.set(file, shown);
    run.addCoverage(file);
  }
}

function report(run: vscode.TestRun, item: vscode.TestItem, { cases }: FileResult): void {
  const found = cases.find(({ name }) => name === item.id);
  if (!found) run.errored(item, new vscode.TestMessage("the plan on the disk has no test of this name"));
  else if (found.passed) run.passed(item, found.durationMs);
  else {
    const message = new vscode.TestMessage(found.message);
    if (item.uri && item.range) message.location = new vscode.Location(item.uri, item.range.start);
    run.failed(item, message, found.durationMs);
  }
}

function toCoverage({ kind, name, count, place, branches }: Detail): vscode.FileCoverageDetail {
  const at = new vscode.Position(place.line, place.column);
  if (kind === "declaration") return new vscode.DeclarationCoverage(name, count, at);
  const parts = branches.map((branch) => new vscode.BranchCoverage(branch.count, at, branch.label));
  return new vscode.StatementCoverage(count, at, parts);
}
