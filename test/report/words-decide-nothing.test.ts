/**
 * Every sentence of reports on simulated incidents is replaced by nonsense. What code decides from
 * them comes out the same: the page, lists, incidents, posts, and what the next report is told.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slack } from '../../src/delivery/slack.ts';
import { alertInReport } from '../../src/episodes/alert-from-report.ts';
import { conclusionOf, type Conclusion } from '../../src/episodes/conclusion.ts';
import { incidentView } from '../../src/episodes/view/incident-view.ts';
import { keepNarrative } from '../../src/model/answer/keep-narrative.ts';
import type { FoundBefore } from '../../src/report/case-file.ts';
import { foundIn } from '../../src/report/found-before.ts';
import { renderReportPage } from '../../src/report/pages/render-report-page.ts';
import { readReport } from '../../src/report/read-report.ts';
import type { Report } from '../../src/report/report.ts';
import { silenceCommand } from '../../src/report/silence.ts';
import { outlineOf } from '../../src/report/text/outline.ts';
import { reworded } from '../support/reworded.ts';
import { aGroup, anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, caseNow, investigated, openAlert } from '../support/samples/case-files.ts';
import { filledBook } from '../support/samples/filled-book.ts';
import { concluded, type FactsOver } from '../support/samples/metric-facts.ts';
import { sampleReport } from '../support/samples/sample-report.ts';
import { shopReport } from '../support/samples/shop-report.ts';

const api = anAlert({ labels: { alertname: 'HighErrorRate', job: 'api' } });
const redis = { alertname: 'RedisDown', severity: 'critical', instance: 'redis-1:9121' };
const fails: FactsOver = { answers: { dependency: { samples: [1] } } };
const over = { ...api, status: 'resolved', endsAt: '2026-11-20T10:20:00Z' } as const;

const reports: Readonly<Record<string, () => Report | Promise<Report>>> = {
  'of a slow shop': () => shopReport(),
  'of an alert alone': () => investigated(aCaseFile()),
  'of what calls something that fails': () => concluded(aCaseFile({ alert: api }), fails).report,
  'of an alert that has ended': () => concluded(aCaseFile({ alert: over }), fails).report,
  'of one beside an outage': () =>
    investigated(aCaseFile({ alert: api, openAlerts: [openAlert(redis, -60)] })),
  'with a release': () => concluded(aCaseFile({ alert: api }), { events: [{}] }).report,
  'of an alert of Grafana': () => investigated(aCaseFile({
    alert: { ...api, values: { A: '1.5' }, dashboardURL: 'http://g/d/1', panelURL: 'http://g/d/2' },
    group: { ...aGroup, externalURL: 'http://am.example' },
  })),
  'of an alert that was explained before': () => investigated(aCaseFile({
    alert: over, foundBefore: {
      kind: 'reason', family_cause: 'OOMKilled', at: '2026-11-20T10:05:00Z', certainty: 'confirmed',
      cause: 'It needs too much memory', mechanism: null, statements: ['It was killed.'],
    },
  })),
  'with a narrative': () => {
    const [item, ...items] = sampleReport().evidence;
    assert.ok(item);
    const asked = { role: 'query_of_model', title: 'Asked by the model: up' } as const;
    return sampleReport({ evidence: [item, ...items, { ...item, id: 'E9', ...asked }] });
  },
};

/** The tags of the page, without those in sentences, of which rows of a list of terms are some. */
function structureOf(page: string): string[] {
  const tags: string[] = [];
  let inSentence = 0;
  for (const [tag] of page.slice(page.indexOf('<main')).matchAll(/<[^>]*>/gu)) {
    const isEnd = /^<.(?:span|dd)/u.test(tag);
    if (inSentence > 0) inSentence += /^<(?:span|dd)/u.test(tag) ? 1 : isEnd ? -1 : 0;
    else if (/^<(?:span dir="ltr"|dd)/u.test(tag)) inSentence = 1;
    else tags.push(tag);
  }
  return tags;
}

function factsOf({ headline, gist, cause, firstStep, ...facts }: Conclusion): object {
  return { ...facts, hasCause: cause !== null, hasStep: firstStep !== null };
}

function told(found: FoundBefore | null): object | null {
  if (found === null) return null;
  const { cause, mechanism, statements, ...facts } = found;
  return { ...facts, statements: statements.length };
}

for (const [name, make] of Object.entries(reports)) {
  test(`nothing is decided by the words of a report ${name}`, async () => {
    const report = readReport(JSON.stringify(await make()));
    const nonsense = readReport(JSON.stringify(reworded(report)));
    assert.deepEqual(nonsense, reworded(report), 'reading it fills in nothing by its words');
    assert.deepEqual(factsOf(conclusionOf(nonsense)), factsOf(conclusionOf(report)));
    const [page, other] = [report, nonsense].map((each) =>
      structureOf(renderReportPage(each, { now: caseNow })));
    assert.ok(page !== undefined && page.length > 40);
    assert.deepEqual(other, page);
    const sections = (each: Report): unknown => outlineOf(each).sections
      .map(({ title, points }) => [title, points.map(({ command }) => command)]);
    assert.deepEqual(sections(nonsense), sections(report));
    assert.deepEqual(told(foundIn(nonsense)), told(foundIn(report)));
    assert.deepEqual(alertInReport(nonsense), alertInReport(report));
    assert.equal(silenceCommand(nonsense), silenceCommand(report));
    const kept = (each: Report): boolean => {
      const evidence = each.evidence.filter(({ role }) => role === undefined);
      const now = Date.parse('2026-11-20T10:06:00Z');
      return keepNarrative({ ...each, evidence }, each, { now, freshMs: 0 }) !== null;
    };
    assert.equal(kept(nonsense), kept(report));
    const lines = (each: Report): unknown =>
      slack.message(each, { news: 'report', url: each.report_url }).split('\n').length;
    assert.equal(lines(nonsense), lines(report));
  });
}

test('which cause an incident shows does not depend on how causes are worded', async () => {
  const conclusions = await Promise.all(Object.values(reports).map(async (make) =>
    conclusionOf(await make())));
  const shown = (word: (conclusion: Conclusion) => Conclusion): unknown => {
    const book = filledBook(conclusions.map((conclusion, index) => ({
      labels: { alertname: `Api${index}`, namespace: 'shop', service: 'api' }, began: index,
      conclusion: word(conclusion),
    })));
    const [id = ''] = [...book.all()].flatMap((each) => book.membershipOf(each)?.id ?? []);
    const view = incidentView(book, id, { reportBase: 'http://x', moved: [], paths: [] });
    assert.ok(view?.most_likely);
    return [view.members.map((each) => each.name), view.most_likely.name, view.do_first?.name];
  };
  assert.deepEqual(shown((each) => ({
    ...each, cause: each.cause == null ? null : 'x', firstStep: 'y',
  })),
    shown((each) => ({ ...each, firstStep: 'y' })));
});

test('what the next report is told leads it or not, however that was worded', async () => {
  for (const make of Object.values(reports)) {
    const found = foundIn(await make());
    if (found === null) continue;
    const next = (foundBefore: FoundBefore, facts: FactsOver): unknown =>
      [api, over].map((alert) => concluded(aCaseFile({ alert, foundBefore }), facts).hypotheses
        .map(({ cause, mechanism, for: pro, against, test: check, ...facts }) => facts));
    const words = { cause: 'Nonsense', statements: found.statements.map(() => 'Nonsense') };
    const denied: FactsOver = { answers: { dependency: { samples: [0] } } };
    for (const known of [fails, denied, {}]) {
      const facts: FactsOver = { ...known, faults: [{}] };
      assert.deepEqual(next({ ...found, ...words }, facts), next(found, facts));
    }
  }
});
