import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '../../../src/evidence/ledger.ts';
import { Toolbox, type ToolRun } from '../../../src/model/tools/toolbox.ts';
import { lokiIdentity } from '../../../src/sources/loki.ts';
import type { Cleanup } from '../../support/cleanup.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile } from '../../support/samples/case-files.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';
import {
  cartLabels, cartStream, firedAt, minute, refusedLines, usualLines,
} from '../../support/samples/shop-logs.ts';
import { calling, noSources } from '../../support/scripted-model.ts';
import { fakeLoki, type LoggedStream } from '../../support/sources/fake-loki.ts';
import { startFakeSource, type FakeSource } from '../../support/sources/fake-source.ts';
import { testClient } from '../../support/sources/source-clients.ts';

const streams: readonly LoggedStream[] = [
  cartStream([...usualLines(), ...refusedLines()]),
  { labels: { namespace: 'shop', app: 'orders-db' }, lines: [
    [firedAt - 10 * minute, 'LOG: checkpoint complete'],
    [firedAt - 9 * minute, 'FATAL: remaining connection slots are reserved'],
  ] },
  { labels: { namespace: 'shop', app: 'vault' }, lines: [[firedAt, 'unsealed with ABC']] },
  { labels: { namespace: 'other', app: 'orders-db' }, lines: [[firedAt, 'FATAL: not ours']] },
];

interface Asked {
  readonly run: ToolRun;
  readonly ledger: Ledger;
  readonly source: FakeSource;
}

/** Evidence names `orders-db`; a line of a log names `vault`. */
async function asking(
  t: Cleanup,
  given: Readonly<Record<string, unknown>>,
  firedForMs = 5 * minute,
  tool: 'log_lines' | 'log_counts' = 'log_lines',
): Promise<Asked> {
  const source = await startFakeSource(t, fakeLoki(streams));
  const ledger = new Ledger([], 20);
  const title = 'Connections of orders-db';
  ledger.add({ kind: 'series', source: 'prometheus', title, summary: '' });
  ledger.add({ kind: 'logs', source: 'loki', title: 'Lines', summary: 'read the log of vault' });
  const now = firedAt + firedForMs;
  const alert = anAlert({ labels: cartLabels, startsAt: new Date(firedAt).toISOString() });
  const caseFile = aCaseFile({ alert, episode: {
    ...aCaseFile().episode, startsAt: new Date(firedAt).toISOString(),
  } });
  const toolbox = new Toolbox({
    ledger,
    sources: { ...noSources, loki: testClient({ url: source.url, identity: lokiIdentity }) },
    caseFile, now,
    clock: new ManualClock(now), report: sampleReport(), onUsed: () => {}, mask: (data) => data,
    secrets: [],
  });
  const call = calling(tool, {
    component: null, containing: null, minutes_before: null,
    ...(tool === 'log_lines' && { oldest: null }), ...given,
  });
  const run = await toolbox.run(call, new AbortController().signal);
  return { run, ledger, source };
}

test('log_lines reads the newest lines of the alert\'s own log that hold a text', async (t) => {
  const { run, ledger } = await asking(t, { containing: 'Connection SLOTS (are' });
  assert.match(run.text, /^E3: No such line in the log of pod cart-.*An absent line is not health/);
  assert.equal(ledger.items[2]?.state, 'empty');
  const found = await asking(t, { containing: 'Connection SLOTS' });
  assert.match(found.run.text, /^E3: 84 lines in the log of pod cart-\S+, the first from /);
  assert.equal(found.run.text.split('\n').length, 41);
  const item = found.ledger.items[2];
  assert.deepEqual([item?.kind, item?.source, item?.state], ['logs', 'loki', 'ok']);
  assert.match(item?.query ?? '', /^\{pod="cart-[^}]*\} \|~ "\(\?i\)Connection SLOTS"$/);
});

test('log_lines reads the log of a component that evidence names, in the same place', async (t) => {
  const { run } = await asking(t, { component: 'orders-db', minutes_before: 60 });
  assert.match(run.text, /2 lines in the log of app orders-db/);
  assert.match(run.text, /FATAL: remaining/);
  assert.doesNotMatch(run.text, /not ours/);
});

test('log_lines reads no log of what only a log names, or nobody', async (t) => {
  for (const component of ['vault', 'orders-d', 'nobody"} or {app=~".+']) {
    const { run, source } = await asking(t, { component });
    assert.equal(run.isError, true);
    assert.match(run.text, /^No evidence names .*\. Nothing was asked\.$/);
    assert.deepEqual(source.requests, []);
  }
});

test('log_lines reads no more than the last day of an alert that fires for longer', async (t) => {
  const { ledger } = await asking(t, {}, (24 * 60 - 10) * minute);
  assert.equal(ledger.items[2]?.from, new Date(firedAt - 10 * minute).toISOString());
});

test('log_lines says where there is no log', async (t) => {
  const { run } = await asking(t, { component: 'shop' });
  assert.match(run.text, /There is no log stream of shop\. That is missing data, not a finding\./);
});

test('log_lines keeps a hostile text within the query, and reaches back six hours', async (t) => {
  const text = '"} | line_format "{{.x}}" `|~ (a+)+$ \n';
  const { source } = await asking(t, { containing: text, minutes_before: 1e9 });
  const [, asked] = [source.requests[0], source.requests.at(-1)?.parameters];
  assert.match(asked?.get('query') ?? '', /^\{[^}]*\} \|~ "(?:[^"\\\n]|\\.)*"$/);
  const hours = (Number(asked?.get('end')) - Number(asked?.get('start'))) / 3600e9;
  assert.ok(hours > 6 && hours < 6.1, String(hours));
});

test('log_lines reads the oldest lines, as the first error tells most', async (t) => {
  const first = async (oldest: boolean): Promise<string> => {
    const { run, source } = await asking(t, { containing: 'Connection SLOTS', oldest });
    const direction = source.requests.at(-1)?.parameters.get('direction');
    assert.equal(direction, oldest ? 'forward' : 'backward');
    return run.text.split('\n')[1] ?? '';
  };
  const [oldest, newest] = [await first(true), await first(false)];
  assert.ok(oldest < newest, `${oldest} ${newest}`);
});

test('log_counts tells how many lines hold a text, over time', async (t) => {
  const { run, ledger, source } = await asking(
    t, { containing: 'Connection SLOTS' }, 5 * minute, 'log_counts',
  );
  assert.match(run.text, /^E3: Lines of pod cart-\S+ in each \d+ s since .*: min \d, max [1-9]/);
  const [item] = ledger.items.slice(2);
  assert.match(item?.query ?? '', /^sum\(count_over_time\(\{pod="[^}]*\} \|~ ".*" \[\d+s\]\)\)$/);
  assert.match(JSON.stringify(item?.data), /"unit":"count".*"values":\[\d/);
  assert.ok(source.requests.length > 0);
});
