import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PastEpisode } from '../../../src/report/case-file.ts';
import { aCaseFile, caseNow, investigated } from '../../support/samples/case-files.ts';

test('findingsOf says that an alert flaps, and that it comes back like a timer', async () => {
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
  assert.match(texts,
    /^It is flapping: its weighted state change rate is \d+ % over 1 h 45 min\.$/mu);
  assert.match(texts, /^It comes back regularly, about every 10 min\.$/mu);
});
