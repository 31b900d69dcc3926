/** The server side of Anthropic's Messages: checks requests, writes answers. */
import { checkPairs } from './chat-interface.ts';
import {
  count, fields, list, onlyKnown, Refused, strictSchema, string, toolName,
  type Fields, type Heard, type HeardCall, type HeardTurn, type Said,
} from './heard.ts';

const known = ['model', 'max_tokens', 'system', 'tools', 'messages', 'output_config'];
const marksMax = 4;

export function hearAnthropic(body: Fields): Heard {
  onlyKnown(body, known);
  string(body['model'], 'model');
  const marks = JSON.stringify(body).split('"cache_control"').length - 1;
  if (marks > marksMax) throw new Refused(`at most ${marksMax} cache_control blocks`);
  const messages = list(body['messages'], 'messages').map((each, index) =>
    fields(each, `messages.${index}`));
  if (messages[0]?.['role'] !== 'user') throw new Refused('messages: first must be user');
  if (messages.at(-1)?.['role'] !== 'user') {
    throw new Refused('This model does not support assistant message prefill');
  }
  const turns = messages.flatMap(hearMessage);
  checkPairs(turns);
  const tools = list(body['tools'] ?? [], 'tools').map(hearTool);
  const hasBlocks = turns.some((turn) => turn.role === 'tool');
  if (hasBlocks && tools.length === 0) throw new Refused('Requests with tool blocks need tools=');
  return {
    system: list(body['system'] ?? [], 'system').map((each) => hearText(each, 'system')).join(''),
    turns,
    tools,
    schema: hearFormat(body),
    maxOutput: count(body['max_tokens'], 'max_tokens'),
  };
}

function hearText(raw: unknown, path: string): string {
  const block = fields(raw, path);
  onlyKnown(block, ['type', 'text', 'cache_control'], path);
  const text = string(block['text'], `${path}.text`);
  if (text.trim() === '') throw new Refused(`${path}: text content blocks must be non-empty`);
  return text;
}

function hearMessage(message: Fields, index: number, all: readonly Fields[]): readonly HeardTurn[] {
  const path = `messages.${index}`;
  onlyKnown(message, ['role', 'content'], path);
  const blocks = list(message['content'], path).map((each) => fields(each, path));
  if (blocks.length === 0) throw new Refused(`${path}: content must not be empty`);
  if (all[index - 1]?.['role'] === message['role']) throw new Refused(`${path}: roles alternate`);
  if (message['role'] === 'assistant') return [hearAssistant(blocks, path)];
  const firstText = blocks.findIndex(({ type }) => type === 'text');
  const lastResult = blocks.findLastIndex(({ type }) => type === 'tool_result');
  if (firstText !== -1 && firstText < lastResult) {
    throw new Refused(`${path}: tool_result blocks must come before text`);
  }
  return blocks.map((block): HeardTurn => {
    if (block['type'] === 'text') return { role: 'user', text: hearText(block, path) };
    onlyKnown(block, ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'], path);
    const id = string(block['tool_use_id'], `${path}.tool_use_id`);
    return { role: 'tool', id, text: string(block['content'], `${path}.content`) };
  });
}

function hearAssistant(blocks: readonly Fields[], path: string): HeardTurn {
  const calls: HeardCall[] = [];
  let text = '';
  for (const block of blocks) {
    if (block['type'] === 'text') text += hearText(block, path);
    else if (block['type'] === 'thinking') {
      if (!String(block['signature']).startsWith('signed-')) throw new Refused('bad signature');
    } else {
      onlyKnown(block, ['type', 'id', 'name', 'input'], path);
      const id = string(block['id'], `${path}.id`);
      const input = fields(block['input'], `${path}.input`);
      calls.push({ id, name: toolName(block['name'], `${path}.name`), arguments: input });
    }
  }
  return { role: 'assistant', text, calls };
}

function hearTool(raw: unknown, index: number): string {
  const path = `tools.${index}`;
  const tool = fields(raw, path);
  onlyKnown(tool, ['name', 'description', 'input_schema'], path);
  fields(tool['input_schema'], `${path}.input_schema`);
  return toolName(tool['name'], `${path}.name`);
}

function hearFormat(body: Fields): unknown {
  if (body['output_config'] === undefined) return null;
  const config = fields(body['output_config'], 'output_config');
  onlyKnown(config, ['format'], 'output_config');
  const format = fields(config['format'], 'output_config.format');
  onlyKnown(format, ['type', 'schema'], 'output_config.format');
  if (format['type'] !== 'json_schema') throw new Refused("Invalid 'output_config.format.type'");
  strictSchema(format['schema'], 'schema');
  return format['schema'];
}

export function writeAnthropic(said: Said, { model, id }: { model: string; id: string }): object {
  const calls = (said.calls ?? []).map((call, index) => ({
    type: 'tool_use', id: `toolu_${id}_${index}`, name: call.name, input: call.arguments,
  }));
  const reasons = { length: 'max_tokens', refusal: 'refusal', filtered: 'refusal' };
  const usual = calls.length > 0 ? 'tool_use' : 'end_turn';
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: `signed-${id}` },
      ...(said.text === undefined ? [] : [{ type: 'text', text: said.text }]),
      ...calls,
    ],
    stop_reason: said.stop === undefined ? usual : reasons[said.stop],
    stop_sequence: null,
    usage: {
      input_tokens: 50,
      cache_creation_input_tokens: 10,
      cache_read_input_tokens: 40,
      output_tokens: 20,
    },
  };
}
