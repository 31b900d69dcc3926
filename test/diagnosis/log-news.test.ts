import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  LogFacts, LogNews, RateFacts, TroubleFacts,
} from '../../src/evidence/logs/log-facts.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, caseNow } from '../support/samples/case-files.ts';
import { concluded, type Concluded } from '../support/samples/metric-facts.ts';

const minute = 60_000;
const splitMs = caseNow - 40 * minute;

function change(over: Partial<LogNews> = {}): LogNews {
  return {
    pattern: 'connection to <*> <*> refused', kind: 'new', before: 0, after: 12,
    beforePerMinute: 0, afterPerMinute: 0.3, level: 'error',
    firstAtMs: caseNow - 9 * minute, lastAtMs: caseNow - minute,
    example: 'connection to a b', ...over,
  };
}

/** What is concluded where Loki told this and nobody else anything. */
function of(over: {
  readonly trouble?: Partial<TroubleFacts> | null;
  readonly rate?: Partial<RateFacts> | null;
  readonly failures?: LogFacts['source']['failures'];
}): Concluded {
  const { trouble = {}, rate = null, failures = [] } = over;
  const window = { fromMs: splitMs - 60 * minute, splitMs, toMs: caseNow };
  return concluded(aCaseFile({ alert: anAlert() }), null, {
    configured: new Set(['loki']),
    logs: {
      window,
      source: { state: 'ok', durationMs: 1, queries: 5, evidence: 'E1', failures },
      trouble: trouble && {
        said: 'pod cart-1', before: 3, after: 15, beforeFromMs: window.fromMs,
        afterFromMs: splitMs, patterns: 4, news: [change()], evidence: 'E1', ...trouble,
      },
      rate: rate && {
        said: 'pod cart-1', beforePerMinute: 40, afterPerMinute: 42, silentFrom: null,
        silentSinceMs: null, evidence: 'E1', ...rate,
      },
    },
  });
}

function aboutLogs({ findings }: Concluded): string[] {
  return findings.map(({ text }) => text).filter((text) => text.includes('log'));
}

test('a log that says something new is a finding, a moment and a possible cause', () => {
  const report = of({});
  const [text, ...more] = aboutLogs(report);
  assert.deepEqual(more, []);
  assert.match(text ?? '', new RegExp('^The log of pod cart-1 says since \\S+ UTC "connection to ' +
    '… refused" \\(12 lines, none in the 1 h before \\S+ UTC\\)\\.$'));
  const [cause] = report.hypotheses;
  assert.equal(cause?.cause, 'What the log of pod cart-1 says: "connection to … refused"');
  assert.equal(cause.certainty, 'possible');
  assert.equal(report.verdict.most_likely, cause.cause);
  const moment = report.timeline.find(({ text: said }) => said.includes('for the first time'));
  assert.equal(moment?.at, new Date(caseNow - 9 * minute).toISOString());
});

test('an address in a log is no link that its writer chose', () => {
  const pattern = 'POST HTTPS://a.example/x?u=ftp://b <*> refused';
  const { hypotheses } = of({ trouble: { news: [change({ pattern })] } });
  assert.match(hypotheses[0]?.cause ?? '', / says: "POST a\.example\/x\?u=b … refused"$/);
});

test('of more lines than were read nobody knows the first', () => {
  const [text] = aboutLogs(of({ trouble: { afterFromMs: caseNow - 10 * minute } }));
  assert.match(text ?? '', /says at least since \S+ UTC "connection/);
});

test('how far back the lines before reach is told', () => {
  const [text] = aboutLogs(of({ trouble: { beforeFromMs: splitMs - 7 * minute } }));
  assert.match(text ?? '', /none in the 7 min before/);
});

test('what a log says more often is a finding and no cause', () => {
  const report = of({
    trouble: { news: [change({ kind: 'more', beforePerMinute: 0.1, afterPerMinute: 8 })] },
  });
  assert.deepEqual(aboutLogs(report), [
    'The log of pod cart-1 says more often "connection to … refused": 8 lines a minute, ' +
      '0.1 lines a minute before.',
  ]);
  assert.ok(!report.hypotheses.some(({ cause }) => cause.includes('log')));
  assert.ok(!report.timeline.some(({ text }) => text.includes('log')));
});

test('a log that says nothing new is told to be so', () => {
  const [text] = aboutLogs(of({ trouble: { news: [] } }));
  assert.match(text ?? '', /^The log of pod cart-1 says nothing new: its 15 lines of trouble /);
  const [none] = aboutLogs(of({ trouble: { news: [], before: 0, after: 0 } }));
  assert.match(none ?? '', /^The log of pod cart-1 says nothing of trouble from \S+ UTC on\.$/);
});

test('more news than are told are counted', () => {
  const news = Array.from({ length: 5 }, (_, index) => change({ pattern: `trouble ${index}` }));
  const texts = aboutLogs(of({ trouble: { news } }));
  assert.equal(texts.length, 4);
  assert.equal(texts[3], '2 further patterns in its log are new or more frequent.');
});

test('a log that falls silent, or that floods, is a finding', () => {
  const silent = of({ trouble: null, rate: { silentSinceMs: caseNow - 6 * minute } });
  assert.match(aboutLogs(silent)[0] ?? '',
    /^The log of pod cart-1 is silent since \S+ UTC; before, it had 40 lines a minute\.$/);
  assert.ok(silent.timeline.some(({ text }) => text === 'The log of pod cart-1 falls silent.'));
  const flood = of({ trouble: null, rate: { afterPerMinute: 900 } });
  assert.deepEqual(aboutLogs(flood), [
    'The log of pod cart-1 has 900 lines a minute, 40 lines a minute before.',
  ]);
  assert.deepEqual(aboutLogs(of({ trouble: null, rate: {} })), []);
  assert.deepEqual(aboutLogs(of({
    trouble: null, rate: { beforePerMinute: 1, afterPerMinute: 9 },
  })), [], 'of few lines');
});

test('what Loki did not tell is not known, in the words of its failure', () => {
  const why = 'No stream in Loki is that of pod cart-1.';
  const { unknowns } = of({
    trouble: null,
    failures: [{ what: 'Log lines around the alert', why, hint: 'Label them.', evidence: 'E1' }],
  });
  const own = unknowns.filter(({ why: said }) => said.includes('Loki'));
  assert.deepEqual(own, [{ what: 'Log lines around the alert.', why, how_to_get: 'Label them.' }]);
});
