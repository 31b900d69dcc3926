/**
 * A conversation with a language model, independent of the wire: turns, tools and their results. A
 * wire turns a request into HTTP and an HTTP answer into a reply.
 */

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments: flat, in the subset that every provider supports. */
  readonly schema: object;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed; null where `argumentsError` says why that failed. */
  readonly arguments: unknown;
  readonly argumentsError: string | null;
}

export interface ToolReply {
  /** The id of the call. */
  readonly id: string;
  readonly text: string;
  readonly isError: boolean;
}

export type Turn =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly ToolCall[];
      /** The turn as the provider wants it sent back; null if it is only text. */
      readonly own: unknown;
    }
  | { readonly role: 'tool_results'; readonly results: readonly ToolReply[] };

export interface ModelRequest {
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly ToolSpec[];
  /** The shape of the answer; null for free text. */
  readonly schema: { readonly name: string; readonly schema: object } | null;
  /** Tokens. */
  readonly maxOutput: number;
  readonly signal: AbortSignal;
}

/** Tokens, as the provider counted them. */
export interface Usage {
  readonly input: number;
  /** The part of the input that the provider read from its cache. */
  readonly cached: number;
  readonly output: number;
}

export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly stop: 'end' | 'tools' | 'length' | 'refusal' | 'filtered';
  /** Null where the provider did not say. */
  readonly usage: Usage | null;
  /** Failed attempts before it that may be billed and that `usage` does not count; absent for 0. */
  readonly lost?: number;
  /** The model's name as the provider gave it. */
  readonly model: string;
  /** The turn as the provider wants it sent back. */
  readonly own: unknown;
}

/** A configured model. `ask` rejects only with a `ModelError`, also when its signal is aborted. */
export interface Model {
  readonly ask: (request: ModelRequest) => Promise<ModelReply>;
}
