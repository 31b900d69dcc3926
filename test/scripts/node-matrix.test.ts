import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const script = join(process.cwd(), 'scripts', 'node-matrix.mjs');

test('node-matrix refuses to run without a Node to test on', () => {
  for (const given of [[], ['/nonexistent'], ['--', 'word']]) {
    assert.equal(spawnSync(process.execPath, [script, ...given]).status, 2);
  }
});
