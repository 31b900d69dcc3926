import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { membersMax } from '../../src/incidents/incident.ts';
import { Incidents } from '../../src/incidents/incidents.ts';
import { rankMembers } from '../../src/incidents/member.ts';
import { cpuTimer } from '../support/cpu-timer.ts';
import { seededRandom } from '../support/random.ts';
import { grouping, member, openAll, type TestMember } from '../support/samples/incident-members.ts';
import { settled } from '../support/settled.ts';

const node = { alertname: 'NodeDown', node: 'n1', severity: 'critical' };
function onNode(service: string, namespace = service): LabelSet {
  return {
    alertname: `${service}Errors`, namespace, service, pod: `${service}-1`, node: 'n1',
    severity: 'warning',
  };
}
function target(index: number, job: string, name = 'TargetDown'): LabelSet {
  return {
    alertname: name, job, instance: `10.0.0.${index}:9100`, namespace: job, severity: 'critical',
  };
}
const several = (count: number, each: (index: number) => TestMember): TestMember[] =>
  Array.from({ length: count }, (_, index) => each(index));

const tables: readonly [what: string, members: readonly TestMember[], expected: number[][]][] = [
  [
    'three services on one node, the node told last',
    [
      member(onNode('cart'), 20), member(onNode('pay'), 30), member(onNode('mail'), 40),
      member(node, 45),
    ],
    [[0, 1, 2, 3]],
  ],
  [
    'a node known by its instance and a pod on it',
    [member({ alertname: 'HostLoad', instance: 'n1:9100' }), member(onNode('cart'), 5)],
    [[0, 1]],
  ],
  [
    'a pod and then its node known by its instance',
    [member(onNode('cart')), member({ alertname: 'HostLoad', instance: 'n1:9100' }, 5)],
    [[0, 1]],
  ],
  [
    'two storms at once that have nothing in common',
    several(40, (index) => member(target(index, index % 2 === 0 ? 'shop' : 'mail',
      index % 2 === 0 ? 'TargetDown' : 'QueueLong'), index)),
    [Array.from({ length: 20 }, (_, index) => index * 2),
      Array.from({ length: 20 }, (_, index) => index * 2 + 1)],
  ],
  [
    'the same names in two clusters',
    [member({ ...onNode('cart'), cluster: 'a' }), member({ ...onNode('cart'), cluster: 'b' }, 5),
      member({ ...node, cluster: 'a' }, 10), member({ ...node, cluster: 'b' }, 15)],
    [[0, 2], [1, 3]],
  ],
  [
    'one group of the sender across two clusters',
    [member({ ...onNode('cart'), cluster: 'a' }, 0, '{}:{team="a"}'),
      member({ ...onNode('cart'), cluster: 'b' }, 5, '{}:{team="a"}')],
    [[0, 1]],
  ],
  [
    'the same object, but an hour later',
    [member(onNode('cart')), member({ ...onNode('cart'), alertname: 'Restarts' }, 3600)],
    [[0], [1]],
  ],
  [
    'nothing in common but severity and time',
    [member({ alertname: 'A', severity: 'critical' }),
      member({ alertname: 'B', severity: 'critical' })],
    [[0], [1]],
  ],
  [
    'one group of the sender, whatever the labels',
    [member({ alertname: 'A', x: '1' }, 0, '{}:{team="a"}'),
      member({ alertname: 'B', y: '1' }, 600, '{}:{team="a"}'),
      member({ alertname: 'C', z: '1' }, 600, '{}:{team="b"}')],
    [[0, 1], [2]],
  ],
  [
    'one group of the sender, a day apart',
    [member({ alertname: 'A', x: '1' }, 0, '{}:{team="a"}'),
      member({ alertname: 'B', y: '1' }, 86_400, '{}:{team="a"}')],
    [[0], [1]],
  ],
  [
    'a sender that does not group: only what has the same name',
    [member({ alertname: 'A', x: '1' }, 0, '{}:{}'), member({ alertname: 'B', y: '1' }, 0, '{}:{}'),
      member({ alertname: 'A', z: '1' }, 9, '{}:{}'),
      member({ alertname: 'A', w: '1' }, 600, '{}:{}')],
    [[0, 2], [1], [3]],
  ],
  [
    'what fires always or for others',
    [member({ ...node, alertname: 'Watchdog' }), member({ ...node, alertname: 'InfoInhibitor' }),
      member({ ...node, severity: 'none' }), member(node)],
    [[3]],
  ],
  [
    'labels that objects inherit',
    [member(JSON.parse('{"__proto__":"x","constructor":"y"}') as LabelSet),
      member(JSON.parse('{"__proto__":"x","constructor":"y","alertname":"B"}') as LabelSet)],
    [[0, 1]],
  ],
  ['no labels at all', [member({}, 0), { ...member({}, 900), fingerprint: 'other' }], [[0], [1]]],
];
for (const [what, members, expected] of tables) {
  test(`Incidents groups ${what}`, () => {
    const incidents = new Incidents<TestMember>();
    openAll(incidents, members);
    assert.deepEqual(grouping(members), expected);
    assert.equal(settled(incidents).size, expected.length);
  });
}

test('Incidents links a chain, and never beyond its bound', () => {
  const incidents = new Incidents<TestMember>();
  // Each is like the one before it and not like the first.
  const chain = several(membersMax * 2 + 1, (index) => member({
    alertname: `A${index}`, instance: `i${index >> 1}`, service: `s${(index + 1) >> 1}`,
  }, index * 60));
  openAll(incidents, chain);
  assert.deepEqual(grouping(chain).map(({ length }) => length), [membersMax, membersMax, 1]);
});

test('Incidents merges no two incidents that leave no room for what links them', () => {
  for (const [left, right, expected] of [
    [membersMax / 2, membersMax / 2 - 1, [membersMax]],
    [membersMax / 2, membersMax / 2, [membersMax / 2 + 1, membersMax / 2]],
  ] as const) {
    const incidents = new Incidents<TestMember>();
    const onNodeA = several(left, (index) => member({ alertname: `A${index}`, node: 'a' }, 0));
    const onNodeB = several(right, (index) => member({ alertname: `B${index}`, pod: 'b' }, 0));
    const linking = member({ alertname: 'C', node: 'a', pod: 'b' }, 0);
    const members = [...onNodeA, ...onNodeB, linking];
    openAll(incidents, members);
    assert.deepEqual(grouping(members).map(({ length }) => length), expected);
  }
});

test('Incidents.assignSome() gives the same result bit by bit, and says when it is done', () => {
  const members = several(10, (index) => member(target(index, `job${index % 3}`), index));
  const incidents = new Incidents<TestMember>();
  for (const [index, each] of members.entries()) {
    incidents.open(each, each, { sequence: index, index: 0 });
  }
  assert.equal(incidents.assignSome(4), false);
  assert.deepEqual(members.map(({ incident }) => incident !== null).lastIndexOf(true), 3);
  assert.equal(incidents.assignSome(6), true);
  const atOnce = members.map((each) => ({ ...each, incident: null }));
  openAll(new Incidents<TestMember>(), atOnce, 0);
  assert.deepEqual(grouping(members), grouping(atOnce));
});

test('Incidents adds nothing to an incident whose members have all ended', () => {
  const incidents = new Incidents<TestMember>();
  const cart = onNode('cart');
  const members = ['A', 'B', 'C'].map((name) => member({ ...cart, alertname: name }));
  openAll(incidents, members.slice(0, 2));
  const [first, second, third] = members as [TestMember, TestMember, TestMember];
  const { id = '' } = first.incident ?? {};
  incidents.close(first);
  incidents.close(second);
  incidents.close(second);
  assert.deepEqual(settled(incidents).membersOf(id), [first, second], 'what it was stays known');
  openAll(incidents, [third], 9);
  assert.notEqual(third.incident?.id, id);
  incidents.close(third);
  assert.equal(settled(incidents).size, 1, 'what ended alone was no incident');
  incidents.forget(first);
  assert.deepEqual(settled(incidents).membersOf(id), []);
  assert.equal(settled(incidents).size, 0);
});

test('Incidents derives an id from the first member, and never one in use', () => {
  const ids = [1, 500].map((sequence) => {
    const incidents = new Incidents<TestMember>();
    const first = member(node);
    openAll(incidents, [first], sequence);
    return first.incident?.id ?? '';
  });
  assert.match(ids[0] ?? '', /^[0-9a-f]{16}$/);
  assert.equal(ids[0], ids[1]);
  const incidents = new Incidents<TestMember>();
  const members = [member(node), member(onNode('cart'))];
  openAll(incidents, members);
  for (const each of members) incidents.close(each);
  const again = member(node);
  openAll(incidents, [again], 7);
  assert.notEqual(again.incident?.id, members[0]?.incident?.id);
});

test('Incidents reuses an id only once all of its members are forgotten', () => {
  for (const isRestored of [false, true]) {
    let incidents = new Incidents<TestMember>();
    const [first, second] = [member(node), member(onNode('cart'))];
    openAll(incidents, [first, second]);
    const { id } = first.incident ?? {};
    assert.equal(second.incident?.id, id);
    for (const each of [first, second]) incidents.close(each);
    incidents.forget(first);
    if (isRestored) incidents = restored([second], new Set());
    const [again, companion] = [member(node), member(onNode('pay'))];
    openAll(incidents, [again, companion], 7);
    assert.notEqual(again.incident?.id, id);
    assert.deepEqual(settled(incidents).membersOf(id ?? ''), []);
    for (const each of [again, companion, second]) incidents.forget(each);
    const free = member(node);
    openAll(incidents, [free], 12);
    assert.equal(free.incident?.id, id);
  }
});

test('Incidents compares with the corrected start of an open alert', () => {
  const incidents = new Incidents<TestMember>();
  const early = member(onNode('cart'));
  const late = member({ ...onNode('cart'), alertname: 'B' }, -3600);
  openAll(incidents, [early]);
  early.startsAt = new Date(Date.parse(early.startsAt) - 3_600_000).toISOString();
  incidents.moved(early);
  openAll(incidents, [late], 2);
  assert.equal(late.incident?.id, early.incident?.id);
});

test('Incidents finds a merged incident by its old id while a member opened under it', () => {
  const incidents = new Incidents<TestMember>();
  const places = [['i1', 's1'], ['i2', 's2'], ['i2', 's2'], ['i1', 's2']] as const;
  const members = places.map(([instance, service], index) => {
    return member({ alertname: `A${index}`, instance, service }, index * 60);
  });
  openAll(incidents, members);
  const [first, second, ...rest] = members as [TestMember, TestMember, ...TestMember[]];
  const { id = '', openedAs = '' } = second.incident ?? {};
  assert.notEqual(openedAs, id, 'the last one made two incidents one');
  incidents.forget(second);
  assert.deepEqual(settled(incidents).membersOf(openedAs), [first, ...rest]);
});

test('Incidents keeps a merged incident while the last of its members fires', () => {
  const incidents = new Incidents<TestMember>();
  const places = [['i1', 's1'], ['i2', 's2'], ['i1', 's2']] as const;
  const [first, second, link] = places.map(([instance, service], index) =>
    member({ alertname: `A${index}`, instance, service }, index * 60),
  ) as [TestMember, TestMember, TestMember];
  openAll(incidents, [first, second, link]);
  const { id = '', openedAs } = second.incident ?? {};
  assert.notEqual(openedAs, id, 'the last one made two incidents one');
  for (const ended of [first, link]) incidents.close(ended);
  for (const ended of [first, link]) incidents.forget(ended);
  assert.deepEqual(settled(incidents).membersOf(id), [second]);
  const next = member({ alertname: 'A3', instance: 'i2', service: 's2' }, 180);
  openAll(incidents, [next], 9);
  assert.equal(next.incident?.id, id);
});

test('Incidents puts members in order anew when one of them began earlier than was known', () => {
  const incidents = new Incidents<TestMember>();
  const [first, second] = ['a', 'b'].map((pod) => member({ ...onNode('cart'), pod }, 0));
  assert.ok(first && second);
  openAll(incidents, [first, second]);
  const id = first.incident?.id ?? '';
  assert.deepEqual(settled(incidents).rankedMembersOf(id).members, [first, second]);
  second.startsAt = new Date(Date.parse(first.startsAt) - 60_000).toISOString();
  incidents.moved(second);
  assert.deepEqual(settled(incidents).rankedMembersOf(id).members, [second, first]);
});

test('Incidents keeps its invariants over a random walk, with and without snapshots', () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const [plain, interrupted] = [walk(seed, Infinity), walk(seed, 37)];
    assert.deepEqual(interrupted.trace, plain.trace, `seed ${seed}`);
    assert.ok(plain.trace.some((line) => line.includes('moved')), 'incidents became one');
    for (const { all, open, incidents } of [plain, interrupted]) {
      const known = grouping(all).filter((indexes) =>
        indexes.length > 1 || indexes.some((index) => open.has(all[index] as TestMember)));
      assert.equal(settled(incidents).size, known.length);
      assert.ok(known.every(({ length }) => length <= membersMax));
      for (const indexes of known) {
        const members = indexes.map((index) => all[index]);
        const { id = '', openedAs = '' } = members[0]?.incident ?? {};
        assert.deepEqual(incidents.membersOf(id), members);
        assert.deepEqual(incidents.membersOf(openedAs), members);
      }
      for (const each of [...all].reverse()) incidents.forget(each);
      assert.equal(settled(incidents).size, 0);
    }
  }
});

interface Walk {
  readonly all: readonly TestMember[];
  readonly open: ReadonlySet<TestMember>;
  readonly incidents: Incidents<TestMember>;
  /** What each opening was grouped with. */
  readonly trace: readonly string[];
}

test('the ranking of an incident is of the members that it has now', () => {
  const incidents = new Incidents<TestMember>();
  const all = [member(node), member(onNode('cart'), 5), member(onNode('pay'), 10)];
  openAll(incidents, all.slice(0, 2));
  const [first, second, third] = all as [TestMember, TestMember, TestMember];
  const ranked = (): readonly TestMember[] =>
    settled(incidents).rankedMembersOf(second.incident?.id ?? '').members;
  assert.deepEqual(ranked(), [first, second]);
  openAll(incidents, [third], 3);
  assert.deepEqual(ranked(), [first, second, third]);
  third.startsAt = new Date(Date.parse(second.startsAt) - 1000).toISOString();
  incidents.moved(third);
  assert.deepEqual(ranked(), [first, third, second]);
  incidents.forget(first);
  assert.deepEqual(ranked(), [third, second]);
});

/** Opens, ends and forgets at random; starts anew from a snapshot every so many steps. */
function walk(seed: number, restoreEvery: number): Walk {
  const random = seededRandom(seed);
  const pick = (count: number): number => random() % count;
  let incidents = new Incidents<TestMember>();
  const all: TestMember[] = [];
  const open = new Set<TestMember>();
  const trace: string[] = [];
  for (let step = 1; step <= 600; step++) {
    const [action, at] = [pick(10), pick(Math.max(1, open.size))];
    const known = [...open][at];
    if (action < 6 || known === undefined) {
      const opened = member(randomLabels(step, pick), step * 20 - pick(300),
        pick(4) === 0 ? `{}:{g="${pick(3)}"}` : '');
      openAll(incidents, [opened], step);
      all.push(opened);
      open.add(opened);
      const moved = all.filter((each) => each !== opened && each.incident?.since === step);
      trace.push(`${opened.incident?.id} ${moved.length > 0 ? 'moved' : ''} ${moved.length}`);
    } else {
      open.delete(known);
      if (action < 9) incidents.close(known);
      else incidents.forget(all.splice(all.indexOf(known), 1)[0] as TestMember);
    }
    if (step % restoreEvery === 0) incidents = restored(all, open);
    const { id } = all[pick(all.length)]?.incident ?? { id: '' };
    assert.deepEqual(
      settled(incidents).rankedMembersOf(id), rankMembers(incidents.membersOf(id)));
  }
  return { all, open, incidents, trace };
}

function randomLabels(step: number, pick: (count: number) => number): LabelSet {
  return {
    alertname: `A${pick(9)}`, namespace: `ns${pick(9)}`, unique: `${step}`,
    ...(pick(2) === 0 && { pod: `p${pick(20)}`, node: `n${pick(5)}` }),
    ...(pick(3) === 0 && { instance: `n${pick(5)}:9100` }),
  };
}

/** As a snapshot would, in another order than that of the openings. */
function restored(
  all: readonly TestMember[],
  open: ReadonlySet<TestMember>,
): Incidents<TestMember> {
  const incidents = new Incidents<TestMember>();
  for (const each of [...all].sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1))) {
    incidents.restore(each, open.has(each) ? each : null);
  }
  return incidents;
}

const floods: readonly [what: string, labels: (index: number) => LabelSet][] = [
  ['one job', (index) => target(index, 'shop')],
  ['nothing in common but what tells little', (index) => ({
    ...target(index, `job${index}`, `Name${index}`), region: 'eu', team: 'a', severity: 'critical',
    pod: `p${index}`, node: `n${index}`, container: `c${index % 50}`,
  })],
];
for (const [what, labels] of floods) {
  test(`Incidents groups 10 000 alerts at once of ${what}, and ends them`, () => {
    const incidents = new Incidents<TestMember>();
    const members = several(10_000, (index) => member(labels(index), index / 100));
    const cpuMs = cpuTimer();
    openAll(incidents, members);
    for (const each of members) incidents.close(each);
    const ms = cpuMs();
    assert.ok(ms < 2_500, `${ms} ms`);
    assert.ok(grouping(members).length >= 20);
  });
}
