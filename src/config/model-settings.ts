import type { TokenPrices } from '../lib/token-prices.ts';
import {
  baseUrlBeside, choice, crossesNetworkInClear, integer, price, seconds, textLine,
} from './readers.ts';
import type { Secret } from './secret.ts';
import { headerValue } from './secret-format.ts';
import type { Reader, Variables } from './variables.ts';

type ModelProvider = 'openai' | 'openai-chat' | 'anthropic';

export interface ModelSettings {
  readonly provider: ModelProvider;
  /** Without a trailing slash. */
  readonly url: string;
  readonly name: string;
  /** Null for a server that needs none. */
  readonly apiKey: Secret | null;
  /** How much it is to think, in the provider's words; null leaves that to the provider. */
  readonly effort: string | null;
  /** Most tokens of one answer, thinking included. */
  readonly outputTokens: number;
  /** For one narrative. */
  readonly timeoutMs: number;
  readonly tokensPerAlert: number;
  readonly tokensPerDay: number;
  /** Per million tokens, in the operator's currency; null when unknown. */
  readonly prices: TokenPrices | null;
  /** Age of a narrative at which the model is asked again while the alert fires. */
  readonly reanalyseAfterMs: number;
}

const providerUrl: Readonly<Record<ModelProvider, string>> = {
  openai: 'https://api.openai.com/v1',
  'openai-chat': 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
};

/** Null when no model is configured. */
export function readModelSettings(env: Variables): ModelSettings | null {
  const providers = choice('none', 'openai', 'openai-chat', 'anthropic');
  const provider = env.read('MODEL_PROVIDER', providers, {
    fallback: 'none',
    help: 'API of the model: none, openai, openai-chat (for compatible servers) or anthropic.',
  });
  const url = env.read('MODEL_URL', baseUrlBeside('MODEL_API_KEY'), {
    fallback: null, shown: "the provider's own", help: 'Base URL of the model API.',
  });
  const name = env.read('MODEL_NAME', textLine, { fallback: null, help: 'Name of the model.' });
  const apiKey = env.readSecret('MODEL_API_KEY', {
    format: headerValue, help: 'API key for the model.',
  });
  const limits = readLimits(env);
  const budget = readBudget(env);
  const reanalyseAfterMs = env.read('REANALYSE_AFTER_SECONDS', seconds(60, 604_800), {
    fallback: '3600',
    help: 'Age of a narrative at which the model is asked again while the alert fires.',
  });
  checkModel(env, provider);
  if (provider === 'none') return null;
  if (url !== null && apiKey !== null && crossesNetworkInClear(url)) {
    env.warnings.push('MODEL_URL is http: MODEL_API_KEY is sent unencrypted');
  }
  return {
    provider, url: url ?? providerUrl[provider], name: name ?? '', apiKey,
    ...limits, ...budget, reanalyseAfterMs,
  };
}

const word: Reader<string> = (raw) => {
  if (!/^[a-z]{1,20}$/.test(raw)) throw new Error('a word such as low, medium or high');
  return raw;
};

function readLimits(
  env: Variables,
): Pick<ModelSettings, 'effort' | 'outputTokens' | 'timeoutMs'> {
  return {
    effort: env.read('MODEL_EFFORT', word, {
      fallback: null, shown: "the provider's own",
      help: 'How much the model should think, such as low, medium or high.',
    }),
    outputTokens: env.read('MODEL_OUTPUT_TOKENS', integer(1000, 200_000), {
      fallback: '16000', help: 'Most tokens of one answer, including its thinking.',
    }),
    timeoutMs: env.read('MODEL_TIMEOUT_SECONDS', seconds(30, 3600), {
      fallback: '600', help: 'Time limit of one narrative; one request takes at most half of it.',
    }),
  };
}

const tokensPerAlertDefault = 120_000;

function readBudget(
  env: Variables,
): Pick<ModelSettings, 'tokensPerAlert' | 'tokensPerDay' | 'prices'> {
  const givenPerAlert = env.read('MODEL_TOKENS_PER_ALERT', integer(1000, 10_000_000), {
    fallback: null,
    shown: `${tokensPerAlertDefault}, or MODEL_TOKENS_PER_DAY if that is less`,
    help: 'Most tokens used for one alert.',
  });
  const tokensPerDay = env.read('MODEL_TOKENS_PER_DAY', integer(1000, 1_000_000_000), {
    fallback: '2000000', help: 'Most tokens used in one day.',
  });
  const input = env.read('MODEL_PRICE_IN', price, {
    fallback: null, help: 'Price of a million input tokens.',
  });
  const output = env.read('MODEL_PRICE_OUT', price, {
    fallback: null, help: 'Price of a million output tokens.',
  });
  const cached = env.read('MODEL_PRICE_CACHED', price, {
    fallback: null, shown: 'a tenth of MODEL_PRICE_IN',
    help: 'Price of a million input tokens that the provider had cached.',
  });
  env.requireBoth('MODEL_PRICE_IN', 'MODEL_PRICE_OUT');
  const tokensPerAlert = givenPerAlert ?? Math.min(tokensPerAlertDefault, tokensPerDay);
  if (tokensPerAlert > tokensPerDay) {
    env.problems.push(`MODEL_TOKENS_PER_ALERT (${tokensPerAlert}) `
      + `must not be above MODEL_TOKENS_PER_DAY (${tokensPerDay})`);
  }
  const prices = input !== null && output !== null
    ? { input, cached: cached ?? input / 10, output } : null;
  return { tokensPerAlert, tokensPerDay, prices };
}

/** A provider's public API always needs a key; a server of your own may not. */
function checkModel(env: Variables, provider: ModelProvider | 'none'): void {
  if (provider === 'none') {
    if (env.raw('MODEL_PROVIDER') !== null) return;
    return env.warnOfIdle(['MODEL_URL', 'MODEL_NAME', 'MODEL_API_KEY'], 'MODEL_PROVIDER');
  }
  if (!env.isSet('MODEL_NAME')) env.problems.push(`MODEL_PROVIDER=${provider} needs MODEL_NAME`);
  if (!env.isSet('MODEL_URL') && !env.isSet('MODEL_API_KEY')) {
    env.problems.push(`MODEL_PROVIDER=${provider} needs MODEL_API_KEY or a MODEL_URL of your own`);
  }
}
