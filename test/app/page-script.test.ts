import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { readPageScripts } from '../../src/app/page-script.ts';
import { formatRelative, formatSpan } from '../../src/report/time-text.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('readPageScripts() joins the compiled scripts in the order of their names', () => {
  const directory = temporaryDirectory();
  for (const name of ['list-b.js', 'b.js', 'a.js', 'c.ts', 'd.js.map']) {
    writeFileSync(join(directory, name), `{\n    ${name}();\n}\n`);
  }
  const report = '{\na.js();\n}\n{\nb.js();\n}';
  assert.deepEqual(readPageScripts(pathToFileURL(`${directory}/`)),
    { all: `${report}\n{\nlist-b.js();\n}`, report });
});

test('readPageScripts() is empty if nothing was compiled', () => {
  const directory = temporaryDirectory();
  const none = { all: '', report: '' };
  assert.deepEqual(readPageScripts(pathToFileURL(`${directory}/`)), none);
  const absent = join(directory, 'absent');
  assert.deepEqual(readPageScripts(pathToFileURL(`${absent}/`)), none);
});

for (const text of ['"</script>"', '"<!--"', '"<Script"']) {
  test(`readPageScripts() refuses a script with ${text}, which a page cannot hold`, () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'a.js'), `f(${text});`);
    assert.throws(() => readPageScripts(pathToFileURL(`${directory}/`)), /cannot be inlined/);
  });
}

test('the scripts of this service can be inlined into a page', () => {
  const { all, report } = readPageScripts(new URL('../../src/browser/', import.meta.url));
  assert.match(report, /^"use strict";/);
  assert.doesNotMatch(all, /^(import|export) /m);
  assert.ok(report.length < all.length);
});

/** Runs the script for times on a page that the service rendered `now` (ms). */
function localise(times: readonly object[], now: number): void {
  const script = new URL('../../src/browser/local-times.js', import.meta.url);
  runInNewContext(readFileSync(script, 'utf8'), {
    document: {
      body: {
        dataset: { now: String(now) },
        querySelectorAll: (which: string) => (which.startsWith('time') ? times : []),
      },
      addEventListener: () => {},
    },
    location: { protocol: 'https:' }, setInterval: () => {}, Date: class extends Date {
      static override now(): number {
        return now;
      }
    },
  });
}

test('a page goes on telling ages in the words that the service began with', () => {
  const now = Date.now();
  const [minute, hour, day] = [60, 3600, 86_400];
  const ages = [5, 59, minute, 100, 599, hour - 1, hour, 5 * hour + 61, day, 12.5 * day, 45 * day];
  const times = ages.flatMap((seconds) => {
    const dateTime = new Date(now - seconds * 1000 - 100).toISOString();
    return [
      { dateTime, dataset: { age: 'span' }, textContent: formatSpan(dateTime, null, now) },
      { dateTime, dataset: { age: '' }, textContent: formatRelative(dateTime, now) },
    ];
  });
  const told = times.map(({ textContent }) => textContent);
  localise(times, now);
  assert.deepEqual(times.map(({ textContent }) => textContent), told);
});

test('a page keeps the seconds of a moment where the service showed them', () => {
  const now = Date.now();
  const dateTime = new Date(now).toISOString();
  const [short, exact] = [{}, { seconds: '' }].map((dataset) => (
    { dateTime, dataset, textContent: '' }));
  localise([short, exact].flatMap((time) => time ?? []), now);
  assert.match(short?.textContent ?? '', /^\d\d:\d\d [A-Z]/);
  assert.match(exact?.textContent ?? '', /^\d\d:\d\d:\d\d [A-Z]/);
});
