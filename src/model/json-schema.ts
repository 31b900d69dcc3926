/**
 * JSON Schema in the subset that every provider takes: an object requires all of its members and
 * allows no others, and nothing has bounds.
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
