/** The server side of OpenAI's Chat Completions: checks requests, writes answers. */
import {
  count, fields, list, onlyKnown, parsed, Refused, strictSchema, string, toolName,
  type Fields, type Heard, type HeardCall, type HeardTurn, type Said,
} from './heard.ts';

const known = [
  'model', 'messages', 'tools', 'response_format', 'max_tokens', 'max_completion_tokens',
  'reasoning_effort',
];

export function hearChat(body: Fields): Heard {
  onlyKnown(body, known);
  string(body['model'], 'model');
  const messages = list(body['messages'], 'messages').map((each, index) =>
    fields(each, `messages[${index}]`));
  const turns = messages.filter(({ role }) => role !== 'system').map(hearMessage);
  checkPairs(turns);
  const last = messages.at(-1)?.['role'];
  if (last !== 'user' && last !== 'tool') {
    throw new Refused('Expected last role User or Tool', { param: 'messages' });
  }
  const systems = messages.filter(({ role }) => role === 'system');
  if (systems.length > 1 || (systems.length === 1 && messages[0] !== systems[0])) {
    throw new Refused('a system message must be the first', { param: 'messages' });
  }
  const tools = list(body['tools'] ?? [], 'tools').map(hearTool);
  if (tools.length > 0 && body['response_format'] !== undefined) {
    throw new Refused('tools and response_format exclude each other', { param: 'response_format' });
  }
  if (body['tools'] !== undefined && tools.length === 0) throw new Refused("'tools' is empty");
  return {
    system: systems.map(({ content }) => string(content, 'messages[0].content')).join(''),
    turns,
    tools,
    schema: hearFormat(body['response_format'], messages),
    maxOutput: count(body['max_tokens'] ?? body['max_completion_tokens'], 'max_tokens'),
  };
}

function hearMessage(message: Fields, index: number): HeardTurn {
  const path = `messages[${index}]`;
  const role = message['role'];
  if (role === 'user') {
    onlyKnown(message, ['role', 'content'], path);
    return { role, text: string(message['content'], `${path}.content`) };
  }
  if (role === 'tool') {
    onlyKnown(message, ['role', 'content', 'tool_call_id'], path);
    const id = string(message['tool_call_id'], `${path}.tool_call_id`);
    return { role, id, text: string(message['content'], `${path}.content`) };
  }
  if (role !== 'assistant') throw new Refused(`Invalid value: '${String(role)}'`, { param: path });
  onlyKnown(message, ['role', 'content', 'tool_calls', 'reasoning_content'], path);
  const calls = list(message['tool_calls'] ?? [], path).map((call, at) =>
    hearCall(fields(call, path), `${path}.tool_calls[${at}]`));
  return { role, text: string(message['content'], `${path}.content`), calls };
}

function hearCall(call: Fields, path: string): HeardCall {
  onlyKnown(call, ['id', 'type', 'function', 'extra_content'], path);
  if (call['type'] !== 'function') throw new Refused(`Invalid '${path}.type'`);
  const called = fields(call['function'], path);
  onlyKnown(called, ['name', 'arguments'], path);
  const text = string(called['arguments'], `${path}.arguments`);
  return {
    id: string(call['id'], `${path}.id`),
    name: toolName(called['name'], `${path}.name`),
    arguments: parsed(text, `${path}.arguments`),
  };
}

/** Checks that every tool call is followed by exactly one result, before any other message. */
export function checkPairs(turns: readonly HeardTurn[]): void {
  let open = new Set<string>();
  for (const turn of turns) {
    if (turn.role === 'tool') {
      if (!open.delete(turn.id)) {
        throw new Refused("messages with role 'tool' must be a response to a preceding message " +
          `with 'tool_calls': ${turn.id}`);
      }
      continue;
    }
    checkNoneOpen(open);
    if (turn.role !== 'assistant') continue;
    open = new Set(turn.calls.map(({ id }) => id));
    if (open.size !== turn.calls.length) throw new Refused('Duplicate tool call ids');
  }
  checkNoneOpen(open);
}

function checkNoneOpen(open: ReadonlySet<string>): void {
  if (open.size === 0) return;
  throw new Refused("An assistant message with 'tool_calls' must be followed by tool messages " +
    `responding to each 'tool_call_id': ${[...open].join(', ')}`);
}

function hearTool(raw: unknown, index: number): string {
  const path = `tools[${index}]`;
  const tool = fields(raw, path);
  onlyKnown(tool, ['type', 'function'], path);
  if (tool['type'] !== 'function') throw new Refused(`Invalid '${path}.type'`);
  const declared = fields(tool['function'], path);
  onlyKnown(declared, ['name', 'description', 'parameters'], `${path}.function`);
  fields(declared['parameters'], `${path}.parameters`);
  return toolName(declared['name'], `${path}.name`);
}

function hearFormat(raw: unknown, messages: readonly Fields[]): unknown {
  if (raw === undefined) return null;
  const format = fields(raw, 'response_format');
  if (format['type'] === 'json_object') {
    if (JSON.stringify(messages).includes('JSON')) return {};
    throw new Refused("'messages' must contain the word 'json' to use 'response_format'");
  }
  onlyKnown(format, ['type', 'json_schema'], 'response_format');
  const schema = fields(format['json_schema'], 'response_format.json_schema');
  onlyKnown(schema, ['name', 'strict', 'schema'], 'response_format.json_schema');
  toolName(schema['name'], 'response_format.json_schema.name');
  strictSchema(schema['schema'], 'schema');
  return schema['schema'];
}

export function writeChat(said: Said, { model, id }: { model: string; id: string }): object {
  const calls = (said.calls ?? []).map((call, index) => ({
    id: `call_${id}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: argumentsText(call.arguments) },
  }));
  const reasons = { length: 'length', filtered: 'content_filter', refusal: 'stop' };
  const usual = calls.length > 0 ? 'tool_calls' : 'stop';
  const isRefusal = said.stop === 'refusal';
  const message = {
    role: 'assistant',
    content: isRefusal || said.text === undefined ? null : said.text,
    refusal: isRefusal ? (said.text ?? 'No.') : null,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const reason = said.stop === undefined ? usual : reasons[said.stop];
  return {
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, finish_reason: reason, logprobs: null, message }],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 5 },
    },
  };
}

/** A string is sent as it is, so that a script can send invalid JSON. */
export function argumentsText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
