import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusOf } from '../../../src/episodes/view/report-status.ts';

test('statusOf() follows the analysis, and the end of the episode once it is reported', () => {
  const cases = [
    ['queued', null, 'queued'], ['running', null, 'analysing'], ['reported', null, 'ready'],
    ['reported', 'ended', 'final'], ['failed', null, 'failed'], ['failed', 'ended', 'failed'],
    ['quarantined', null, 'failed'], ['queued', 'ended', 'queued'],
  ] as const;
  for (const [analysis, endsAt, status] of cases) {
    assert.equal(statusOf({ analysis, endsAt }), status, `${analysis} ${endsAt}`);
  }
});
