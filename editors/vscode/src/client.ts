/** Starts the bundled language server. */
import type * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import type { Plans } from "./plans.js";
import { SELECTOR } from "./plans.js";
import { nodeEnvironment, type Package } from "./server-files.js";

export function createClient({ command }: Package, plans: Plans): LanguageClient {
  // As a `module` it would get options of the library, which the command refuses.
  const server = { command: process.execPath, args: [command, "lsp"], options: { env: nodeEnvironment() } };
  return new LanguageClient("stepgraph", "Stepgraph", server, {
    documentSelector: SELECTOR as { language: string }[],
    middleware: {
      // The server treats a file of this language as a plan, whatever its content.
      didOpen: (document, next) => next(plans.isListed(document) ? withLanguage(document, "stepgraph") : document),
      // An empty list means that your program has no tools or models. A setting that is not set says nothing.
      workspace: {
        configuration: async (params, token, next) => {
          const answers = await next(params, token);
          return Array.isArray(answers) ? (answers as unknown[]).map(withoutNull) : answers;
        },
      },
    },
  });
}

function withoutNull(settings: unknown): unknown {
  if (typeof settings !== "object" || settings === null) return settings;
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
}

function withLanguage(document: vscode.TextDocument, languageId: string): vscode.TextDocument {
  return Object.create(document, { languageId: { value: languageId } }) as vscode.TextDocument;
}
