/** Every naughty string in every field of an alert, and in every format of its report. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertNameOf } from '../../src/alert/alert.ts';
import { fingerprintOf, isFingerprint } from '../../src/alert/fingerprint.ts';
import type { Report } from '../../src/report/report.ts';
import { renderText } from '../../src/report/text/render-text.ts';
import { startAttackedService, type AttackedService } from '../support/http/attacked-service.ts';
import { assertInertMarkdown } from '../support/inert-markdown.ts';
import { assertOnlyOwnMarkup, withoutOwnScript } from '../support/own-markup.ts';
import { naughtyStrings } from '../support/samples/hostile-report.ts';

const control = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;

/** Without the empty string, which cannot be a label name. */
const strings = [...new Set(naughtyStrings())].filter((text) => text !== '');
const perNotification = 4;
/** The tests of the pages have every string in every field; here all pass through the service. */
const perAlert = 12;

interface Sent {
  readonly address: string;
  readonly fingerprint: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly addresses: readonly [string, string, string];
}

/** An alert with some of the strings, used as names, values, annotations and URLs. */
function sentOf(index: number): Sent {
  const all = strings.slice(index, index + perAlert);
  const [one = '', two = one, three = one, four = one] = all;
  const labels = Object.fromEntries([
    ['alertname', one], ['namespace', two], ['severity', three], ['pod', four],
    ['number', String(index)], ...all.map((text, at) => [text, all[at + 1] ?? one]),
  ]) as Record<string, string>;
  const annotations = Object.fromEntries([
    ['summary', `${two} ${three}`], ['description', `${one}\n${four}`], ['runbook_url', four],
    ...all.map((text) => [text, text] as const),
  ]) as Record<string, string>;
  const fingerprint = all.find(isFingerprint) ?? null;
  return {
    labels, annotations, fingerprint, addresses: [one, two, three],
    address: encodeURIComponent(fingerprint ?? fingerprintOf(labels)),
  };
}

async function postAll(service: AttackedService): Promise<readonly Sent[]> {
  const sent = strings.flatMap((_, index) => (index % perAlert === 0 ? [sentOf(index)] : []));
  for (let from = 0; from < sent.length; from += perNotification) {
    const alerts = sent.slice(from, from + perNotification);
    const [naughty = '', other = ''] = alerts[0]?.addresses ?? [];
    const answer = await service.postBody(JSON.stringify({
      version: '4', status: 'firing', receiver: naughty, groupKey: other, externalURL: naughty,
      groupLabels: { [naughty]: other }, commonLabels: { x: naughty },
      alerts: alerts.map(({ fingerprint, labels, annotations, addresses: [one, two, three] }) => ({
        ...(fingerprint !== null && { fingerprint }), status: 'firing', labels, annotations,
        generatorURL: one, dashboardURL: two, panelURL: three,
      })),
    }));
    assert.equal(answer.status, 200, naughty);
    assert.equal(answer.headers.get('x-alerts-rejected'), undefined, naughty);
    const { report_urls: links } = JSON.parse(answer.body) as {
      readonly report_urls: readonly { readonly alert_name: string }[];
    };
    assert.deepEqual(links.map((link) => link.alert_name),
      alerts.map(({ labels }) => alertNameOf(labels)));
  }
  return sent;
}

async function fetched(address: string, accept: string): Promise<{ text: string; policy: string }> {
  const response = await fetch(address, { headers: { Accept: accept } });
  assert.equal(response.status, 200, address);
  const policy = response.headers.get('content-security-policy') ?? '';
  return { text: await response.text(), policy };
}

async function assertHarmless(service: AttackedService, sent: Sent): Promise<void> {
  const name = JSON.stringify(sent.addresses);
  const address = `${service.url}/report/${sent.address}`;
  const report = JSON.parse((await fetched(address, 'application/json')).text) as Report;
  assert.deepEqual(report.alert.labels, sent.labels, name);
  assert.deepEqual(report.alert.annotations, sent.annotations, name);
  const { text: page, policy } = await fetched(address, 'text/html');
  assertOnlyOwnMarkup(withoutOwnScript(page, policy));
  assertInertMarkdown((await fetched(address, 'text/markdown')).text, name);
  const terminal = renderText(report, { color: false, width: 80 });
  assert.doesNotMatch(terminal, control, name);
}

async function assertListsHarmless(service: AttackedService): Promise<void> {
  const incidents = new Set<string>();
  let next: string | null = '/';
  for (let pages = 0; next !== null && pages < 100; pages += 1) {
    const { text: page, policy } = await fetched(service.url + next, 'text/html');
    assertOnlyOwnMarkup(withoutOwnScript(page, policy));
    for (const [, id = ''] of page.matchAll(/\/incident\/([0-9a-f]{16})/g)) incidents.add(id);
    const [, query] = /href="[^"]*(\?[^"]*after=[^"]*)"/.exec(page) ?? [];
    next = query === undefined ? null : `/${query.replaceAll('&amp;', '&')}`;
  }
  for (const id of incidents) {
    const { text: page, policy } = await fetched(`${service.url}/incident/${id}`, 'text/html');
    assertOnlyOwnMarkup(withoutOwnScript(page, policy));
  }
}

function assertLogged(service: AttackedService): void {
  for (const line of service.log) {
    assert.equal(line.indexOf('\n'), line.length - 1, line);
    assert.doesNotMatch(line.slice(0, -1), /[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/, line);
    assert.doesNotThrow(() => JSON.parse(line), line);
  }
}

async function metricNames(service: AttackedService): Promise<string[]> {
  const { text } = await fetched(`${service.url}/metrics`, 'text/plain');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.slice(0, line.lastIndexOf(' ')));
}

test('no naughty string is more than text, in any field and any format', async (t) => {
  const service = await startAttackedService(t, { LOG_FORMAT: 'json' });
  await service.postBody('{"alerts":[{"fingerprint":"plain","labels":{"alertname":"Plain"}}]}');
  await service.finished('plain');
  const before = new Set(await metricNames(service));
  const sent = await postAll(service);
  for (const each of sent) await service.finished(each.address);
  for (const each of sent) await assertHarmless(service, each);
  await assertListsHarmless(service);
  assertLogged(service);
  const added = (await metricNames(service)).filter((name) => !before.has(name));
  assert.deepEqual(added.filter((name) => !/severity="|code="|le="/.test(name)), []);
  await service.assertUnharmed();
});
