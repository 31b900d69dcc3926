const differencesMax = 20;

/** The paths at which two JSON values differ, at most 20. */
export function differences(before: unknown, after: unknown): string[] {
  const found: string[] = [];
  collect(before, after, { path: '', found });
  return found;
}

function collect(
  before: unknown,
  after: unknown,
  { path, found }: { readonly path: string; readonly found: string[] },
): void {
  if (found.length >= differencesMax || Object.is(before, after)) return;
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) {
    found.push(path === '' ? '(everything)' : path);
    return;
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  for (const name of names) {
    const at = Array.isArray(before) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const of = (value: Record<string, unknown>): unknown =>
      Object.hasOwn(value, name) ? value[name] : absent;
    collect(of(before), of(after), { path: at, found });
  }
}

const absent = Symbol('absent');

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
