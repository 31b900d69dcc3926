import { labelWeight } from '../alert/similarity.ts';

/** A quoted string with its escapes. One that is never closed goes to the end of the text. */
const strings = /"(?:[^"\\]|\\.)*"?/gs;

/**
 * Whether the key of a sender's group says something of its alerts. Alertmanager's ends with the
 * group's labels: `{}/{team="a"}:{alertname="b", namespace="c"}`. Without any, or with those alone
 * that all alerts of a Prometheus, of a severity or of a rule have, it does not.
 */
export function isDistinctive(groupKey: string): boolean {
  const unquoted = groupKey.replace(strings, '""');
  const from = unquoted.lastIndexOf(':{');
  if (from < 0 || !unquoted.endsWith('}')) return groupKey !== '';
  const labels = unquoted.slice(from + ':{'.length, -1);
  return labels !== '' && labels.split(',').some((label) => {
    const name = label.slice(0, label.indexOf('=')).trim();
    return name !== 'alertname' && labelWeight(name) > labelWeight('severity');
  });
}
