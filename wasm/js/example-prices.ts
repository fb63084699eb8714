/** Example prices in US dollars for a million tokens. */
import type { ModelPrice, Prices } from "./prices.js";

type Row = [input: number, output: number, cachedInput: number, cacheWriteInput: number];

function price([input, output, cached_input, cache_write_input]: Row, context: number, max_output: number): ModelPrice {
  return { input, output, cached_input, cache_write_input, context, max_output };
}

const SONNET = price([3, 15, 0.3, 3.75], 200_000, 64_000);
const OPUS_4 = price([15, 75, 1.5, 18.75], 200_000, 32_000);
const GPT_4O = price([2.5, 10, 1.25, 2.5], 128_000, 16_384);

/**
 * Example prices of OpenAI, Anthropic and Google from late 2025, without batches, regions and discounts. Pass your own
 * where money matters.
 */
export const examplePrices: Prices = {
  date: "2025-10-31",
  source: "public price pages of the providers, as an example; override them with your own",
  models: {
    "openai:gpt-4o": GPT_4O,
    "openai:gpt-4o-2024-08-06": GPT_4O,
    "openai:gpt-4o-2024-11-20": GPT_4O,
    "openai:gpt-4o-mini*": price([0.15, 0.6, 0.075, 0.15], 128_000, 16_384),
    "openai:gpt-4.1": price([2, 8, 0.5, 2], 1_047_576, 32_768),
    "openai:gpt-4.1-mini*": price([0.4, 1.6, 0.1, 0.4], 1_047_576, 32_768),
    "openai:gpt-4.1-nano*": price([0.1, 0.4, 0.025, 0.1], 1_047_576, 32_768),
    "openai:gpt-5": price([1.25, 10, 0.125, 1.25], 400_000, 128_000),
    "openai:gpt-5-mini*": price([0.25, 2, 0.025, 0.25], 400_000, 128_000),
    "openai:gpt-5-nano*": price([0.05, 0.4, 0.005, 0.05], 400_000, 128_000),
    "openai:o3": price([2, 8, 0.5, 2], 200_000, 100_000),
    "openai:o4-mini": price([1.1, 4.4, 0.275, 1.1], 200_000, 100_000),
    "anthropic:claude-sonnet-4-0": SONNET,
    "anthropic:claude-sonnet-4-2025*": SONNET,
    "anthropic:claude-sonnet-4-5*": SONNET,
    "anthropic:claude-opus-4-0": OPUS_4,
    "anthropic:claude-opus-4-2025*": OPUS_4,
    "anthropic:claude-opus-4-1*": OPUS_4,
    "anthropic:claude-haiku-4-5*": price([1, 5, 0.1, 1.25], 200_000, 64_000),
    "anthropic:claude-3-5-haiku*": price([0.8, 4, 0.08, 1], 200_000, 8_192),
    // For prompts over 200 000 tokens. Shorter ones cost half.
    "gemini:gemini-2.5-pro": price([2.5, 15, 0.625, 2.5], 1_048_576, 65_536),
    "gemini:gemini-2.5-flash": price([0.3, 2.5, 0.075, 0.3], 1_048_576, 65_536),
    "gemini:gemini-2.5-flash-lite": price([0.1, 0.4, 0.025, 0.1], 1_048_576, 65_536),
  },
};
