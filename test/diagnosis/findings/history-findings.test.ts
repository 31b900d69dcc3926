import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PastEpisode } from '../../../src/report/case-file.ts';
import { aCaseFile, caseNow, investigated } from '../../support/samples/case-files.ts';

test('findingsOf says that an alert flaps, and how often it began', async () => {
  const minute = 60_000;
  const earlier = Array.from({ length: 12 }, (_, index): PastEpisode => {
    const at = caseNow - (index + 1) * 10 * minute;
    return {
      number: 12 - index, startsAt: new Date(at).toISOString(),
      endsAt: new Date(at + 4 * minute).toISOString(), classification: null,
    };
  });
  const episode = {
    ...aCaseFile().episode, number: 13, startsAt: new Date(caseNow - minute).toISOString(),
  };
  const { findings, history } = await investigated(aCaseFile({ earlier, episode }));
  assert.equal(history.flapping, true);
  const texts = findings.map(({ text }) => text).join('\n');
  assert.match(texts, /^It is flapping: it started firing 13 times in 24 h, 13 times in 7 days/mu);
});
