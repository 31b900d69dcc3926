import { labelOf, type LabelSet } from './labels.ts';

/** The severity that an alert claims, worst first; `none` is for alerts that never page. */
export const severities = ['critical', 'warning', 'info', 'unknown', 'none'] as const;
export type Severity = (typeof severities)[number];

const aliases: Readonly<Record<string, Severity>> = {
  critical: 'critical', crit: 'critical', page: 'critical', emergency: 'critical',
  fatal: 'critical', high: 'critical', error: 'critical', p0: 'critical', p1: 'critical',
  sev0: 'critical', sev1: 'critical',
  warning: 'warning', warn: 'warning', medium: 'warning', major: 'warning', minor: 'warning',
  p2: 'warning', p3: 'warning', sev2: 'warning', sev3: 'warning', ticket: 'warning',
  info: 'info', informational: 'info', low: 'info', notice: 'info', p4: 'info', p5: 'info',
  none: 'none',
  // Zabbix (https://www.zabbix.com/documentation/current/en/manual/config/triggers/severity).
  disaster: 'critical', average: 'warning', information: 'info',
};

function aliasOf(word: string): Severity | null {
  return Object.hasOwn(aliases, word) ? (aliases[word] ?? null) : null;
}

/**
 * Reads the `severity` label, or `priority` if it is absent or empty, which is the same; also as
 * `SEV-2` or `P1 - Critical`.
 */
export function severityOf(labels: LabelSet): Severity {
  const stated = labelOf(labels, 'severity') || labelOf(labels, 'priority') || '';
  const words = stated.slice(0, 64).toLowerCase().split(/[^a-z0-9]+/u)
    .filter((word) => word !== '');
  return aliasOf(words.join('')) ?? aliasOf(words[0] ?? '') ?? 'unknown';
}

/** 0 is the worst. An unknown severity ranks with warnings, as it need not be harmless. */
export function severityRank(severity: Severity): number {
  return { critical: 0, warning: 1, unknown: 1, info: 2, none: 3 }[severity];
}
