import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCompleteReport } from '../../support/complete-report.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import {
  concluded, latencyCase, moving, onPoint, problemBegan, type FactsOver,
} from '../../support/samples/metric-facts.ts';

const quiet = ['cart', 'email', 'search'].map((name) => moving(name, 'memory_bytes'));

test('verdict says nothing against a cause that it does not name', () => {
  const labels = { namespace: 'mail', service: 'mail' };
  const elsewhere = moving('mail', 'connections', { after: 198, at: onPoint + 1, labels });
  const { verdict, hypotheses } = concluded(latencyCase(), { candidates: [...quiet, elsewhere] });
  assert.equal(verdict.most_likely, null);
  const effect = 'With one value every 1 min, it cannot be shown to begin before the problem.';
  assert.deepEqual(hypotheses[0]?.against.map(({ text }) => text), [effect]);
  assert.ok(verdict.reasons.every(({ text }) => text !== effect));
});

test('verdict says what moved where none of it may be the cause', () => {
  const waits = moving('orders-db', 'http_client_request_seconds', { after: 400 });
  const alert = anAlert({ labels: { alertname: 'Odd' } });
  const { verdict, hypotheses } = concluded(latencyCase({ alert }), {
    candidates: [...quiet, waits],
  });
  assert.deepEqual(hypotheses, []);
  const said = 'The evidence does not establish a cause; what moved most: orders-db.';
  assert.ok(verdict.reasons.some(({ text }) => text === said));
});

test('verdict says what there is besides where no component stands out', () => {
  const outside = moving('checkout', 'request_seconds', { after: 400, side: 'external' });
  const restart = {
    kind: 'restart', text: 'checkout restarted', atMs: problemBegan - 15_000,
  } as const;
  const reload = {
    kind: 'config', text: 'The configuration of web was reloaded', atMs: problemBegan + 45_000,
    component: { label: 'service', value: 'web' },
  } as const;
  const began = moving('checkout', 'oom_killed', { from: onPoint });
  const cases: readonly [FactsOver, string][] = [
    [{ candidates: quiet }, 'None of the series compared stands out.'],
    [{ candidates: [...quiet, outside] }, "Only the alert's own symptoms stand out."],
    [{ candidates: quiet, events: [restart] },
      'None of the series compared stands out, but checkout restarted, 15 s before the problem.'],
    [{ candidates: quiet, events: [reload] },
      'None of the series compared stands out, ' +
        'but the configuration of web was reloaded, 45 s after the problem.'],
    [{ candidates: [...quiet, began] },
      'None of the series compared stands out, ' +
        'but checkout oom killed appeared, when the problem began.'],
  ];
  for (const [over, expected] of cases) {
    const { verdict, report } = concluded(latencyCase(), over);
    assertCompleteReport(report);
    const said = verdict.reasons.map(({ text }) => text);
    assert.ok(said.includes(expected), said.join(' '));
  }
});
