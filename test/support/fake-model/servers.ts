/** How servers deviate from the API they offer; each throws the refusal of the real server. */
import { Refused, type Fields } from './heard.ts';

export type Habit = (body: Fields) => void;

function refuse(message: string, options: ConstructorParameters<typeof Refused>[1] = {}): never {
  throw new Refused(message, options);
}

const hasTools = (body: Fields): boolean => body['tools'] !== undefined;
const textOf = (body: Fields): string => JSON.stringify(body);

/** Each is named after the server or model that behaves like this. */
export type HabitName =
  | 'newer names tokens otherwise'
  | 'older names tokens otherwise'
  | 'gpt-5 on chat'
  | 'no schemas'
  | 'no formats'
  | 'no caching'
  | 'vLLM without its flag'
  | 'Ollama with a model without tools'
  | 'DeepSeek while thinking'
  | 'Groq on reasoning'
  | 'LiteLLM on thoughts'
  | 'Gemma on system'
  | 'older models on encrypted reasoning';

export const habits: Readonly<Record<HabitName, Habit>> = {
  'newer names tokens otherwise': (body) => {
    if (body['max_tokens'] === undefined) return;
    refuse("Unsupported parameter: 'max_tokens' is not supported with this model. Use " +
      "'max_completion_tokens' instead.", { code: 'unsupported_parameter', param: 'max_tokens' });
  },
  'older names tokens otherwise': (body) => {
    if (body['max_completion_tokens'] === undefined) return;
    refuse('Extra inputs are not permitted: max_completion_tokens', { status: 422 });
  },
  'gpt-5 on chat': (body) => {
    if (!hasTools(body) || body['reasoning_effort'] === 'none') return;
    refuse('Function tools with reasoning_effort are not supported for gpt-5.5 in ' +
      '/v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to ' +
      "'none'.", { param: 'reasoning_effort' });
  },
  'no schemas': (body) => {
    if (/"json_schema"/.test(textOf(body))) {
      refuse("'response_format.type' must be one of 'text', 'json_object'");
    }
  },
  'no formats': (body) => {
    if (body['response_format'] ?? body['text'] ?? body['output_config']) {
      refuse('Unsupported parameter: response_format / output_config');
    }
  },
  'no caching': (body) => {
    if (/"cache_control"/.test(textOf(body))) {
      refuse('system.0.cache_control: Extra inputs are not permitted');
    }
  },
  'vLLM without its flag': (body) => {
    if (hasTools(body)) {
      refuse('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be ' +
        'set');
    }
  },
  'Ollama with a model without tools': (body) => {
    if (hasTools(body)) refuse('registry.ollama.ai/library/gemma:2b does not support tools');
  },
  'DeepSeek while thinking': (body) => {
    const echoes = (body['messages'] as Fields[]).filter(({ tool_calls: calls }) => calls);
    if (echoes.some(({ reasoning_content: reasoning }) => reasoning === undefined)) {
      refuse('The reasoning_content in the thinking mode must be passed back to the API.');
    }
  },
  'Groq on reasoning': (body) => {
    if (/"reasoning_content"/.test(textOf(body))) {
      refuse("'messages.2' : property 'reasoning_content' is unsupported");
    }
  },
  'LiteLLM on thoughts': (body) => {
    if (/"thinking_blocks"/.test(textOf(body))) {
      refuse('messages.2.thinking_blocks: Extra inputs are not permitted');
    }
  },
  'Gemma on system': (body) => {
    if ((body['messages'] as Fields[])[0]?.['role'] === 'system') {
      refuse('System role not supported');
    }
  },
  'older models on encrypted reasoning': (body) => {
    if (body['include'] !== undefined) {
      refuse('Encrypted content is not supported with this model.', { param: 'include' });
    }
  },
};
