/**
 * OpenAI's Responses, which its newest models require for tools together with reasoning.
 * https://platform.openai.com/docs/api-reference/responses
 */
import type { ModelReply, ModelRequest, ToolCall, ToolSpec, Turn } from '../client/conversation.ts';
import { ModelError, type ModelErrorType } from '../client/model-error.ts';
import type { Quirks } from '../client/quirks.ts';
import {
  asList, asObject, asText, echoedName, firstParts, malformed, parseArguments, stopOf,
  usageOf,
  type AskedModel, type BuiltRequest, type Wire,
} from './wire.ts';

/** An item of the list that a conversation is in this API. */
type Item = Readonly<Record<string, unknown>>;

export const openAiResponses: Wire = { build, parse };

function build(request: ModelRequest, model: AskedModel, quirks: Quirks): BuiltRequest {
  const { system: instructions, tools, maxOutput } = request;
  const body = {
    model: model.name,
    ...(instructions !== '' && { instructions }),
    input: request.turns.flatMap((turn) => itemsOf(turn, quirks)),
    // The provider stores nothing, so encrypted reasoning is requested, to be sent back.
    store: false,
    ...(quirks.encryptedReasoning && { include: ['reasoning.encrypted_content'] }),
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
    max_output_tokens: maxOutput,
    ...(quirks.takesEffort && model.effort !== null && { reasoning: { effort: model.effort } }),
    ...formatOf(request, quirks),
  };
  return { path: '/responses', headers: {}, body };
}

/** Strict mode, the default of this API, would require every argument. */
function toolOf({ name, description, schema }: ToolSpec): object {
  return { type: 'function', name, description, parameters: schema, strict: false };
}

function formatOf({ schema }: ModelRequest, { structured }: Quirks): object {
  if (schema === null || structured === 'prompt') return {};
  if (structured === 'json_object') return { text: { format: { type: 'json_object' } } };
  const format = { type: 'json_schema', name: schema.name, strict: true, schema: schema.schema };
  return { text: { format } };
}

function itemsOf(turn: Turn, quirks: Quirks): readonly unknown[] {
  if (turn.role === 'user') return [{ role: 'user', content: turn.text }];
  if (turn.role === 'assistant') return assistantItems(turn, quirks);
  return turn.results.map(({ id, text }) => (
    { type: 'function_call_output', call_id: id, output: text }
  ));
}

function assistantItems(
  { text, own }: Turn & { role: 'assistant' },
  { encryptedReasoning }: Quirks,
): readonly unknown[] {
  if (own === null) return [{ role: 'assistant', content: text }];
  return asList(own).filter((item) => encryptedReasoning || asObject(item)['type'] !== 'reasoning');
}

function parse(body: unknown): ModelReply {
  const answer = asObject(body);
  if (!Array.isArray(answer['output'])) throw malformed('it has no output');
  const status = asText(answer['status']);
  if (status === 'failed' || status === 'cancelled') {
    const [code] = asText(asObject(answer['error'])['code']).match(/^\w{1,60}$/) ?? [status];
    const type = failedTypes.get(code) ?? 'server_error';
    throw new ModelError(`The model's server ended the answer: ${code}`, { type });
  }
  const items = firstParts(answer['output']).map(asObject);
  const isCut = status === 'incomplete';
  const calls = items.filter(({ type }) => type === 'function_call').map(readCall);
  const whole = isCut ? calls.filter(({ argumentsError }) => argumentsError === null) : calls;
  const kept = new Set(whole.map(({ id }) => id));
  const text = partsOf(items, 'output_text', 'text');
  const refusal = partsOf(items, 'refusal', 'refusal');
  const usage = asObject(answer['usage']);
  return {
    text: text === '' ? refusal : text,
    calls: whole,
    stop: stopOf({
      isFiltered: asObject(answer['incomplete_details'])['reason'] === 'content_filter',
      isRefusal: refusal !== '', hasCalls: whole.length > 0, isCut,
    }),
    usage: usageOf(
      usage['input_tokens'], usage['output_tokens'],
      asObject(usage['input_tokens_details'])['cached_tokens'],
    ),
    model: asText(answer['model']),
    own: items.filter((item) => canBeSentBack(item, kept)).map(echoOf),
  };
}

/** Codes of failed answers that are no fault of the server. */
const failedTypes: ReadonlyMap<string, ModelErrorType> = new Map([
  ['invalid_prompt', 'filtered'], ['bio_policy', 'filtered'], ['cyber_policy', 'filtered'],
  ['rate_limit_exceeded', 'rate_limited'],
]);

function readCall(item: Item): ToolCall {
  const id = asText(item['call_id']);
  if (id === '') throw malformed('a function_call has no call_id');
  return { id, name: asText(item['name']), ...parseArguments(item['arguments']) };
}

/** False for a call that was cut off, and for reasoning that only the provider could look up. */
function canBeSentBack(item: Item, kept: ReadonlySet<string>): boolean {
  if (item['type'] === 'function_call') return kept.has(asText(item['call_id']));
  return item['type'] !== 'reasoning' || asText(item['encrypted_content']) !== '';
}

/** The item as it came, with a valid tool name and arguments that are JSON. */
function echoOf(item: Item): object {
  if (item['type'] !== 'function_call') return item;
  const isBroken = parseArguments(item['arguments']).argumentsError !== null;
  return { ...item, name: echoedName(asText(item['name'])), ...(isBroken && { arguments: '{}' }) };
}

function partsOf(items: readonly Item[], type: string, field: string): string {
  return items
    .filter((item) => item['type'] === 'message')
    .flatMap(({ content }) => asList(content).map(asObject))
    .filter((part) => part['type'] === type)
    .map((part) => asText(part[field]))
    .join('');
}
