import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairLine } from '../../src/queue/fair-line.ts';
import { cpuTimer } from '../support/cpu-timer.ts';

/** Adds the items, named by their party and a number, in this order. */
function lineOf(...items: string[]): FairLine<string> {
  const line = new FairLine<string>();
  for (const item of items) line.add(partyOf(item), item);
  return line;
}

function partyOf(item: string): string {
  return item.replace(/\d+$/, '');
}

function many(party: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${party}${index + 1}`);
}

function taken(line: FairLine<string>): string[] {
  const items: string[] = [];
  for (let next = line.takeNext(); next !== null; next = line.takeNext()) items.push(next);
  return items;
}

const orders: readonly [what: string, added: string[], expected: string[]][] = [
  ['one party in the order of its items', many('a', 3), ['a1', 'a2', 'a3']],
  ['parties of one item in their order', ['a1', 'b1', 'c1'], ['a1', 'b1', 'c1']],
  ['parties in turn', ['a1', 'a2', 'a3', 'b1', 'b2'], ['a1', 'b1', 'a2', 'b2', 'a3']],
  ['a party of one item before the second of another', ['a1', 'a2', 'b1'], ['a1', 'b1', 'a2']],
];
for (const [what, added, expected] of orders) {
  test(`FairLine.takeNext() takes ${what}`, () => {
    assert.deepEqual(taken(lineOf(...added)), expected);
  });
}

for (const parties of [1, 2, 200]) {
  test(`FairLine.takeNext() takes next what is new, beside ${parties} with many items`, () => {
    const names = Array.from({ length: parties }, (_, index) => `p${index}-`);
    const line = lineOf(...names.flatMap((name) => many(name, 50)));
    for (const name of names) assert.equal(line.takeNext(), `${name}1`, 'new itself');
    for (let served = 0; served < 40 * parties; served += 1) {
      line.takeNext();
      if (served % 37 !== 0) continue;
      line.add(`new ${served} `, 'new');
      assert.equal(line.takeNext(), 'new', `after ${served}`);
    }
  });
}

test('FairLine.takeOldest() takes what came first, whosever turn it is', () => {
  const line = lineOf('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
  assert.equal(line.takeNext(), 'a1');
  assert.equal(line.takeNext(), 'b1');
  assert.equal(line.oldest, 'a2');
  assert.equal(line.takeOldest(), 'a2');
  assert.equal(line.takeOldest(), 'a3');
  assert.deepEqual(taken(line), ['c1', 'b2']);
  assert.equal(line.oldest, null);
  assert.equal(line.takeOldest(), null);
});

test('FairLine takes everything once, and of each party in order, whichever way', () => {
  const line = new FairLine<string>();
  const last = new Map<string, number>();
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % below;
  let [added, removed] = [0, 0];
  for (let step = 0; step < 20_000 || added > removed; step += 1) {
    if (step < 20_000 && random(3) > 0) {
      line.add(`p${random(30)}`, `p${seed % 30} ${added++}`);
      continue;
    }
    const item = random(3) === 0 ? line.takeOldest() : line.takeNext();
    if (item === null) continue;
    removed += 1;
    const [party = '', number] = item.split(' ');
    assert.ok(Number(number) > (last.get(party) ?? -1), `${item} after ${last.get(party)}`);
    last.set(party, Number(number));
  }
  assert.equal(removed, added);
});

const sizes = [['one party', 1], ['as many parties', 100_000]] as const;
for (const [what, parties] of sizes) {
  test(`FairLine takes 100 000 items of ${what} within 2 s`, () => {
    const line = new FairLine<number>();
    const spentMs = cpuTimer();
    for (let item = 0; item < 100_000; item += 1) line.add(`${item % parties}`, item);
    for (let item = 0; item < 100_000; item += 1) {
      assert.notEqual(item % 5 === 0 ? line.takeOldest() : line.takeNext(), null);
    }
    assert.equal(line.oldest, null);
    assert.ok(spentMs() < 2_000, `${spentMs()} ms`);
  });
}
