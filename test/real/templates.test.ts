import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findProgram, runProgram } from '../support/programs/programs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const folder = join(process.cwd(), 'scripts/deploy');
const configuration = join(folder, 'alertmanager.yml');
const base = 'https://alerts.example.com';

const hostile = {
  receiver: 'people',
  status: 'firing',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: '<!channel>', namespace: 'a&b' },
      annotations: { summary: '<script>alert(1)</script>' },
      startsAt: '2026-01-01T00:00:00Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: '',
      fingerprint: '003b0a0f7d3fa569',
    },
  ],
  groupLabels: {},
  commonLabels: {},
  commonAnnotations: {},
  externalURL: '',
};

async function render(
  name: string,
  { data, type = 'text' }: { readonly data: string; readonly type?: string },
): Promise<string> {
  const { status, output } = await runProgram(findProgram('amtool', 'prometheus-alertmanager'), [
    'template', 'render', `--template.glob=${folder}/templates/*.tmpl`, `--template.data=${data}`,
    `--template.type=${type}`, `--template.text={{ template "alert_analyst.${name}" . }}`,
  ]);
  assert.equal(status, 0, output);
  return output;
}

test('amtool accepts the shipped configuration with its templates', async () => {
  const amtool = findProgram('amtool', 'prometheus-alertmanager');
  const file = join(temporaryDirectory(), 'alertmanager.yml');
  const text = readFileSync(configuration, 'utf8');
  writeFileSync(file, text.replaceAll('/etc/alertmanager/templates', `${folder}/templates`));
  for (const path of [configuration, file]) {
    const { status, output } = await runProgram(amtool, ['check-config', path]);
    assert.equal(status, 0, output);
  }
});

test('an alert is routed to the service and to people', async () => {
  const amtool = findProgram('amtool', 'prometheus-alertmanager');
  const { status, stdout } = await runProgram(amtool, [
    'config', 'routes', 'test', `--config.file=${configuration}`, 'alertname=NodeDown',
  ]);
  assert.equal(status, 0);
  assert.equal(stdout.trim(), 'alert-analyst,people');
});

test('the templates link every alert of a captured notification', async () => {
  const data = join(
    process.cwd(), 'test/fixtures/payloads/alertmanager-0.25.0/mixed-firing-resolved.json',
  );
  const { alerts } = JSON.parse(readFileSync(data, 'utf8')) as {
    readonly alerts: readonly { readonly fingerprint: string }[];
  };
  const links = alerts.map(({ fingerprint }) => `${base}/report/${fingerprint}`);
  assert.equal(links.length, 3);
  assert.equal((await render('urls', { data })).trim(), links.join('\n'));
  assert.equal((await render('first_url', { data })).trim(), links[0]);
  for (const name of ['slack.text', 'email.text']) {
    const text = await render(name, { data });
    for (const link of links) assert.ok(text.includes(link), `${name} has ${link}`);
  }
  const page = await render('email.html', { data, type: 'html' });
  for (const link of links) {
    assert.ok(page.includes(`<a href="${link}">`), `email.html has ${link}`);
  }
});

test('the single link of a message is that of the first alert that fires', async () => {
  const data = join(temporaryDirectory(), 'resolved-first.json');
  const [firing] = hostile.alerts;
  const resolved = { ...firing, status: 'resolved', fingerprint: '1'.repeat(16) };
  for (const [alerts, first] of [
    [[resolved, firing], firing], [[resolved], resolved],
  ] as const) {
    writeFileSync(data, JSON.stringify({ ...hostile, alerts }));
    assert.equal((await render('first_url', { data })).trim(),
      `${base}/report/${first?.fingerprint}`);
  }
});

test('the title and the button of a Slack message lead to the same report', () => {
  const [slack = ''] = readFileSync(configuration, 'utf8').split('email_configs:');
  const links = slack.match(/(?:title_link|url): '\{\{.*/g) ?? [];
  assert.deepEqual(links.map((link) => link.replace(/^\w+: /, '')),
    Array(2).fill('\'{{ template "alert_analyst.first_url" . }}\''));
});

test('alerts of one name differ by pod, instance or description', async () => {
  const data = join(temporaryDirectory(), 'alike.json');
  const alike = [
    [{ pod: 'web-<1>' }, {}], [{ instance: 'db:9100' }, {}],
    [{}, { description: `Disk\n  full ${'x'.repeat(300)}` }],
  ].map(([labels, annotations]) => ({
    ...hostile.alerts[0], labels: { alertname: 'X', ...labels }, annotations,
  }));
  writeFileSync(data, JSON.stringify({ ...hostile, alerts: alike }));
  const lines = (await render('slack.text', { data })).trim().split('\n');
  assert.deepEqual(lines.map((line) => line.replace(/ <http\S+$/, '')), [
    ':fire: *X* on web-&lt;1&gt;', ':fire: *X* on db:9100',
    `:fire: *X*: Disk full ${'x'.repeat(190)}`,
  ]);
  const mail = await render('email.text', { data });
  assert.match(mail, /X on web-<1>\n[^]*X on db:9100\n[^]*X: Disk/);
});

test('the templates escape the mark-up in alerts', async () => {
  const data = join(temporaryDirectory(), 'hostile.json');
  writeFileSync(data, JSON.stringify(hostile));
  const slack = await render('slack.text', { data });
  assert.match(slack, /^:fire: \*&lt;!channel&gt;\* in a&amp;b: &lt;script&gt;/);
  assert.ok(slack.includes(`<${base}/report/003b0a0f7d3fa569|Report>`));
  const page = await render('email.html', { data, type: 'html' });
  assert.ok(!page.includes('<script>') && !page.includes('<!channel>'));
});

test('a Slack message lists ten alerts and says how many there are', async () => {
  const data = join(temporaryDirectory(), 'many.json');
  const alerts = Array.from({ length: 12 }, () => hostile.alerts[0]);
  writeFileSync(data, JSON.stringify({ ...hostile, alerts }));
  const slack = await render('slack.text', { data });
  assert.equal(slack.match(/:fire:/g)?.length, 10);
  assert.match(slack, /12 alerts in all: <https:\/\/alerts\.example\.com\/\|All reports>/);
});
