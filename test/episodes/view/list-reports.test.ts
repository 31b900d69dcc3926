import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpisodeBook } from '../../../src/episodes/book/episode-book.ts';
import { listReports, type ListLimits } from '../../../src/episodes/view/list-reports.ts';
import { parseListQuery } from '../../../src/report/list-filter.ts';
import type { ReportList, ReportListRow } from '../../../src/report/report-list.ts';
import { bookStart, filledBook, type Told } from '../../support/samples/filled-book.ts';

const reportBase = 'https://reports.example';
const day = 86_400;

function list(book: EpisodeBook, query = '', limits: Partial<ListLimits> = {}): ReportList {
  const now = bookStart + day * 1000;
  const work = listReports(book, parseListQuery(query), { now, reportBase, limits });
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Alerts that belong with no other: each of its own name and host, and hours apart. */
function lone(name: string, over: Partial<Told> & { labels?: Told['labels'] } = {}): Told {
  return { began: 0, ...over, labels: { alertname: name, host: name, ...over.labels } };
}

function names(rows: readonly ReportListRow[]): string[] {
  return rows.map(({ kind, name }) => (kind === 'incident' ? `incident ${name}` : name));
}

function storm(count: number, over: Partial<Told> = {}): Told[] {
  return Array.from({ length: count }, (_, index) => ({
    began: 10, ...over,
    labels: { alertname: 'PodSlow', namespace: 'shop', pod: `p-${index}`, node: 'n1' },
  }));
}

test('listReports() puts the worst first: severity, what was found, then the latest', () => {
  const severe = { severity: 'critical' };
  const book = filledBook([
    lone('Noisy', { labels: severe, conclusion: { classification: 'noisy' } }),
    lone('Old', { labels: severe, began: 100 }),
    lone('Warned', { labels: { severity: 'warning' }, began: 9000 }),
    lone('Pending', { labels: severe, began: 8000, conclusion: null }),
    lone('New', { labels: severe, began: 200 }),
    lone('Info', { labels: { severity: 'info' }, began: 9999 }),
  ]);
  assert.deepEqual(names(list(book).open), ['New', 'Old', 'Pending', 'Noisy', 'Warned', 'Info']);
  assert.deepEqual(list(book).open_by_severity,
    { critical: 4, warning: 1, info: 1, unknown: 0, none: 0 });
});

test('listReports() lists ended alerts after open ones, the latest end first', () => {
  const book = filledBook([
    lone('A', { ended: 50 }), lone('B', { ended: 60 }), lone('C'), lone('D', { ended: 70 }),
  ]);
  const { open, ended, total } = list(book);
  assert.deepEqual([names(open), names(ended)], [['C'], ['D', 'B', 'A']]);
  assert.deepEqual(total, { open: 1, ended: 3 });
  const heard = [...open, ...ended].map((row) => (row.kind === 'alert' ? row.heard_at : row));
  assert.deepEqual(heard, ['2026-11-20T00:00:00.000Z', null, null, null]);
  assert.deepEqual(names(list(book, 'state=open').ended), []);
  assert.deepEqual(names(list(book, 'state=ended').open), []);
});

const filters: readonly [query: string, expected: readonly string[]][] = [
  ['severity=warning', ['Disk']],
  ['namespace=shop', ['Disk']],
  ['namespace=sho', []],
  ['text=DISK', ['Disk']],
  ['text=it+slow', ['Disk', 'Ünïcode']],
  ['text=it+fast', []],
  ['text=gone+dust', ['Ended']],
  ['text=eu-1', ['Disk']],
  ['text=prod-us-2', ['Ended']],
  ['text=ünÏ', ['Ünïcode']],
  ['text=.*', []],
  ['text=(', []],
  ['text=mountpoint', []],
  ['since=1h', ['Disk', 'Ünïcode']],
  ['to=2026-11-20T00:01Z', ['Disk', 'Ended']],
  ['from=2026-11-20T00:05Z&to=2026-11-20T00:20Z', ['Disk', 'Ended']],
  ['from=2026-11-20T00:20Z&state=ended', []],
];
for (const [query, expected] of filters) {
  test(`listReports() with "${query}" lists ${expected.join(', ') || 'nothing'}`, () => {
    const book = filledBook([
      lone('Disk', { labels: { severity: 'warning', namespace: 'shop', mountpoint: '/eu-1' } }),
      lone('Ünïcode', { began: 5000, labels: { severity: 'info' } }),
      lone('Ended', {
        ended: 600, conclusion: { headline: 'Gone.', cause: 'Dust.', place: 'web, prod-us-2' },
      }),
    ]);
    const { open, ended } = list(book, query);
    assert.deepEqual(names([...open, ...ended]), expected);
  });
}

test('listReports() folds an incident into one row, with its origin, size and state', () => {
  const node = { alertname: 'KubeNodeNotReady', node: 'n1', severity: 'critical' };
  const book = filledBook([
    ...storm(20), ...storm(30, { ended: 500 }).slice(20),
    { labels: node, began: 5 }, lone('Alone'),
  ]);
  const { open, ended } = list(book);
  assert.deepEqual(names(open), ['incident KubeNodeNotReady', 'Alone']);
  assert.deepEqual(names(ended), [], 'its ended members are part of the open row');
  const [over] = list(book, 'state=ended').ended;
  assert.ok(over?.kind === 'incident');
  assert.deepEqual([over.matching, over.alerts.length], [10, 10], 'only they have ended');
  const [row] = open;
  assert.ok(row?.kind === 'incident');
  assert.deepEqual([row.members, row.open, row.matching], [31, 21, 21]);
  assert.deepEqual(row.likely_origin, { name: 'KubeNodeNotReady', has_ended: false });
  assert.equal(row.severity, 'critical');
  assert.deepEqual(row.namespaces, ['shop']);
  assert.equal(row.starts_at, '2026-11-20T00:00:05.000Z');
  assert.equal(row.ends_at, null);
  assert.equal(row.alerts.length, 10);
  assert.equal(row.alerts[0]?.name, 'KubeNodeNotReady');
});

test('listReports() ranks an incident by its worst alert and its latest start', () => {
  const node = { alertname: 'KubeNodeNotReady', node: 'n1', severity: 'critical' };
  const severe = filledBook([
    { labels: node, began: 5 }, ...storm(2),
    lone('Warned', { labels: { severity: 'warning' }, began: 9000 }),
  ]);
  assert.deepEqual(names(list(severe).open), ['incident KubeNodeNotReady', 'Warned']);
  const [early, late] = [storm(1), storm(2, { began: 60 }).slice(1)];
  const recent = filledBook([...late, ...early, lone('Between', { began: 30 })]);
  assert.deepEqual(names(list(recent).open), ['incident PodSlow', 'Between']);
});

test('listReports() finds an alert by its fingerprint', () => {
  const book = filledBook([lone('Disk'), lone('Queue')]);
  const [{ fingerprint } = assert.fail('none is open')] = book.open;
  assert.deepEqual(names(list(book, `text=${fingerprint}`).open), ['Disk']);
});

test('listReports() shows a single match of an incident as the alert it is', () => {
  const book = filledBook(storm(5));
  const [row] = list(book, 'text=p-3').open;
  assert.ok(row?.kind === 'alert');
  assert.equal(row.place, 'p-3 in shop');
  assert.equal(row.incident?.members, 5);
  assert.match(row.incident?.url ?? '', /^https:\/\/reports\.example\/incident\/[0-9a-f]{16}$/);
});

test('listReports() folds an incident that is over by its last end', () => {
  const members = storm(8).map((told, index) => ({ ...told, ended: 100 + index }));
  const book = filledBook([...members, lone('Later', { ended: 5000 })]);
  assert.deepEqual(names(list(book).ended), ['Later', 'incident PodSlow']);
  const row = list(book).ended[1];
  assert.equal(row?.ends_at, '2026-11-20T00:01:47.000Z');
});

test('listReports() lets the worst alert that fires lead an incident, not an ended origin', () => {
  const node = { alertname: 'KubeNodeNotReady', node: 'n1', severity: 'warning' };
  const lead = (ended: number | null, podsEnded: number | null): unknown => {
    const { open: [row], ended: [over] } = list(filledBook([
      { labels: node, began: 5, ended, conclusion: { cause: 'no power' } },
      ...storm(3, { ended: podsEnded, conclusion: { cause: 'no memory', firstStep: 'Add some.' } }),
    ]));
    const shown = row ?? over;
    assert.ok(shown?.kind === 'incident');
    const { name, most_likely: cause, do_first: first, likely_origin: origin } = shown;
    return [name, cause, first, origin?.has_ended];
  };
  assert.deepEqual(lead(400, null), ['PodSlow', 'no memory', 'Add some.', true]);
  assert.deepEqual(lead(400, 500), ['KubeNodeNotReady', 'no power', 'Add some.', true]);
});

test('listReports() lets no alert lead an incident that the filter leaves out', () => {
  const node = { alertname: 'KubeNodeNotReady', node: 'n1', severity: 'warning' };
  for (const ended of [400, null]) {
    const book = filledBook([{ labels: node, began: 5, ended }, ...storm(3, { ended: 500 })]);
    const [row] = list(book, 'state=ended&severity=unknown').ended;
    assert.ok(row?.kind === 'incident');
    assert.deepEqual([row.name, row.severity], ['PodSlow', 'unknown']);
    assert.equal(row.likely_origin?.name, 'KubeNodeNotReady');
  }
});

/** Episodes of one alert, hours apart; the last one fires if `isOpen`. */
function flapping(count: number, isOpen: boolean): Told[] {
  return Array.from({ length: count }, (_, index) => {
    const began = index * 7200;
    const number = index + 1;
    return lone('Flaps', { began, number, ended: isOpen && number === count ? null : began + 60 });
  });
}

function numbersOf(rows: readonly ReportListRow[]): number[] {
  return rows.flatMap((row) => (row.kind === 'alert' && row.name === 'Flaps' ? [row.number] : []));
}

test('listReports() lists an alert that flaps once: as open, or by its newest end', () => {
  const others = [lone('A', { began: 100, ended: 9000 }), lone('B', { began: 200, ended: 20 })];
  const over = filledBook([...flapping(13, false), ...others]);
  assert.deepEqual(names(list(over).ended), ['Flaps', 'A', 'B']);
  assert.deepEqual(numbersOf(list(over).ended), [13]);
  const open = filledBook([...flapping(13, true), ...others]);
  assert.deepEqual(numbersOf(list(open).open), [13]);
  assert.deepEqual(names(list(open).ended), ['A', 'B']);
  assert.deepEqual(numbersOf(list(open, 'state=ended').ended), [12]);
  assert.deepEqual(numbersOf(list(over, 'to=2026-11-20T05:00Z').ended), [3]);
  for (const book of [over, open]) {
    const paged = allPages(book, '', { rows: 1 }).flatMap(({ ended }) => ended);
    assert.deepEqual(names(paged), names(list(book).ended));
    const cut = allPages(book, '', { rows: 2, endedSearched: 3 }).flatMap(({ ended }) => ended);
    assert.deepEqual(names(cut), names(list(book).ended));
  }
});

test('an alert that has ended is listed with its place, as one that fires', () => {
  const told = lone('A', { ended: 50, conclusion: { place: 'web in shop' } });
  const [row] = list(filledBook([told])).ended;
  assert.equal(row?.kind === 'alert' && row.place, 'web in shop');
});

test('an alert that flaps during an incident counts once in its row', () => {
  const [first, ...others] = storm(3);
  assert.ok(first !== undefined);
  const book = filledBook([
    { ...first, ended: 20 }, ...others, { ...first, began: 30, number: 2, ended: 40 },
    { ...first, began: 50, number: 3 },
  ]);
  const [row] = list(book).open;
  assert.ok(row?.kind === 'incident');
  assert.deepEqual([row.members, row.open, row.matching], [3, 3, 3]);
  const [over] = list(book, 'state=ended').ended;
  assert.ok(over?.kind === 'alert', 'both of its ended episodes, by the newer one');
  assert.deepEqual([over.number, over.incident?.members], [2, 3]);
});

test('an episode of an incident keeps its row beside the one of the alert alone', () => {
  const [first, second] = [flapping(3, false), storm(2, { ended: 500 })];
  const joined = first.map((told) => (
    { ...told, labels: { ...told.labels, node: 'n1', pod: 'p-0', namespace: 'shop' } }));
  const { ended } = list(filledBook([...joined.slice(0, 1), ...second, ...joined.slice(1)]));
  assert.deepEqual(ended.map(({ kind }) => kind), ['alert', 'incident']);
  assert.deepEqual(numbersOf(ended), [3]);
});

test('a search looks at each episode of an alert that flaps a few times, however many', () => {
  const count = 20_000;
  const book = filledBook(Array.from({ length: count }, (_, index) =>
    lone('Flaps', { began: index, number: index + 1, ended: index + 1, conclusion: null })));
  const membershipOf = book.membershipOf.bind(book);
  let looks = 0;
  book.membershipOf = (episode) => {
    looks += 1;
    return membershipOf(episode);
  };
  for (const query of ['', 'to=2026-11-20T01:00Z']) {
    looks = 0;
    const { ended, searched } = list(book, query);
    assert.deepEqual([ended.length, searched.ended], [1, count]);
    assert.ok(looks < 4 * count, `${looks} looks`);
  }
});

/** Follows every page to the last one. */
function allPages(book: EpisodeBook, query: string, limits: Partial<ListLimits>): ReportList[] {
  const pages = [list(book, query, limits)];
  for (let next = pages[0]?.next ?? null; next !== null; next = pages.at(-1)?.next ?? null) {
    assert.ok(pages.length < 500, 'the pages come to an end');
    pages.push(list(book, `${query}&after=${encodeURIComponent(next)}`, limits));
  }
  return pages;
}

const mixed = filledBook([
  ...Array.from({ length: 40 }, (_, index) => lone(`Open${index}`, {
    began: (index % 7) * 4000,
    labels: { severity: ['critical', 'warning', 'info', ''][index % 4] ?? '' },
  })),
  ...storm(6),
  ...Array.from({ length: 60 }, (_, index) => lone(`Ended${index}`, {
    began: index * 4000, ended: index * 4000 + 60, labels: { severity: 'warning' },
  })),
  ...storm(9, { ended: 700 }).map((told) => ({
    ...told, labels: { ...told.labels, alertname: 'Over', node: 'n2', namespace: 'other' },
  })),
]);

for (const rows of [1, 3, 7, 40, 41, 50, 200]) {
  test(`pages of ${rows} rows have no gaps and no doubles`, () => {
    const pages = allPages(mixed, '', { rows });
    const keys = pages.flatMap(({ open, ended }) => [...open, ...ended]).map((row) =>
      (row.kind === 'incident' ? row.url : row.report_url));
    assert.equal(keys.length, 40 + 1 + 60 + 1);
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(pages.length, Math.ceil(102 / rows));
    assert.deepEqual(keys, allPages(mixed, '', { rows: 200 }).flatMap(({ open, ended }) =>
      [...open, ...ended]).map((row) => (row.kind === 'incident' ? row.url : row.report_url)));
  });
}

test('the last page of open alerts leads to none, and each one before it to the next', () => {
  const inPages = (book: EpisodeBook, query: string, rows: number): number[] =>
    allPages(book, query, { rows }).map(({ open }) => open.length);
  assert.deepEqual(inPages(mixed, 'state=open', 41), [41]);
  assert.deepEqual(inPages(mixed, 'state=open', 40), [40, 1]);
  const onlyOpen = filledBook(Array.from({ length: 5 }, (_, index) => lone(`A${index}`)));
  assert.deepEqual(inPages(onlyOpen, '', 2), [2, 2, 1]);
  assert.deepEqual(inPages(onlyOpen, '', 5), [5]);
});

test('a search that is cut says how far it got, and the next page goes on from there', () => {
  const limits = { rows: 50, endedSearched: 10 };
  const pages = allPages(mixed, 'state=ended&text=ended7', limits);
  assert.equal(pages[0]?.searched.ended, 10);
  assert.match(pages[0]?.searched.ended_back_to ?? '', /^2026-/);
  assert.deepEqual(pages.flatMap(({ ended }) => names(ended)), ['Ended7']);
  assert.equal(pages.length, 7);
  assert.equal(pages.at(-1)?.searched.ended_back_to, null);
});

test('a page goes on where the episode it ended with is forgotten', () => {
  const book = filledBook(Array.from({ length: 6 }, (_, index) =>
    lone(`Ended${index}`, { began: index, ended: 100 + index })));
  const first = list(book, '', { rows: 3 });
  assert.deepEqual(names(first.ended), ['Ended5', 'Ended4', 'Ended3']);
  const last = first.ended[2];
  assert.ok(last?.kind === 'alert');
  const forgotten = [...book.closed.latestFirst()].find(({ name }) => name === last.name);
  assert.ok(forgotten);
  book.applyForget(1000, forgotten);
  assert.deepEqual(names(list(book, `after=${first.next}`).ended), ['Ended2', 'Ended1', 'Ended0']);
});

test('listReports() of 30 000 episodes looks at a page of them, and no search at more than said',
  () => {
    const book = filledBook(Array.from({ length: 30_000 }, (_, index) =>
      lone(`A${index}`, { began: index, ended: index + 5, conclusion: null })));
    const first = list(book);
    assert.equal(first.ended.length, 50);
    assert.equal(first.searched.ended, 51);
    const found = list(book, 'text=A77+nothing');
    assert.equal(found.searched.ended, 25_000);
    const further = allPages(book, 'text=A77+nothing', {}).map(({ searched }) => searched.ended);
    assert.deepEqual(further, [25_000, 5_000]);
    const next = list(book, `after=${first.next}`);
    assert.equal(next.searched.ended, 51);
    assert.equal(names(next.ended)[0], 'A29949');
  });

test('listReports() looks at no more open alerts than it says', () => {
  const book = filledBook(Array.from({ length: 30 }, (_, index) => lone(`A${index}`)));
  const { searched, open } = list(book, '', { openSearched: 10 });
  assert.deepEqual(searched, { open: 10, ended: 0, open_cut: true, ended_back_to: null });
  assert.deepEqual(names(open).sort()[0], 'A20');
});
