/** Anthropic's Messages. https://docs.anthropic.com/en/api/messages */
import type { ModelReply, ModelRequest, ToolCall, ToolSpec, Turn } from '../client/conversation.ts';
import type { Quirks } from '../client/quirks.ts';
import {
  asList, asObject, asText, echoedName, firstParts, isCount, malformed, parseArguments,
  usageOf,
  type AskedModel, type BuiltRequest, type Wire,
} from './wire.ts';

/** The version that gateways know; the requests built here are valid in later ones as well. */
const version = '2023-06-01';

type Block = Readonly<Record<string, unknown>>;

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

export const anthropic: Wire = { build, parse };

function build(request: ModelRequest, model: AskedModel, quirks: Quirks): BuiltRequest {
  const { system, tools, schema, maxOutput } = request;
  const messages = joined(request.turns.map((turn) => messageOf(turn, quirks)));
  const output = {
    ...(quirks.takesEffort && model.effort !== null && { effort: model.effort }),
    ...(schema !== null && quirks.structured === 'json_schema' && {
      format: { type: 'json_schema', schema: schema.schema },
    }),
  };
  const body = {
    model: model.name,
    max_tokens: maxOutput,
    ...(system !== '' && { system: [marked({ type: 'text', text: system }, quirks)] }),
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
    // Only a conversation with tools goes on, and writing to the cache costs a quarter more.
    messages: tools.length > 0 ? withMarkedEnd(messages, quirks) : messages,
    ...(Object.keys(output).length > 0 && { output_config: output }),
  };
  return { path: '/messages', headers: { 'anthropic-version': version }, body };
}

function toolOf({ name, description, schema }: ToolSpec): object {
  return { name, description, input_schema: schema };
}

/** Everything up to this block is cached; the next request reads it at a tenth of the price. */
function marked(block: Block, { cacheMarks }: Quirks): Block {
  return cacheMarks ? { ...block, cache_control: { type: 'ephemeral' } } : block;
}

function messageOf(turn: Turn, quirks: Quirks): Message {
  if (turn.role === 'user') return { role: 'user', content: [textBlock(turn.text)] };
  if (turn.role === 'assistant') {
    return { role: 'assistant', content: assistantBlocks(turn, quirks) };
  }
  const results = turn.results.map(({ id, text, isError }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: text,
    ...(isError && { is_error: true }),
  }));
  return { role: 'user', content: results };
}

function assistantBlocks(
  { text: reply, own }: Turn & { role: 'assistant' },
  { thinking, blankText }: Quirks,
): readonly Block[] {
  const blocks = own === null ? [textBlock(reply)] : asList(own).map(asObject);
  // A turn has to be sent back as it came, but text of no length is refused everywhere.
  const filled = blocks.filter(({ type, text }) => type !== 'text'
    || (blankText ? text !== '' : asText(text).trim() !== ''))
    .filter(({ type }) => thinking || !asText(type).endsWith('thinking'));
  const isBlank = filled.every(({ type, text }) => type === 'text' && asText(text).trim() === '');
  return isBlank ? [textBlock('')] : filled;
}

/** Empty blocks are refused. */
function textBlock(text: string): Block {
  return { type: 'text', text: text.trim() === '' ? '(nothing)' : text };
}

/** Joins adjacent messages of the same role into one; tool results have to come first in it. */
function joined(messages: readonly Message[]): readonly Message[] {
  const all: Message[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (last?.role !== message.role) all.push(message);
    else all.splice(-1, 1, { ...last, content: [...last.content, ...message.content] });
  }
  return all;
}

function withMarkedEnd(messages: readonly Message[], quirks: Quirks): readonly Message[] {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  if (last === undefined || block === undefined || last.role !== 'user') return messages;
  const content = [...last.content.slice(0, -1), marked(block, quirks)];
  return [...messages.slice(0, -1), { ...last, content }];
}

function parse(body: unknown): ModelReply {
  const answer = asObject(body);
  if (!Array.isArray(answer['content'])) throw malformed('it has no content');
  const reason = asText(answer['stop_reason']);
  const content = wholeParts(firstParts(answer['content']), reason === 'max_tokens');
  const blocks = content.map(asObject);
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(readCall);
  const usage = asObject(answer['usage']);
  // Unlike in the other APIs, `input_tokens` does not include cached tokens.
  const cached = [usage['cache_read_input_tokens'], usage['cache_creation_input_tokens']];
  const fresh = usage['input_tokens'];
  const input = isCount(fresh)
    ? cached.filter(isCount).reduce((sum, tokens) => sum + tokens, fresh) : null;
  return {
    text: blocks.filter(({ type }) => type === 'text').map(({ text }) => asText(text)).join(''),
    calls,
    stop: stopOf(reason, calls.length > 0),
    usage: usageOf(input, usage['output_tokens'], cached[0]),
    model: asText(answer['model']),
    own: content.map(echoOf),
  };
}

/** Without the call in which an answer was cut off: its arguments may lack their end. */
function wholeParts(content: readonly unknown[], isCut: boolean): readonly unknown[] {
  return isCut && asObject(content.at(-1))['type'] === 'tool_use' ? content.slice(0, -1) : content;
}

/** The block as it came, with a valid tool name. */
function echoOf(block: unknown): unknown {
  const { type, name: called } = asObject(block);
  return type === 'tool_use' ? { ...asObject(block), name: echoedName(asText(called)) } : block;
}

function readCall(block: Block): ToolCall {
  const id = asText(block['id']);
  if (id === '') throw malformed('a tool_use has no id');
  return { id, name: asText(block['name']), ...parseArguments(block['input']) };
}

function stopOf(reason: string, hasCalls: boolean): ModelReply['stop'] {
  if (reason === 'refusal') return 'refusal';
  if (hasCalls) return 'tools';
  return reason === 'max_tokens' || reason === 'model_context_window_exceeded' ? 'length' : 'end';
}
