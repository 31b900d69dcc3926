import assert from 'node:assert/strict';
import test from 'node:test';
import { shareText } from '../../../src/diagnosis/findings/share-text.ts';
import { concluded, latencyCase } from '../../support/samples/metric-facts.ts';

const whole = {
  atFire: 240, counted: 'requests', isRate: true, rangeSeconds: 300, evidence: 'E9',
};

test('shareText() tells how many a share is, and of how many', () => {
  const text = (over: Partial<typeof whole>, value: number | null = 0.125, unit = 'ratio') =>
    shareText({ ...whole, ...over }, { value, unit });
  assert.equal(text({}), 'When it fired, 12.5 % was 30 of 240 requests per second.');
  assert.equal(text({}, 12.5, 'percent'), text({}));
  assert.equal(text({ atFire: 8 / 300 }),
    'When it fired, 12.5 % was 1 of 8 requests in 5 min; each changes it by 12.5 %.');
  assert.equal(text({ atFire: 64.2, isRate: false, rangeSeconds: 3600 }),
    'When it fired, 12.5 % was 8 of 64 requests in 1 h.');
  assert.equal(text({ atFire: 0.001 }), null, 'less than one');
  for (const none of [text({}, null), text({}, 3), text({}, 0.1, 'seconds'), text({}, -0.2)]) {
    assert.equal(none, null);
  }
});

test('findingsOf tells it of a ratio, and cites both numbers', () => {
  const alert = {
    ...latencyCase().alert, generatorURL:
      `http://p/graph?g0.expr=${encodeURIComponent('rate(a_total[5m]) / rate(b_total[5m]) > 0.1')}`,
  };
  const { findings } = concluded(latencyCase({ alert }), { own: { valueAtFire: 0.5 }, whole: {} });
  const found = findings.find(({ text }) => text.includes('requests per second'));
  assert.equal(found?.text, 'When it fired, 50 % was 120 of 240 requests per second.');
  assert.equal(found.evidence.length, 2);
});
