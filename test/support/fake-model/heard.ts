/** A request to the fake model, independent of the provider's API. */

export interface HeardCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

export type HeardTurn =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly HeardCall[] }
  | { readonly role: 'tool'; readonly id: string; readonly text: string };

export interface Heard {
  readonly system: string;
  readonly turns: readonly HeardTurn[];
  readonly tools: readonly string[];
  /** The JSON Schema required of the answer; null for none, `{}` for any JSON. */
  readonly schema: unknown;
  readonly maxOutput: number;
}

/** The scripted model's answer, which the server puts into the form of the provider's API. */
export interface Said {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly stop?: 'length' | 'refusal' | 'filtered';
  /** Never answers. */
  readonly hangs?: true;
}

export type Script = (heard: Heard, index: number) => Said;

/** An error that the server answers in the provider's form. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | null;

  constructor(message: string, options: { status?: number; code?: string; param?: string } = {}) {
    super(message);
    this.status = options.status ?? 400;
    this.code = options.code ?? 'invalid_request_error';
    this.param = options.param ?? null;
  }
}

export type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown, path: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Refused(`Invalid type for '${path}': expected an object`, { param: path });
}

export function list(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Refused(`Invalid type for '${path}': expected an array`, { param: path });
}

export function string(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  throw new Refused(`Invalid type for '${path}': expected a string`, { param: path });
}

export function onlyKnown(object: Fields, known: readonly string[], path = ''): void {
  const unknown = Object.keys(object).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const param = path === '' ? unknown : `${path}.${unknown}`;
  throw new Refused(`Unknown parameter: '${param}'.`, { code: 'unknown_parameter', param });
}

export function count(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw new Refused(`Missing required parameter: '${path}'.`, { param: path });
}

/** Checks that a schema stays within what every provider accepts as a strict format. */
export function strictSchema(value: unknown, path: string): void {
  const schema = fields(value, path);
  const banned = ['minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'format', 'minItems',
    'maxItems', 'allOf', 'oneOf', 'not', '$ref'];
  const found = banned.find((name) => name in schema);
  if (found !== undefined) {
    throw new Refused(`Invalid schema for response_format: '${found}' is not permitted in ${path}`);
  }
  if (schema['items'] !== undefined) strictSchema(schema['items'], `${path}.items`);
  for (const [index, each] of list(schema['anyOf'] ?? [], path).entries()) {
    strictSchema(each, `${path}.anyOf[${index}]`);
  }
  if (schema['properties'] === undefined) return;
  const properties = fields(schema['properties'], path);
  const required = list(schema['required'] ?? [], path);
  if (schema['additionalProperties'] !== false) {
    throw new Refused(`Invalid schema: 'additionalProperties' must be false in ${path}`);
  }
  for (const [name, each] of Object.entries(properties)) {
    if (!required.includes(name)) throw new Refused(`Invalid schema: ${path}.${name} not required`);
    strictSchema(each, `${path}.${name}`);
  }
}

export function toolName(value: unknown, path: string): string {
  const name = string(value, path);
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return name;
  throw new Refused(`Invalid '${path}': does not match '^[a-zA-Z0-9_-]+$'`, { param: path });
}

/** Parses JSON; throws a refusal if it is invalid. */
export function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused(`Invalid '${path}': not valid JSON`, { param: path });
  }
}
