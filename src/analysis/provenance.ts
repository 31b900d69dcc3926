import { isResolved, type Situation } from '../diagnosis/situation.ts';
import type { Evidence } from '../evidence/collect-evidence.ts';
import { sourceReports } from '../evidence/source-facts.ts';
import { enumerated } from '../report/plain-text.ts';
import type { Provenance } from '../report/report.ts';
import { isoTime } from '../report/time-text.ts';
import { askedSources, type AskedSource } from '../sources/asked-source.ts';
import { leftUnanswered } from './awaited-answers.ts';
import { recheckNotice } from './recheck.ts';

interface Run {
  readonly version: string;
  /** Wall time in milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number;
  /** Why no recording is kept, as a sentence; null if one may be. */
  readonly unrecorded: string | null;
  /** When a recheck is due (wall time in ms); null when none is. */
  readonly recheckAt: number | null;
}

type Check = Provenance['checks'][number];
type SourceLine = Provenance['sources'][number];

/** The origin of the report: which sources were asked, what was checked, and what was skipped. */
export function provenanceOf(situation: Situation, run: Run): Provenance {
  const { caseFile, evidence } = situation;
  const known = (name: string): SourceLine => ({ name, state: 'ok', duration_ms: 0, queries: 0 });
  return {
    version: run.version,
    family: situation.knowledge?.family.id ?? null,
    sources: [
      known('alert'),
      known('notification'),
      known('store'),
      ...askedSources.map((name) => outsideSource(name, evidence)),
    ],
    checks: [
      ...checksOf(situation),
      ...(run.unrecorded === null ? [] : [check('recording', run.unrecorded)]),
      ...recheckText(situation, run),
    ],
    redactions: evidence.ledger.items.reduce((sum, item) => sum + item.redactions, 0),
    attempts: caseFile.attempts,
    started_at: isoTime(run.startedAt),
    finished_at: isoTime(run.finishedAt),
    recording_url: null,
    looks_again_at: run.recheckAt === null ? null : isoTime(run.recheckAt),
  };
}

function outsideSource(name: AskedSource, evidence: Evidence): SourceLine {
  const { state, durationMs, queries } = sourceReports(evidence)[name] ??
    { state: evidence.sources[name], durationMs: 0, queries: 0 };
  return { name, state, duration_ms: durationMs, queries };
}

function checksOf(situation: Situation): Check[] {
  const { evidence, knowledge } = situation;
  const { rule, measurement, history } = evidence;
  return [
    check('rule expression', rule === null ? 'The alert carries no expression.'
      : rule.comparison === null ? rule.unread : null),
    check('value against threshold', measurement.unknownBecause ??
      (measurement.threshold === null ? 'The limit of the rule is unknown.' : null)),
    check('flapping', null),
    check('recurrence', history.earlier.length < 2 ? 'Fewer than three episodes.' : null),
    check('related alerts', null),
    check('known alert family', knowledge === null ? 'The alert is of no known family.' : null),
    ...metricChecks(situation),
    ...alertmanagerChecks(evidence),
    ...logChecks(evidence),
  ];
}

const noMetrics = 'No metric source is configured (PROMETHEUS_URL).';
const broken = 'A bug in this service kept it from reading the answers.';
const inStorm = 'In an alert storm, only a few alerts are investigated in full.';

function metricChecks(situation: Situation): Check[] {
  const { evidence: { metrics, sources } } = situation;
  const atEnd = isResolved(situation) ? ['value at the end'] : [];
  if (metrics === null) {
    const isBroken = sources.prometheus === 'failed';
    const why = isBroken ? broken
      : sources.prometheus === 'not_configured' ? noMetrics : inStorm;
    const state = isBroken ? 'failed' : 'skipped';
    return ['scrape health', 'what moved', ...atEnd].map((name) => ({ name, state, why }));
  }
  const { own, scrape, peers, ranking, fired, source: { failures } } = metrics;
  const why = failures[0] === undefined ? null : `Prometheus: ${failures[0].why}`;
  const recheck = (name: string, found: unknown, otherwise: string): Check => {
    if (found !== null) return check(name, null);
    return why === null ? check(name, otherwise) : { name, state: 'failed', why };
  };
  return [
    recheck('scrape health', scrape, 'It is unknown which targets the alert is about.'),
    recheck('what moved', ranking, 'No series to compare were found.'),
    recheck('own series', own, 'The series of the alert was not found.'),
    recheck('others of the same rule', peers, 'The rule was not evaluated for other objects.'),
    recheck('earlier firing', fired, 'The server does not say when the alert fired before.'),
    ...atEnd.map((name) =>
      recheck(name, own?.valueAtEnd ?? null, 'The series has no value at the end.')),
  ];
}

function alertmanagerChecks({ alertmanager }: Evidence): Check[] {
  if (alertmanager === null) return [];
  const name = 'silences and inhibitions';
  const [failure] = alertmanager.source.failures;
  return [failure === undefined ? check(name, null) : { name, state: 'failed', why: failure.why }];
}

function logChecks({ logs }: Evidence): Check[] {
  if (logs === null) return [];
  const name = 'trouble in the logs';
  if (logs.trouble !== null) return [check(name, null)];
  const { failures, mayAnswerLater, state } = logs.source;
  const isFailed = state === 'failed' || mayAnswerLater;
  return [{ name, state: isFailed ? 'failed' : 'skipped', why: failures[0]?.why ?? null }];
}

function recheckText(situation: Situation, { recheckAt }: Run): Check[] {
  if (recheckAt === null) return [];
  const sources = leftUnanswered(situation.evidence);
  const why = sources.length > 0 ? `${enumerated(sources)} did not answer every question`
    : isResolved(situation) ? 'There are few data points since the end' : 'The alert still fires';
  return [check(recheckNotice, `${why}; the report is made again at ${isoTime(recheckAt)}.`)];
}

function check(name: string, skippedBecause: string | null): Check {
  return { name, state: skippedBecause === null ? 'done' : 'skipped', why: skippedBecause };
}
