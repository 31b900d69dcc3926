/** Alerts with attacks, extreme texts or extreme numbers of labels. */
import { naughtyStrings } from './hostile-report.ts';

type Texts = Readonly<Record<string, string>>;

export interface PostedAlert {
  readonly status: 'firing';
  readonly labels: Texts;
  readonly annotations: Texts;
  readonly startsAt: string;
  readonly generatorURL: string;
}

/** Set `window.__pwned` or open a dialog wherever they are not treated as text. */
const attacks = [
  '<script>window.__pwned=1</script>', '<img src=x onerror="window.__pwned=2">',
  '"><svg onload=window.__pwned=3>', "' onmouseover='window.__pwned=4' autofocus onfocus='alert(4)",
  '</style><script>alert(5)</script>', '</title></head><body onload=alert(6)>',
  '<iframe srcdoc="<script>parent.__pwned=7</script>">',
  '<meta http-equiv=refresh content="0;//x">',
  '<base href="http://evil.example/">', '<form action="http://evil.example"><button>Log in',
  '<link rel=stylesheet href="http://evil.example/x.css">', '<!-- ', ']]><![CDATA[',
  '<details open ontoggle=window.__pwned=8>', '{{constructor.constructor("__pwned=9")()}}',
  '</script><script>window.__pwned=10</script>', '\u2028window.__pwned=11\u2029',
];

const addresses = [
  'javascript:window.__pwned=12', 'data:text/html,<script>alert(13)</script>',
  ' java\nscript:alert(14)', 'http://evil.example/"onclick="alert(15)', '//evil.example/x.png',
];

const startsAt = new Date(Date.now() - 60_000).toISOString();

function alert(labels: Texts, annotations: Texts = {}): PostedAlert {
  return {
    status: 'firing', labels: { alertname: 'Strange', severity: 'warning', ...labels },
    annotations, startsAt, generatorURL: addresses[0] ?? '',
  };
}

/** The texts as labels `p0`, `p1`, … */
function labelled(values: readonly string[], prefix = 'p'): Record<string, string> {
  return Object.fromEntries(values.map((value, index) => [`${prefix}${index}`, value]));
}

function chunks<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size));
}

const unbroken = 'x'.repeat(4_000);
const zalgo = 'a\u0301\u0302\u0303\u0304\u0305\u0306\u0307'.repeat(40);

export const hostileAlerts: Readonly<Record<string, readonly PostedAlert[]>> = {
  'mark-up and script': [
    alert(
      { ...labelled(attacks), alertname: attacks[0] ?? '', severity: attacks[1] ?? '' },
      {
        summary: attacks.join(' '), description: attacks.join('\n'),
        runbook_url: addresses[0] ?? '', dashboard: addresses[1] ?? '',
        ...labelled(addresses, 'link_url'),
      },
    ),
  ],
  'control characters and bidirectional overrides': [
    alert(
      {
        alertname: 'a\u0000b\u0007c\u001b[31md', namespace: '\u202egnp.exe\u2066', pod: '\u200b',
        job: 'a\rb\nc\td', instance: '\ufeff\ufffe', service: zalgo,
      },
      { summary: '\u202e\u2067 reversed \u0085 and \u009b31m coloured', description: zalgo },
    ),
  ],
  'text from right to left': [
    alert(
      { alertname: 'تأخر_الطلبات', namespace: 'متجر', service: 'שירות', city: '東京都港区六本木' },
      { summary: 'تستغرق 99 ٪ من الطلبات 2.4 ثانية', description: 'מעל הסף של 1 s (p95)' },
    ),
  ],
  'values without a break': [
    alert(
      {
        alertname: 'A'.repeat(200), namespace: unbroken.slice(0, 500), instance: unbroken,
        severity: unbroken.slice(0, 300), [`long_name_${'n'.repeat(200)}`]: 'x',
      },
      { summary: unbroken, description: unbroken, runbook_url: `https://x.example/${unbroken}` },
    ),
  ],
  'forty labels': [
    alert(labelled(Array.from({ length: 40 }, (_, index) => `value ${index} `.repeat(10)),
      'quite_a_long_name_of_a_label_')),
  ],
  'naughty strings': chunks(naughtyStrings(), 60).map((values, index) =>
    alert({ ...labelled(values.slice(0, 30)), set: String(index) },
      labelled(values.slice(30), 'note'))),
};

/** `count` alerts of one group that started together. */
export function manyAlerts(count: number): PostedAlert[] {
  return Array.from({ length: count }, (_, index) => alert({
    alertname: 'PodCrashLooping', namespace: 'shop',
    severity: index % 3 === 0 ? 'critical' : 'warning',
    pod: `checkout-with-a-rather-long-name-${index}-578fcf4766-9csqn`,
  }));
}
