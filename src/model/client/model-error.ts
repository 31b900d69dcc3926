/** How to react to a failure. A closed set: the retry loops and the breaker decide by it. */
export type ModelErrorKind =
  /** The same request may succeed later. */
  | 'retryable'
  /** No request will succeed until a setting or the server changes. */
  | 'config'
  /** No request will succeed until somebody pays or raises a limit. */
  | 'quota'
  /** The request is too long. */
  | 'context'
  /** The provider's content filter blocked the text. */
  | 'filtered'
  /** The answer does not have the documented shape. */
  | 'malformed'
  | 'aborted';

/** What went wrong. A closed set, since it is a label value of metrics. */
export const modelErrorTypes = [
  'timeout', 'connection', 'tls', 'redirect', 'rate_limited', 'overloaded', 'server_error',
  'unauthorized', 'not_found', 'refused', 'no_tools', 'quota', 'context', 'filtered', 'malformed',
  'aborted',
] as const;

export type ModelErrorType = (typeof modelErrorTypes)[number];

interface Failing {
  readonly kind: ModelErrorKind;
  /** What happened, as a sentence of the report. */
  readonly what: string;
  /** What an operator can do about it, as sentences. */
  readonly hint: string;
}

const failings: Readonly<Record<ModelErrorType, Failing>> = {
  timeout: {
    kind: 'retryable', what: 'The language model did not answer in time.',
    hint: "Check the load on the model's server, choose a faster MODEL_NAME, or raise " +
      'MODEL_TIMEOUT_SECONDS.',
  },
  connection: {
    kind: 'retryable', what: 'The language model could not be reached.',
    hint: 'Check MODEL_URL, and that the server is running and reachable from this host.',
  },
  tls: {
    kind: 'config', what: 'No trusted connection to the language model could be made.',
    hint: 'Check that the certificate is current and for the host in MODEL_URL; if an authority ' +
      'of your own signed it, add that with NODE_EXTRA_CA_CERTS.',
  },
  redirect: {
    kind: 'config', what: 'The address of the language model redirects elsewhere.',
    hint: 'Set MODEL_URL to the target of the redirect; redirects are not followed.',
  },
  rate_limited: {
    kind: 'retryable', what: "The language model's provider limits the rate of requests.",
    hint: "Raise the key's rate limit at the provider.",
  },
  overloaded: {
    kind: 'retryable', what: "The language model's server is overloaded, or not ready yet.",
    hint: "Wait until the server's load has fallen, or until it has loaded its model.",
  },
  server_error: {
    kind: 'retryable', what: "The language model's server failed.",
    hint: "Check the server's log or the provider's status page.",
  },
  unauthorized: {
    kind: 'config', what: "The language model's server refused access.",
    hint: 'Check MODEL_API_KEY and its permissions.',
  },
  not_found: {
    kind: 'config', what: "The language model's server does not know the address or the model.",
    hint: 'Check MODEL_NAME and MODEL_URL. For an OpenAI-compatible server, set ' +
      'MODEL_PROVIDER=openai-chat.',
  },
  refused: {
    kind: 'config', what: "The language model's server rejected the request.",
    hint: 'Check that the server at MODEL_URL speaks the API that MODEL_PROVIDER names.',
  },
  no_tools: {
    kind: 'config', what: 'The language model, or its server, does not support tools.',
    hint: 'Choose a MODEL_NAME that supports tools, or start the server with tool calling ' +
      '(vLLM: --enable-auto-tool-choice, llama.cpp: --jinja).',
  },
  quota: {
    kind: 'quota',
    what: "The account at the language model's provider is out of credit or over its limit.",
    hint: 'Add credit or raise the spending limit at the provider.',
  },
  context: {
    kind: 'context', what: "The evidence does not fit into the language model's context window.",
    hint: 'Choose a MODEL_NAME with a larger context window, enlarge it on the server, or lower ' +
      'MODEL_OUTPUT_TOKENS, which share it.',
  },
  filtered: {
    kind: 'filtered', what: "The provider's content filter blocked the request about this alert.",
    hint: "Relax the deployment's content filter, if the provider lets you.",
  },
  malformed: {
    kind: 'malformed', what: "The language model's answer could not be read.",
    hint: 'Check MODEL_URL and MODEL_PROVIDER: another program may be answering there.',
  },
  aborted: {
    kind: 'aborted', what: 'The request to the language model was cancelled.',
    hint: 'Analyse the alert again if you need the narrative.',
  },
};

interface Circumstances {
  readonly type: ModelErrorType;
  readonly retryAfterMs?: number | null;
  /** Overrides the kind that goes with the type. */
  readonly kind?: ModelErrorKind;
  readonly lost?: number;
}

/** The only error a `Model` throws. Its message is one short line without secrets. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  /** `no_tools` is a `config` error that affects only requests with tools. */
  readonly type: ModelErrorType;
  /** How long the provider asks to wait before the next request; null when it does not say. */
  readonly retryAfterMs: number | null;
  /** Attempts that may be billed although no complete answer arrived. */
  readonly lost: number;
  /** What happened, as a sentence without what the server said. */
  readonly what: string;
  /** What an operator can do about it, with the setting to look at. */
  readonly hint: string;

  constructor(message: string, { type, retryAfterMs, kind, lost }: Circumstances) {
    super(message);
    this.kind = kind ?? failings[type].kind;
    this.type = type;
    this.retryAfterMs = retryAfterMs ?? null;
    this.lost = lost ?? 0;
    this.what = failings[type].what;
    this.hint = failings[type].hint;
  }
}

/** The hint that a ModelError of this type has. */
export function hintFor(type: ModelErrorType): string {
  return failings[type].hint;
}

/** A ModelError as plain data, for other threads. */
export type ModelFailure =
  Readonly<Pick<ModelError, 'type' | 'kind' | 'message' | 'hint' | 'retryAfterMs'>>;

/** An Error that crosses to another thread would lose everything but its message. */
export function failureOf({ type, kind, message, hint, retryAfterMs }: ModelError): ModelFailure {
  return { type, kind, message, hint, retryAfterMs };
}
