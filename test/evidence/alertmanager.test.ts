import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  askAlertmanager, type AlertmanagerAnswers,
} from '../../src/evidence/alertmanager/ask-alertmanager.ts';
import {
  alertmanagerItemsMax, collectAlertmanager, type AlertmanagerFacts,
} from '../../src/evidence/alertmanager/collect-alertmanager.ts';
import { Ledger } from '../../src/evidence/ledger.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import {
  alertmanagerIdentity, type ActiveAlert, type Alertmanager, type Silence,
} from '../../src/sources/alertmanager.ts';
import { SourceFailure } from '../../src/sources/source-failure.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { aGroup, anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, caseNow, openAlert } from '../support/samples/case-files.ts';

const labels = {
  alertname: 'HighLatency', namespace: 'shop', instance: 'a:80', cluster: 'eu', team: 'x',
};
const alert = anAlert({ labels });
const failure = new SourceFailure(
  alertmanagerIdentity,
  { reason: 'connection', detail: 'the connection was refused' },
);

function active(over: Partial<ActiveAlert> = {}): ActiveAlert {
  return {
    fingerprint: alert.fingerprint, labels, startsAt: '2026-11-20T10:00:00.000Z',
    receivers: ['team'], state: 'active', silencedBy: [], inhibitedBy: [],
    mutedBy: [], ...over,
  };
}

function other(name: string, index = 0): ActiveAlert {
  const found = { alertname: name, namespace: 'shop', instance: `i${index}` };
  return active({ fingerprint: `${name}-${index}`, labels: found });
}

const silence: Silence = {
  id: 's1', startsAt: '2026-11-20T09:50:00.000Z', endsAt: '2026-11-20T12:00:00.000Z',
  createdBy: 'ann', comment: 'load test\n\u202e',
};

/** An Alertmanager in which everything is asked for in vain, but for what `over` answers. */
function alertmanager(over: Partial<Alertmanager> = {}): Alertmanager {
  return {
    alerts: () => Promise.resolve({ items: [], omitted: 0 }),
    groups: () => Promise.resolve({ items: [], omitted: 0 }),
    silence: () => Promise.resolve(null),
    ...over,
  };
}

async function ask(
  source: Alertmanager,
  caseFile: CaseFile = aCaseFile({ alert }),
): Promise<AlertmanagerAnswers> {
  return askAlertmanager(caseFile, {
    clock: new ManualClock(caseNow), signal: new AbortController().signal, deadlineMs: 2_500,
    open: () => source,
  });
}

async function collected(
  source: Alertmanager,
  caseFile: CaseFile = aCaseFile({ alert }),
): Promise<{ facts: AlertmanagerFacts; ledger: Ledger; said: string[] }> {
  const ledger = new Ledger();
  const facts = collectAlertmanager(caseFile, await ask(source, caseFile), {
    ledger, now: caseNow, queries: 4,
  });
  const ids = new Set(ledger.items.map(({ id }) => id));
  for (const { evidence } of facts.findings) assert.ok(evidence.every((id) => ids.has(id)));
  assert.ok(ledger.items.length <= alertmanagerItemsMax);
  return { facts, ledger, said: facts.findings.map(({ text }) => text) };
}

test('askAlertmanager() asks for the alert, its namespace and host in its cluster', async () => {
  const seen: string[] = [];
  await ask(alertmanager({
    alerts: (matchers) => {
      seen.push(matchers.map(({ name, op, value }) => `${name}${op}${value}`).join());
      return Promise.resolve({ items: [], omitted: 0 });
    },
    groups: () => assert.fail('no group was cut short'),
  }));
  assert.deepEqual(seen, [
    'alertname=HighLatency,namespace=shop,instance=a:80,cluster=eu',
    'namespace=shop,cluster=eu',
    'instance=a:80,cluster=eu',
  ]);
});

test('askAlertmanager() gives up at the deadline, and says whom to ask', async () => {
  const clock = new ManualClock(caseNow);
  const slow = (signal: AbortSignal): Alertmanager => alertmanager({
    alerts: () => new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new SourceFailure(
        alertmanagerIdentity,
        { reason: 'cancelled', detail: 'the investigation ended before the answer' },
      )));
    }),
  });
  const asking = askAlertmanager(aCaseFile({ alert }), {
    clock, signal: new AbortController().signal, deadlineMs: 2_500, open: slow,
  });
  await clock.advance(2_500);
  const { own, questions, durationMs } = await asking;
  assert.equal(own, null);
  const [failure = null] = questions.map((question) => question.failure);
  assert.equal(failure?.why, 'no answer within 2.5 s');
  assert.match(failure.hint, /ALERTMANAGER_URL/);
  assert.equal(durationMs, 2_500);
});

test('askAlertmanager() throws the reason of an aborted investigation', async () => {
  const reason = new Error('deadline');
  const asking = askAlertmanager(aCaseFile({ alert }), {
    clock: new ManualClock(caseNow), signal: AbortSignal.abort(reason), deadlineMs: 2_500,
    open: () => alertmanager({ alerts: () => Promise.reject(failure) }),
  });
  await assert.rejects(asking, reason);
});

test('collectAlertmanager() names the fault and the setting when nothing is answered', async () => {
  const broken = alertmanager({
    alerts: () => Promise.reject(failure), groups: () => Promise.reject(failure),
  });
  const cut = aCaseFile({ alert, group: { ...aGroup, truncated: 3 } });
  const { facts, ledger } = await collected(broken, cut);
  assert.equal(facts.source.state, 'failed');
  assert.deepEqual(facts.findings, []);
  assert.deepEqual(facts.source.failures, [{
    what: 'Silences, inhibitions and alerts that were not sent here',
    why: 'Cannot read from Alertmanager: the connection was refused.',
    hint: failure.hint,
  }]);
  const [item, ...others] = ledger.items;
  assert.deepEqual(others, []);
  assert.equal(item?.state, 'failed');
  assert.equal(item.error, 'Cannot read from Alertmanager: the connection was refused.');
  assert.match(item.summary, /answered 0 of 4 questions\. Check ALERTMANAGER_URL/);
});

test('collectAlertmanager() tells who silences the alert and until when', async () => {
  const own = active({ state: 'suppressed', silencedBy: ['s1', 's2'] });
  const { said, ledger } = await collected(alertmanager({
    alerts: () => Promise.resolve({ items: [own], omitted: 0 }),
    silence: (id) => Promise.resolve(id === 's1' ? silence : null),
  }));
  assert.equal(said[0], 'It is silenced by ann until 12:00 UTC: load test.');
  assert.equal(said[1], 'It is also silenced by 1 silence whose details were not read.');
  assert.match(ledger.items[1]?.summary ?? '', /is silenced: no notification is sent/);
});

test('collectAlertmanager() tells how many silences it did not read about', async () => {
  const own = active({ state: 'suppressed', silencedBy: ['s1', 's2', 's3', 's4', 's5'] });
  const { said } = await collected(alertmanager({
    alerts: () => Promise.resolve({ items: [own], omitted: 0 }),
    silence: () => Promise.reject(failure),
  }));
  assert.equal(said[0], 'It is silenced by 5 silences whose details were not read.');
});

test('collectAlertmanager() names what inhibits the alert, known or not', async () => {
  const own = active({ state: 'suppressed', inhibitedBy: ['NodeDown-0', 'gone'] });
  const { said, facts } = await collected(alertmanager({
    alerts: () => Promise.resolve({ items: [own, other('NodeDown')], omitted: 0 }),
  }));
  assert.equal(said[0], 'It is inhibited: no notification is sent while NodeDown fires.');
  assert.equal(said[1], 'It is inhibited: no notification is sent while gone fires.');
  assert.deepEqual(facts.inhibitors.map(({ fingerprint }) => fingerprint), ['NodeDown-0', 'gone']);
  assert.equal(facts.inhibitors[0]?.labels?.['alertname'], 'NodeDown');
});

test('collectAlertmanager() counts what else is active by name', async () => {
  const company = [
    active(), ...[0, 1, 2].map((index) => other('PodDown', index)), other('A'), other('B'),
    other('C'), other('<b>'),
  ];
  const { said, facts } = await collected(
    alertmanager({ alerts: () => Promise.resolve({ items: company, omitted: 5 }) }),
    aCaseFile({ alert, openAlerts: [{ ...openAlert({ alertname: 'A' }, 0), fingerprint: 'A-0' }] }),
  );
  assert.equal(
    said[0], '12 other alerts are active with namespace shop: 3 PodDown, <b>, A and 7 more.',
  );
  const names = facts.others.map(({ fingerprint }) => fingerprint);
  const unknown = ['PodDown-0', 'PodDown-1', 'PodDown-2', 'B-0', 'C-0', '<b>-0'];
  assert.deepEqual(names, unknown, 'without the one that is known');
});

test('collectAlertmanager() lists the whole group if the notification was truncated', async () => {
  const group = { ...aGroup, groupLabels: { alertname: 'HighLatency' }, listed: 1, truncated: 2 };
  const rest = [active(), other('HighLatency', 1), other('HighLatency', 2)];
  const { said, ledger } = await collected(alertmanager({
    groups: (receiver, matchers) => {
      assert.equal(receiver, 'team');
      assert.deepEqual(matchers, [{ name: 'alertname', op: '=', value: 'HighLatency' }]);
      const alerts = { items: rest, omitted: 4 };
      const wrong = { labels: { alertname: 'HighLatency', more: '' }, receiver, alerts };
      const right = { labels: { alertname: 'HighLatency' }, receiver, alerts };
      return Promise.resolve({ items: [wrong, right], omitted: 0 });
    },
  }), aCaseFile({ alert, group }));
  const expected =
    'The notification lists 1 of the 3 alerts of its group; ' +
    '7 are active now: 3 HighLatency and 4 more.';
  assert.equal(said.at(-1), expected);
  const item = ledger.items.find(({ title }) => title === 'The whole group');
  assert.equal(item?.truncated, true, 'only three of them are in its data');
});

test('collectAlertmanager() says when a firing alert is not there any more', async () => {
  const { said } = await collected(alertmanager());
  assert.match(said[0] ?? '', /is no longer active in Alertmanager/);
  const resolved = anAlert({ labels, status: 'resolved', endsAt: '2026-11-20T10:10:00Z' });
  const ended = await collected(alertmanager(), aCaseFile({ alert: resolved }));
  assert.ok(ended.said.every((text) => !text.includes('no longer')));
});

test('collectAlertmanager() does not miss what it may not have read', async () => {
  const { said, facts } = await collected(alertmanager({
    alerts: () => Promise.resolve({ items: [other('HighLatency')], omitted: 1 }),
    groups: () => Promise.resolve({ items: [], omitted: 1 }),
  }), aCaseFile({ alert, group: { ...aGroup, truncated: 3 } }));
  assert.ok(said.every((text) => !/no longer|none is active/.test(text)), said.join());
  assert.equal(facts.isGroupListed, false);
});

test('collectAlertmanager() says what is missing when a part is not answered', async () => {
  const { facts } = await collected(alertmanager({
    alerts: (matchers) => {
      if (matchers[0]?.name === 'namespace') return Promise.reject(failure);
      return Promise.resolve({ items: [active()], omitted: 0 });
    },
  }));
  assert.equal(facts.source.state, 'ok');
  assert.deepEqual(facts.source.failures, [{
    what: 'Which other alerts are active in Alertmanager',
    why: 'Cannot read from Alertmanager: the connection was refused.',
    hint: failure.hint,
  }]);
});

test('collectAlertmanager() counts what is left of a truncated group', async () => {
  const left = async (items: readonly ActiveAlert[], omitted = 0): Promise<string | undefined> => {
    const group = { ...aGroup, groupLabels: {}, listed: 1, truncated: 2 };
    const { said } = await collected(alertmanager({
      groups: (receiver) => Promise.resolve({
        items: items.length + omitted === 0 ? []
          : [{ labels: {}, receiver, alerts: { items, omitted } }],
        omitted: 0,
      }),
    }), aCaseFile({ alert, group }));
    return said.at(-1)?.replace(/^.*; /, '');
  };
  assert.equal(await left([]), 'none is active now.');
  assert.equal(await left([other('A')]), '1 is active now: A.');
  assert.equal(await left([], 3), '3 are active now: none of them was read.');
});

test('collectAlertmanager() says why no notification of the alert is sent', async () => {
  const stateOf = async (over: Partial<ActiveAlert>): Promise<readonly unknown[]> => {
    const { said, ledger } = await collected(alertmanager({
      alerts: () => Promise.resolve({ items: [active(over)], omitted: 0 }),
    }));
    return [ledger.items.find(({ role }) => role === 'in_alertmanager')?.summary, said[0]];
  };
  const [fresh] = await stateOf({ state: 'unprocessed' });
  assert.equal(fresh, 'Alertmanager has just received the alert.');
  assert.deepEqual(await stateOf({ state: 'suppressed', mutedBy: ['nights'] }), [
    'The alert is muted by a time interval: no notification is sent.',
    'It is muted by the time interval nights.',
  ]);
  const [unexplained] = await stateOf({ state: 'suppressed' });
  assert.equal(unexplained, 'The alert is suppressed: no notification is sent.');
});
