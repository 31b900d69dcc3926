/** The server side of OpenAI's Responses: checks requests, writes answers. */
import { argumentsText, checkPairs } from './chat-interface.ts';
import {
  count, fields, list, onlyKnown, parsed, Refused, strictSchema, string, toolName,
  type Fields, type Heard, type HeardCall, type HeardTurn, type Said,
} from './heard.ts';

const known = [
  'model', 'instructions', 'input', 'store', 'include', 'tools', 'max_output_tokens', 'text',
];

export function hearResponses(body: Fields): Heard {
  onlyKnown(body, known);
  string(body['model'], 'model');
  if (body['store'] !== false) throw new Refused('this server keeps nothing', { param: 'store' });
  const tools = list(body['tools'] ?? [], 'tools').map(hearTool);
  const turns = hearItems(list(body['input'], 'input'), body['include'] !== undefined);
  checkPairs(turns);
  return {
    system: string(body['instructions'] ?? '', 'instructions'),
    turns,
    tools,
    schema: hearFormat(body),
    maxOutput: count(body['max_output_tokens'], 'max_output_tokens'),
  };
}

function hearItems(items: readonly unknown[], isEncrypted: boolean): readonly HeardTurn[] {
  const turns: HeardTurn[] = [];
  let spoken: { text: string; calls: HeardCall[] } | null = null;
  const close = (): void => {
    if (spoken !== null) turns.push({ role: 'assistant', ...spoken });
    spoken = null;
  };
  for (const [index, raw] of items.entries()) {
    const path = `input[${index}]`;
    const item = fields(raw, path);
    if (isOfAssistant(item)) {
      spoken ??= { text: '', calls: [] };
      hearSpoken(item, { path, spoken, isEncrypted });
      continue;
    }
    close();
    turns.push(hearOther(item, path));
  }
  close();
  return turns;
}

function isOfAssistant({ type, role }: Fields): boolean {
  return type === 'reasoning' || type === 'function_call' || role === 'assistant';
}

function hearSpoken(
  item: Fields,
  { path, spoken, isEncrypted }: {
    path: string; spoken: { text: string; calls: HeardCall[] }; isEncrypted: boolean;
  },
): void {
  if (item['type'] === 'reasoning') {
    if (isEncrypted && typeof item['encrypted_content'] === 'string') return;
    throw new Refused(`Item with id '${String(item['id'])}' not found`, { status: 404 });
  }
  if (item['type'] === 'function_call') {
    onlyKnown(item, ['type', 'id', 'call_id', 'name', 'arguments', 'status'], path);
    const text = string(item['arguments'], `${path}.arguments`);
    spoken.calls.push({
      id: string(item['call_id'], `${path}.call_id`),
      name: toolName(item['name'], `${path}.name`),
      arguments: parsed(text, `${path}.arguments`),
    });
    return;
  }
  const { content } = item;
  const parts = typeof content === 'string' ? [{ text: content }] : list(content, path);
  spoken.text += parts.map((part) => String(fields(part, path)['text'] ?? '')).join('');
}

function hearOther(item: Fields, path: string): HeardTurn {
  if (item['type'] === 'function_call_output') {
    onlyKnown(item, ['type', 'call_id', 'output'], path);
    const id = string(item['call_id'], `${path}.call_id`);
    return { role: 'tool', id, text: string(item['output'], `${path}.output`) };
  }
  onlyKnown(item, ['role', 'content'], path);
  if (item['role'] !== 'user') throw new Refused(`Invalid value in '${path}'`, { param: path });
  return { role: 'user', text: string(item['content'], `${path}.content`) };
}

/** Unlike in Chat Completions, the members are not nested in `function`. */
function hearTool(raw: unknown, index: number): string {
  const path = `tools[${index}]`;
  const tool = fields(raw, path);
  onlyKnown(tool, ['type', 'name', 'description', 'parameters', 'strict'], path);
  if (tool['type'] !== 'function') throw new Refused(`Invalid '${path}.type'`);
  if (tool['strict'] !== false) strictSchema(tool['parameters'], `${path}.parameters`);
  return toolName(tool['name'], `${path}.name`);
}

function hearFormat(body: Fields): unknown {
  if (body['text'] === undefined) return null;
  const text = fields(body['text'], 'text');
  onlyKnown(text, ['format'], 'text');
  const format = fields(text['format'], 'text.format');
  if (format['type'] === 'json_object') {
    if (JSON.stringify([body['input'], body['instructions']]).includes('JSON')) return {};
    throw new Refused("the input must contain the word 'json'", { param: 'text.format' });
  }
  onlyKnown(format, ['type', 'name', 'strict', 'schema'], 'text.format');
  toolName(format['name'], 'text.format.name');
  strictSchema(format['schema'], 'schema');
  return format['schema'];
}

export function writeResponses(said: Said, { model, id }: { model: string; id: string }): object {
  const isRefusal = said.stop === 'refusal';
  const part = isRefusal
    ? { type: 'refusal', refusal: said.text ?? 'No.' }
    : { type: 'output_text', text: said.text ?? '', annotations: [] };
  const message = {
    type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content: [part],
  };
  const calls = (said.calls ?? []).map((call, index) => ({
    type: 'function_call',
    id: `fc_${id}_${index}`,
    call_id: `call_${id}_${index}`,
    name: call.name,
    arguments: argumentsText(call.arguments),
    status: 'completed',
  }));
  const reasoning = {
    type: 'reasoning', id: `rs_${id}`, summary: [], encrypted_content: `sealed-${id}`,
  };
  const isIncomplete = said.stop === 'length' || said.stop === 'filtered';
  const reason = said.stop === 'length' ? 'max_output_tokens' : 'content_filter';
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 1_700_000_000,
    status: isIncomplete ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: isIncomplete ? { reason } : null,
    model,
    output: [reasoning, ...(said.text === undefined && !isRefusal ? [] : [message]), ...calls],
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 40 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 120,
    },
  };
}
