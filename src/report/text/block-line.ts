const blocks = '▁▂▃▄▅▆▇█';
/** Not a space: where spaces follow each other, terminals' wrapping and Markdown keep only one. */
const gap = '·';

/**
 * A series as one line of at most `columns` block characters. Each shows the mean of its values, or
 * a dot for a gap. Empty with fewer than two columns of values.
 */
export function blockLine(values: readonly (number | null)[], columns: number): string {
  const count = Math.min(columns, values.length);
  const means = Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * values.length) / count);
    const to = Math.floor(((index + 1) * values.length) / count);
    return meanOf(values.slice(from, to));
  });
  const known = means.filter((value) => value !== null);
  if (known.length < 2) return '';
  const [lowest, highest] = [Math.min(...known), Math.max(...known)];
  return means.map((value) => blockOf(value, lowest, highest)).join('');
}

function blockOf(value: number | null, lowest: number, highest: number): string {
  if (value === null) return gap;
  const share = highest === lowest ? 0 : (value - lowest) / (highest - lowest);
  return blocks.charAt(Math.min(blocks.length - 1, Math.floor(share * blocks.length)));
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}
