import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replay } from '../../src/commands/replay.ts';

const empty = { format: 1, version: '1', investigations: [], bodies: [] };
const noRecordings: readonly (readonly [string, string, RegExp])[] = [
  ['nothing', '', /not JSON/],
  ['half a file', '{"format":1', /not JSON/],
  ['a list', '[]', /not a recording/],
  ['a newer format', JSON.stringify({ ...empty, format: 2 }), /newer version/],
  ['another shape', JSON.stringify({ ...empty, investigations: [{}] }), /not a recording: rec/],
  ['lists without an end', '['.repeat(2_000_000), /not JSON|nested/],
];
for (const [what, content, problem] of noRecordings) {
  test(`replay() refuses ${what} and says why`, async () => {
    const result = await replay(Buffer.from(content), {
      format: 'text', color: false, width: 80, version: '0.0.0',
    });
    assert.equal(result.kind, 'refused');
    assert.match(result.problem, problem);
  });
}
