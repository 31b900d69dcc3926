/** The course of one incident: from a quiet shop to the cause, the reports, the end, and quiet. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../src/report/report.ts';
import type { ReportList } from '../../src/report/report-list.ts';
import { eventually, letRun } from '../../test/support/programs/programs.ts';
import type { LabIncident } from './incident.ts';
import { firingOf, type Notified, type Stack } from './stack.ts';

/** When the reports are read; the first two in seconds after the first notification. */
export const moments = ['20 s', '60 s', 'end'] as const;
export type Moment = (typeof moments)[number];

/** A report as it was at a moment. */
export interface Snapshot {
  /** As in the notification of its alert. */
  readonly name: string;
  readonly notifiedAt: number;
  readonly report: Report;
}

export interface Course {
  readonly incident: LabIncident;
  /** Milliseconds since 1970. */
  readonly causedAt: number;
  /** Null if no alert fired in time; then there is nothing else. */
  readonly notifiedAt: number | null;
  /** From the answer to the first notification until its report was ready; null if it was not. */
  readonly readySeconds: number | null;
  /** At each moment that was reached, the reports in the order of their notifications. */
  readonly snapshots: ReadonlyMap<Moment, readonly Snapshot[]>;
  readonly lists: ReadonlyMap<Moment, ReportList>;
}

const quietWithinMs = 420_000;
const resolvedWithinMs = 200_000;
/** Between the end of one incident and the next one. */
const pauseMs = 30_000;

/** Files of what was read go into a folder of the incident's name in `out`. */
export async function runIncident(
  stack: Stack,
  incident: LabIncident,
  out: string,
): Promise<Course> {
  await untilQuiet(stack, incident);
  const from = stack.notified.length;
  const causedAt = Date.now();
  if (incident.world === undefined && incident.rules !== undefined) {
    await stack.setRules(incident.rules);
  }
  incident.cause(stack.shop);
  const course = await follow(stack, { incident, from, causedAt, out });
  await stack.dropRules();
  return course;
}

interface Begun {
  readonly incident: LabIncident;
  /** Index of the first notification that may be of it. */
  readonly from: number;
  readonly causedAt: number;
  readonly out: string;
}

async function follow(stack: Stack, begun: Begun): Promise<Course> {
  const { incident, from, causedAt } = begun;
  const snapshots = new Map<Moment, readonly Snapshot[]>();
  const lists = new Map<Moment, ReportList>();
  const read = async (moment: Moment): Promise<void> => {
    const { reports, list } = await readAll(stack, { ...begun, moment });
    snapshots.set(moment, reports);
    lists.set(moment, list);
  };
  const withinMs = (incident.firesWithinSeconds ?? 180) * 1000;
  const first = await eventually('the first notification', () =>
    firingOf(judgedOf(stack.notified.slice(from), incident))[0] ?? null, { withinMs })
    .catch(() => null);
  let readySeconds: number | null = null;
  if (first !== null) {
    readySeconds = await secondsToReady(stack, first);
    await letRun(first.at + 20_000 - Date.now());
    await read('20 s');
    await letRun(first.at + 60_000 - Date.now());
    await read('60 s');
    for (const proof of incident.proofs ?? []) {
      const series = await stack.count(proof);
      console.log(`    ${series > 0 ? 'holds  ' : 'MISSING'} ${proof}`);
    }
  }
  incident.end(stack.shop);
  stack.shop.restore();
  if (incident.endsWithRules === true) await stack.dropRules();
  if (first !== null) {
    await eventually('all alerts to be resolved', () =>
      firingOf(judgedOf(stack.notified, incident)).length === 0 ? true : null,
    { withinMs: resolvedWithinMs })
      .catch(() => null);
    await letRun(20_000);
    await read('end');
  }
  return {
    incident, causedAt, notifiedAt: first?.at ?? null, readySeconds, snapshots, lists,
  };
}

/** No alert fires, and what an incident did to the shop is over for a while. */
async function untilQuiet(stack: Stack, incident: LabIncident): Promise<void> {
  await eventually('all alerts to be over', () =>
    firingOf(judgedOf(stack.notified, incident)).length === 0 ? true : null,
      { withinMs: quietWithinMs });
  await letRun(pauseMs);
}

function judgedOf(
  notified: readonly Notified[],
  { truth: { unrelated = [] } }: LabIncident,
): readonly Notified[] {
  return notified.filter(({ name }) => !unrelated.includes(name));
}

async function secondsToReady(stack: Stack, { fingerprint, at }: Notified): Promise<number | null> {
  return eventually('the report', async () => {
    const { status } = await stack.report(fingerprint);
    return status === 'ready' || status === 'final' ? (Date.now() - at) / 1000 : null;
  }, { withinMs: 18_000, everyMs: 100 }).catch(() => null);
}

async function readAll(
  stack: Stack,
  { from, incident, moment, out }: Begun & { readonly moment: Moment },
): Promise<{ reports: readonly Snapshot[]; list: ReportList }> {
  const folder = join(out, incident.name, moment.replace(' ', ''));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const firing = judgedOf(stack.notified.slice(from), incident)
    .filter(({ status }) => status === 'firing');
  const those = new Map<string, Notified>();
  for (const each of firing) {
    if (!those.has(each.fingerprint)) those.set(each.fingerprint, each);
  }
  const reports: Snapshot[] = [];
  for (const { fingerprint, name, at } of those.values()) {
    const report = await stack.report(fingerprint);
    reports.push({ name, report, notifiedAt: at });
    const path = join(folder, `${name}-${fingerprint}`);
    writeFileSync(`${path}.json`, JSON.stringify(report, null, 1));
    writeFileSync(`${path}.md`, await stack.text(fingerprint));
  }
  const list = await stack.list();
  writeFileSync(join(folder, 'list.json'), JSON.stringify(list, null, 1));
  return { reports, list };
}
