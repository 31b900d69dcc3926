import { isIP } from 'node:net';
import { parseNetworkList } from '../../lib/network-list.ts';

/** How to reach a model. Plain data with the key in clear text, to be passed to a thread. */
export interface ModelAccess {
  readonly provider: 'openai' | 'openai-chat' | 'anthropic';
  /** Base URL, as configured. */
  readonly url: string;
  readonly name: string;
  /** Null when the server needs none. */
  readonly apiKey: string | null;
  /** How much it is to think, in the provider's own words; null leaves that to the provider. */
  readonly effort: string | null;
  /** Limit for one request, with its retries. */
  readonly requestMs: number;
}

/**
 * Whether a conclusion in a required shape can be asked for in a conversation with tools. Several
 * compatible servers ignore one of the two.
 */
export function canConcludeInConversation({ provider }: Pick<ModelAccess, 'provider'>): boolean {
  return provider !== 'openai-chat';
}

/**
 * The URL to which a wire appends its paths. Accepts whatever part of a documented address was
 * configured: with or without the request's path, and without a provider's fixed version.
 */
export function baseUrlOf(access: Pick<ModelAccess, 'provider' | 'url'>): string {
  const trimmed = access.url
    .replace(/\/+$/, '')
    .replace(/\/(chat\/completions|responses|messages)$/, '')
    .replace(/\/+$/, '');
  const isBare = URL.canParse(trimmed) && new URL(trimmed).pathname === '/';
  if (access.provider === 'anthropic') return /\/v1$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
  if (isBare && isAzure(access)) return `${trimmed}/openai/v1`;
  return isBare && isOpenAi(access) ? `${trimmed}/v1` : trimmed;
}

export function isOpenAi(access: Pick<ModelAccess, 'url'>): boolean {
  return hostOf(access) === 'api.openai.com';
}

export function isAnthropic(access: Pick<ModelAccess, 'url'>): boolean {
  return hostOf(access) === 'api.anthropic.com';
}

export function isAzure(access: Pick<ModelAccess, 'url'>): boolean {
  return /\.(openai|services\.ai|cognitiveservices)\.azure\.com$/.test(hostOf(access));
}

/** Hosts, and OpenTelemetry's names for the providers that run them. */
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
 * Value of `gen_ai.provider.name`: the provider, by the server's host; `custom` for any other.
 * https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/
 */
export function providerNameOf(access: Pick<ModelAccess, 'url'>): string {
  const host = hostOf(access);
  return providerNames.find(([pattern]) => pattern.test(host))?.[1] ?? 'custom';
}

/** Whether requests, the key included, would cross the internet unencrypted. */
export function isSentInClear({ url }: Pick<ModelAccess, 'url'>): boolean {
  if (!/^http:/i.test(url)) return false;
  const host = hostOf({ url }).replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return !privateNetworks.has(host);
  return host.includes('.') && !/\.svc\.|\.(local|internal|lan|home|svc|localhost)$/.test(host);
}

const privateNetworks = parseNetworkList([
  '127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '::1',
  'fc00::/7', 'fe80::/10',
]);

function hostOf({ url }: Pick<ModelAccess, 'url'>): string {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : '';
}
