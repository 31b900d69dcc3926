import type { WireName } from '../wires/wire.ts';

/** How a model is reached. Plain data, the key in clear, so that it can cross to a thread. */
export interface ModelAccess {
  readonly provider: 'openai' | 'openai-chat' | 'anthropic';
  /** Base URL, as it was configured. */
  readonly url: string;
  readonly name: string;
  /** Null: the server wants none. */
  readonly apiKey: string | null;
}

const wires: Readonly<Record<ModelAccess['provider'], WireName>> = {
  openai: 'openai-responses',
  'openai-chat': 'openai-chat',
  anthropic: 'anthropic',
};

export function wireNameOf({ provider }: ModelAccess): WireName {
  return wires[provider];
}

/**
 * Base URL that the paths of a wire are appended to, whatever of a documented address was pasted:
 * with or without the path of the request, and without the version that a provider always has.
 */
export function baseUrlOf(access: ModelAccess): string {
  const trimmed = access.url
    .replace(/\/+$/, '')
    .replace(/\/(chat\/completions|responses|messages)$/, '')
    .replace(/\/+$/, '');
  const isBare = URL.canParse(trimmed) && new URL(trimmed).pathname === '/';
  if (access.provider === 'anthropic') return /\/v1$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
  if (isBare && isAzure(access)) return `${trimmed}/openai/v1`;
  return isBare && hostOf(access) === openAiHost ? `${trimmed}/v1` : trimmed;
}

const openAiHost = 'api.openai.com';
const anthropicHost = 'api.anthropic.com';

export function isOpenAi(access: ModelAccess): boolean {
  return hostOf(access) === openAiHost;
}

export function isAnthropic(access: ModelAccess): boolean {
  return hostOf(access) === anthropicHost;
}

export function isAzure(access: ModelAccess): boolean {
  return /\.(openai|services\.ai|cognitiveservices)\.azure\.com$/.test(hostOf(access));
}

/** Hosts and the names OpenTelemetry has for who runs them. */
const providerNames: readonly (readonly [RegExp, string])[] = [
  [/(^|\.)openai\.com$/, 'openai'],
  [/(^|\.)anthropic\.com$/, 'anthropic'],
  [/\.azure\.com$/, 'azure.ai.openai'],
  [/(^|\.)(amazonaws\.com|api\.aws)$/, 'aws.bedrock'],
  [/(^|\.)googleapis\.com$/, 'gcp.gemini'],
  [/(^|\.)mistral\.ai$/, 'mistral_ai'],
  [/(^|\.)groq\.com$/, 'groq'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/(^|\.)x\.ai$/, 'x_ai'],
  [/(^|\.)openrouter\.ai$/, 'openrouter'],
];

/**
 * Value of `gen_ai.provider.name`: who runs the server, by its host; `custom` for one that is not
 * known. https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/
 */
export function providerNameOf(access: Pick<ModelAccess, 'url'>): string {
  const host = hostOf(access);
  return providerNames.find(([pattern]) => pattern.test(host))?.[1] ?? 'custom';
}

/** Whether what is sent, the key included, would cross the internet readable for anybody. */
export function isOpenToReaders({ url }: Pick<ModelAccess, 'url'>): boolean {
  if (!/^http:/i.test(url)) return false;
  const host = hostOf({ url }).replace(/^\[|\]$/g, '');
  const isNearby = !host.includes('.') || /\.(local|internal|lan|home|svc|localhost)$/.test(host) ||
    /^(127|10)\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^169\.254\.|\.svc\./.test(host);
  return !isNearby;
}

function hostOf({ url }: Pick<ModelAccess, 'url'>): string {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : '';
}
