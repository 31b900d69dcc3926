import type { WireName } from '../wires/wire.ts';
import { isAnthropic, isOpenAi, wireNameOf, type ModelAccess } from './model-access.ts';
import type { Refusal } from './refusal.ts';

/**
 * How a server or a model deviates from its documented API. Learned from refusals and kept while
 * the model is open. Plain data, so that threads can share it.
 */
export interface Quirks {
  readonly tokensField: 'max_tokens' | 'max_completion_tokens';
  /** How a schema is requested; `prompt`: only in the instructions. */
  readonly structured: 'json_schema' | 'json_object' | 'prompt';
  /** `none` is sent to servers that refuse tools together with reasoning. */
  readonly reasoningEffort: 'none' | null;
  /** What happens to the reasoning in turns that are sent back. */
  readonly reasoning: 'as given' | 'stripped' | 'always';
  /** Whether encrypted reasoning is requested, so that it can be sent back. */
  readonly encryptedReasoning: boolean;
  readonly cacheMarks: boolean;
  /** False: requests with tools are not sent at all. */
  readonly tools: boolean;
  /** When `tools` last became false, by the monotonic clock in milliseconds. */
  readonly toolsRefusedAt: number;
  /** False: the system prompt is put at the start of the first user message. */
  readonly systemRole: boolean;
  /** Whether the key is sent as a bearer token, as the provider's own header was refused. */
  readonly bearer: boolean;
}

export function defaultQuirks(access: ModelAccess): Quirks {
  return {
    tokensField: isOpenAi(access) ? 'max_completion_tokens' : 'max_tokens',
    structured: 'json_schema',
    reasoningEffort: null,
    reasoning: 'as given',
    encryptedReasoning: true,
    cacheMarks: true,
    tools: true,
    toolsRefusedAt: 0,
    systemRole: true,
    bearer: false,
  };
}

interface Rule {
  readonly wires: readonly WireName[];
  readonly statuses: readonly number[];
  readonly text: RegExp;
  readonly patch: (quirks: Quirks) => Partial<Quirks>;
}

const everyWire = ['openai-chat', 'openai-responses', 'anthropic'] as const;
const invalid = [400, 422] as const;
const notTaken = '(unsupported|not supported|unknown|unrecogni[sz]ed|unexpected|extra|' +
  'not permitted|not allowed|instead)';
const anyOf = (...texts: readonly string[]): RegExp => new RegExp(texts.join('|'), 'i');

/** The first rule that matches and changes something applies. Patterns quote real servers. */
const rules: readonly Rule[] = [
  {
    wires: ['openai-chat'],
    statuses: invalid,
    text: /function tools with reasoning|reasoning_effort.{0,300}\btools\b/i,
    patch: () => ({ reasoningEffort: 'none' }),
  },
  {
    wires: everyWire,
    statuses: [400, 404, 422, 500, 501],
    text: anyOf(
      '(does|do) not support (tools|tool use|tool calling|function)',
      '\\btools?( use| calling| param)? (is|are) not supported', 'support tool use',
      "does not support parameters: .{0,80}'tools'",
      '--enable-auto-tool-choice', '--jinja',
    ),
    patch: () => ({ tools: false }),
  },
  {
    wires: ['openai-chat'],
    statuses: invalid,
    text: anyOf(
      `max_(completion_)?tokens.{0,300}${notTaken}`,
      `${notTaken}.{0,300}max_(completion_)?tokens`,
    ),
    patch: ({ tokensField }) => ({
      tokensField: tokensField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens',
    }),
  },
  {
    wires: ['anthropic'],
    statuses: invalid,
    text: /cache_control/i,
    patch: () => ({ cacheMarks: false }),
  },
  {
    wires: ['anthropic'],
    statuses: invalid,
    text: /output_config|json_schema|structured output/i,
    patch: () => ({ structured: 'prompt' }),
  },
  {
    wires: ['openai-chat', 'openai-responses'],
    statuses: invalid,
    text: /response_format|json_schema|json_object|text\.format|structured output/i,
    patch: ({ structured }) => ({
      structured: structured === 'json_schema' ? 'json_object' : 'prompt',
    }),
  },
  {
    wires: ['openai-chat'],
    statuses: invalid,
    text: /must be passed back/i,
    patch: () => ({ reasoning: 'always' }),
  },
  {
    wires: ['openai-chat'],
    statuses: invalid,
    text: anyOf(
      `reasoning(_content|_details)?.{0,300}${notTaken}`, `${notTaken}.{0,300}reasoning_content`,
    ),
    patch: () => ({ reasoning: 'stripped' }),
  },
  {
    wires: ['openai-responses'],
    statuses: invalid,
    text: /encrypted.?content|\binclude\b/i,
    patch: () => ({ encryptedReasoning: false }),
  },
  {
    wires: ['openai-chat'],
    statuses: [400, 422, 500],
    text: anyOf(
      'system role (is )?not supported', 'unexpected role .?system',
      'only user and assistant roles are supported',
    ),
    patch: () => ({ systemRole: false }),
  },
];

/** Tools are tried again after this: a gateway may route elsewhere, and models get replaced. */
const withoutToolsMs = 10 * 60_000;

/** The quirks in force now: that a server takes no tools is forgotten after a while. */
export function knownQuirks(
  access: ModelAccess,
  learned: Partial<Quirks>,
  now: number,
): Quirks {
  const quirks = { ...defaultQuirks(access), ...learned };
  const isOld = !quirks.tools && now - quirks.toolsRefusedAt >= withoutToolsMs;
  return isOld ? { ...quirks, tools: true } : quirks;
}

/**
 * What to change in the next attempt; null when nothing is known to help. `sent` is the text of the
 * request that may come from outside: some servers repeat it, and nothing is learned from that.
 */
export function quirkFor(
  refusal: Refusal,
  quirks: Quirks,
  { access, sent, now }: { access: ModelAccess; sent: string; now: number },
): Partial<Quirks> | null {
  const wire = wireNameOf(access);
  if (wire === 'anthropic' && refusal.status === 401 && !isAnthropic(access) && !quirks.bearer) {
    return { bearer: true };
  }
  const said = `${refusal.param} ${refusal.said} ${refusal.param}`;
  for (const { wires, statuses, text, patch } of rules) {
    if (!wires.includes(wire) || !statuses.includes(refusal.status)) continue;
    const match = text.exec(said);
    if (match === null || isRepeated(match, sent)) continue;
    const change = patch(quirks);
    if (!changes(quirks, change)) continue;
    return change.tools === false ? { ...change, toolsRefusedAt: now } : change;
  }
  return null;
}

/** Units of context compared beside a match, as single words occur in many texts. */
const besideLength = 16;

/** Whether the match, with the text before or after it, is a passage of what was sent. */
function isRepeated({ 0: words, index, input }: RegExpExecArray, sent: string): boolean {
  const end = index + words.length;
  const passages = [input.slice(Math.max(0, index - besideLength), end),
    input.slice(index, end + besideLength)];
  return passages.some((passage) => {
    return passage.length >= words.length + besideLength / 2 && sent.includes(passage);
  });
}

function changes(quirks: Quirks, change: Partial<Quirks>): boolean {
  return Object.entries(change).some(([name, value]) => quirks[name as keyof Quirks] !== value);
}
