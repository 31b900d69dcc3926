import type { Classification, Report } from '../../src/report/report.ts';
import type { World } from '../support/sources/served-prometheus.ts';

/** An invented incident, and what a good report says about it. */
export interface Scenario {
  readonly name: string;
  /** Notifications in the order they are sent. The report on the first alert is judged. */
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
  /** What the report must blame, all of it; null if it must blame nothing. */
  readonly causes: readonly RegExp[] | null;
  /** What the report must not blame. */
  readonly innocent: readonly RegExp[];
  /** What neither code nor a model may conclude. */
  readonly absent: readonly RegExp[];
}

/** Makes a scenario in a namespace of its own. Its times count back from `now`, in wall time. */
export type Plot = (now: number, namespace?: string) => Scenario;

/** What the report blames: headline, most likely cause, and explanations with some certainty. */
export function blamedIn({ verdict, hypotheses }: Report): string {
  const likely = hypotheses.filter(({ certainty }) => certainty !== 'inconclusive');
  return [verdict.headline, verdict.most_likely, ...likely.map(({ cause }) => cause)].join('\n');
}

/** Whether the report blames all causes and nothing innocent, or nothing if there is no cause. */
export function namesCause(report: Report, { causes, innocent }: Expected): boolean {
  const blamed = blamedIn(report);
  if (innocent.some((word) => word.test(blamed))) return false;
  if (causes === null) return report.verdict.most_likely === null;
  return causes.every((cause) => cause.test(blamed));
}

/** What a reader would believe although it is false: lies not marked, and forbidden conclusions. */
export function falseIn(
  report: Report,
  { expected }: Pick<Scenario, 'expected'>,
  lies: ReadonlySet<string>,
): string[] {
  const { narrative } = report;
  const believed: Report = narrative.state === 'absent' ? report : {
    ...report,
    narrative: { ...narrative, claims: narrative.claims.filter(({ verified }) => verified) },
  };
  const said = concludedIn(believed);
  return [
    ...[...lies].filter((lie) => said.includes(JSON.stringify(lie).slice(1, -1))),
    ...expected.absent.flatMap((word) => word.exec(said)?.[0] ?? []),
  ];
}

/** The report's conclusions as text, without the alert and the evidence, which quote it. */
function concludedIn(report: Report): string {
  const { verdict, hypotheses, next_steps: steps, narrative } = report;
  return JSON.stringify({ verdict, hypotheses, steps, narrative });
}
