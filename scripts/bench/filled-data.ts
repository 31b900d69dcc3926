/** Data directories of a service with a long history, written by the service's own code. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Fingerprint } from '../../src/alert/fingerprint.ts';
import { beginsEpisode, type DecisionKind } from '../../src/episodes/decide.ts';
import { recordKinds } from '../../src/episodes/episode-journal.ts';
import { changeOf, encodeNotification, type Accepted } from '../../src/episodes/records.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { nodeFileSystem } from '../../src/lib/file-system.ts';
import { Journal } from '../../src/queue/journal.ts';
import { anAlert } from '../../test/support/samples/alerts.ts';
import { silentLog } from '../../test/support/silent-log.ts';

export interface Filling {
  readonly episodes: number;
  /** How many of them are still firing. */
  readonly open: number;
  /** Repeats of the open ones are appended until the journal has this size. */
  readonly journalBytes?: number;
}

const alertsPerNotification = 100;
const appendedAtOnce = 200;
const namespaces = 40;
const headline = '2.4 s, 2.4× its limit of 1 s. Firing for 12 min.';

interface Writer {
  readonly append: (type: number, parts: readonly Uint8Array[]) => Promise<void>;
  readonly bytes: () => number;
  /** Returns the size of the journal in bytes. */
  readonly close: () => Promise<number>;
}

/** Writes the journal of the directory; returns its size in bytes. */
export async function fillData(directory: string, filling: Filling): Promise<number> {
  const writer = await openWriter(directory);
  const { episodes, open, journalBytes = 0 } = filling;
  const newest = Date.now() - 60_000;
  const startOf = (index: number): number => newest - (episodes - index) * 5_000;
  for (let from = 0; from < episodes; from += alertsPerNotification) {
    const indexes = range(from, Math.min(episodes, from + alertsPerNotification));
    await notify(writer, 'opened', indexes, startOf);
    const ended = indexes.filter((index) => index < episodes - open);
    if (ended.length > 0) await notify(writer, 'resolved', ended, startOf);
    for (const index of indexes) {
      const notifications = index < episodes - open ? 2 : 1;
      await writer.append(recordKinds.outcome.type, outcomeOf(index, notifications));
    }
  }
  const firing = range(episodes - Math.min(open, alertsPerNotification), episodes);
  while (writer.bytes() < journalBytes) await notify(writer, 'refreshed', firing, startOf);
  return writer.close();
}

async function openWriter(directory: string): Promise<Writer> {
  mkdirSync(join(directory, 'journal'), { recursive: true, mode: 0o700 });
  const journal = await Journal.open({
    directory: join(directory, 'journal'),
    files: nodeFileSystem, clock: systemClock, log: silentLog, checksum: crc32, onRecord() {},
  });
  let waiting: Promise<number>[] = [];
  const settle = async (): Promise<void> => {
    await Promise.all(waiting);
    waiting = [];
  };
  return {
    async append(type, parts) {
      waiting.push(journal.append(type, parts));
      if (waiting.length >= appendedAtOnce) await settle();
    },
    bytes: () => journal.stats.bytes,
    async close() {
      await settle();
      const { bytes } = journal.stats; // Once closed, it no longer counts its last segment.
      await journal.close();
      return bytes;
    },
  };
}

async function notify(
  { append }: Writer,
  kind: DecisionKind,
  indexes: readonly number[],
  startOf: (index: number) => number,
): Promise<void> {
  const isFiring = kind !== 'resolved';
  const alerts = indexes.map((index) => anAlert({
    status: isFiring ? 'firing' : 'resolved',
    labels: {
      alertname: `CheckoutLatencyHigh${index % 60}`,
      severity: index % 3 === 0 ? 'critical' : 'warning',
      namespace: `shop-${index % namespaces}`, job: 'checkout',
      instance: `checkout-${index}:8080`, cluster: 'eu1',
    },
    annotations: { summary: '99 % of requests take 2.4 s, more than 1 s', description: headline },
    generatorURL: 'http://prometheus.example.com:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
    fingerprint: fingerprintAt(index),
    startsAt: new Date(startOf(index)).toISOString(),
    endsAt: isFiring ? null : new Date(startOf(index) + 240_000).toISOString(),
  }));
  const body = Buffer.from(JSON.stringify({
    version: '4', status: isFiring ? 'firing' : 'resolved', receiver: 'alert-analyst',
    groupKey: `{}:{n="${indexes[0]}"}`, groupLabels: {}, alerts,
  }));
  const accepted = alerts.map((alert, index): Accepted => ({
    fingerprint: alert.fingerprint, kind, number: 1, index,
    ...(!beginsEpisode(kind) && { change: changeOf(alert) }),
  }));
  const receivedAt = startOf(indexes[0] ?? 0) + (isFiring ? 1_000 : 241_000);
  await append(recordKinds.notification.type, encodeNotification({ receivedAt, accepted, body }));
}

/** The fingerprint of the episode with this index. */
export function fingerprintAt(index: number): Fingerprint {
  return index.toString(16).padStart(16, '0') as Fingerprint;
}

/** `revision` is the number of notifications, so the report is current and nothing is queued. */
function outcomeOf(index: number, revision: number): Uint8Array[] {
  return recordKinds.outcome.encode({
    fingerprint: fingerprintAt(index), number: 1, state: 'reported', revision,
    conclusion: { classification: 'actionable', certainty: 'possible', headline },
  });
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
