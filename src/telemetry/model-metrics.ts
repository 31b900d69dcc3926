import { tokenCost, type TokenPrices } from '../lib/token-prices.ts';
import type { MetricsOf, Registry } from './metrics.ts';

/** These exist even without a model, so that alerting rules can use them. */
const declarations = {
  modelRequests: {
    type: 'counter', name: 'service_model_requests_total',
    help: 'Requests to the model by outcome; a request and its retries count once.',
    labels: { outcome: [
      'ok', 'timeout', 'connection', 'tls', 'redirect', 'rate_limited', 'overloaded',
      'server_error', 'unauthorized', 'not_found', 'refused', 'no_tools', 'quota', 'context',
      'filtered', 'malformed', 'aborted',
    ] },
  },
  modelBudget: {
    type: 'gauge', name: 'service_model_budget_tokens',
    help: 'Tokens the model may use in a day; 0 without a model.',
  },
  modelTokensToday: {
    type: 'gauge', name: 'service_model_tokens_today',
    help: 'Tokens the model has used since midnight UTC.',
  },
  modelPaused: {
    type: 'gauge', name: 'service_model_paused',
    help: 'Whether requests to the model are paused after repeated failures: 1 or 0.',
  },
  modelClaims: {
    type: 'counter', name: 'service_model_claims_total',
    help: 'Assertions of the model, by whether they held at first.',
    labels: { outcome: ['verified', 'struck'] },
  },
} as const;

/** `ok`, or the type of error. */
export const modelOutcomes: readonly string[] = declarations.modelRequests.labels.outcome;

/** An empty value equals no label, as OpenTelemetry wants for a success. */
const errorTypes = ['', ...modelOutcomes.slice(1)];

/** Buckets as OpenTelemetry recommends: powers of four for tokens, of two for seconds. */
const tokenBuckets = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
];
const operationBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const investigationBuckets = [
  0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6,
];

export interface MeasuredModel {
  /** As OpenTelemetry names it: `openai`, `anthropic`, `custom`… */
  readonly provider: string;
  readonly name: string;
  readonly tools: readonly string[];
  /** Per million tokens; null when not known. */
  readonly prices: TokenPrices | null;
}

export interface ModelMetrics extends MetricsOf<typeof declarations> {
  /** Null without a model. */
  readonly genAi: GenAiMetrics | null;
}

interface AskedModel {
  /** Null if it was answered. */
  readonly errorType: string | null;
  readonly seconds: number;
  /** Null if unknown. */
  readonly usage: Readonly<Record<keyof TokenPrices, number>> | null;
}

interface GenAiMetrics {
  asked(asked: AskedModel): void;
  /** A whole investigation with its requests and tools. Null `errorType`: it concluded. */
  investigated(seconds: number, errorType: string | null): void;
  /** A tool that is not declared counts as `other`. */
  toolUsed(tool: string, seconds: number, isError: boolean): void;
}

export function createModelMetrics(registry: Registry, model: MeasuredModel | null): ModelMetrics {
  const genAi = model && createGenAiMetrics(registry, model);
  return { ...registry.declareAll(declarations), genAi };
}

/** Names as in https://github.com/open-telemetry/semantic-conventions-genai, gen-ai-metrics. */
function createGenAiMetrics(registry: Registry, model: MeasuredModel): GenAiMetrics {
  const { provider, name, tools, prices } = model;
  const chat = {
    gen_ai_operation_name: 'chat', gen_ai_provider_name: provider, gen_ai_request_model: name,
  };
  const agent = { gen_ai_agent_name: 'investigator', gen_ai_request_model: name };
  const { tokens, duration, investigation, toolCall } = registry.declareAll({
    tokens: {
      type: 'histogram', name: 'gen_ai_client_token_usage',
      help: 'Tokens per request to the model; cached ones count as input.',
      labels: { ...only(chat), gen_ai_token_type: ['input', 'output'] }, buckets: tokenBuckets,
    },
    duration: {
      type: 'histogram', name: 'gen_ai_client_operation_duration_seconds',
      help: 'Duration of a request to the model, including retries.',
      labels: { ...only(chat), error_type: errorTypes }, buckets: operationBuckets,
    },
    investigation: {
      type: 'histogram', name: 'gen_ai_invoke_agent_duration_seconds',
      help: 'Duration of the investigation of an alert by the model, including its tools.',
      labels: { ...only(agent), error_type: [...errorTypes, 'other'] },
      buckets: investigationBuckets,
    },
    toolCall: {
      type: 'histogram', name: 'gen_ai_execute_tool_duration_seconds',
      help: 'Duration of a tool call by the model.',
      labels: { gen_ai_tool_name: [...tools, 'other'], error_type: ['', 'error'] },
      buckets: operationBuckets,
    },
  });
  // Without prices it does not exist, as 0 would mean free of charge.
  const cost = prices && registry.declare({
    type: 'counter', name: 'service_model_cost_total',
    help: 'Cost of all requests to the model, in the currency of MODEL_PRICE_IN.',
  });
  return {
    asked: ({ errorType, seconds, usage }) => {
      duration.observe(seconds, { ...chat, error_type: errorType ?? '' });
      if (usage === null) return;
      const { input, output } = usage;
      tokens.observe(input, { ...chat, gen_ai_token_type: 'input' });
      tokens.observe(output, { ...chat, gen_ai_token_type: 'output' });
      if (prices !== null) cost?.inc({}, tokenCost(usage, prices));
    },
    investigated: (seconds, errorType) =>
      investigation.observe(seconds, { ...agent, error_type: errorType ?? '' }),
    toolUsed: (tool, seconds, isError) =>
      toolCall.observe(seconds, { gen_ai_tool_name: tool, error_type: isError ? 'error' : '' }),
  };
}

/** Labels that have only one value each. */
function only(labels: Readonly<Record<string, string>>): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, [value]]));
}
