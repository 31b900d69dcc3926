import { isAnthropic, type ModelAccess } from './model-access.ts';
import type { Quirks } from './quirks.ts';
import type { Refusal } from './refusal.ts';

/**
 * What to change in the next attempt; null when nothing is known to help. `sent` is the text of the
 * request that may come from outside: some servers repeat it, and nothing is learned from that.
 */
export function quirkFor(
  refusal: Refusal,
  quirks: Quirks,
  { access, sent, now }: { access: ModelAccess; sent: string; now: number },
): Partial<Quirks> | null {
  const { provider } = access;
  const isGateway = provider === 'anthropic' && !isAnthropic(access);
  if (isGateway && refusal.status === 401 && !quirks.bearer) return { bearer: true };
  const refusalText = `${refusal.param} ${refusal.text} ${refusal.param}`;
  for (const { providers, statuses, text, patch } of rules) {
    if (!providers.includes(provider) || !statuses.includes(refusal.status)) continue;
    const match = text.exec(refusalText);
    if (match === null || isRepeated(match, sent)) continue;
    const change = patch(quirks, now);
    if (changes(quirks, change)) return change;
  }
  return null;
}

interface Rule {
  readonly providers: readonly ModelAccess['provider'][];
  readonly statuses: readonly number[];
  readonly text: RegExp;
  readonly patch: (quirks: Quirks, now: number) => Partial<Quirks>;
}

const invalid = [400, 422] as const;
const notTaken = '(unsupported|not supported|unknown|unrecogni[sz]ed|unexpected|extra|' +
  'not permitted|not allowed|instead)';
const anyOf = (...texts: readonly string[]): RegExp => new RegExp(texts.join('|'), 'i');

/** The first rule that matches and changes something applies. Patterns quote real servers. */
const rules: readonly Rule[] = [
  {
    providers: ['openai-chat'], statuses: invalid,
    text: /function tools with reasoning|reasoning_effort.{0,300}\btools\b/i,
    patch: () => ({ reasoningEffort: 'none' }),
  },
  {
    providers: ['anthropic'], statuses: invalid, text: /non-whitespace/i,
    patch: () => ({ blankText: false }),
  },
  {
    providers: ['anthropic'], statuses: invalid,
    text: /bound to a different conversation|thinking.{0,200}(?:cannot be modified|signature)/i,
    patch: () => ({ thinking: false }),
  },
  {
    providers: ['openai', 'openai-chat', 'anthropic'], statuses: invalid,
    text: anyOf(
      `(reasoning[_.]effort|\\beffort).{0,200}${notTaken}`,
      `${notTaken}.{0,200}(reasoning[_.]effort|\\beffort)`,
    ),
    patch: () => ({ takesEffort: false }),
  },
  {
    providers: ['openai', 'openai-chat', 'anthropic'], statuses: [400, 404, 422, 500, 501],
    text: anyOf(
      '(does|do) not support (tools|tool use|tool calling|function)',
      '\\btools?( use| calling| param)? (is|are) not supported', 'support tool use',
      "does not support parameters: .{0,80}'tools'",
      '--enable-auto-tool-choice', '--jinja',
    ),
    patch: ({ toolsRefusedAt }, now) => ({ toolsRefusedAt: toolsRefusedAt ?? now }),
  },
  {
    providers: ['openai-chat'], statuses: invalid,
    text: anyOf(
      `max_(completion_)?tokens.{0,300}${notTaken}`,
      `${notTaken}.{0,300}max_(completion_)?tokens`,
    ),
    patch: ({ tokensField }) => ({
      tokensField: tokensField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens',
    }),
  },
  {
    providers: ['anthropic'], statuses: invalid, text: /cache_control/i,
    patch: () => ({ cacheMarks: false }),
  },
  {
    providers: ['anthropic'], statuses: invalid,
    text: /output_config|json_schema|structured output/i,
    patch: () => ({ structured: 'prompt' }),
  },
  {
    providers: ['openai', 'openai-chat'], statuses: invalid,
    text: /response_format|json_schema|json_object|text\.format|structured output/i,
    patch: ({ structured }) => ({
      structured: structured === 'json_schema' ? 'json_object' : 'prompt',
    }),
  },
  {
    providers: ['openai-chat'], statuses: invalid, text: /must be passed back/i,
    patch: () => ({ reasoning: 'always' }),
  },
  {
    providers: ['openai-chat'], statuses: invalid,
    text: anyOf(
      `(reasoning(_content|_details)?|thinking_blocks).{0,300}${notTaken}`,
      `${notTaken}.{0,300}(reasoning_(content|details)|thinking_blocks)`,
    ),
    patch: () => ({ reasoning: 'stripped' }),
  },
  {
    providers: ['openai'], statuses: invalid, text: /encrypted.?content|\binclude\b/i,
    patch: () => ({ encryptedReasoning: false }),
  },
  {
    providers: ['openai-chat'], statuses: [400, 422, 500],
    text: anyOf(
      'system role (is )?not supported', 'unexpected role .?system',
      'only user and assistant roles are supported',
    ),
    patch: () => ({ systemRole: false }),
  },
];

/** Units of context compared beside a match, as single words occur in many texts. */
const besideLength = 16;

/** Whether the match, with the text before or after it, is a passage of what was sent. */
function isRepeated({ 0: words, index, input }: RegExpExecArray, sent: string): boolean {
  const end = index + words.length;
  const passages = [input.slice(Math.max(0, index - besideLength), end),
    input.slice(index, end + besideLength)];
  return passages.some((passage) =>
    passage.length >= words.length + besideLength / 2 && sent.includes(passage));
}

function changes(quirks: Quirks, change: Partial<Quirks>): boolean {
  return Object.entries(change).some(([name, value]) => quirks[name as keyof Quirks] !== value);
}
