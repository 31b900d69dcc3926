/** Reports as large as real ones with metrics, for screenshots and measurements. */
import type { Change, EvidenceItem, Report } from '../../../src/report/report.ts';
import { sampleReport } from './sample-report.ts';

const points = 240;
const stepSeconds = 60;
const end = Date.parse('2026-11-20T01:26:00Z');
const split = points - 17;

/** A series that goes from one level to another at the split. */
function course(before: number, after: number, seed: number): number[] {
  return Array.from({ length: points }, (_, index) => {
    const noise = Math.sin(seed * 12.9 + index * 78.233) * 0.06;
    const share = Math.min(1, Math.max(0, (index - split) / 4));
    return Number(((before + (after - before) * share) * (1 + noise)).toPrecision(4));
  });
}

type Moved = readonly [
  what: string, component: string, before: number, after: number, unit: string,
  strength: Change['strength'],
];

const moved: readonly Moved[] = [
  ['Connections of orders-db rose', 'orders-db', 40, 198, 'count', 'strong'],
  ['Wait for a connection of checkout rose', 'checkout', 0.002, 1.4, 'seconds', 'strong'],
  ['Queue of payment-worker grew', 'payment-worker', 12, 340, 'count', 'strong'],
  ['CPU of orders-db rose', 'orders-db', 0.31, 0.88, 'ratio', 'notable'],
  ['Memory of checkout rose', 'checkout', 3.1e8, 5.2e8, 'bytes', 'notable'],
  ['Requests of web fell', 'web', 2140, 1310, 'per_second', 'notable'],
  ['Garbage collection of checkout', 'checkout', 0.01, 0.014, 'ratio', 'weak'],
  ['Network received by cart', 'cart', 1.2e6, 1.3e6, 'bytes_per_second', 'weak'],
  ['Open files of mail', 'mail', 211, 214, 'count', 'weak'],
  ['Disk read of orders-db', 'orders-db', 2.2e6, 2.5e6, 'bytes_per_second', 'weak'],
  ['Threads of web', 'web', 64, 66, 'count', 'weak'],
];

const own: Moved = ['The alert’s own series', 'checkout', 0.21, 1.93, 'seconds', 'strong'];

function seriesItem(id: string, line: Moved, seed: number): EvidenceItem {
  const [what, component, before, after, unit] = line;
  const from = new Date(end - (points - 1) * stepSeconds * 1000).toISOString();
  const isOwn = line === own;
  return {
    id, kind: 'series', source: 'prometheus', title: what,
    query: `sum by (service) (rate(app_${id.toLowerCase()}_total{namespace="payments",`
      + `service="${component}"}[5m]))`,
    from, to: new Date(end).toISOString(), step_seconds: stepSeconds,
    summary: `From ${before} to ${after}, z ${(9.4 - seed / 2).toFixed(1)}.`,
    data: {
      labels: { service: component, namespace: 'payments' }, unit, start: from,
      step_seconds: stepSeconds, values: course(before, after, seed), split,
      threshold: isOwn ? 0.5 : null, before, after, z: 9.4 - seed / 2, onset: null,
    },
    link: null, fetched_at: '2026-11-20T01:14:30Z', truncated: false, warnings: [],
    redactions: 0, state: 'ok', error: null,
  };
}

/** {@linkcode sampleReport} with the series that its statements cite. */
export function typicalReport(overrides: Partial<Report> = {}): Report {
  const sample = sampleReport();
  const [alert, ownItem, , history, logs] = sample.evidence;
  if (!alert || !ownItem || !history || !logs) throw new Error('The sample has five items.');
  const series = moved.map((line, index) => seriesItem(`E${index + 6}`, line, index));
  const drawn = seriesItem('E2', own, 3);
  return sampleReport({
    evidence: [
      alert, { ...ownItem, data: drawn.data }, { ...seriesItem('E3', moved[0] ?? own, 0) },
      history, logs, ...series,
    ],
    changes: moved.map(([what, component, before, after, unit, strength], index) => ({
      rank: index + 1, kind: 'series', title: what,
      component: { label: 'service', value: component },
      labels: { service: component }, before, after, unit, z: 9.4 - index / 2, strength,
      effect: 4, onset_seconds: -300 + index * 20, agreement: 1, evidence: [`E${index + 6}`],
    })),
    alert: {
      ...sample.alert,
      links: [
        ...sample.alert.links,
        {
          title: 'Alertmanager', kind: 'alertmanager',
          url: 'https://alertmanager.example/#/alerts?filter=%7Ba%3D1%7D',
        },
        {
          title: 'Silence', kind: 'silence',
          url: 'https://alertmanager.example/#/silences/new?filter=%7Ba%3D1%7D',
        },
      ],
    },
    ...overrides,
  });
}
