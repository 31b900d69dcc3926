import { alertNameOf } from '../alert/alert.ts';
import { labelOf } from '../alert/labels.ts';
import { dayMs } from '../lib/time-units.ts';
import { alertLinks } from './alert-links.ts';
import { subjectOf } from './alert-place.ts';
import type { CaseFile } from './case-file.ts';
import { reportedIncident, stormFinding, stormStep } from './incident.ts';
import { lastFeedbackIn } from './last-feedback.ts';
import type {
  ReportedEpisode, History, Narrative, Progress, Report, ReportStatus, Verdict,
} from './report.ts';
import { reportUrl } from './report-url.ts';
import type { ReportedAlert } from './reported-alert.ts';
import { shownClause } from './shown-text.ts';
import { isoTime, momentOf, utcText } from './time-text.ts';

interface NewReportOptions {
  readonly status: ReportStatus;
  /** Wall time in milliseconds. */
  readonly now: number;
  /** The service's own version. */
  readonly version: string;
  readonly progress?: Progress | null;
}

interface FailedReportOptions {
  readonly now: number;
  readonly version: string;
  /** What happened, as a sentence or clause. */
  readonly reason: string;
  /** Whether a language model is configured. */
  readonly hasModel: boolean;
}

/** A report made from the alert alone, before any investigation; every member is present. */
export function newReport(caseFile: CaseFile, options: NewReportOptions): Report {
  return {
    schema: 1,
    fingerprint: caseFile.alert.fingerprint,
    report_url: caseFile.reportUrl,
    status: options.status,
    updated_at: isoTime(options.now),
    progress: options.progress ?? null,
    episode: reportedEpisode(caseFile),
    alert: reportedAlert(caseFile),
    verdict: firstVerdict(caseFile, options.now),
    reality: {
      value_at_fire: null, value_now: null, threshold: null, threshold_series: null, operator: null,
      unit: null, yesterday: null, last_week: null, flaps: null, scrape_ok: null, evidence: [],
    },
    impact: {
      scope: null, firing_same: null, targets_up: null, targets_total: null, affected: [],
      evidence: [],
    },
    changes: [],
    findings: stormFinding(caseFile),
    hypotheses: [],
    ruled_out: [],
    next_steps: [],
    timeline: [],
    evidence: [],
    related: [],
    incident: reportedIncident(caseFile),
    path: null,
    history: listedHistory(caseFile, options.now),
    unknowns: [],
    narrative: withoutModel,
    questions: [],
    resolution: null,
    feedback: [],
    provenance: {
      version: options.version, family: null, sources: [], checks: [], redactions: 0,
      attempts: caseFile.attempts, started_at: null, finished_at: null, recording_url: null,
      looks_again_at: null,
    },
  };
}

/** The report of an alert whose analysis failed for good: what the alert says, and the reason. */
export function failedReport(caseFile: CaseFile, options: FailedReportOptions): Report {
  const { now, version } = options;
  const reason = shownClause(options.reason, 300);
  const report = newReport(caseFile, { status: 'failed', now, version });
  return {
    ...report,
    verdict: {
      ...report.verdict,
      headline: `${report.verdict.headline} Its analysis failed: ${reason}.`,
      gist: `Its analysis failed: ${reason}.`,
      reasons: [{ text: `The analysis failed: ${reason}.`, effect: 'lowers', evidence: [] }],
    },
    unknowns: [
      {
        what: 'The cause of the alert.',
        why: `The analysis failed: ${reason}.`,
        how_to_get: 'Ask for a new analysis, or look at the links of the alert.',
      },
    ],
    narrative: options.hasModel ? notAsked : withoutModel,
    provenance: {
      ...report.provenance,
      checks: [{ name: 'analysis', state: 'failed', why: `${reason}.` }],
      finished_at: isoTime(now),
    },
  };
}

/** The narrative of a report when no model is configured. */
const withoutModel: Narrative = {
  state: 'absent',
  reason: 'not_configured',
  detail: 'No language model is configured (MODEL_PROVIDER).',
};

const notAsked: Narrative = {
  state: 'absent',
  reason: 'failed',
  detail: 'The language model was not asked, because the analysis failed.',
};

/** When the episode ended, in milliseconds; null while it fires. */
export function caseEndOf(caseFile: CaseFile): number | null {
  const { alert, episode, receivedAt } = caseFile;
  if (episode.endsAt === null && alert.status !== 'resolved') return null;
  return momentOf(episode.endsAt ?? alert.endsAt, momentOf(receivedAt, 0));
}

/** When the episode began, in milliseconds. */
export function caseStartOf(caseFile: CaseFile): number {
  return momentOf(caseFile.episode.startsAt, momentOf(caseFile.receivedAt, 0));
}

/** The episode as far as the case file tells: it may not be the newest. */
export function reportedEpisode(caseFile: CaseFile): ReportedEpisode {
  const { number, startsAt, endsAt, isEndUnknown, notifications } = caseFile.episode;
  const end = caseEndOf(caseFile);
  return {
    number,
    of: number,
    starts_at: startsAt,
    ends_at: endsAt ?? (end === null ? null : isoTime(end)),
    end_unknown: isEndUnknown,
    suppressed: null,
    state: end === null ? 'firing' : 'resolved',
    notifications,
  };
}

function reportedAlert({ alert, group }: CaseFile): ReportedAlert {
  return {
    name: alertNameOf(alert.labels),
    severity: labelOf(alert.labels, 'severity'),
    namespace: labelOf(alert.labels, 'namespace'),
    labels: alert.labels,
    annotations: alert.annotations,
    startsAt: alert.startsAt,
    endsAt: alert.endsAt,
    generatorURL: alert.generatorURL,
    receiver: group.receiver,
    group_key: group.groupKey,
    group: { listed: group.listed, truncated: group.truncated },
    links: alertLinks(alert, group),
  };
}

function firstVerdict(caseFile: CaseFile, now: number): Verdict {
  const subject = subjectOf(caseFile.alert.labels);
  const since = utcText(caseStartOf(caseFile), now);
  const end = caseEndOf(caseFile);
  const headline = end === null
    ? `${subject} has been firing since ${since}.`
    : `${subject} fired at ${since} and ended at ${utcText(end, now)}.`;
  return {
    classification: end === null ? 'inconclusive' : 'recovered',
    headline,
    gist: '',
    most_likely: null,
    certainty: 'inconclusive',
    reasons: [],
    do_first: stormStep(caseFile),
  };
}

/** Earlier episodes listed; older ones are only counted. */
const earlierListed = 99;

/** The episodes and their counts, without the statistics computed from them. */
export function listedHistory(caseFile: CaseFile, now: number): History {
  const { number, starts_at, ends_at } = reportedEpisode(caseFile);
  const starts = [starts_at, ...caseFile.earlier.map((earlier) => earlier.startsAt)];
  const { unlisted } = caseFile;
  const begunWithin = (days: number): number =>
    starts.filter((start) => momentOf(start, 0) > now - days * dayMs).length;
  return {
    episodes: [
      { number, starts_at, ends_at, classification: null, report_url: caseFile.reportUrl },
      ...caseFile.earlier.slice(0, earlierListed).map((earlier) => ({
        number: earlier.number,
        starts_at: earlier.startsAt,
        ends_at: earlier.endsAt,
        classification: earlier.classification,
        report_url: reportUrl(caseFile.reportBase, caseFile.alert.fingerprint, earlier.number),
      })),
    ],
    last_24h: begunWithin(1) + (unlisted?.last24h ?? 0),
    last_7d: begunWithin(7) + (unlisted?.last7d ?? 0),
    last_30d: begunWithin(30) + (unlisted?.last30d ?? 0),
    median_duration_seconds: null,
    self_resolved_share: null,
    flapping: false,
    rhythm: null,
    last_said: lastFeedbackIn(caseFile),
  };
}
