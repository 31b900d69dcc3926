import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EpisodeBook } from '../../../src/episodes/book/episode-book.ts';
import { caseFileOf } from '../../../src/episodes/case-file-of.ts';
import type { Moved } from '../../../src/episodes/view/incident-timeline.ts';
import { incidentView } from '../../../src/episodes/view/incident-view.ts';
import { RowMaker } from '../../../src/episodes/view/list-row.ts';
import { ReportReader } from '../../../src/episodes/view/report-reader.ts';
import type { IncidentView } from '../../../src/report/incident.ts';
import type { CauseFacts } from '../../../src/report/kinds.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { bookStart, filledBook, type Told } from '../../support/samples/filled-book.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';
import { settled } from '../../support/settled.ts';

const reportBase = 'https://reports.example';

function pods(count: number, over: (index: number) => Partial<Told> = () => ({})): Told[] {
  return Array.from({ length: count }, (_, index) => ({
    began: 60, labels: { alertname: 'PodSlow', namespace: 'shop', pod: `p-${index}`, node: 'n1' },
    ...over(index),
  }));
}

const node: Told = { began: 0, labels: { alertname: 'KubeNodeNotReady', node: 'n1' } };

function idIn(book: EpisodeBook): string {
  const [episode] = settled(book).all();
  return episode === undefined ? '' : (book.membershipOf(episode)?.id ?? '');
}

function view(
  told: readonly Told[],
  moved: (book: EpisodeBook) => Moved[] = () => [],
): IncidentView {
  const book = filledBook(told);
  const found = incidentView(book, idIn(book), { reportBase, moved: moved(book), paths: [] });
  assert.ok(found);
  return found;
}

test('incidentView() merges alerts that began within a minute into one moment', () => {
  const { timeline } = view([node, ...pods(10, (index) => ({ began: 60 + index * 30 }))]);
  assert.deepEqual(timeline.map(({ at, until, name, alerts }) => [at, until, name, alerts]), [
    ['2026-11-20T00:00:00.000Z', '2026-11-20T00:00:00.000Z', 'KubeNodeNotReady', 1],
    ['2026-11-20T00:01:00.000Z', '2026-11-20T00:05:30.000Z', 'PodSlow', 10],
  ]);
});

test('incidentView() lists the same alert twice if a minute is between', () => {
  const { timeline } = view(pods(3, (index) => ({ began: 60 + index * 60 })));
  assert.equal(timeline.length, 3);
});

test('incidentView() lists changes among beginnings and ends', () => {
  const at = new Date(bookStart + 30_000).toISOString();
  const { timeline } = view([node, ...pods(2, () => ({ ended: 90 }))], (book) =>
    [...book.all()].slice(0, 1).map((episode) => ({ at, text: 'Memory rose.', episode })));
  assert.deepEqual(timeline.map(({ kind, name }) => `${kind} ${name}`), [
    'began KubeNodeNotReady', 'changed Memory rose.', 'began PodSlow', 'ended PodSlow',
  ]);
});

test('incidentView() is over once all alerts are, and lists firing ones first', () => {
  const over = view(pods(3, (index) => ({ ended: 100 + index })));
  assert.equal(over.ended_at, '2026-11-20T00:01:42.000Z');
  const mixed = view(pods(4, (index) => ({ ended: index < 2 ? 100 : null })));
  assert.equal(mixed.ended_at, null);
  assert.deepEqual(mixed.members.map(({ ends_at: end }) => end === null),
    [true, true, false, false]);
});

test('incidentView() lists the likely origin, then the worst, and the newest of these', () => {
  const severities = ['info', 'critical', 'warning', 'critical'];
  const { members, origin_reasons: reasons } = view([node, ...pods(4, (index) => {
    const [pod, severity] = [`p-${index}`, severities[index] ?? ''];
    const labels = { alertname: `Pod${index}`, namespace: 'shop', pod, node: 'n1', severity };
    return { began: 60 + index, labels };
  })]);
  assert.deepEqual(members.map(({ name }) => name),
    ['KubeNodeNotReady', 'Pod3', 'Pod1', 'Pod2', 'Pod0']);
  assert.deepEqual(reasons, [
    'It watches a machine; Pod0 watches a pod or container. Trouble spreads from the first to ' +
      'the second, seldom back.',
    'It began 1 min before Pod0.',
  ]);
});

test('incidentView() tells the most certain cause of those that fire, and a first step', () => {
  const causes = (...all: readonly Partial<Told>[]): unknown => {
    const { most_likely: cause, do_first: first, name } =
      view(pods(all.length, (index) => ({ began: 60 + index, ...all[index], labels: {
        alertname: `Pod${index}`, namespace: 'shop', pod: 'p', node: 'n1',
      } })));
    return [name, cause && `${cause.name}: ${cause.text} ${cause.certainty}`, first?.text];
  };
  const found = (certainty: 'likely' | 'possible', cause: string | null): Partial<Told> =>
    ({ conclusion: { certainty, cause, firstStep: `See ${cause}.` } });
  assert.deepEqual(
    causes(found('possible', 'a'), found('likely', 'b'), found('possible', 'c')),
    ['Pod2', 'Pod1: b likely', 'See b.']);
  assert.deepEqual(causes(found('likely', null), { conclusion: null }),
    ['Pod0', null, 'See null.']);
  assert.deepEqual(
    causes(found('possible', 'a'), { ...found('likely', 'b'), ended: 90 }),
    ['Pod0', 'Pod0: a possible', 'See a.'], 'one that has ended says nothing of those that fire');
  assert.deepEqual(
    causes({ ...found('possible', 'a'), ended: 90 }, { ...found('likely', 'b'), ended: 90 }),
    ['Pod1', 'Pod1: b likely', 'See b.']);
});

test('incidentView() tells the first step of the likely origin while that fires', () => {
  const firstOf = (over: Partial<Told>): string | undefined => {
    const effects = pods(2, () => ({
      conclusion: { certainty: 'likely', cause: 'a', firstStep: 'See a pod.' },
    }));
    return view([{ ...node, conclusion: { firstStep: 'See the node.' }, ...over }, ...effects])
      .do_first?.text;
  };
  assert.equal(firstOf({}), 'See the node.');
  assert.equal(firstOf({ ended: 90 }), 'See a pod.');
  assert.equal(firstOf({ conclusion: { firstStep: null } }), 'See a pod.');
});

test('incidentView() takes for the origin none that ended before another began and fires', () => {
  const disk = { ...node, began: 40, labels: { alertname: 'NodeDiskFull', node: 'n1' } };
  const origin = (over: Partial<Told>): string | undefined => {
    const { likely_origin: found, members } = view([{ ...node, ...over }, disk, ...pods(2)]);
    return members.find(({ fingerprint }) => fingerprint === found)?.name;
  };
  assert.equal(origin({}), 'KubeNodeNotReady');
  assert.equal(origin({ ended: 90 }), 'KubeNodeNotReady');
  assert.equal(origin({ ended: 20 }), 'NodeDiskFull');
});

test('incidentView() is null for an alert alone', () => {
  const book = filledBook(pods(1));
  assert.equal(incidentView(book, idIn(book), { reportBase, moved: [], paths: [] }), null);
});

test('incidentView() gives no reason where there is no likely origin', () => {
  const { likely_origin: origin, origin_reasons: reasons } = view(pods(3));
  assert.equal(origin, null);
  assert.deepEqual(reasons, []);
});

test('incidentView() sets an alert that flaps apart from the others, not from itself', () => {
  const book = new EpisodeBook();
  const at = (seconds: number): string => new Date(bookStart + seconds * 1000).toISOString();
  const labels = (name: string) => ({ alertname: name, namespace: 'shop', pod: 'cart-1' });
  const [flapping, steady] = [labels('CartSlow'), labels('CartErrors')];
  for (const [sequence, [kind, number, began, told]] of ([
    ['opened', 1, 0, flapping], ['opened', 1, 90, steady], ['resolved', 1, 0, flapping],
    ['opened', 2, 60, flapping],
  ] as const).entries()) {
    const ended = kind === 'resolved' ? { status: kind, endsAt: at(30) } as const : {};
    const alert = anAlert({ labels: told, startsAt: at(began), ...ended });
    const { fingerprint } = alert;
    book.applyNotification(sequence, {
      receivedAt: bookStart, text: JSON.stringify({ alerts: [alert] }),
      accepted: [{ fingerprint, kind, number, index: 0, alert }],
    });
  }
  const found = incidentView(book, idIn(book), { reportBase, moved: [], paths: [] });
  assert.deepEqual(found?.members.map(({ name, number }) => [name, number]),
    [['CartSlow', 2], ['CartErrors', 1]], 'each once, by its newest episode');
  assert.deepEqual(found.origin_reasons, ['It began 1 min 30 s before CartErrors.']);
});

test('ReportReader reads the changes of an incident from a few of its reports', async () => {
  const book = filledBook([node, ...pods(30, (index) => (
    { conclusion: { cause: index === 20 ? 'no memory' : null } }))]);
  const read: string[] = [];
  const sample = sampleReport();
  const [change, moment] = [sample.changes[0], sample.timeline[0]];
  assert.ok(change !== undefined && moment?.kind === 'change');
  const stored = {
    ...sample,
    changes: [
      { ...change, rank: 1, title: 'Memory rose.', strength: 'strong' },
      { ...change, rank: 2, title: 'Noise rose.', strength: 'weak' },
    ],
    timeline: [
      { ...moment, change: 1, text: 'Memory rose.' }, { ...moment, change: 2, text: 'Noise rose.' },
    ],
  };
  const reader = new ReportReader({
    book, clock: new ManualClock(bookStart), version: '1', progressOf: () => null,
    recordingUrlOf: () => null, narration: null,
    caseFileOf: (episode) => caseFileOf(book, episode, { reportBase, now: 0 }),
    reports: {
      read: ({ fingerprint }) => {
        read.push(fingerprint);
        if (read.length === 3) return Promise.reject(new Error('EIO'));
        return Promise.resolve(read.length === 2 ? null : JSON.stringify(stored));
      },
    },
  });
  const found = await reader.incident(idIn(book), reportBase);
  assert.equal(read.length, 5);
  const [, origin] = book.rankedMembers(idIn(book)).members;
  const explained = [...book.all()].find(({ conclusion }) => conclusion?.cause === 'no memory');
  assert.equal(read[0], explained?.fingerprint, 'of the others nothing was asked');
  assert.equal(read[2], origin?.fingerprint);
  const changed = found?.timeline.filter(({ kind }) => kind === 'changed') ?? [];
  assert.deepEqual(changed.map(({ name, at }) => [name, at]), [['Memory rose.', moment.at]]);
});

test('incidentView() and the list prefer the cause of the origin to equally sure ones', () => {
  for (const certainty of ['likely', 'possible'] as const) {
    const book = filledBook([
      ...pods(2, () => ({ began: 0, conclusion: { cause: 'no memory', certainty: 'likely' } })),
      { ...node, began: 50, conclusion: { cause: 'no power', certainty } },
    ]);
    const expected = certainty === 'likely' ? 'no power' : 'no memory';
    const found = incidentView(book, idIn(book), { reportBase, moved: [], paths: [] });
    assert.deepEqual([found?.likely_origin, found?.most_likely?.text],
      [found?.members[0]?.fingerprint, expected]);
    const row = new RowMaker(book, reportBase).row([...book.all()]);
    assert.deepEqual([row.most_likely, row.certainty], [expected, 'likely']);
  }
});

test('incidentView() of a storm lists firing alerts of lower layers that also began then', () => {
  const lone = (alertname: string, began: number, over: Partial<Told> = {}): Told =>
    ({ labels: { alertname, instance: `${alertname}:9100` }, began, ...over });
  const others = [
    lone('CoreDNSErrors', 250), lone('NodeDown', 350), lone('OtherNodeDown', 361),
    lone('DiskFull', 300, { ended: 400 }), lone('ApiSlow', 100),
    lone('EtcdSlow', -200), lone('Watchdog', 60),
  ];
  const also = (count: number): readonly string[] =>
    view([...pods(count), ...others]).also_began.map(({ name, layer }) => `${name}: ${layer}`);
  assert.deepEqual(also(11),
    ['NodeDown: node', 'CoreDNSErrors: control plane', 'EtcdSlow: control plane']);
  assert.deepEqual(also(10), [], 'no storm');
  const within = (cluster: string): Told =>
    lone('NodeDown', 60, { labels: { alertname: 'NodeDown', node: 'n7', cluster } });
  const inA = pods(11).map((told) => ({ ...told, labels: { ...told.labels, cluster: 'a' } }));
  const [{ also_began: same }, { also_began: other }] =
    [view([...inA, within('a')]), view([...inA, within('b')])];
  assert.deepEqual([same.length, other.length], [1, 0], 'of another cluster');
  assert.equal(view([...inA, lone('NodeDown', 60)]).also_began.length, 1, 'of an unknown one');
  const over = inA.map((told) => ({ ...told, ended: 300 }));
  assert.deepEqual(view([...over, within('a')]).also_began, [], 'it outlasts the storm');
  const many = Array.from({ length: 9 }, (_, index) => lone(`Node${index}Down`, 60));
  assert.equal(view([...pods(11), ...many]).also_began.length, 5);
  assert.deepEqual(view([...pods(11), node, ...others]).also_began, [], 'it has a machine itself');
});

test('RowMaker names the alert whose report has the cause unless it leads the row', () => {
  const causeFrom = (causes: readonly (string | null)[]): unknown => {
    const book = filledBook(causes.map((cause, index) => ({
      labels: { alertname: `Api${index}`, namespace: 's', severity: index ? 'info' : 'critical' },
      began: 0, conclusion: { cause },
    })));
    const row = new RowMaker(book, reportBase).row([...book.all()]);
    return row.kind === 'incident' && [row.name, row.cause_from];
  };
  assert.deepEqual(causeFrom([null, 'The disk is full']), ['Api0', 'Api1']);
  assert.deepEqual(causeFrom(['The disk is full', null]), ['Api0', null]);
  assert.deepEqual(causeFrom([null, null]), ['Api0', null]);
});

test('incidentView() prefers a release to causes that only say to look elsewhere', () => {
  for (const kind of ['release', 'config'] as const) {
    const found = (certainty: 'confirmed' | 'likely', facts: CauseFacts): unknown => {
      const release: CauseFacts = { kind, about: ['a'] };
      const causes = [release, { kind: 'component', about: ['b'] } as const, facts];
      return view(causes.map((each, index) => ({
        began: 9 - index, labels: { alertname: 'ApiSlow', namespace: 'shop', service: `s${index}` },
        conclusion: {
          ...each, cause: each.kind ?? '', certainty: index === 2 ? certainty : 'possible',
        },
      }))).most_likely?.text;
    };
    assert.equal(found('likely', { kind: 'dependency' }), kind);
    assert.equal(found('likely', { kind: 'same_problem', alert: 'x' }), kind);
    assert.equal(found('likely', { kind: 'dependency', about: ['b', 'a'] }), kind);
    const named: CauseFacts = { kind: 'dependency', about: ['db', 'disk-7'] };
    assert.equal(found('likely', named), 'dependency', 'no release of these is known');
    assert.equal(found('likely', { kind: 'family', family_cause: 'disk-full' }), 'family');
    assert.equal(found('confirmed', { kind: 'dependency' }), 'dependency');
  }
});
