import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movement, shownValue } from '../../../src/diagnosis/changes/change-words.ts';
import type { MovedSeries } from '../../../src/diagnosis/changes/moved-series.ts';

const candidate = {
  id: 'a', component: 'web', metric: 'orders_db_connections', values: Float64Array.of(1, 2),
  unit: null, signal: 'saturation', side: 'internal', kind: 'gauge', named: null, labels: {},
  valueless: null,
} as const;

const told: readonly (readonly [unit: string | null, value: number | null, said: string])[] = [
  ['milliseconds', 1500, '1.5 s'],
  ['millicores', 250, '0.25 cores'],
  [null, 40, '40'],
  [null, null, 'nothing'],
];
for (const [unit, value, said] of told) {
  test(`shownValue() of ${value ?? 'no value'} in ${unit ?? 'no unit'} is ${said}`, () => {
    assert.equal(shownValue({ ...candidate, unit }, value), said);
  });
}

type Moved = Partial<MovedSeries>;
const movements: readonly (readonly [moved: Moved, isUsual: boolean, said: string])[] = [
  [{}, false, 'rose from 40 to 198'],
  [{ before: 198, after: 40, z: -9 }, false, 'fell from 198 to 40'],
  [{ isState: true }, false, 'went from 40 to 198'],
  [{}, true, 'went from 40 to 198, as on other days at this hour'],
  [{ z: 1 }, false, 'went from 40 to 198, but varied before as well'],
  [{ z: 1, after: 42 }, false, 'hardly moved, from 40 to 42'],
  [{ after: 40 }, false, 'was mostly 40'],
  [{ after: 40, candidate: { ...candidate, values: Float64Array.of(40, 40) } }, false,
    'stayed at 40'],
  [{ before: 2, after: 1, z: -9, isWhole: true, seenAtMs: Date.parse('2026-11-20T09:54:45Z') },
    false, 'fell from 2 to 1 at 09:54:45 UTC'],
  [{ before: 1, after: 1, isState: true,
    candidate: { ...candidate, values: Float64Array.of(1, 0, 1) } }, false, 'was mostly 1'],
  [{ replicas: 3, replicasMoved: 2 }, false, 'rose from 40 to 198 on 2 of 3 replicas'],
  [{ replicas: 3, replicasMoved: 0 }, false, 'rose from 40 to 198'],
];
for (const [moved, isUsual, said] of movements) {
  test(`movement() says "${said}"`, () => {
    const series: MovedSeries = {
      candidate, z: 9, windowZ: moved.z ?? 9, isState: false, isStep: false, strength: 'strong',
      score: 1,
      agreement: null, onsetIndex: null, before: 40, after: 198, scale: 1, origin: 0,
      seenAtMs: null, stepMs: 60_000, isWhole: false, isOnTheMove: false, isSlack: false,
      isSlight: false, isStranger: false,
      fewPoints: false, isVictim: false, replicas: 1, replicasMoved: 1, isUsual,
      isUnrelated: false, onsetMs: null, isLate: false, isAfterOwn: false, isByChance: false,
      evidence: 'E1', ...moved,
      grounds: {
        deviation: 9, effect: 4, follows: 1, burst: 0, isTraffic: false, isWaiting: false,
        weight: 1,
      },
    };
    assert.equal(movement(series), `orders db connections ${said}`);
  });
}
