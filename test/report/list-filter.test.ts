import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  everything, isEverything, listQuery, parseListQuery, type ListFilter,
} from '../../src/report/list-filter.ts';

const at = (time: string): number => Date.parse(time);

const understood: readonly [query: string, filter: Partial<ListFilter>][] = [
  ['', {}],
  ['state=&severity=&text=&namespace=&since=&from=&to=&after=', {}],
  ['unknown=1&utm_source=chat', {}],
  ['state=open', { state: 'open' }],
  ['state=ENDED', { state: 'ended' }],
  ['severity=critical&namespace=shop', { severity: 'critical', namespace: 'shop' }],
  ['text=+disk++full+', { text: 'disk  full' }],
  ['text=1+2+3+4+5+6+7+8', { text: '1 2 3 4 5 6 7 8' }],
  ['text=%D9%85%D8%B1%D8%AD%D8%A8%D8%A7', { text: 'مرحبا' }],
  ['since=24h', { sinceMs: 86_400_000 }],
  ['since=90m', { sinceMs: 5_400_000 }],
  ['since=366d', { sinceMs: 366 * 86_400_000 }],
  ['from=2026-11-20T02:00Z&to=2026-11-20T04:00:30Z',
    { from: at('2026-11-20T02:00:00Z'), to: at('2026-11-20T04:00:30Z') }],
  ['from=2026-11-20T02:00', { from: at('2026-11-20T02:00:00Z') }],
  ['from=2026-11-20', { from: at('2026-11-20T00:00:00Z') }],
  ['from=2026-11-20T02:00:30.5Z', { from: at('2026-11-20T02:00:30Z') }],
  ['to=2026-11-20T02:00:00%2B02:00', { to: at('2026-11-20T00:00:00Z') }],
  ['to=2026-11-20T02:00:00+02:00', { to: at('2026-11-20T00:00:00Z') }],
  ['state=open&state=ended', { state: 'open' }],
];
for (const [query, filter] of understood) {
  test(`parseListQuery() reads "${query}"`, () => {
    const { filter: parsed, ignored } = parseListQuery(query);
    assert.deepEqual(parsed, { ...everything, ...filter });
    assert.deepEqual(ignored, []);
    assert.deepEqual(parseListQuery(listQuery(parsed)).filter, parsed, 'the address says the same');
  });
}

const misunderstood: readonly [query: string, told: RegExp][] = [
  ['state=firing', /^state is ignored: it must be open, ended or all\.$/],
  ['severity=page', /^severity is ignored: it must be critical/],
  ['severity=__proto__', /^severity is ignored/],
  [`namespace=${'n'.repeat(254)}`, /^namespace is ignored/],
  [`text=${'t'.repeat(201)}`, /^text is ignored/],
  ['text=1+2+3+4+5+6+7+8+9', /^text is ignored: it must be at most 8 words and 200 characters\.$/],
  ['since=yesterday', /^since is ignored/],
  ['since=0h', /^since is ignored/],
  ['since=367d', /^since is ignored/],
  ['since=1e3h', /^since is ignored/],
  ['from=02:00', /^from is ignored: it must be a time such as/],
  ['from=2026-13-01', /^from is ignored/],
  ['from=0000-01-01T00:00%2B23:59', /^from is ignored/],
  ['to=9999-12-31T23:59-23:59', /^to is ignored/],
  ['from=-1', /^from is ignored/],
  ['from=2026-11-20&to=2026-11-19', /^from and to are ignored/],
  ['after=banana', /^after is ignored/],
  ['after=o.1', /^after is ignored/],
  [`after=o.1.1.${'x'.repeat(2000)}`, /^after is ignored/],
  [`text=${'t'.repeat(5000)}`, /the address is too long/],
];
for (const [query, told] of misunderstood) {
  test(`parseListQuery() ignores "${query.slice(0, 40)}" and says so`, () => {
    const { filter, after, ignored } = parseListQuery(query);
    assert.ok(isEverything(filter));
    assert.equal(after, null);
    assert.equal(ignored.length, 1);
    assert.match(ignored[0] ?? '', told);
  });
}

test('parseListQuery() prefers two times to a span and says so', () => {
  const { filter, ignored } = parseListQuery('since=1h&from=2026-11-20');
  assert.equal(filter.sinceMs, null);
  assert.equal(filter.from, at('2026-11-20T00:00:00Z'));
  assert.deepEqual(ignored, ['since is ignored, because from or to is given.']);
});

test('parseListQuery() accepts any percent escapes', () => {
  for (const query of ['text=%', 'text=%zz', 'text=%ff%fe', '%=%', '&&&=', 'text=%00', '?']) {
    assert.doesNotThrow(() => parseListQuery(query));
  }
});

test('parseListQuery() reads both kinds of cursors', () => {
  assert.deepEqual(parseListQuery('after=o.12.1763600000000.2.f.p').after,
    { kind: 'open', rank: 12, startsAt: 1_763_600_000_000, id: '2.f.p' });
  assert.deepEqual(parseListQuery('after=e.1763600000000.3.f.p%26').after,
    { kind: 'ended', endsAt: 1_763_600_000_000, number: 3, fingerprint: 'f.p&' });
});
