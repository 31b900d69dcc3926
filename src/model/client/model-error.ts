/** What to do about a failure: a closed set, by which a loop decides how to go on. */
export type ModelErrorKind =
  /** The same request may succeed later. */
  | 'retryable'
  /** No request will, until a setting or the server changes. */
  | 'config'
  /** None will, until somebody pays or a limit is raised. */
  | 'quota'
  /** The request is too long. */
  | 'context'
  /** The provider takes the text for harmful. */
  | 'filtered'
  /** The answer is not what the interface says. */
  | 'malformed'
  | 'aborted';

/** What happened, for metrics and hints. A closed set: it is the value of a label. */
export const modelErrorTypes = [
  'timeout', 'connection', 'tls', 'redirect', 'rate_limited', 'overloaded', 'server_error',
  'unauthorized', 'not_found', 'refused', 'no_tools', 'quota', 'context', 'filtered', 'malformed',
  'aborted',
] as const;

export type ModelErrorType = (typeof modelErrorTypes)[number];

interface Circumstances {
  readonly type: ModelErrorType;
  readonly status?: number | null;
  readonly retryAfterMs?: number | null;
  /** Where it is not the one of the type. */
  readonly kind?: ModelErrorKind;
  readonly lost?: number;
}

/** Thrown by every model; nothing else is. Its message is one short line without secrets. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  /** `no_tools` is a `config` error that spoils only requests with tools. */
  readonly type: ModelErrorType;
  /** Null when there was no answer. */
  readonly status: number | null;
  /** How long the provider asks to be left alone; null when it does not say. */
  readonly retryAfterMs: number | null;
  /** Attempts that may have been read, and are billed then, though no whole answer came. */
  readonly lost: number;
  /** What an operator can do about it, naming the setting. */
  readonly hint: string;

  constructor(message: string, { type, status, retryAfterMs, kind, lost }: Circumstances) {
    super(message);
    this.kind = kind ?? kinds[type];
    this.type = type;
    this.status = status ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
    this.lost = lost ?? 0;
    this.hint = hints[type];
  }
}

/** What is told of it to other threads. */
export type ModelFailure =
  Readonly<Pick<ModelError, 'type' | 'kind' | 'message' | 'hint' | 'retryAfterMs'>>;

/** Plain data: of an error that crosses to another thread only its message would arrive. */
export function failureOf({ type, kind, message, hint, retryAfterMs }: ModelError): ModelFailure {
  return { type, kind, message, hint, retryAfterMs };
}

const kinds: Readonly<Record<ModelErrorType, ModelErrorKind>> = {
  timeout: 'retryable',
  connection: 'retryable',
  tls: 'config',
  redirect: 'config',
  rate_limited: 'retryable',
  overloaded: 'retryable',
  server_error: 'retryable',
  unauthorized: 'config',
  not_found: 'config',
  refused: 'config',
  no_tools: 'config',
  quota: 'quota',
  context: 'context',
  filtered: 'filtered',
  malformed: 'malformed',
  aborted: 'aborted',
};

/** What an operator can do about each, as sentences. */
export const hints: Readonly<Record<ModelErrorType, string>> = {
  timeout: 'See how busy the server of the model is, or choose a faster MODEL_NAME.',
  connection: 'Check MODEL_URL, and that the server runs and can be reached from here.',
  tls: 'Check that the certificate of MODEL_URL is signed by a public authority, or name your ' +
    'own in NODE_EXTRA_CA_CERTS.',
  redirect: 'Set MODEL_URL to the address it redirects to; redirects are not followed.',
  rate_limited: 'Raise the rate limit of the key at the provider.',
  overloaded: 'Wait: the provider has too much to do.',
  server_error: 'Look into the log of the server, or at the status page of the provider.',
  unauthorized: 'Check MODEL_API_KEY, and what the key may use.',
  not_found: 'Check MODEL_NAME and MODEL_URL. A server that is only compatible with OpenAI wants ' +
    'MODEL_PROVIDER=openai-chat.',
  refused: 'Check that MODEL_PROVIDER is the interface of the server at MODEL_URL.',
  no_tools: 'Choose a MODEL_NAME that can call tools, or start the server with tool calling ' +
    '(vLLM: --enable-auto-tool-choice, llama.cpp: --jinja).',
  quota: 'Add credit or raise the spending limit at the provider.',
  context: 'Choose a MODEL_NAME with a longer context, or give the server a larger one.',
  filtered: 'Relax the content filter of the deployment, where the provider has one.',
  malformed: 'Check MODEL_URL and MODEL_PROVIDER: another program may answer there.',
  aborted: 'Analyse the alert again if the answer is needed.',
};
