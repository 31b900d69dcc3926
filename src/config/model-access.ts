import type { ModelProvider, ModelSettings } from './model-settings.ts';
import type { Secrets } from './secrets.ts';

/** How to reach the model, key in clear text: never logged, only handed to the model client. */
interface RevealedModelAccess {
  readonly provider: ModelProvider;
  readonly url: string;
  readonly name: string;
  readonly apiKey: string | null;
}

/** Uses the newest value of the key. */
export function modelAccess(settings: ModelSettings, secrets: Secrets): RevealedModelAccess {
  const { provider, url, name, apiKey } = settings;
  return { provider, url, name, apiKey: secrets.valuesOf(apiKey)[0] ?? null };
}
