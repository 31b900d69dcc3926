import type { Evidence } from '../evidence/collect-evidence.ts';
import { listedClause } from '../evidence/from-notification.ts';
import { outsideSources, type OutsideSource } from '../evidence/missing-sources.ts';
import { comparesNothing } from '../evidence/rule/comparison.ts';
import { sourceReports } from '../evidence/source-facts.ts';
import type { SourceFault } from '../evidence/source-report.ts';
import { counted, enumerated } from '../report/plain-text.ts';
import type { SourceState, Unknown } from '../report/report.ts';
import { shownClause } from '../report/shown-text.ts';
import { isResolved, type Situation } from './situation.ts';

const faultsMax = 12;

/** What could not be found out, why, and the shortest way to find it out. */
export function unknownsOf(situation: Situation): Unknown[] {
  return [
    ...fromAlert(situation), ...fromFaults(situation), ...fromSources(situation),
    ...leftOutOf(situation),
  ];
}

function fromAlert(situation: Situation): Unknown[] {
  const { measurement, rule, metrics } = situation.evidence;
  const orSetting = metrics === null ? ', or set PROMETHEUS_URL' : '';
  const unknowns: Unknown[] = [];
  if (measurement.unknownBecause !== null) {
    unknowns.push({
      what: 'The value that made the alert fire.',
      why: measurement.unknownBecause,
      how_to_get: `Put \`{{ $value }}\` into an annotation named value${orSetting}.`,
    });
  }
  const hasLimit = measurement.threshold !== null && measurement.limit !== null;
  const isUnknown = (rule?.comparison?.threshold ?? null) === null && !hasLimit;
  if (isUnknown && rule?.unread !== comparesNothing) {
    unknowns.push({
      what: 'The threshold of the rule.',
      why: rule?.unread ?? 'The alert carries no expression.',
      how_to_get: `Look it up in the rule file${orSetting}.`,
    });
  }
  const unrun = metrics?.unrun ?? null;
  if (unrun !== null) {
    unknowns.push({
      what: "What Prometheus has of the alert's own series.",
      why: unrun,
      how_to_get: 'Set PROMETHEUS_URL to a server that lists the rule (/api/v1/rules).',
    });
  }
  // Reported for the source as a whole, or above.
  const isUnread = metrics?.source.state === 'failed' || unrun !== null;
  if (isResolved(situation) && !isUnread && (metrics?.own?.valueAtEnd ?? null) === null) {
    unknowns.push({
      what: 'The value when the alert ended.',
      why: metrics === null ? 'A resolved alert repeats what it said while it fired.'
        : 'Prometheus has no sample of that moment.',
      how_to_get: metrics === null ? 'Set PROMETHEUS_URL.' : 'Graph what the rule compares.',
    });
  }
  return unknowns;
}

/** The alerts that the notification left out of its group, unless Alertmanager reports them. */
function leftOutOf({ caseFile: { group }, evidence: { alertmanager } }: Situation): Unknown[] {
  return group.truncated === 0 || alertmanager?.isGroupListed === true ? [] : [{
    what: `${counted(group.truncated, 'further alert')} of the group.`,
    why: `${listedClause(group)}: the sender left the others out (max_alerts).`,
    how_to_get: 'Set max_alerts: 0 in the receiver, or look at the group in Alertmanager.',
  }];
}

/** Parts that a source did not deliver, with what an operator can do about it. */
function fromFaults({ evidence }: Situation): Unknown[] {
  const reports = sourceReports(evidence);
  const unknowns = outsideSources.flatMap(({ name }) =>
    (reports[name]?.failures ?? []).map((fault) => unknownOf(fault, name)));
  return unknowns.slice(0, faultsMax);
}

function unknownOf({ what, why, hint }: SourceFault, source: OutsideSource['name']): Unknown {
  return { source, what: sentence(what), why: sentence(why), how_to_get: sentence(hint) };
}

function sentence(text: string): string {
  const shown = shownClause(text, 300);
  return shown === '' ? 'Not known.' : `${shown}.`;
}

function fromSources({ evidence }: Situation): Unknown[] {
  const inState = (state: SourceState): readonly OutsideSource[] =>
    outsideSources.filter(({ name }) => evidence.sources[name] === state);
  return [
    ...inState('failed').flatMap((source) => unasked(source, evidence)),
    ...notLookedAt(inState('not_configured')),
  ];
}

/** All sources that are not configured, in one entry: it is the same in every report. */
function notLookedAt(sources: readonly OutsideSource[]): Unknown[] {
  if (sources.length === 0) return [];
  const [first = '', ...others] = sources.map(({ provides }) => provides);
  const titles = sources.map(({ title }) => title);
  return [{
    what: `${[first, ...others.map(inSentence)].join('; ')}.`,
    why: `${enumerated(titles)} ${titles.length === 1 ? 'is' : 'are'} not configured.`,
    how_to_get: `Set ${enumerated(sources.map(({ setting }) => setting))}.`,
  }];
}

function inSentence(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Empty where the source was asked, as its own facts then list what it did not answer. */
function unasked({ name, provides, title, setting }: OutsideSource, evidence: Evidence): Unknown[] {
  if (sourceReports(evidence)[name] !== undefined) return [];
  const item = evidence.ledger.items.find(({ id }) => id === evidence.ids.sources[name]);
  return [{
    source: name,
    what: `${provides}.`,
    why: sentence(item?.summary ?? `${title} did not answer`),
    how_to_get: `Check that ${title} can be reached at ${setting}.`,
  }];
}
