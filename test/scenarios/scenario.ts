import type { Classification, Report } from '../../src/report/report.ts';
import type { World } from '../support/sources/served-prometheus.ts';

/** An incident that is made up, and what a good report says about it. */
export interface Scenario {
  readonly name: string;
  /** Of every alert in it, and of nothing else: by it a model's requests are told apart. */
  readonly namespace: string;
  /** Notifications in the order they are sent; the report is that on the first alert of them. */
  readonly notifications: readonly Notified[];
  /** What Prometheus and Alertmanager hold. */
  readonly world: World;
  readonly expected: Expected;
}

export interface Notified {
  readonly status: 'firing' | 'resolved';
  readonly alerts: readonly NotifiedAlert[];
}

export interface NotifiedAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt?: string;
  readonly generatorURL: string;
  readonly fingerprint: string;
}

export interface Expected {
  readonly classification: Classification;
  /** All of them stand in what the report blames; null where nothing may be blamed. */
  readonly causes: readonly RegExp[] | null;
  /** None of them stands there: that it moved a little is no reason. */
  readonly innocent: readonly RegExp[];
  /** Neither code nor a model may conclude this. */
  readonly absent: readonly RegExp[];
}

/** Its moments count back from `now`, in wall time. */
export type Plot = (now: number) => Scenario;

/** What the report holds responsible: its headline, and explanations that something speaks for. */
export function blamedIn({ verdict, hypotheses }: Report): string {
  const likely = hypotheses.filter(({ certainty }) => certainty !== 'inconclusive');
  return [verdict.headline, ...likely.map(({ cause }) => cause)].join('\n');
}

/** Whether the causes are named, or none is where none may be. */
export function namesCause(report: Report, { causes, innocent }: Expected): boolean {
  const blamed = blamedIn(report);
  if (innocent.some((word) => word.test(blamed))) return false;
  if (causes === null) return report.verdict.most_likely === null;
  return causes.every((cause) => cause.test(blamed));
}

/** What nobody may read as a conclusion: everything but the alert itself and evidence of it. */
export function concludedIn(report: Report): string {
  const { verdict, hypotheses, next_steps: steps, narrative } = report;
  return JSON.stringify({ verdict, hypotheses, steps, narrative });
}
