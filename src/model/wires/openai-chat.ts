/**
 * OpenAI's Chat Completions, in the subset that compatible servers share: Ollama, vLLM, llama.cpp,
 * LM Studio, LiteLLM, OpenRouter, Groq, Mistral, DeepSeek, Gemini.
 * https://platform.openai.com/docs/api-reference/chat
 */
import type { ModelReply, ModelRequest, ToolCall, ToolSpec, Turn } from '../client/conversation.ts';
import { ModelError } from '../client/model-error.ts';
import type { Quirks } from '../client/quirks.ts';
import {
  argumentsText, asList, asObject, asText, echoedName, firstParts, malformed, parseArguments,
  stopOf, usageOf,
  type AskedModel, type BuiltRequest, type CallIds, type Wire,
} from './wire.ts';

type Message = Readonly<Record<string, unknown>>;

export const openAiChat: Wire = { build, parse };

function build(request: ModelRequest, model: AskedModel, quirks: Quirks): BuiltRequest {
  const { tools, maxOutput } = request;
  const effort = tools.length > 0 && quirks.reasoningEffort !== null ? quirks.reasoningEffort
    : quirks.takesEffort ? model.effort : null;
  const body = {
    model: model.name,
    messages: messagesOf(request, quirks),
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
    ...(effort !== null && { reasoning_effort: effort }),
    [quirks.tokensField]: maxOutput,
    // Several servers ignore tools or format when given both.
    ...(tools.length === 0 && formatOf(request, quirks)),
  };
  return { path: '/chat/completions', headers: {}, body };
}

function toolOf({ name, description, schema }: ToolSpec): object {
  return { type: 'function', function: { name, description, parameters: schema } };
}

function formatOf({ schema }: ModelRequest, { structured }: Quirks): object {
  if (schema === null || structured === 'prompt') return {};
  if (structured === 'json_object') return { response_format: { type: 'json_object' } };
  const format = { name: schema.name, strict: true, schema: schema.schema };
  return { response_format: { type: 'json_schema', json_schema: format } };
}

function messagesOf(request: ModelRequest, quirks: Quirks): readonly Message[] {
  const { system } = request;
  const messages = request.turns.flatMap((turn) => messagesOfTurn(turn, quirks));
  if (system === '') return messages;
  if (quirks.systemRole) return [{ role: 'system', content: system }, ...messages];
  const [first, ...rest] = messages;
  if (first?.['role'] !== 'user') return [{ role: 'user', content: system }, ...messages];
  return [{ role: 'user', content: `${system}\n\n${asText(first['content'])}` }, ...rest];
}

function messagesOfTurn(turn: Turn, quirks: Quirks): readonly Message[] {
  if (turn.role === 'user') return [{ role: 'user', content: turn.text }];
  if (turn.role === 'assistant') return [assistantMessage(turn, quirks)];
  return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
}

function assistantMessage({ text, own }: Turn & { role: 'assistant' }, quirks: Quirks): Message {
  const message = own === null ? messageOf(text, []) : asObject(own);
  if (quirks.reasoning === 'always') return { reasoning_content: '', ...message };
  if (quirks.reasoning === 'as_given') return message;
  return Object.fromEntries(Object.entries(message).filter(([name]) => !reasonings.includes(name)));
}

/** Members of a message that have to be sent back: DeepSeek's, vLLM's, OpenRouter's, LiteLLM's. */
const reasonings = ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks'];

function messageOf(content: string, calls: readonly object[]): Message {
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
}

function parse(body: unknown, ids: CallIds): ModelReply {
  const answer = asObject(body);
  const choice = asObject(asList(answer['choices'])[0]);
  if (typeof choice['message'] !== 'object') throw malformed('it has no choices[0].message');
  const message = asObject(choice['message']);
  const finish = asText(choice['finish_reason']);
  if (finish === 'error' || finish === 'insufficient_system_resource') {
    const message = `The model's server ended the answer: ${finish}`;
    throw new ModelError(message, { type: 'server_error' });
  }
  const isCut = finish === 'length' || finish === 'model_length';
  const read = readCalls(message, { ids, isCut });
  const content = textOf(message['content']);
  const refusal = asText(message['refusal']);
  const reasoned = reasonings.flatMap((name) => message[name] ? [[name, message[name]]] : []);
  const usage = asObject(answer['usage']);
  const echo = {
    ...messageOf(content, read.map(({ echo: each }) => each)),
    ...Object.fromEntries(reasoned),
  };
  return {
    text: content === '' ? refusal : withoutThoughts(content),
    calls: read.map(({ call }) => call),
    stop: stopOf({
      isFiltered: finish === 'content_filter', isRefusal: refusal !== '',
      hasCalls: read.length > 0, isCut,
    }),
    usage: usageOf(
      usage['prompt_tokens'], usage['completion_tokens'],
      // DeepSeek counts what its cache had in a member of its own.
      asObject(usage['prompt_tokens_details'])['cached_tokens'] ?? usage['prompt_cache_hit_tokens'],
    ),
    model: asText(answer['model']),
    own: echo,
  };
}

interface ReadCall {
  readonly call: ToolCall;
  /** As it is sent back. */
  readonly echo: object;
}

/** In an answer that was cut off, calls with unparsable arguments are dropped as incomplete. */
function readCalls(
  message: Message,
  { ids, isCut }: { ids: CallIds; isCut: boolean },
): readonly ReadCall[] {
  const taken = new Set(ids.taken);
  const calls = firstParts(message['tool_calls']).map((raw) => readCall(raw, taken, ids));
  return isCut ? calls.filter(({ call }) => call.argumentsError === null) : calls;
}

function readCall(raw: unknown, taken: Set<string>, ids: CallIds): ReadCall {
  const { id: givenId, function: called, extra_content: extra } = asObject(raw);
  const { name: calledName, arguments: given } = asObject(called);
  const ownId = asText(givenId);
  const id = ownId === '' || taken.has(ownId) ? ids.create() : ownId;
  taken.add(id);
  const call = { id, name: asText(calledName), ...parseArguments(given) };
  const text = typeof given === 'string' && /^\s*\{/.test(given) && call.argumentsError === null;
  const echo = {
    id,
    type: 'function',
    function: { name: echoedName(call.name), arguments: text ? given : argumentsText(call) },
    ...(extra !== undefined && { extra_content: extra }),
  };
  return { call, echo };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return asList(content).map((part) => asText(asObject(part)['text'])).join('');
}

/**
 * Removes the reasoning that servers without a parser for it leave at the start of the text. Its
 * opening mark is missing where the prompt template already contains it.
 */
function withoutThoughts(text: string): string {
  const begin = thoughtsBegin.exec(text);
  // An answer in JSON may quote the mark.
  if (begin === null && /^\s*[{[`]/.test(text)) return text;
  const end = thoughtsEnd.exec(text);
  if (end === null) return begin === null ? text : '';
  return text.slice(end.index + end[0].length).trimStart();
}

/** DeepSeek, Qwen and most others; Gemma and Seed; Mistral; gpt-oss. */
const thoughtsBegin =
  /^\s*(?:<(?:think|thinking|thought|seed:think)>|\[THINK\]|<\|channel\|>analysis)/;
const thoughtsEnd = new RegExp(
  '</(?:think|thinking|thought|seed:think)>|\\[/THINK\\]|<\\|channel\\|>final<\\|message\\|>',
);
