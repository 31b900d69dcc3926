import { outsideSources } from '../evidence/missing-sources.ts';
import type { Unknown } from '../report/report.ts';
import { isResolved, type Situation } from './situation.ts';

/** What could not be found out, why, and the shortest way to know it. */
export function unknownsOf(situation: Situation): Unknown[] {
  return [...fromAlert(situation), ...fromSources(situation)];
}

function fromAlert(situation: Situation): Unknown[] {
  const { caseFile, evidence } = situation;
  const { measurement, rule } = evidence;
  const unknowns: Unknown[] = [];
  if (measurement.unknownBecause !== null) {
    unknowns.push({
      what: 'The value that made the alert fire.',
      why: measurement.unknownBecause,
      how_to_get: 'Put `{{ $value }}` into an annotation named value, or set PROMETHEUS_URL.',
    });
  }
  if (rule === null || rule.threshold === null) {
    unknowns.push({
      what: 'The limit of the rule.',
      why: rule?.unread ?? 'The alert carries no expression.',
      how_to_get: 'Open the rule where it is written, or set PROMETHEUS_URL.',
    });
  }
  if (isResolved(situation)) {
    unknowns.push({
      what: 'The value when the alert ended.',
      why: 'A resolved alert repeats what it said while it fired.',
      how_to_get: 'Set PROMETHEUS_URL.',
    });
  }
  const { truncated } = caseFile.group;
  if (truncated > 0) {
    unknowns.push({
      what: `${truncated} further alerts of the group.`,
      why: 'The sender left them out (max_alerts).',
      how_to_get: 'Set max_alerts: 0 in the receiver, or look at the group in Alertmanager.',
    });
  }
  return unknowns;
}

function fromSources({ evidence }: Situation): Unknown[] {
  return outsideSources
    .filter(({ name }) => evidence.sources[name] === 'not_configured')
    .map(({ title, setting, tells }) => ({
      what: `${tells}.`,
      why: `${title} is not configured.`,
      how_to_get: `Set ${setting}.`,
    }));
}
