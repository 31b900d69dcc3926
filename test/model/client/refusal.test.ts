import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelErrorType } from '../../../src/model/client/model-error.ts';
import { errorOfRefusal, readRefusal } from '../../../src/model/client/refusal.ts';

/** What servers answer, and how long they ask to be left alone. */
type Answer = readonly [
  who: string, status: number, body: unknown, type: ModelErrorType, pauseMs?: number,
];

const answers: readonly Answer[] = [
  ['Groq over its tokens a minute', 429, { error: {
    message: 'Rate limit reached for model `m` on tokens per minute (TPM): Limit 12000, Used ' +
      '11500. Please try again in 7.5s. Upgrade at https://console.groq.com/settings/billing',
    code: 'rate_limit_exceeded',
  } }, 'rate_limited', 7500],
  ['OpenAI over its requests a minute', 429, { error: {
    message: 'Rate limit reached for m: Limit 3. Please try again in 1m2.5s. You can increase it ' +
      'by adding a payment method at https://platform.openai.com/account/billing.',
    code: 'rate_limit_exceeded',
  } }, 'rate_limited', 62_500],
  ['Gemini over its requests a minute', 429, [{ error: {
    code: 429, status: 'RESOURCE_EXHAUSTED', message: 'You exceeded your current quota, please ' +
      'check your plan and billing details. Please retry in 33.36s.',
  } }], 'rate_limited', 33_360],
  ['Azure', 429, { error: {
    code: '429', message: 'You exceeded the call rate limit. Please retry after 6 seconds.',
  } }, 'rate_limited', 6000],
  ['a pause in words', 429, { error: {
    message: 'Try again in about 1 minute 30 seconds.',
  } }, 'rate_limited', 90_000],
  ['a pause of a day', 429, { error: { message: 'Please try again in 24h.' } }, 'rate_limited',
    3_600_000],
  ['a pause nobody can read', 429, { error: { message: 'Try again in a while' } },
    'rate_limited'],
  ['OpenAI without credit', 429, { error: {
    message: 'You exceeded your current quota, please check your plan and billing details.',
    code: 'insufficient_quota',
  } }, 'quota'],
  ['Anthropic at a limit set there', 400, { error: {
    type: 'invalid_request_error', message: 'You have reached your specified API usage limits.',
  } }, 'quota'],
  ['a gateway at a limit of its own', 403, { error: {
    message: 'Your monthly usage limit is reached. Try again in 300h.',
  } }, 'quota', 3_600_000],
  ['LiteLLM at a budget', 400, { error: {
    message: 'Budget has been exceeded! Current cost: 10', type: 'budget_exceeded', code: '400',
  } }, 'quota'],
  ['Gemini about the key', 400, [{ error: {
    code: 400, message: 'API key not valid. Please pass a valid API key.',
  } }], 'unauthorized'],
  ['xAI about the key', 400, { code: 'Client specified an invalid argument',
    error: 'Incorrect API key provided.' }, 'unauthorized'],
  ['Anthropic about input and output together', 400, { error: {
    message: 'input length and `max_tokens` exceed context limit: 199000 + 2048 > 200000',
  } }, 'context'],
  ['LM Studio about what it keeps', 400, {
    error: 'The number of tokens to keep from the prompt is greater than the context length.',
  }, 'context'],
  ['SGLang', 400, { message: "The input (9000 tokens) is longer than the model's context length." },
    'context'],
  ['TGI', 422, {
    error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.',
  }, 'context'],
  ['OpenAI where a minute\'s tokens are fewer than the request has', 429, { error: {
    message: 'Request too large for m on tokens per min (TPM): Limit 10000, Requested 22000. The ' +
      'input or output tokens must be reduced in order to run successfully.',
    type: 'tokens', code: 'rate_limit_exceeded',
  } }, 'context'],
  ['LiteLLM about the model', 400, { error: {
    message: '/chat/completions: Invalid model name passed in model=m. Call `/v1/models`',
  } }, 'not_found'],
  ['Groq about what the model wrote', 400, { error: {
    message: "Failed to generate JSON. See 'failed_generation'", code: 'json_validate_failed',
  } }, 'malformed'],
  ['llama.cpp as it starts', 503, { error: { message: 'Loading model', code: 503 } }, 'overloaded'],
  ['LM Studio', 400, {
    error: 'the model is loaded with context length of only 4096 tokens',
  }, 'context'],
  ['Gemini about the input', 400, [{ error: {
    code: 400, status: 'INVALID_ARGUMENT', message: 'The input token count (41873) exceeds the ' +
      'maximum number of tokens allowed (32768).',
  } }], 'context'],
  ['xAI about the prompt', 400, {
    error: "This model's maximum prompt length is 8192 but the request contains 9000 tokens.",
  }, 'context'],
  ['Kimi about the request', 400, { error: {
    message: 'Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)',
  } }, 'context'],
  ['OpenRouter about what the provider says', 400, { error: {
    code: 400, message: 'Provider returned error', metadata: {
      provider_name: 'x', raw: '{"error":"prompt is too long: 9000 tokens > 8192 maximum"}',
    },
  } }, 'context'],
  ['Anthropic about its own answer', 400, { type: 'error', error: {
    type: 'invalid_request_error', message: 'Output blocked by content filtering policy',
  } }, 'filtered'],
  ['LiteLLM about a policy', 400, { error: {
    message: 'litellm.ContentPolicyViolationError: AzureException - not for us', code: '400',
  } }, 'filtered'],
  ['DeepSeek about what it was sent', 400, { error: {
    message: 'Content Exists Risk', type: 'invalid_request_error',
  } }, 'filtered'],
  ['OpenAI about a prompt, in an answer that failed', 200, { output: [], error: {
    code: 'invalid_prompt', message: 'No.',
  } }, 'filtered'],
  ['OpenAI about its pace, in an answer that failed', 200, { output: [], error: {
    code: 'rate_limit_exceeded', message: 'Try again in 20s.',
  } }, 'rate_limited', 20_000],
  ['a gateway whose code is no text', 200, { error: { code: { toString: 1 }, message: 'No.' } },
    'server_error'],
  ['a gateway that answers 200', 200, { error: { message: 'Slow down', code: '429' } },
    'rate_limited'],
];

for (const [who, status, body, type, pauseMs] of answers) {
  test(`what ${who} says is ${type}`, () => {
    const refusal = readRefusal({
      status, headers: {}, body, text: JSON.stringify(body), now: 0,
    });
    const error = errorOfRefusal(refusal, (said) => said);
    assert.deepEqual([error.type, error.retryAfterMs], [type, pauseMs ?? null]);
    assert.doesNotMatch(error.message, /[{}]/, 'the words alone');
  });
}
