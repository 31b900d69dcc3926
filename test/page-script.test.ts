import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readPageScript } from '../src/page-script.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

test('readPageScript() joins the compiled scripts in the order of their names', () => {
  const directory = temporaryDirectory();
  for (const name of ['b.js', 'a.js', 'c.ts', 'd.js.map']) {
    writeFileSync(join(directory, name), `${name}();\n`);
  }
  assert.equal(readPageScript(pathToFileURL(`${directory}/`)), 'a.js();\nb.js();');
});

test('readPageScript() is empty where nothing was compiled', () => {
  const directory = temporaryDirectory();
  assert.equal(readPageScript(pathToFileURL(`${directory}/`)), '');
  const absent = join(directory, 'absent');
  assert.equal(readPageScript(pathToFileURL(`${absent}/`)), '');
});

for (const text of ['"</script>"', '"<!--"', '"<Script"']) {
  test(`readPageScript() refuses a script with ${text}, which a page cannot hold`, () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'a.js'), `f(${text});`);
    assert.throws(() => readPageScript(pathToFileURL(`${directory}/`)), /cannot be inlined/);
  });
}

test('the scripts of this service can be inlined into a page', () => {
  const script = readPageScript(new URL('../src/browser/', import.meta.url));
  assert.match(script, /^"use strict";/);
  assert.doesNotMatch(script, /^(import|export) /m);
});
