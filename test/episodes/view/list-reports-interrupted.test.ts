import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpisodeBook } from '../../../src/episodes/book/episode-book.ts';
import type { Episode } from '../../../src/episodes/episode.ts';
import { listReports, searchedAtOnce } from '../../../src/episodes/view/list-reports.ts';
import { parseListQuery } from '../../../src/report/list-filter.ts';
import type { ReportList, ReportListRow } from '../../../src/report/report-list.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { bookStart, filledBook, type Told } from '../../support/samples/filled-book.ts';

/** Alerts that belong with no other: each of its own name and host. */
function lone(name: string, over: Partial<Told>): Told {
  return { began: 0, labels: { alertname: name, host: name }, ...over };
}

function namesOf(rows: readonly ReportListRow[]): string[] {
  return rows.map(({ name }) => name);
}

/** Works through the list; `between` is called wherever that may be interrupted. */
function listWith(book: EpisodeBook, query: string, between: (step: number) => void): ReportList {
  const limits = { rows: 1000 };
  const work = listReports(book, parseListQuery(query), {
    now: bookStart, reportBase: 'https://reports.example', limits,
  });
  for (let step = 0; ; step += 1) {
    const { done, value } = work.next();
    if (done === true) return value;
    between(step);
  }
}

for (const state of ['open', 'ended'] as const) {
  test(`listReports() searches few ${state} alerts at a time`, () => {
    const ended = state === 'ended' ? 100 : null;
    const book = filledBook(Array.from({ length: 500 }, (_, n) => lone(`A${n}`, { ended })));
    let steps = 0;
    const { searched } = listWith(book, `state=${state}&text=nothing`, () => (steps += 1));
    assert.equal(searched[state], 500);
    assert.ok(steps >= Math.floor(500 / searchedAtOnce), `${steps} steps`);
  });
}

type Change = (book: EpisodeBook, touched: Episode[]) => void;
const changes: readonly [what: string, change: Change][] = [
  ['end', (book, touched) => {
    for (const episode of [...book.open].slice(-5)) {
      touched.push(episode);
      const alert = anAlert({
        fingerprint: episode.fingerprint, status: 'resolved', endsAt: '2026-11-20T00:40:00Z',
      });
      const { fingerprint } = alert;
      const accepted = [{ fingerprint, kind: 'resolved', number: 1, index: 0, alert }] as const;
      book.applyNotification(book.revisionOf(null) + 1, {
        receivedAt: bookStart, text: JSON.stringify({ alerts: [alert] }), accepted,
      });
    }
  }],
  ['are removed', (book, touched) => {
    const ended = [...book.closed.oldestFirst()];
    for (const episode of [...ended.slice(0, 5), ...ended.slice(50, 55), ...ended.slice(-5)]) {
      touched.push(episode);
      book.applyOutcome(book.revisionOf(null) + 1, {
        fingerprint: episode.fingerprint, number: 1, state: 'reported', revision: 2,
        conclusion: { classification: 'actionable', certainty: 'likely', headline: 'It is slow.' },
      });
      book.applyForget(book.revisionOf(null) + 1, episode);
    }
  }],
];
for (const [what, change] of changes) {
  test(`listReports() lists all others once when some ${what} meanwhile`, () => {
    const told = Array.from({ length: 200 }, (_, n) =>
      lone(`A${n}`, { began: n, ended: n < 100 ? 1000 + n : null }));
    for (let [at, isOver] = [0, false]; !isOver; at += 1) {
      const book = filledBook(told);
      const touched: Episode[] = [];
      isOver = true;
      const { open, ended } = listWith(book, 'text=A', (step) => {
        if (step !== at) return;
        isOver = false;
        change(book, touched);
      });
      const left = new Set(touched.map(({ name }) => name));
      const others = (rows: readonly ReportListRow[]): string[] =>
        namesOf(rows).filter((name) => !left.has(name));
      assert.equal(new Set(namesOf(ended)).size, ended.length, `twice, at step ${at}`);
      assert.equal(new Set(others([...open, ...ended])).size, told.length - left.size, `at ${at}`);
      assert.equal(others([...open, ...ended]).length, told.length - left.size, `at step ${at}`);
    }
  });
}
