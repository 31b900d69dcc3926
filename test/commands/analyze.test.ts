import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze, type AnalyzeOptions, type AnalyzeResult } from '../../src/commands/analyze.ts';
import { bySource } from '../../src/sources/asked-source.ts';
import { ManualClock } from '../support/manual-clock.ts';

const valid = { labels: { alertname: 'DiskFull' }, startsAt: '2026-01-02T03:04:05Z' };

type Done = Extract<AnalyzeResult, { readonly kind: 'done' }>;

const given = {
  format: 'text', color: false, width: 80, version: '0.0.0', clock: new ManualClock(0),
  accesses: bySource(() => null),
  isRecorded: false, model: null, onStep: () => {},
} as const;

async function analyzed(notification: object, over: Partial<AnalyzeOptions> = {}): Promise<Done> {
  const result = await analyze([Buffer.from(JSON.stringify(notification))], {
    ...given, clock: new ManualClock(Date.parse('2026-01-02T04:00:00Z')), ...over,
  });
  assert.equal(result.kind, 'done');
  return result;
}

test('analyze() says how many alerts are in no report, and why', async () => {
  const rejectedOf = async (alerts: readonly unknown[]): Promise<string | null> =>
    (await analyzed({ alerts })).rejected;
  assert.equal(await rejectedOf([valid]), null);
  assert.equal(await rejectedOf([valid, { labels: 'secret' }]),
    '1 of 2 alerts is not valid: alerts[1].labels: expected an object, got a string');
  assert.equal(await rejectedOf([7, valid, { labels: 'secret' }]),
    '2 of 3 alerts are not valid; the first: alerts[0]: expected an object, got a number');
});

test('analyze() says where a notification is not JSON', async () => {
  for (const [text, why] of [
    ['', 'it is empty'], ['{"alerts":[', 'it is not JSON: it ends too early'],
    ['{"secret" 1}', 'it is not JSON: it breaks at position 10'],
  ] as const) {
    const problem = `Cannot analyse the notification: ${why}`;
    assert.deepEqual(await analyze([Buffer.from(text)], given), { kind: 'refused', problem });
  }
});

test('analyze() says why a file is no notification, or has nothing to report on', async () => {
  for (const [notification, why] of [
    [[valid], 'body: expected an object, got an array'],
    [{ alerts: [] }, 'it has no alerts'],
    [{ alerts: [7] }, 'alerts[0]: expected an object, got a number'],
  ] as const) {
    const result = await analyze([Buffer.from(JSON.stringify(notification))], given);
    const problem = `Cannot analyse the notification: ${why}`;
    assert.deepEqual(result, { kind: 'refused', problem });
  }
});

test('analyze() refuses what is not UTF-8, as Windows may write it', async () => {
  const problem = 'Cannot analyse the notification: it is not UTF-8';
  const file = Buffer.from(`\ufeff${JSON.stringify({ alerts: [valid] })}`, 'utf16le');
  assert.deepEqual(await analyze([file], given), { kind: 'refused', problem });
});

test('analyze() makes one report of an alert that is listed twice', async () => {
  const { text } = await analyzed({ alerts: [valid, valid] }, { format: 'json' });
  assert.equal((JSON.parse(text) as unknown[]).length, 1);
});

test('analyze() reads a file that begins with a byte order mark', async () => {
  const file = Buffer.from(`\ufeff${JSON.stringify({ alerts: [valid] })}`);
  const { kind } = await analyze([file], given);
  assert.equal(kind, 'done');
});

test('analyze() shows no address of a report, as none is stored', async () => {
  const externalURL = 'http://am.example:9093';
  const other = { ...valid, labels: { alertname: 'DiskFull', instance: 'b' } };
  for (const format of ['text', 'markdown'] as const) {
    const { text } = await analyzed({ externalURL, alerts: [valid, other] }, { format });
    assert.match(text, /amtool silence add .* --comment='DiskFull' /);
    assert.doesNotMatch(text, /not-stored/);
  }
});
