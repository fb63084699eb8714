/** `stepgraph review` */
import { appendFileSync } from "node:fs";
import type { ChangeReview } from "../integrations/review.js";
import { listServerTools } from "./check.js";
import { pricedModel } from "./cost.js";
import { errorReason } from "./error-reason.js";
import { readHostOption } from "./handlers.js";
import { CommentError, postComment } from "./github-comment.js";
import { type Io, renderOptions, writeText } from "./io.js";
import type { Arguments } from "./options.js";
import { readPrices } from "./prices.js";
import { type FoundPlan, pairPlans } from "./review-plans.js";
import { readVersions } from "./review-versions.js";

export async function reviewCommand(args: Arguments, io: Io): Promise<number> {
  const [base, head] = args.operands as [string, string?];
  const paths = args.all("path").map((path) => path.replace(/^\.\/|\/+$/g, ""));
  const [before, after] = readVersions(base, head);
  const { reviewChange, reviewMarkdown } = await import("../integrations/review.js");
  const { handlers } = args.has("handlers") ? await readHostOption(args) : {};
  // A server that does not answer has not lost its tools.
  const today = await listServerTools(args, io, () => true);
  const { pairs, unchanged } = pairPlans(before, after, today, paths);
  const model = pricedModel(args, io);
  const prices = readPrices(args);
  const reviews: ChangeReview[] = [];
  for (const { file, previousFile, before, after, isLinked } of pairs) {
    const found = await reviewChange(version(before), version(after), {
      file,
      ...(previousFile !== undefined && { previousFile }),
      ...(handlers && { handlers }),
      ...(today && { today }),
      prices,
      ...(model && { models: { default: model } }),
    });
    const further = isLinked ? "it is a link now, which the review does not follow" : after?.problem;
    reviews.push({ ...found, problems: [...found.problems, ...(further ? [further] : [])] });
  }
  const versions = { before: before.name, after: after.name };
  const text = reviewMarkdown(reviews, { unchanged, versions });
  const problems = reviews.reduce((sum, { problems }) => sum + problems.length, 0);
  await publish(text, args, io);
  if (args.has("json")) io.out.write(`${JSON.stringify({ ...versions, unchanged, problems, plans: reviews })}\n`);
  return problems > 0 ? 1 : 0;
}

function version(plan: FoundPlan | null) {
  return plan && { text: plan.text, files: plan.files, ...(plan.lock && { lock: plan.lock }) };
}

async function publish(text: string, args: Arguments, io: Io): Promise<void> {
  const file = args.single("output");
  if (file !== undefined) writeText(file, text);
  else if (!args.has("json")) io.out.write(text);
  writeSummary(text, io);
  if (!args.has("comment")) return;
  try {
    io.err.write(`${await postComment(text, io)}\n`);
  } catch (error) {
    if (!(error instanceof CommentError)) throw error;
    const { style } = renderOptions(io.err, io);
    const advice = error.isForbidden
      ? "the token may not write to this pull request, as for one from a fork: read the review in the summary of the job"
      : "read the review in the summary of the job";
    io.err.write(`${style.yellow("warning")}: no comment posted: ${error.message}\n  = help: ${advice}\n`);
  }
}

/** GitHub's job page shows it even without a comment. */
function writeSummary(text: string, { env, err }: Io): void {
  const file = env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  try {
    appendFileSync(file, text);
  } catch (error) {
    err.write(`warning: no summary written: ${errorReason(error)}\n`);
  }
}
