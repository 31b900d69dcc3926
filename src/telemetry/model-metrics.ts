import type { By, Counter, Gauge, LabelSets, NoLabels, Registry } from './metrics.ts';

/** `ok`, or the type of error. */
export const modelOutcomes = [
  'ok', 'timeout', 'connection', 'tls', 'redirect', 'rate_limited', 'overloaded', 'server_error',
  'unauthorized', 'not_found', 'refused', 'no_tools', 'quota', 'context', 'filtered', 'malformed',
  'aborted',
] as const;

/** An empty value equals no label, as OpenTelemetry wants for a success. */
const errorTypes = ['', ...modelOutcomes.slice(1)] as const;
const tokenTypes = ['input', 'output'] as const;
const claimOutcomes = ['verified', 'struck'] as const;

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

/** The configured model and its tools. */
export interface MeasuredModel {
  /** As OpenTelemetry names it: `openai`, `anthropic`, `custom`… */
  readonly provider: string;
  readonly name: string;
  readonly tools: readonly string[];
  /** Per million tokens; null when not known. */
  readonly prices: { readonly input: number; readonly output: number } | null;
}

/** All but `genAi` exist even without a model, so that alerting rules can use them. */
export interface ModelMetrics {
  readonly modelRequests: Counter<By<'outcome', typeof modelOutcomes>>;
  readonly modelBudget: Gauge<NoLabels>;
  readonly modelTokensToday: Gauge<NoLabels>;
  readonly modelPaused: Gauge<NoLabels>;
  readonly modelClaims: Counter<By<'outcome', typeof claimOutcomes>>;
  /** Null without a model. */
  readonly genAi: GenAiMetrics | null;
}

/** The outcome of one request to the model. */
interface AskedModel {
  /** Null if it was answered. */
  readonly errorType: string | null;
  readonly seconds: number;
  /** Null if unknown. */
  readonly usage: { readonly input: number; readonly output: number } | null;
}

interface GenAiMetrics {
  asked(asked: AskedModel): void;
  /** A whole investigation with its requests and tools. Null `errorType`: it concluded. */
  investigated(seconds: number, errorType: string | null): void;
  /** A tool that is not declared counts as `other`. */
  toolUsed(tool: string, seconds: number, isError: boolean): void;
}

export function createModelMetrics(registry: Registry, model: MeasuredModel | null): ModelMetrics {
  return {
    modelRequests: registry.counter(
      'service_model_requests_total',
      'Requests to the model by outcome; a request and its retries count once.',
      { labels: { outcome: modelOutcomes } },
    ),
    modelBudget: registry.gauge(
      'service_model_budget_tokens',
      'Tokens the model may use in a day; 0 without a model.',
    ),
    modelTokensToday: registry.gauge(
      'service_model_tokens_today',
      'Tokens the model has used since midnight UTC.',
    ),
    modelPaused: registry.gauge(
      'service_model_paused',
      'Whether requests to the model are paused after repeated failures: 1 or 0.',
    ),
    modelClaims: registry.counter(
      'service_model_claims_total',
      'Claims of the model, by whether the evidence they cite supports them.',
      { labels: { outcome: claimOutcomes } },
    ),
    genAi: model && createGenAiMetrics(registry, model),
  };
}

/** Names as in https://github.com/open-telemetry/semantic-conventions-genai, gen-ai-metrics. */
function createGenAiMetrics(registry: Registry, model: MeasuredModel): GenAiMetrics {
  const operation: LabelSets = {
    gen_ai_operation_name: ['chat'],
    gen_ai_provider_name: [model.provider],
    gen_ai_request_model: [model.name],
  };
  const chat = Object.fromEntries(Object.entries(operation).map(([name, [only = '']]) =>
    [name, only]));
  const tokens = registry.histogram<LabelSets>(
    'gen_ai_client_token_usage',
    'Tokens per request to the model; cached ones count as input.',
    { labels: { ...operation, gen_ai_token_type: tokenTypes }, buckets: tokenBuckets },
  );
  const duration = registry.histogram<LabelSets>(
    'gen_ai_client_operation_duration_seconds',
    'Duration of a request to the model, including retries.',
    { labels: { ...operation, error_type: errorTypes }, buckets: operationBuckets },
  );
  const agent = { gen_ai_agent_name: ['investigator'], gen_ai_request_model: [model.name] };
  const invoked = registry.histogram<LabelSets>(
    'gen_ai_invoke_agent_duration_seconds',
    'Duration of the investigation of an alert by the model, including its tools.',
    { labels: { ...agent, error_type: [...errorTypes, 'other'] }, buckets: investigationBuckets },
  );
  const executed = registry.histogram<LabelSets>(
    'gen_ai_execute_tool_duration_seconds',
    'Duration of a tool call by the model.',
    {
      labels: { gen_ai_tool_name: [...model.tools, 'other'], error_type: ['', 'error'] },
      buckets: operationBuckets,
    },
  );
  const addCost = createCost(registry, model);
  return {
    asked: ({ errorType, seconds, usage }) => {
      duration.observe(seconds, { ...chat, error_type: errorType ?? '' });
      if (usage === null) return;
      tokens.observe(usage.input, { ...chat, gen_ai_token_type: 'input' });
      tokens.observe(usage.output, { ...chat, gen_ai_token_type: 'output' });
      addCost(usage);
    },
    investigated: (seconds, errorType) => invoked.observe(seconds, {
      gen_ai_agent_name: 'investigator',
      gen_ai_request_model: model.name,
      error_type: errorType ?? '',
    }),
    toolUsed: (tool, seconds, isError) => executed.observe(seconds, {
      gen_ai_tool_name: tool, error_type: isError ? 'error' : '',
    }),
  };
}

/** Without prices the metric does not exist, as 0 would mean free of charge. */
function createCost(
  registry: Registry,
  { prices }: MeasuredModel,
): (usage: NonNullable<AskedModel['usage']>) => void {
  if (prices === null) return () => {};
  const cost = registry.counter(
    'service_model_cost_total',
    'Cost of all requests to the model, in the currency of MODEL_PRICE_IN.',
  );
  return ({ input, output }) => {
    cost.inc({}, (input * prices.input + output * prices.output) / 1e6);
  };
}
