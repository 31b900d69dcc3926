/** What the commands quote from alerts, recordings and servers does not reach a terminal raw. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Recording } from '../../src/recording/recording.ts';
import type { Report } from '../../src/report/report.ts';
import { runProgram } from '../support/programs/programs.ts';
import { startFakeSource } from '../support/sources/fake-source.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A new title, a cleared screen, a written clipboard, a forged line, text that runs backwards. */
const hostile = 'Disk\u001b]0;owned\u0007\u001b[2J\u009b31m\u001b]52;c;cm0=\u0007\u007f\u202etxt' +
  '\r\nforged: all is fine\u2028\u2066\u{e0041}\u061c';
const active = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0041}]/u;

async function run(...args: string[]): Promise<string> {
  const { output } = await runProgram(process.execPath, ['dist/main.js', ...args]);
  assert.doesNotMatch(output, active, args.join(' '));
  assert.doesNotMatch(output, /^forged/m, args.join(' '));
  return output;
}

/** The hostile text as values and as names of members, wherever a recorded report has some. */
function withHostileReport(recording: Recording): object {
  const investigations = recording.investigations.map((each) => {
    const report = JSON.parse(each.report) as Report;
    return { ...each, report: JSON.stringify({ ...report, [hostile]: 1 }) };
  });
  return { ...recording, version: hostile, investigations };
}

test('a hostile alert, its reports and its recording do not control the terminal', async () => {
  const directory = temporaryDirectory();
  const [file, recorded] = [join(directory, 'n.json'), join(directory, 'n.gz')];
  const labels = { alertname: hostile, namespace: hostile };
  writeFileSync(file, JSON.stringify({ alerts: [{ labels, annotations: { summary: hostile } }] }));
  assert.match(await run('analyze', file, '--record', recorded), /Disk/);
  await run('analyze', file, '--markdown');
  const [report] = JSON.parse(await run('analyze', file, '--json')) as Report[];
  assert.deepEqual(report?.alert.labels, labels, 'JSON means the same with its escapes');
  assert.match(await run('analyze', '--replay', recorded), /Disk.*: the report is identical to/);
  const recording = JSON.parse(gunzipSync(readFileSync(recorded)).toString()) as Recording;
  writeFileSync(recorded, gzipSync(JSON.stringify(withHostileReport(recording))));
  const said = await run('analyze', '--replay', recorded);
  assert.match(said, /^Recorded by version Disk.*, replayed by /m);
  assert.match(said, /differs from the recorded one in .*Disk/);
});

test('nor does a recording that is none, or a file that is missing', async () => {
  const file = join(temporaryDirectory(), 'n.json');
  writeFileSync(file, JSON.stringify({ format: hostile, alerts: hostile, [hostile]: hostile }));
  await run('analyze', '--replay', file);
  await run('analyze', file);
  await run('analyze', join(temporaryDirectory(), hostile));
  await run(hostile);
  await run('analyze', `--${hostile}`);
});

test('nor does a server that the commands ask', async (t) => {
  const { url } = await startFakeSource(t, (response) => {
    response.writeHead(500, { 'content-type': 'text/plain' }).end(hostile);
  });
  const env = {
    PORT: new URL(url).port, MODEL_PROVIDER: 'openai-chat', MODEL_NAME: hostile,
    MODEL_URL: `${url}v1`, MODEL_API_KEY: 'k',
  };
  for (const command of ['drill', 'check-model', '--check-config']) {
    const { output } = await runProgram(process.execPath, ['dist/main.js', command], { env });
    assert.notEqual(output, '');
    assert.doesNotMatch(output, active, command);
    assert.doesNotMatch(output, /^forged/m, command);
  }
});
