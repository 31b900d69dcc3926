import { everything } from '../../../src/report/list-filter.ts';
import type { ListPageOptions } from '../../../src/report/pages/render-list-page.ts';
import type {
  AlertRow, IncidentRow, ReportList, ReportListEntry,
} from '../../../src/report/report-list.ts';
import { sampleNow } from './sample-report.ts';

export const emptyList: ReportList = {
  schema: 1,
  query: '',
  ignored: [],
  total: { open: 0, ended: 0 },
  open_by_severity: { critical: 0, warning: 0, info: 0, unknown: 0, none: 0 },
  open: [],
  ended: [],
  is_continued: false,
  next: null,
  searched: { open: 0, ended: 0, open_cut: false, ended_back_to: null },
  namespaces: [],
};

export const listPageOptions: ListPageOptions = {
  now: sampleNow,
  filter: everything,
  reportBase: 'https://alerts.example/base',
  needsToken: false,
};

export function listEntryOf(over: Partial<ReportListEntry> = {}): ReportListEntry {
  return {
    fingerprint: 'abc', number: 2, name: 'CheckoutLatencyHigh', severity: 'critical',
    namespace: 'payments', place: 'checkout-7d9f in payments',
    starts_at: '2026-11-20T01:14:10Z', ends_at: null, end_unknown: false, suppressed: null,
    status: 'ready',
    classification: 'actionable', certainty: 'likely', headline: 'It is slow.', gist: 'It is slow.',
    most_likely: 'the pool is full', do_first: 'See who holds it.', notifications: 2,
    heard_at: null, said: null,
    report_url: 'https://alerts.example/base/report/abc/2',
    ...over,
  };
}

export function alertRow(over: Partial<AlertRow> = {}): AlertRow {
  return { kind: 'alert', ...listEntryOf(), incident: null, ...over };
}

export function incidentRow(over: Partial<IncidentRow> = {}): IncidentRow {
  return {
    kind: 'incident', id: '00c0ffee00c0ffee',
    url: 'https://alerts.example/base/incident/00c0ffee00c0ffee',
    name: 'KubeNodeNotReady', severity: 'critical', status: 'ready',
    classification: 'actionable', certainty: 'likely', headline: 'It does not report.',
    place: '', gist: 'It does not report.',
    most_likely: 'the kubelet stopped', do_first: 'Look at its log.', said: null,
    cause_from: null, origin: null,
    likely_origin: { name: 'KubeNodeNotReady', has_ended: false }, namespaces: ['payments'],
    starts_at: '2026-11-20T01:14:10Z', ends_at: null, members: 300, open: 280, matching: 280,
    alerts: [listEntryOf({ name: 'KubeNodeNotReady' }), listEntryOf({ name: 'PodSlow' })],
    ...over,
  };
}

/** A list of only these rows, with matching counts. */
export function listOf(open: ReportList['open'], ended: ReportList['ended'] = []): ReportList {
  const bySeverity = { ...emptyList.open_by_severity };
  for (const { severity } of open) bySeverity[severity] += 1;
  return {
    ...emptyList, open, ended, open_by_severity: bySeverity,
    total: { open: open.length, ended: ended.length },
  };
}
