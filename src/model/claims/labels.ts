import { memberOf } from '../../lib/parse.ts';

/** The labels of an object, with their values in the form in which claims are compared. */
export function labelsOf(value: unknown): Map<string, string> {
  return new Map(Object.entries(memberOf(value, 'labels') ?? {}).flatMap(([name, label]) =>
    typeof label === 'string' ? [[name, folded(label)]] : []));
}

/** The label values and other names of an object. */
export function labelValues(value: unknown): string[] {
  const own = ['component', 'pod', 'service', 'instance', 'name', 'alertname', 'job', 'namespace']
    .map((name) => memberOf(value, name));
  return [...labelsOf(value).values(), ...own]
    .filter((name): name is string => typeof name === 'string' && name.length > 1)
    .map(folded);
}

/** In the form in which claims are compared. */
export function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
