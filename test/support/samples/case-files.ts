import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { labelOf } from '../../../src/alert/labels.ts';
import { parseNotification } from '../../../src/alert/notification.ts';
import { investigate } from '../../../src/analysis/investigate.ts';
import type { CaseFile, OpenAlert, PastEpisode } from '../../../src/report/case-file.ts';
import type { Report } from '../../../src/report/report.ts';
import { bySource, type Sources } from '../../../src/sources/asked-source.ts';
import { ManualClock } from '../manual-clock.ts';
import { aGroup, anAlert, fingerprint } from './alerts.ts';

/** Half an hour after `anAlert` began. */
export const caseNow: number = Date.parse('2026-11-20T10:30:00Z');

/** The case file of one alert without a history; `over` replaces members. */
export function aCaseFile(over: Partial<CaseFile> = {}): CaseFile {
  const alert = over.alert ?? anAlert();
  return {
    alert,
    group: aGroup,
    receivedAt: '2026-11-20T10:00:10.000Z',
    episode: {
      number: 1,
      startsAt: alert.startsAt ?? '2026-11-20T10:00:10.000Z',
      endsAt: alert.status === 'resolved' ? alert.endsAt : null,
      isEndUnknown: false,
      notifications: 1,
    },
    reportUrl: `https://reports.example/report/${encodeURIComponent(alert.fingerprint)}/1`,
    reportBase: 'https://reports.example',
    earlier: [],
    unlisted: null,
    openAlerts: [],
    sameNameOpen: 0,
    attempts: 1,
    incident: null,
    storm: null,
    feedback: [],
    foundBefore: null,
    ...over,
  };
}

/** A case file for each alert of a captured notification that was received at `at`. */
export function capturedCases(file: string, at: number): CaseFile[] {
  const path = join(process.cwd(), 'test/fixtures/payloads', file);
  const { alerts, group } = parseNotification(JSON.parse(readFileSync(path, 'utf8')), at);
  const receivedAt = new Date(at).toISOString();
  return alerts.map((alert) => aCaseFile({ alert, group, receivedAt }));
}

/** An earlier episode that began `hoursAgo` before {@linkcode caseNow}. */
export function pastEpisode(number: number, hoursAgo: number, minutes: number): PastEpisode {
  const start = caseNow - hoursAgo * 3_600_000;
  return {
    number,
    startsAt: new Date(start).toISOString(),
    endsAt: new Date(start + minutes * 60_000).toISOString(),
    classification: 'recovered',
  };
}

/** Another open alert that started `secondsLater` than `anAlert`; negative for earlier. */
export function openAlert(labels: OpenAlert['labels'], secondsLater: number): OpenAlert {
  const name = `${labelOf(labels, 'alertname') ?? ''}-${labelOf(labels, 'instance') ?? ''}`;
  const start = Date.parse('2026-11-20T10:00:00Z') + secondsLater * 1000;
  return {
    fingerprint: fingerprint(name.replace(/[^\w-]/gu, '').slice(0, 200) || 'none'),
    startsAt: new Date(start).toISOString(),
    labels,
  };
}

export const noSources: Sources = bySource(() => null);

/** The report of an investigation without sources, made at `now`. */
export async function investigated(caseFile: CaseFile, now: number = caseNow): Promise<Report> {
  const { report } = await investigate(caseFile, {
    clock: new ManualClock(now),
    version: '1.2.3',
    sources: noSources,
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  return report;
}
