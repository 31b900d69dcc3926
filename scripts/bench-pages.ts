/**
 * How long pages take: to render in this process, and to the first byte over HTTP from a service
 * that keeps 100 000 episodes.
 *
 *   npx tsx scripts/bench-pages.ts [--rounds 40] [--episodes 100000] [--open 2000]
 *       [--dir FOLDER] [--main dist/main.js]
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderReportPage } from '../src/report/pages/render-report-page.ts';
import type { Report } from '../src/report/report.ts';
import { renderMarkdown } from '../src/report/text/render-markdown.ts';
import { postNotification } from '../test/support/http/post-notification.ts';
import { writeOlderReport } from '../test/support/older-report.ts';
import { residentMemoryMb } from '../test/support/programs/process-memory.ts';
import { startAnalyst, unlimited, type Analyst } from '../test/support/programs/running-analyst.ts';
import { aKey } from '../test/support/samples/alerts.ts';
import { sampleNow } from '../test/support/samples/sample-report.ts';
import { typicalReport } from '../test/support/samples/typical-report.ts';
import { machine, quantile } from './bench/figures.ts';
import { fillData, fingerprintAt } from './bench/filled-data.ts';
import { finishedReport } from './ranking/reported-case.ts';
import { scriptOptions } from './script-options.ts';

const values = scriptOptions(import.meta.url, {
  rounds: { type: 'number', default: 40 },
  episodes: { type: 'number', default: 100_000 },
  open: { type: 'number', default: 2_000 },
  dir: { type: 'string', default: tmpdir() },
  main: { type: 'string' },
});
const { rounds, episodes, open } = values;
const warmUps = 5;
/** As browsers ask. */
const headers = { accept: 'text/html', 'accept-encoding': 'gzip, deflate, br, zstd' };
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const directory = mkdtempSync(join(values.dir, 'alert-analyst-pages-'));
let analyst: Analyst | null = null;
try {
  console.log(`${machine()}, ${rounds} rounds; median and p99 in ms`);
  const reports = { typical: typicalReport(), enormous: enormousReport() };
  for (const [name, report] of Object.entries(reports)) {
    benchRender(`${name} report, page`, () =>
      renderReportPage(report, { now: sampleNow, script: '', feedbackBy: 'form' }));
    benchRender(`${name} report, Markdown`, () => renderMarkdown(report));
    benchRender(`${name} report, JSON`, () => JSON.stringify(report));
  }
  await fillData(join(directory, 'data'), { episodes, open });
  const last = fingerprintAt(episodes - 1);
  const before = fingerprintAt(episodes - 2);
  const stored = [[last, reports.typical], [before, reports.enormous]] as const;
  storeReports(join(directory, 'data'), stored);
  analyst = await startAnalyst({
    dataDirectory: join(directory, 'data'), env: unlimited, main: values.main,
  });
  const { url } = analyst;
  const incident = await postIncident(url, 300);
  for (const path of [
    `/report/${last}`, `/report/${last}.md`, `/report/${last}.json`,
    `/report/${before}`, `/report/${before}.md`, `/report/${before}.json`,
    '/', '/reports.json', '/?state=ended', '/?state=open', '/?severity=critical',
    '/?namespace=shop-7', '/?text=checkout', '/?text=nothing+at+all', '/?state=ended&text=nothing',
    '/?since=24h', '/?from=2020-01-01&to=2020-01-02',
    '/?severity=none&namespace=shop-39&text=a+b+c+d+e+f+g+nothing&since=7d',
    incident, '/metrics', '/health',
  ]) await benchFirstByte(url, path);
  console.log(`then ${residentMemoryMb(analyst.program.pid).toFixed(0)} MB resident`);
} finally {
  agent.destroy();
  await analyst?.program.stop('SIGKILL');
  rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
}

/** A report whose lists are far longer than any investigation makes them. */
function enormousReport(): Report {
  const report = typicalReport();
  const repeated = <T>(items: readonly T[], times: number): T[] =>
    Array.from({ length: times }, () => items).flat();
  return {
    ...report,
    evidence: repeated(report.evidence, 20).map((item, index) => (
      { ...item, id: `E${index + 1}` })),
    changes: repeated(report.changes, 20), findings: repeated(report.findings, 20),
    hypotheses: repeated(report.hypotheses, 20), next_steps: repeated(report.next_steps, 10),
    timeline: repeated(report.timeline, 40), related: repeated(report.related, 20),
  };
}

function storeReports(
  data: string,
  reports: readonly (readonly [string, Report])[],
): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  for (const [fingerprint, report] of reports) {
    writeOlderReport(join(data, 'reports'), aKey(fingerprint), JSON.stringify(report));
  }
}

/** The path of an incident with this many members, all of them analysed. */
async function postIncident(url: string, members: number): Promise<string> {
  const alerts = Array.from({ length: members }, (_, index) => ({
    status: 'firing', fingerprint: `incident${index}`, startsAt: new Date().toISOString(),
    labels: {
      alertname: 'TargetDown', severity: 'critical', namespace: 'bench', job: 'node',
      node: 'node-1', instance: `node-1:${index}`,
    },
  }));
  await postNotification(url, {
    version: '4', status: 'firing', groupKey: '{}:{job="node"}', groupLabels: { job: 'node' },
    alerts,
  });
  for (const { fingerprint } of alerts) await finishedReport(url, fingerprint);
  const report = (await (await fetch(`${url}/report/incident0.json`)).json()) as Report;
  if (report.incident === null) throw new Error('The alerts form no incident');
  console.log(`the incident has ${report.incident.members.length} members in its report`);
  return new URL(report.incident.url).pathname;
}

function benchRender(name: string, render: () => string): void {
  const times: number[] = [];
  let size = 0;
  for (let round = -warmUps; round < rounds; round += 1) {
    const startedAt = performance.now();
    size = Buffer.byteLength(render());
    if (round >= 0) times.push(performance.now() - startedAt);
  }
  printTimes(`render ${name}`, times, size);
}

async function benchFirstByte(url: string, path: string): Promise<void> {
  const times: number[] = [];
  let size = 0;
  for (let round = -warmUps; round < rounds; round += 1) {
    const { ms, bytes } = await firstByte(`${url}${path}`);
    size = bytes;
    if (round >= 0) times.push(ms);
  }
  printTimes(path, times, size);
}

function firstByte(url: string): Promise<{ ms: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const asking = request(url, { agent, headers }, (answer) => {
      const ms = performance.now() - startedAt;
      let bytes = 0;
      if (answer.statusCode !== 200) reject(new Error(`${url} answers ${answer.statusCode}`));
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
      answer.once('end', () => resolve({ ms, bytes }));
    });
    asking.once('error', reject);
    asking.end();
  });
}

function printTimes(name: string, times: readonly number[], bytes: number): void {
  const at = (share: number): string => quantile(times, share).toFixed(1).padStart(7);
  const size = (bytes / 1000).toFixed(0).padStart(5);
  console.log(`${name.padEnd(74)} ${at(0.5)} ${at(0.99)}  ${size} kB`);
}
