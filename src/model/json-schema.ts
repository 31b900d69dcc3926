/**
 * JSON Schema in the subset that every provider supports: objects require all of their members and
 * allow no others, and there are no bounds on lengths or numbers.
 */
export function objectSchema(properties: Readonly<Record<string, object>>): object {
  return {
    type: 'object', additionalProperties: false, required: Object.keys(properties), properties,
  };
}

export function listSchema(items: object): object {
  return { type: 'array', items };
}

export function choiceSchema(values: readonly string[]): object {
  return { type: 'string', enum: values };
}
