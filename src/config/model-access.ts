import type { ModelProvider, ModelSettings } from './model-settings.ts';
import type { Secrets } from './secrets.ts';

/** How a model is reached, the key in clear: never logged, only handed to who asks the model. */
interface RevealedModelAccess {
  readonly provider: ModelProvider;
  readonly url: string;
  readonly name: string;
  readonly apiKey: string | null;
}

/** The key has the value that is newest now. */
export function modelAccess(settings: ModelSettings, secrets: Secrets): RevealedModelAccess {
  const { provider, url, name, apiKey } = settings;
  return { provider, url, name, apiKey: secrets.valuesOf(apiKey)[0] ?? null };
}
