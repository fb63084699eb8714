/** Internals for the command and the tests. Not an entry of the package. */
export { differences, clippedJson } from "./value-diff.js";
export { DECLARATION_HEAD, declarationFile, planDeclaration } from "./declarations/plan-declaration.js";
export { FINDINGS } from "./doctor-findings.js";
export { checkOn, sortDiagnostics } from "./graph.js";
export { startSync, words } from "./engine.js";
export * from "./index.js";
export { fileTexts, type KnownFiles, type MissingFile, readMissingSync } from "./plan-files.js";
export { jsonError } from "./normalize-tools.js";
export { pattern_test } from "./patterns.js";
import "./node-modules.js";
export { randomId } from "./random-id.js";
export { alignRedacted, Redactor } from "./redact.js";
export { indexTools } from "./host.js";
export { effectOf } from "./review.js";
export { checkBySchema } from "./schema.js";
export { withSecretsOf } from "./secrets.js";
export { withStubs } from "./stub-tools.js";
export { readStubsText, type StubUses, stubError } from "./stubs.js";
