/** What benchmarks post: alerts of realistic size and shape, with two slots in each. */

const slot = '@'.repeat(16);

export interface Body {
  readonly bytes: Buffer;
  /** Offsets of the slots, each for 16 hexadecimal digits: the fingerprint and the instance. */
  readonly slots: readonly number[];
}

/** Whose API takes the body: the service's webhook, or Alertmanager's `POST /api/v2/alerts`. */
export type TakenBy = 'webhook' | 'alertmanager';

export function makeBody(alerts: number, takenBy: TakenBy = 'webhook'): Body {
  const labels = {
    alertname: 'CheckoutLatencyHigh',
    severity: 'critical',
    namespace: 'shop',
    job: 'checkout',
    instance: `checkout-${slot}:8080`,
    cluster: 'eu1',
  };
  const annotations = {
    summary: '99 % of requests take 2.4 s, more than 1 s',
    description: 'The checkout has been answering slowly for 5 minutes. '.repeat(4),
    runbook_url: 'https://runbooks.example.com/checkout-latency',
  };
  const alert = {
    status: 'firing',
    labels,
    annotations,
    startsAt: '2026-01-01T00:00:00.123Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus.example.com:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
    fingerprint: slot,
  };
  if (takenBy === 'alertmanager') {
    const { startsAt, generatorURL } = alert;
    const posted = { labels, annotations, startsAt, generatorURL };
    return withSlots(Array.from({ length: alerts }, () => posted));
  }
  return withSlots({
    receiver: 'alert-analyst',
    status: 'firing',
    alerts: Array.from({ length: alerts }, () => alert),
    groupLabels: { alertname: labels.alertname },
    commonLabels: labels,
    commonAnnotations: annotations,
    externalURL: 'http://alertmanager.example.com:9093',
    version: '4',
    groupKey: '{}:{alertname="CheckoutLatencyHigh"}',
    truncatedAlerts: 0,
  });
}

function withSlots(body: object): Body {
  const bytes = Buffer.from(JSON.stringify(body));
  return { bytes, slots: findSlots(bytes) };
}

/** Makes every alert of the body new: numbers the slots from `last` + 1, and returns the last. */
export function fillSlots(target: Buffer, slots: readonly number[], last: number): number {
  let number = last;
  for (const at of slots) {
    number += 1;
    target.write(number.toString(16).padStart(16, '0'), at, 'latin1');
  }
  return number;
}

function findSlots(bytes: Buffer): readonly number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(slot); at >= 0; at = bytes.indexOf(slot, at + slot.length)) {
    found.push(at);
  }
  return found;
}
