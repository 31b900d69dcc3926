/**
 * Texts from outside in which one unit is repeated: twice the length may take little more than
 * twice the time. The units are what the patterns of this service look for, so that a pattern which
 * looks at a character more than a bounded number of times meets the text that shows it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNotification } from '../../src/alert/notification.ts';
import { investigate } from '../../src/analysis/investigate.ts';
import { slack } from '../../src/delivery/slack.ts';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import { caseFileOf } from '../../src/episodes/case-file-of.ts';
import { IncidentAssigner } from '../../src/episodes/incident-assigner.ts';
import { listReports } from '../../src/episodes/view/list-reports.ts';
import { Intake } from '../../src/intake/accept.ts';
import { DedupWindow } from '../../src/intake/dedup-window.ts';
import { inTurns } from '../../src/lib/in-turns.ts';
import { answerMembers } from '../../src/model/answer/answer-schema.ts';
import { judgeAnswer } from '../../src/model/answer/judge-answer.ts';
import { readModelAnswer } from '../../src/model/answer/read-answer.ts';
import { readRefusal } from '../../src/model/client/refusal.ts';
import { isToolCallText } from '../../src/model/investigation/tool-call-text.ts';
import { cleanProse } from '../../src/model/prose.ts';
import { openAiChat } from '../../src/model/wires/openai-chat.ts';
import { parseListQuery } from '../../src/report/list-filter.ts';
import { newReport } from '../../src/report/new-report.ts';
import { renderListPage } from '../../src/report/pages/render-list-page.ts';
import { renderReportPage } from '../../src/report/pages/render-report-page.ts';
import type { EvidenceItem, Report } from '../../src/report/report.ts';
import { renderMarkdown } from '../../src/report/text/render-markdown.ts';
import { renderText } from '../../src/report/text/render-text.ts';
import { bySource, identities, type AskedSource } from '../../src/sources/asked-source.ts';
import { cpuTimer } from '../support/cpu-timer.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, caseNow, investigated } from '../support/samples/case-files.ts';
import { sampleReport } from '../support/samples/sample-report.ts';
import { aFinding, anAnswer } from '../support/scripted-model.ts';
import { clusterAt, fakeKubernetes, realCluster } from '../support/sources/fake-kubernetes.ts';
import type { Answer } from '../support/sources/fake-source.ts';
import { inProcess } from '../support/sources/in-process.ts';
import { errorsAlert, talkativeSource } from '../support/sources/talkative-prometheus.ts';

const units: readonly string[] = [
  '\n', ' ', 'a', '0', '_', '.', ',', '-', '/', ')', '"', '\\', '\\"', '\\":{', ':{', '{{', '[',
  '(', '=', '="', '<', '&', '`', '1:', '1 ', '1.', '1s', '1,111', ' of 1', ' (a ', 'a=b ', 'a-z',
  'a.a-', 'please ', 'then check ', '\n\n ', 'Aa', 'A', '://', 'http://a/', 'error ', '\u0000',
  'é', '{"a":',
];

/** Less than this is not worth a look: what is not linear takes longer, at these lengths. */
const noticedMs = 25;
/** Twice the length takes twice the time, or four times where each character is paired with all. */
const growthMax = 3;
const triesMax = 5;

/** What is done with a text of so many repetitions, of which the longer one has twice as many. */
interface Work {
  readonly what: string;
  readonly length: number;
  readonly run: (text: string) => unknown;
}

async function cpuOf(run: () => unknown): Promise<number> {
  const ms = cpuTimer();
  await run();
  return ms();
}

/** A sentence if the time grows faster than the length, again and again; otherwise null. */
async function growthOf(name: string, run: (length: number) => unknown): Promise<string | null> {
  let twice = await cpuOf(() => run(2));
  let once = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (twice < noticedMs) return null;
    once = Math.min(once, await cpuOf(() => run(1)));
    if (twice <= growthMax * once) return null;
    twice = Math.min(twice, await cpuOf(() => run(2)));
  }
  return `${name}: ${once.toFixed(0)} ms, and ${twice.toFixed(0)} ms for twice the length`;
}

function pumped(unit: string, length: number): string {
  return `${unit.repeat(Math.ceil(length / unit.length)).slice(0, length)}!x`;
}

/** A notification with the text wherever a sender can put one. */
function notificationOf(text: string, groupKey = '', number = 0): string {
  const startsAt = new Date(caseNow - 60_000).toISOString();
  const common = {
    receiver: text.slice(0, 1000), externalURL: `http://a/${text}`.slice(0, 2000),
    groupLabels: { team: text.slice(0, 4000) }, groupKey,
  };
  const alert = {
    labels: {
      alertname: `A${text}`, namespace: text, pod: text, instance: text, job: text, severity: text,
      [`name_${text}`.slice(0, 300)]: text,
    },
    annotations: { summary: text, description: text, message: text, runbook_url: text, note: text },
    generatorURL: `http://a/graph?g0.expr=${text}`.slice(0, 16_000), dashboardURL: text,
    startsAt, fingerprint: `f${number}`,
  };
  return JSON.stringify({ status: 'firing', ...common, alerts: [alert] });
}

/** Many, as a key is short. */
function keyed(keyOf: (number: number) => string): string[] {
  return Array.from({ length: 40 }, (_, number) => notificationOf('a', keyOf(number), number));
}

/** All that the main thread does with it: intake, grouping, the list and its search, reports. */
async function served(bodies: readonly string[]): Promise<void> {
  const clock = new ManualClock(caseNow);
  const book = new EpisodeBook();
  const reportBase = 'https://reports.example';
  const intake = new Intake({
    book, clock, reportBase, dedup: new DedupWindow(60_000, 1000), canStore: () => true,
    backlog: { admit: () => () => {} }, enqueue: () => {}, count: () => {},
    store: () => Promise.resolve(1),
  });
  for (const text of bodies) {
    const notification = parseNotification(JSON.parse(text), caseNow);
    await intake.accept({ notification, body: Buffer.from(text), text, receivedAt: caseNow });
  }
  await new IncidentAssigner(book, clock).assignAll();
  const [episode] = book.open;
  assert.ok(episode !== undefined);
  const query = parseListQuery('text=a+%3A+1+nothing');
  const shown = { now: caseNow, revision: 'a', script: '' };
  for (const asked of [query, parseListQuery('')]) {
    const list = await inTurns(listReports(book, asked, { now: caseNow, reportBase }), clock);
    renderListPage(list, { ...shown, reportBase, filter: asked.filter, needsToken: false });
  }
  const caseFile = caseFileOf(book, episode, { reportBase, now: caseNow });
  written(newReport(caseFile, { status: 'queued', now: caseNow, version: '1' }));
}

function written(report: Report): void {
  renderReportPage(report, { now: caseNow, revision: 'a', script: '', feedbackBy: 'form' });
  renderMarkdown(report);
  renderText(report, { color: false, width: 80 });
  slack.message(report, { news: 'report', url: report.report_url });
}

async function analysed(body: string): Promise<void> {
  const { alerts: [alert], group } = parseNotification(JSON.parse(body), caseNow);
  assert.ok(alert !== undefined);
  written(await investigated(aCaseFile({ alert, group })));
}

async function expressed(expression: string): Promise<void> {
  const generatorURL = `http://a/graph?g0.expr=${encodeURIComponent(expression)}`;
  await investigated(aCaseFile({ alert: anAlert({ generatorURL }) }));
}

/** Members of answers that hold text which somebody wrote, or a program printed. */
const free = new Set([
  'message', 'reason', 'error', 'lastError', 'comment', 'createdBy', 'health', 'image', 'summary',
]);

/** An answer with the text behind what is free, and in the labels of its series. */
function withText(value: unknown, text: string, name = ''): unknown {
  if (typeof value === 'string') return free.has(name) ? value + text : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const [at, line] = value as unknown[];
    if (typeof at === 'number') return value as unknown; // A sample.
    const isLine = typeof at === 'string' && typeof line === 'string' && /^\d{19}$/.test(at);
    // Every other line is structured.
    if (isLine) return [at, /\d*[13579]0{9}$/.test(at) ? line + text : structured(text)];
    const list = value.map((each) => withText(each, text, name));
    return name === 'result' ? [...list, ...named(list[0], `m:${text}`)] : list;
  }
  const members = Object.entries(value).map(([key, each]) => [key, withText(each, text, key)]);
  const isLabels = name === 'metric' || name === 'labels' || name === 'annotations';
  return Object.fromEntries(isLabels ? [...members, ['note', text]] : members) as unknown;
}

function structured(text: string): string {
  return JSON.stringify({ level: 'error', [text]: text });
}

/** Another series like the first of a result, of a metric with this name. */
function named(first: unknown, metric: string): unknown[] {
  if (typeof first !== 'object' || first === null || !('metric' in first)) return [];
  return [{ ...first, metric: { ...first.metric as object, __name__: metric } }];
}

function altered(body: string, text: string): string {
  try {
    return JSON.stringify(withText(JSON.parse(body), text));
  } catch {
    return body.replaceAll('\n', () => `${text}\n`); // A log of a container.
  }
}

const talkative = talkativeSource({ series: 1 });
const cluster = fakeKubernetes(realCluster());
const crashing = anAlert({
  labels: { alertname: 'KubePodCrashLooping', namespace: 'shop', pod: 'cart-67c4c47d76-twbqp' },
  startsAt: new Date(clusterAt - 180_000).toISOString(),
});
const asked: Readonly<Record<AskedSource, readonly [Answer, typeof crashing, at: number]>> = {
  prometheus: [talkative, errorsAlert, caseNow], loki: [talkative, errorsAlert, caseNow],
  alertmanager: [talkative, errorsAlert, caseNow], kubernetes: [cluster, crashing, clusterAt],
};

async function answered(source: AskedSource, text: string): Promise<void> {
  const [answer, alert, at] = asked[source];
  const own = inProcess(answer, identities[source], (body) => altered(body, text));
  const { report } = await investigate(aCaseFile({ alert }), {
    clock: new ManualClock(at), version: '1', signal: new AbortController().signal,
    sources: bySource((each) => (each === source ? own : null)), onProgress: () => {},
    onBroken: (_source, error) => assert.ifError(error),
  });
  assert.ok(report.evidence.some((item) => item.source === source && item.state === 'ok'));
}

function replied(text: string): void {
  const said = `The pool holds 1 of 2 ${text}`;
  const finding = aFinding({ is: 'quote', a: 'E1.summary', quote: said, reading: said });
  const content = `${text}${JSON.stringify(anAnswer({ reading: said, findings: [finding] }))}`;
  const create = (): string => 'a';
  const reply = openAiChat.parse(
    { model: text, choices: [{ message: { role: 'assistant', content } }] },
    { taken: new Set(), create });
  isToolCallText(reply.text);
  readRefusal({ status: 429, headers: {}, body: { error: said }, text: said, now: 0 });
  const { answer } = readModelAnswer(reply.text, answerMembers);
  const items = evidenceOf(said);
  if (answer !== null) judgeAnswer(answer, { items, cleanText: (each) => cleanProse(each, []) });
}

function evidenceOf(...summaries: readonly string[]): EvidenceItem[] {
  const [item] = sampleReport().evidence;
  assert.ok(item !== undefined);
  return summaries.map((summary, index) => ({ ...item, id: `E${index + 1}`, summary }));
}

/** Judges what a model says of evidence that holds the text. */
function cited(text: string): void {
  const items = evidenceOf(...Array.from({ length: 8 }, (_, number) => `${number} of ${text}`));
  const findings = items.map(({ id }) =>
    aFinding({ is: 'quote', a: `${id}.summary`, quote: text.slice(0, 200) }));
  judgeAnswer(anAnswer({ findings, reading: `{E1.summary} ${text}` }), {
    items, cleanText: (each) => cleanProse(each, [text]),
  });
}

const works: readonly Work[] = [
  { what: 'the key of a group', length: 1000,
    run: (text) => served(keyed((number) => `{}/{a="${text}"}:{${text}${number}}`)) },
  { what: 'the open end of a key', length: 2040,
    run: (text) => served(keyed((number) => `${text}${number}`)) },
  { what: 'a notification', length: 7000, run: (text) => served([notificationOf(text)]) },
  { what: 'an analysis', length: 7000, run: (text) => analysed(notificationOf(text)) },
  { what: 'an expression', length: 3500, run: (text) => expressed(`a > ${text}`) },
  { what: 'a number', length: 3500, run: (text) => expressed(`a > 1_${text.slice(0, -2)}Ki`) },
  { what: 'a matcher', length: 3500, run: (text) => expressed(`a{b="${text}"} > 1`) },
  { what: 'answers of Prometheus', length: 1500, run: (text) => answered('prometheus', text) },
  { what: 'answers of Alertmanager', length: 2000, run: (text) => answered('alertmanager', text) },
  { what: 'answers of Loki', length: 450, run: (text) => answered('loki', text) },
  { what: 'answers of Kubernetes', length: 2000, run: (text) => answered('kubernetes', text) },
  { what: 'the reply of a model', length: 7000, run: replied },
  { what: 'the evidence that a model cites', length: 1900, run: cited },
];

for (const { what, length, run } of works) {
  test(`${what} takes time in proportion to its length`, async () => {
    const faults: (string | null)[] = [];
    for (const unit of units) {
      const name = `${what} of ${JSON.stringify(unit)}`;
      faults.push(await growthOf(name, (times) => run(pumped(unit, times * length))));
    }
    assert.deepEqual(faults.filter((fault) => fault !== null), []);
  });
}

const nested: readonly [open: string, close: string][] = [
  ['a[', ']'], ['(', ')'], ['sum(', ')'], ['-', ''], ['a^', ''], ['a + ', ''], ['a offset ', ''],
];

test('a nested expression takes time in proportion to its length', async () => {
  const faults: (string | null)[] = [];
  for (const [open, close] of nested) {
    faults.push(await growthOf(`an expression of ${open}`, (times) =>
      expressed(`${open.repeat(times * 600)}a${close.repeat(times * 600)} > 1`)));
  }
  assert.deepEqual(faults.filter((fault) => fault !== null), []);
});
