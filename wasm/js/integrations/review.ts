/** The entry `stepgraph/review`: the effects of changed plans, as data and as a pull request's comment. */
export { type ChangeOptions, reviewChange } from "./review/change.js";
export { type MarkdownOptions, reviewMarkdown } from "./review/markdown.js";
export type { BeforeAfter, ChangeReview, PlanVersion, ReviewedChange, TestCounts } from "./review/types.js";
