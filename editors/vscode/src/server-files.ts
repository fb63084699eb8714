/** The bundled package: its command as a process of Node, and its editor module. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ExtensionContext } from "vscode";

export interface PlanSymbol {
  name: string;
  kind: string;
  span: { start: number; end: number };
  nameSpan: { start: number; end: number };
  children: PlanSymbol[];
}

interface EditorModule {
  PlanDocument: new (text: string) => { symbols(): PlanSymbol[]; free(): void };
}

interface DetectModule {
  isPlan(language: string, uri: string, text: string): boolean;
}

export interface Output {
  code: number;
  stdout: string;
  stderr: string;
}

/** A report of a large plan with coverage. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export class Package {
  readonly folder: string;
  readonly command: string;
  readonly #editor: EditorModule;
  readonly #detect: DetectModule;

  private constructor(folder: string, editor: EditorModule, detect: DetectModule) {
    this.folder = folder;
    this.command = commandIn(folder);
    this.#editor = editor;
    this.#detect = detect;
  }

  static async load(context: ExtensionContext): Promise<Package> {
    const folder = context.asAbsolutePath("server");
    const load = (path: string) => import(pathToFileURL(join(folder, "dist", path)).href) as Promise<unknown>;
    const [editor, detect] = await Promise.all([load("editor/node.js"), load("cli/detect-plan.js")]);
    return new Package(folder, editor as EditorModule, detect as DetectModule);
  }

  isPlan(language: string, uri: string, text: string): boolean {
    return this.#detect.isPlan(language, uri, text);
  }

  symbols(text: string): PlanSymbol[] {
    const document = new this.#editor.PlanDocument(text);
    try {
      return document.symbols();
    } finally {
      document.free();
    }
  }

  /** Runs the command to its end. `signal` ends it early. */
  output(args: readonly string[], file: string, signal?: AbortSignal): Promise<Output> {
    return new Promise((resolve, reject) => {
      const options = { cwd: dirname(file), env: nodeEnvironment(), maxBuffer: MAX_OUTPUT_BYTES, signal };
      execFile(process.execPath, [this.command, ...args], options, (error, stdout, stderr) => {
        if (error && typeof error.code !== "number") reject(error);
        else resolve({ code: (error?.code as number | undefined) ?? 0, stdout, stderr });
      });
    });
  }
}

function commandIn(folder: string): string {
  const command = join(folder, "dist", "cli", "main.js");
  if (!existsSync(command)) throw new Error("the extension lacks its language server: install it again");
  return command;
}

/** The editor's own binary is Node if this variable is set. */
export function nodeEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ELECTRON_RUN_AS_NODE: "1" };
}
