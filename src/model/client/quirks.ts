import { isOpenAi, type ModelAccess } from './model-access.ts';

/** How a server or a model deviates from its documented API, as learned from its refusals. */
export interface Quirks {
  readonly tokensField: 'max_tokens' | 'max_completion_tokens';
  /** How a schema is requested; `prompt`: only in the instructions. */
  readonly structured: 'json_schema' | 'json_object' | 'prompt';
  /** `none` is sent to servers that refuse tools together with reasoning. */
  readonly reasoningEffort: 'none' | null;
  /** Whether the configured effort is sent. */
  readonly takesEffort: boolean;
  /** Whether thinking is sent back, at Anthropic. */
  readonly thinking: boolean;
  /** Whether text of nothing but white space is, at Anthropic. */
  readonly blankText: boolean;
  /** What happens to the reasoning in turns that are sent back. */
  readonly reasoning: 'as_given' | 'stripped' | 'always';
  /** Whether encrypted reasoning is requested, so that it can be sent back. */
  readonly encryptedReasoning: boolean;
  readonly cacheMarks: boolean;
  /**
   * When it refused tools, by the monotonic clock in milliseconds: requests with tools are not sent
   * at all. Null: it takes them.
   */
  readonly toolsRefusedAt: number | null;
  /** False: the system prompt is put at the start of the first user message. */
  readonly systemRole: boolean;
  /** Whether the key is sent as a bearer token, as the provider's own header was refused. */
  readonly bearer: boolean;
}

export function defaultQuirks(access: Pick<ModelAccess, 'url'>): Quirks {
  return {
    tokensField: isOpenAi(access) ? 'max_completion_tokens' : 'max_tokens',
    structured: 'json_schema',
    reasoningEffort: null,
    takesEffort: true,
    thinking: true,
    blankText: true,
    reasoning: 'as_given',
    encryptedReasoning: true,
    cacheMarks: true,
    toolsRefusedAt: null,
    systemRole: true,
    bearer: false,
  };
}

/** Tools are tried again after this: a gateway may route elsewhere, and models get replaced. */
const withoutToolsMs = 10 * 60_000;

/** The quirks in force now: that a server takes no tools is forgotten after a while. */
export function knownQuirks(access: ModelAccess, learned: Partial<Quirks>, now: number): Quirks {
  const quirks = { ...defaultQuirks(access), ...learned };
  const isOld = now - (quirks.toolsRefusedAt ?? Infinity) >= withoutToolsMs;
  return isOld ? { ...quirks, toolsRefusedAt: null } : quirks;
}
