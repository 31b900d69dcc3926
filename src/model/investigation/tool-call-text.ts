import { memberOf } from '../../lib/parse.ts';
import { unfenced } from '../answer/json-in-text.ts';

/**
 * Whether the model wrote a tool call out as text, as small models do. It is never executed, since
 * the text may be a quote from anywhere.
 */
export function isToolCallText(text: string): boolean {
  const bare = unfenced(text);
  if (mark.test(text)) return true;
  if (!/^[[{]/.test(bare)) return false;
  try {
    const parsed: unknown = JSON.parse(bare);
    return Array.isArray(parsed) ? parsed.length > 0 && parsed.every(isCall) : isCall(parsed);
  } catch {
    return false;
  }
}

/** Qwen, GLM, MiniMax and Claude; Mistral; Llama; DeepSeek and Kimi; gpt-oss. */
const mark = new RegExp(
  '</?(?:\\w+:)?(?:tool_call|function_call|tool_use|function=|invoke name=)|\\[TOOL_CALLS\\]|' +
  '<\\|python_tag\\|>|<[|｜]tool[_▁]calls?|<\\|channel\\|>\\w+ to=functions\\.', 'i',
);

function isCall(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const [calls, inner] = [memberOf(value, 'tool_calls'), memberOf(value, 'function')];
  if (Array.isArray(calls)) return calls.length > 0 && calls.every(isCall);
  if (typeof inner === 'object') return isCall(inner);
  const names = Object.keys(value);
  const isNamed = names.includes('name') || names.includes('function') || names.includes('tool');
  return isNamed && (names.includes('arguments') || names.includes('parameters'));
}
