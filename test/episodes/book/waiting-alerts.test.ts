import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNotification } from '../../../src/alert/notification.ts';
import { EpisodeBook } from '../../../src/episodes/book/episode-book.ts';
import { anAlert, fingerprint } from '../../support/samples/alerts.ts';

/** Opens these alerts by one notification. */
function tellGroup(book: EpisodeBook, names: readonly string[]): void {
  const alerts = names.map((name) => anAlert({ fingerprint: fingerprint(name) }));
  const accepted = alerts.map((alert, index) =>
    ({ fingerprint: alert.fingerprint, kind: 'opened', number: 1, index, alert }) as const);
  const { group } = parseNotification({ alerts }, 0);
  const text = JSON.stringify({ alerts });
  book.applyNotification(book.revisionOf(null) + 1, { receivedAt: 0, text, accepted, group });
}

test('A group is parsed once to be unpacked, whatever comes and is read meanwhile', (t) => {
  const book = new EpisodeBook();
  tellGroup(book, Array.from({ length: 40 }, (_, index) => `of-many-${index}`));
  const parse = t.mock.method(JSON, 'parse');
  for (let turn = 1; !book.assignSome(1); turn += 1) {
    if (turn > 60) continue; // What comes has to be taken in as well.
    tellGroup(book, [`alone-${turn}`]);
    assert.equal(book.find(`alone-${turn}`, 1)?.latest?.read().group.listed, 1);
    if (turn < 40) assert.ok(book.find('of-many-39', 1)?.latest?.read());
  }
  const whole = parse.mock.calls.filter(({ arguments: [text] }) =>
    text.includes('of-many-1"') && text.includes('of-many-2"'));
  assert.equal(whole.length, 1);
});
