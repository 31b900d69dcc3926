import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const script = join(process.cwd(), 'scripts', 'node-matrix.mjs');

test('node-matrix refuses to test on nothing', () => {
  for (const given of [[], ['/nonexistent'], ['--', 'word']]) {
    assert.equal(spawnSync(process.execPath, [script, ...given]).status, 2);
  }
});
