/** What reports say of logs, over HTTP and through a whole investigation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { investigate } from '../../src/analysis/investigate.ts';
import { openSources } from '../../src/analysis/open-sources.ts';
import { bySource } from '../../src/sources/asked-source.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile } from '../support/samples/case-files.ts';
import {
  cartLabels, cartStream, firedAt, linesBetween, minute, usualLines,
} from '../support/samples/shop-logs.ts';
import { fakeLoki } from '../support/sources/fake-loki.ts';
import { startFakeSource } from '../support/sources/fake-source.ts';

type Lines = ReturnType<typeof usualLines>;

interface Incident {
  readonly lines: Lines;
  /** When it is analysed. */
  readonly now?: number;
  readonly says: readonly string[];
  readonly likely?: string;
}

const pod = 'pod cart-7d9f8b6c5d-x2x4z';

function served([from, to]: readonly [number, number]): Lines {
  return linesBetween([from, to], 5_000, (index) => `level=info msg="served" path=/${index}`);
}

/** In minutes from the start of the alert. */
function at(minutes: number): number {
  return firedAt + minutes * minute;
}

const incidents: Readonly<Record<string, Incident>> = {
  'a pod that began after the time before, and panics': {
    lines: [
      ...served([at(-20), at(1)]),
      ...linesBetween([at(-19), at(1)], minute, () => 'panic: no such table carts'),
    ],
    says: [`The log of ${pod} says "panic: no such table carts": 20 lines since 09:41 UTC; ` +
      'Loki has no line of it from 08:30 UTC to 09:39 UTC.'],
    likely: 'The database does not have the schema that it expects, as the log of ' +
      `${pod} says: "panic: no such table carts"`,
  },
  'a pod that began after the time before, and warns as it always does': {
    lines: [
      ...served([at(-20), at(1)]),
      ...linesBetween([at(-19), at(1)], minute, () => 'level=warn msg="config key deprecated"'),
    ],
    says: [`The log of ${pod} has 20 lines of trouble and nothing to compare them with: Loki has ` +
      'no line of it from 08:30 UTC to 09:39 UTC.'],
  },
  'a job that fails with one line': {
    lines: [[at(-5), 'starting'], [at(-4), 'ERROR backup failed: disk quota exceeded']],
    says: [`The log of ${pod} says "backup failed: disk quota exceeded": 1 line at 09:56 UTC; ` +
      'Loki has no line of it from 08:30 UTC to 09:54 UTC.'],
    likely: `A disk that it writes to is full, as the log of ${pod} says: ` +
      '"backup failed: disk quota exceeded"',
  },
  'retention that ends within the hour before': {
    lines: [
      ...served([at(-40), at(1)]),
      ...linesBetween([at(-25), at(1)], 30_000, (index) => `ERROR order ${index} failed`),
    ],
    says: [`The log of ${pod} says "order … failed": 52 lines since 09:35 UTC, none in the ` +
      '11 min before 09:30 UTC; Loki has no line of it from 08:30 UTC to 09:19 UTC.'],
    likely: `What the log of ${pod} says: "order … failed"`,
  },
  'failures that are too few to be called new': {
    lines: [
      ...usualLines(),
      ...linesBetween([at(-3), at(1)], minute, (index) => `ERROR order ${index}: card declined`),
    ],
    says: [`The log of ${pod} says "order …: card declined": 4 lines since 09:57 UTC, none ` +
      'in the 1 h before 09:30 UTC.'],
  },
  'trouble that was less and less': {
    lines: [
      ...served([at(-120), at(1)]),
      ...linesBetween([at(-90), at(-40)], minute, () => 'level=warn msg="session expired"'),
    ],
    says: [`The log of ${pod} shows nothing clearly new since 09:30 UTC: 0 lines of trouble in ` +
      'the 31 min to 10:01 UTC, 50 in the 1 h before.'],
  },
  'a burst at the end of the time that is looked at': {
    lines: [
      ...served([at(-120), at(1)]),
      ...linesBetween([at(-90), at(-9)], 10 * minute, (index) => `ERROR order ${index} failed`),
      ...linesBetween([at(-5), at(1)], 2_000, (index) => `ERROR order ${index} failed`),
    ],
    says: [`The log of ${pod} says "order … failed" more often since 09:30 UTC: 183 lines in ` +
      'the 31 min to 10:01 UTC, 6 in the 1 h before.'],
  },
  'an alert that is analysed hours late': {
    lines: [...served([at(-120), at(-1)]), ...served([at(12), at(240)])],
    now: at(240),
    says: [
      `The log of ${pod} shows no trouble from 08:30 UTC to 10:10 UTC.`,
      `Loki has no line of ${pod} from 09:59 UTC to 10:10 UTC; before, there were 12 lines a ` +
        'minute.',
    ],
  },
  'a pod whose agent was away for most of the hour before': {
    lines: [
      ...served([at(-120), at(-80)]), ...served([at(-31), at(1)]),
      ...linesBetween([at(-29), at(1)], minute, () => 'ERROR card refused'),
    ],
    says: [`The log of ${pod} says "card refused": 30 lines since 09:31 UTC, none in the 1 h ` +
      'before 09:30 UTC; Loki has no line of it from 08:40 UTC to 09:28 UTC.'],
    likely: `What the log of ${pod} says: "card refused"`,
  },
  'a pod whose agent was away until after the trouble may have begun': {
    lines: [
      ...served([at(-120), at(-40)]), ...served([at(-5), at(1)]),
      ...linesBetween([at(-5), at(1)], 10_000, () => 'ERROR card refused'),
    ],
    says: [`The log of ${pod} says "card refused": 36 lines since 09:55 UTC, none in the 1 h ` +
      'before 09:30 UTC; Loki has no line of it from 09:20 UTC to 09:54 UTC.'],
    likely: `What the log of ${pod} says: "card refused"`,
  },
  'a pod that says little': {
    lines: [
      [at(-80), 'job done'], [at(-20), 'job done'],
      ...linesBetween([at(-9), at(1)], minute, () => 'ERROR card refused'),
    ],
    says: [`The log of ${pod} says "card refused": 10 lines since 09:51 UTC, none in the 51 ` +
      'min before 09:30 UTC.'],
    likely: `What the log of ${pod} says: "card refused"`,
  },
  'a thousand lines of the second in which the time before ends': {
    lines: [
      ...served([at(-120), at(1)]),
      ...linesBetween([at(-30) - 2000, at(-30)], 1, (index) => `ERROR order ${index} failed`),
      ...linesBetween([at(-3), at(1)], minute, () => 'ERROR card declined'),
    ],
    says: [`The log of ${pod} shows nothing clearly new since 09:30 UTC: 4 lines of trouble in ` +
      'the 31 min to 10:01 UTC, 1000 in the 1 s before.'],
  },
};

for (const [name, { lines, now = at(1), says, likely = null }] of Object.entries(incidents)) {
  test(`investigate() tells of the log of ${name}`, async (t) => {
    const { findings, verdict } = await reported(t, lines, now);
    const texts = findings.map(({ text }) => text).filter((text) => text.includes(pod));
    assert.deepEqual(texts, says);
    assert.equal(verdict.most_likely, likely);
  });
}

async function reported(
  t: Cleanup,
  lines: Lines,
  now: number,
): Promise<Awaited<ReturnType<typeof investigate>>['report']> {
  const { url } = await startFakeSource(t, fakeLoki([cartStream(lines)]));
  const access = { urls: [url], timeoutMs: 5_000, ca: null, headers: [], token: null, login: null };
  // However slow the machine is, no answer comes too late.
  const clock = new ManualClock(now);
  const sources = await openSources(bySource((source) => (source === 'loki' ? access : null)), {
    clock, random: () => 0.5, atOnce: 4, onAsked: () => {},
  })({});
  const alert = anAlert({ labels: cartLabels, startsAt: new Date(firedAt).toISOString() });
  const { report } = await investigate(aCaseFile({ alert }), {
    clock, sources, version: '1.2.3',
    signal: new AbortController().signal, onProgress: () => {},
  });
  return report;
}
