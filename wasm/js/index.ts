/** The API of the package, whose engine each platform's entry starts. */
/// <reference lib="esnext.disposable" preserve="true" />
export { diagnose, type DiagnoseOptions, type Finding, type FindingCode } from "./doctor.js";
export {
  oauth,
  type EnterpriseOptions,
  type OAuthOptions,
  type OAuthStore,
  type SigningAlgorithm,
  type SigningKey,
} from "./auth.js";
export { chromeModel, type ChromeModelOptions } from "./chrome.js";
export { CallError, ExpressionError, PlanError, RunError } from "./errors.js";
export {
  flows,
  type Authored,
  type AuthorProblem,
  type AuthorRequest,
  type AuthorResult,
  type Flow,
  type FlowOptions,
  type Gathered,
  type GatheredCall,
  type PlanGatherRequest,
  type PlanGatherResult,
  type PlannedCall,
  type ReactFlow,
  type ReactOptions,
  type ReactResult,
  type ReactRoute,
  type SearchQueryList,
  type ToolPlan,
  type Unfinished,
} from "./flows.js";
export { fork, type ForkOptions } from "./fork.js";
export { formatDiagnostics, type FormatOptions } from "./format-diagnostics.js";
export { functions } from "./functions.js";
export { checkExpression, evaluate, type CheckedExpression } from "./expression.js";
export { check } from "./check-plan.js";
export { type ParsedPlan, PlanGraph, readYaml } from "./graph.js";
/** @internal For other entries of the package. */
export { internals } from "./internals.js";
export type { MachineOptions } from "./machine-options.js";
export { Run, type CallPolicy, type Command, type RunEvent, type Step } from "./machine.js";
export { ToolLock } from "./tool-lock.js";
export type {
  Drift,
  DriftCode,
  DriftFix,
  DriftProblem,
  DriftSeverity,
  ToolChange,
  ToolPart,
} from "./lock-types.js";
export { mcp } from "./mcp.js";
export type {
  McpAuth,
  McpAuthSource,
  McpChange,
  McpClient,
  McpOptions,
  McpRequestOptions,
  McpServerInfo,
  McpVersion,
  McpWatchOptions,
} from "./mcp-types.js";
export type {
  ElicitationAnswer,
  FormQuestion,
  McpHost,
  McpRoot,
  SamplingAnswer,
  SamplingQuestion,
  UrlQuestion,
} from "./mcp-host.js";
export { anthropic, gemini, openai, openaiResponses, type ModelOptions, type NamedModelOptions } from "./models.js";
export { estimateCost } from "./cost.js";
export type * from "./cost-types.js";
export { examplePrices } from "./example-prices.js";
export { priceModels } from "./price-models.js";
export type { ModelPrice, Prices } from "./prices.js";
export { effectOf, review, type Effect, type Review, type ReviewedTool } from "./review.js";
export type { RunStream, StreamOptions } from "./stream.js";
export { stubTools } from "./stub-tools.js";
export { drawCoverage } from "./coverage-drawing.js";
export { testMutants, type MutantResult, type MutationOptions } from "./mutation.js";
export { runTests, testsOf, type Expectation, type PlanTest, type TestOptions, type TestResult } from "./plan-tests.js";
export {
  coverage,
  type Coverage,
  type CoverageCount,
  type CoverageKind,
  type CoveragePart,
} from "./coverage.js";
export { testFromRun, type TestFromRunOptions } from "./test-from-run.js";
export { checkToolPlan, type Trust } from "./toolplan.js";
export { compareRun, type CompareRunOptions, type RunComparison } from "./compare-run.js";
export type { ConflictCode, RunConflict } from "./run-conflict.js";
export { run } from "./run-function.js";
export { restartAt, type RestartOptions } from "./restart-at.js";
export { mapNodes, type MapNodesOptions, type MappedRun } from "./map-nodes.js";
export type * from "./types.js";
