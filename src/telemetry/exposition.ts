/**
 * Prometheus' text format 0.0.4 (docs/instrumenting/exposition_formats.md): for each metric one
 * HELP line, one TYPE line and its samples; every line ends with a line feed; no timestamps.
 */
export const expositionContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** `pairs` as `labelPairs` makes them; empty for none. */
export function sampleLine(name: string, pairs: string, value: number): string {
  return `${name}${pairs === '' ? '' : `{${pairs}}`} ${numberText(value)}\n`;
}

/** The HELP and the TYPE line of a metric. */
export function headLines(name: string, type: string, help: string): string {
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${escaped}\n# TYPE ${name} ${type}\n`;
}

export function labelPairs(labels: readonly (readonly [name: string, value: string])[]): string {
  return labels.map(([name, value]) => `${name}="${escapeValue(value)}"`).join(',');
}

/**
 * Prometheus 3 normalises `le="1"` to `1.0` and Prometheus 2 does not, so a query by `le` would
 * match in only one of them. Written as `1.0`, both store the same.
 */
export function bucketBound(bound: number): string {
  return Number.isInteger(bound) ? `${bound}.0` : numberText(bound);
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}
